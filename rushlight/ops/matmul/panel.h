// SPDX-License-Identifier: BSD-3-Clause
// The multiply-accumulate core under matrix products and convolutions.
//
// A product out[m, n] = sum_k a[m, k] * b[k, n] is computed strip by strip: kStrip columns of b are copied, converted
// to the accumulator type, into a panel on the stack (kDepth deep), and every row of a runs over that panel. The panel
// is what makes one inner loop serve every dtype, stride, dim order and padding; its cost is paid once per kBlock rows.

#pragma once

#include <cstddef>
#include <cstdint>

#include "rushlight/ops/kernel.h"

namespace rushlight::ops::panel {

/// Columns of a panel, and rows of `a` that one tile computes at a time.
constexpr size_t kStrip = 16;
constexpr size_t kRows = 4;
/// Depth of a panel: at most 4 KiB of stack. Sums of kDepth products are added to the total, which also keeps the
/// rounding error of long sums small.
template <class Acc>
constexpr size_t kDepth = 256 / sizeof(Acc);
/// Rows whose accumulators are alive at once: 4 KiB of stack.
template <class Acc>
constexpr size_t kBlock = 256 / sizeof(Acc);

/// acc[r * kStrip + j] += sum_k a[r * a_row + k] * panel[k * kStrip + j], for r < rows <= kRows and j < columns.
///
/// Columns are computed in whole vectors: acc and panel must be readable and acc writable up to kStrip.
/// Acc is float (for float32, float16, bfloat16), double or uint64_t (integers; wraps like two's complement).
template <class Acc>
void multiply(const Acc* a, ptrdiff_t a_row, size_t rows, const Acc* panel, size_t depth, size_t columns, Acc* acc);

/// to[i] = Acc(from[i * stride]) for i < count.
template <class Acc>
using Load = void (*)(const void* from, ptrdiff_t stride, size_t count, Acc* to);
/// to[i * stride] = T(from[i]) for i < count, rounded to nearest even.
template <class Acc>
using Store = void (*)(const Acc* from, size_t count, void* to, ptrdiff_t stride);
/// acc[i] += weight * from[i * stride] for i < count.
template <class Acc>
using Accumulate = void (*)(const void* from, ptrdiff_t stride, size_t count, Acc weight, Acc* acc);

/// Conversions between one dtype and one accumulator type.
template <class Acc>
struct Access {
  Load<Acc> load = nullptr;
  Store<Acc> store = nullptr;
  Accumulate<Acc> accumulate = nullptr;
};
/// The conversions of `dtype`. All null if Acc is not its accumulator type.
template <class Acc>
Access<Acc> access(DType dtype);

/// Whether Types has one of `dtypes`.
template <class Types, DType... dtypes>
constexpr bool has = (Types::contains(dtypes) || ...);

/// Calls body(Acc()) with the accumulator type of `dtype` if Types has the dtype; NotSupported otherwise. One call of
/// body per accumulator type, not per dtype: what it calls is instantiated at most three times.
template <class Types, class Body>
Error visit_accumulator(KernelContext& ctx, DType dtype, Body&& body) {
  if (!Types::contains(dtype)) return visit_dtype<DTypeList<>>(ctx, dtype, [](auto*) {});
  if (dtype == DType::Float64) {
    if constexpr (has<Types, DType::Float64>) return body(double{});
  } else if (is_floating(dtype)) {
    if constexpr (has<Types, DType::Float32, DType::Float16, DType::BFloat16>) return body(float{});
  } else if constexpr (has<Types, DType::Int64, DType::Int32, DType::Int16, DType::Int8, DType::UInt8>) {
    return body(uint64_t{});
  }
  return Error::Internal;
}

}  // namespace rushlight::ops::panel
