// SPDX-License-Identifier: BSD-3-Clause
// Short rows of elements of any dtype, read into and written from one of two types to compute in: double or int64.
//
// double holds every float and small integer exactly and makes long float32 sums exact for practical purposes; int64
// holds every integer. So a reduction is written twice, not once per dtype.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight::ops {

/// Elements per block: 1 kB on the stack.
constexpr size_t kBlock = 128;

/// values[i] = the element at src + i * stride, for i < n. Floats to int64 truncate, saturate, and map NaN to 0.
template <class V>
using LoadFn = void (*)(const void* src, ptrdiff_t stride, size_t n, V* values);
/// The element at dst + i * stride = values[i]. Integers wrap; floats to integers as LoadFn; to bool: != 0.
template <class V>
using StoreFn = void (*)(void* dst, ptrdiff_t stride, size_t n, const V* values);

/// The function for a dtype; null if there is none. V: double or int64_t.
template <class V>
LoadFn<V> loader(DType dtype);
template <class V>
StoreFn<V> storer(DType dtype);

/// Whether values of `dtype` are computed in double rather than int64.
inline bool computes_in_double(DType dtype) { return is_floating(dtype); }

}  // namespace rushlight::ops
