// SPDX-License-Identifier: BSD-3-Clause
// Comparison, division and rounding of run-time numbers, exact and free of undefined behaviour.

#pragma once

#include "rushlight/runtime/core/evalue.h"

namespace rushlight::ops {

enum class Ordering : int8_t { Less = -1, Equal = 0, Greater = 1, Unordered = 2 };

/// How a stands to b by value; exact also for an Int beyond 2^53 against a Double. NaN is unordered.
Ordering compare(Scalar a, Scalar b);
/// *out = x if that is an integer within int64.
bool fits_int(double x, int64_t* out);
/// a / b; by zero an infinity with the signs' product, or NaN, also where the hardware would trap.
double divide(double a, double b);
/// Python's a // b on floats; by zero an infinity with the sign of a, NaN for 0 / 0.
double floor_divide(double a, double b);
/// The nearest integer, of two the even one, whatever the rounding mode.
double round_half_even(double x);

}  // namespace rushlight::ops
