// SPDX-License-Identifier: BSD-3-Clause
// Elements of any dtype to and from the four types that elementwise loops compute with.

#pragma once

#include "rushlight/ops/kernel.h"

// Iterations do not depend on each other: in[i] and out[i] may be the same memory, in[i] and out[j] are not.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // clang warns of each loop that it leaves scalar all the same
#define RL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define RL_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace rushlight::ops {

/// What a loop reads and writes: float32 for float16, bfloat16 and float32; float64; int64 for all integers and bool.
/// Integers wrap when stored narrower, so sums, differences and products in int64 are those of the narrow type.
/// Bool is what comparisons write.
enum class Compute : uint8_t { Float, Double, Int, Bool };

/// The Compute of a dtype. Meaningless for dtypes that is_computable() denies.
Compute compute_of(DType dtype);
/// The dtype with the memory form of a Compute: Float32, Float64, Int64, Bool.
DType dtype_of_compute(Compute compute);
/// Whether elements of the dtype can be loaded and stored here: the 13 plain ones.
bool is_computable(DType dtype);
/// Bytes of one element: 4, 8, 8, 1.
size_t compute_nbytes(Compute compute);

/// dst[i] = src[i * stride], converted to a Compute's type, which is not Bool. dst is dense.
using Load = void (*)(const void* src, ptrdiff_t stride, void* dst, size_t count);
/// dst[i] = src[i], converted from a Compute's type: floats to integers truncate (INT64_MIN where that does not fit,
/// then wrap), anything but zero is true. Both are dense.
using Store = void (*)(const void* src, void* dst, size_t count);

Load find_load(DType from, Compute to);
Store find_store(Compute from, DType to);

/// Writes `value` as one element of `dtype` to bytes, which holds 8.
/// @return InvalidArgument naming `name` if a finite value does not fit, or a NaN has no integer; NotSupported for
/// other
///         dtypes. Fractions are cut off. -1 fits unsigned types, as in eager.
Error store_scalar(KernelContext& ctx, const char* name, Scalar value, DType dtype, void* bytes);

}  // namespace rushlight::ops
