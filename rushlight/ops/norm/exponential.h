// SPDX-License-Identifier: BSD-3-Clause
// Exponentials and sums over short runs of values.

#pragma once

#include <cstddef>

namespace rushlight::ops {

/// values[i] = exp(values[i]) for values that are not positive, or NaN (which stays NaN).
///
/// float: within 2 units of the last place, subnormal results included; -inf gives 0. double: std::exp.
void exponentials(float* values, size_t count);
void exponentials(double* values, size_t count);

/// The sum, in four interleaved partial sums: for runs of at most a few hundred.
float sum_of(const float* values, size_t count);
double sum_of(const double* values, size_t count);

}  // namespace rushlight::ops
