// SPDX-License-Identifier: BSD-3-Clause
// One matrix product over strided operands of any dtype.

#pragma once

#include <cstddef>

#include "rushlight/runtime/core/dtype.h"

namespace rushlight::ops {

/// A strided matrix; strides count elements and may be 0 (broadcast). Not owned.
struct Matrix {
  const void* data = nullptr;
  DType dtype = DType::Float32;
  ptrdiff_t row = 0;
  ptrdiff_t column = 0;
};

/// out [m, n] = alpha * a [m, k] b [k, n] + beta * addend [m, n]; `addend.data` null means no addend.
///
/// k may be 0: the product is then zero. `out` must not overlap `a` or `b`; it may be the addend, element for element.
/// @tparam Acc  float for float32, float16 and bfloat16; double for float64; uint64_t for integers, which wrap.
template <class Acc>
struct Product {
  size_t m, n, k;
  Matrix a, b, addend;
  Acc alpha, beta;
  void* out;
  DType out_dtype;
  ptrdiff_t out_row, out_column;
};

/// Computes it. Sums are taken in Acc, in blocks of at most 64, and rounded to the result's dtype once.
template <class Acc>
void multiply(const Product<Acc>& product);

}  // namespace rushlight::ops
