// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of matrix products, and the conversions in and out of their accumulators.

#include "rushlight/ops/matmul/panel.h"

namespace rushlight::ops::panel {
namespace {

// Sixteen bytes: what SSE2, NEON and WASM SIMD all have. Compilers lower it to scalars where there is no such unit.
template <class Acc>
struct Lanes {
  typedef Acc Vector __attribute__((vector_size(16)));
  static constexpr size_t kCount = 16 / sizeof(Acc);

  static Vector load(const Acc* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static void store(Vector v, Acc* to) { __builtin_memcpy(to, &v, sizeof v); }
};

// R rows by two vectors of columns: 8 accumulators and 3 operands fit in 16 vector registers.
template <class Acc, size_t R>
void tile(const Acc* a, ptrdiff_t a_row, const Acc* panel, size_t depth, size_t columns, Acc* acc) {
  using L = Lanes<Acc>;
  for (size_t j = 0; j < columns; j += 2 * L::kCount) {
    typename L::Vector sum[R][2] = {};
    for (size_t k = 0; k < depth; ++k) {
      const typename L::Vector b0 = L::load(panel + k * kStrip + j);
      const typename L::Vector b1 = L::load(panel + k * kStrip + j + L::kCount);
#pragma GCC unroll 4
      for (size_t r = 0; r < R; ++r) {
        const Acc x = a[static_cast<ptrdiff_t>(r) * a_row + static_cast<ptrdiff_t>(k)];
        sum[r][0] += x * b0;
        sum[r][1] += x * b1;
      }
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < R; ++r) {
      Acc* const to = acc + r * kStrip + j;
      L::store(L::load(to) + sum[r][0], to);
      L::store(L::load(to + L::kCount) + sum[r][1], to + L::kCount);
    }
  }
}

template <class Acc, class T>
Acc widen(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<Acc>(static_cast<int64_t>(value));
  } else {
    return static_cast<Acc>(value);
  }
}

template <class Acc, class T>
void load(const void* from, ptrdiff_t stride, size_t count, Acc* to) {
  const T* const data = static_cast<const T*>(from);
  const ptrdiff_t n = static_cast<ptrdiff_t>(count);
  if (stride == 1) {  // apart, so that it vectorises
    for (ptrdiff_t i = 0; i < n; ++i) to[i] = widen<Acc>(data[i]);
    return;
  }
  for (ptrdiff_t i = 0; i < n; ++i) to[i] = widen<Acc>(data[i * stride]);
}

template <class Acc, class T>
void store(const Acc* from, size_t count, void* to, ptrdiff_t stride) {
  T* const data = static_cast<T*>(to);
  const ptrdiff_t n = static_cast<ptrdiff_t>(count);
  if (stride == 1) {
    for (ptrdiff_t i = 0; i < n; ++i) data[i] = static_cast<T>(from[i]);
    return;
  }
  for (ptrdiff_t i = 0; i < n; ++i) data[i * stride] = static_cast<T>(from[i]);
}

template <class Acc, class T>
void accumulate(const void* from, ptrdiff_t stride, size_t count, Acc weight, Acc* acc) {
  const T* const data = static_cast<const T*>(from);
  const ptrdiff_t n = static_cast<ptrdiff_t>(count);
  if (stride == 1) {
    for (ptrdiff_t i = 0; i < n; ++i) acc[i] += weight * widen<Acc>(data[i]);
    return;
  }
  for (ptrdiff_t i = 0; i < n; ++i) acc[i] += weight * widen<Acc>(data[i * stride]);
}

template <class Acc, class T>
constexpr Access<Acc> access_of() {
  return {load<Acc, T>, store<Acc, T>, accumulate<Acc, T>};
}

}  // namespace

template <class Acc>
void multiply(const Acc* a, ptrdiff_t a_row, size_t rows, const Acc* panel, size_t depth, size_t columns, Acc* acc) {
  switch (rows) {
    case 1:
      return tile<Acc, 1>(a, a_row, panel, depth, columns, acc);
    case 2:
      return tile<Acc, 2>(a, a_row, panel, depth, columns, acc);
    case 3:
      return tile<Acc, 3>(a, a_row, panel, depth, columns, acc);
    default:
      return tile<Acc, 4>(a, a_row, panel, depth, columns, acc);
  }
}
template void multiply(const float*, ptrdiff_t, size_t, const float*, size_t, size_t, float*);
template void multiply(const double*, ptrdiff_t, size_t, const double*, size_t, size_t, double*);
template void multiply(const uint64_t*, ptrdiff_t, size_t, const uint64_t*, size_t, size_t, uint64_t*);

template <>
Access<float> access(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return access_of<float, float>();
    case DType::Float16:
      return access_of<float, Half>();
    case DType::BFloat16:
      return access_of<float, BFloat16>();
    default:
      return {};
  }
}

template <>
Access<double> access(DType dtype) {
  return dtype == DType::Float64 ? access_of<double, double>() : Access<double>{};
}

template <>
Access<uint64_t> access(DType dtype) {
  switch (dtype) {
    case DType::Int64:
      return access_of<uint64_t, int64_t>();
    case DType::Int32:
      return access_of<uint64_t, int32_t>();
    case DType::Int16:
      return access_of<uint64_t, int16_t>();
    case DType::Int8:
      return access_of<uint64_t, int8_t>();
    case DType::UInt8:
      return access_of<uint64_t, uint8_t>();
    default:
      return {};
  }
}

}  // namespace rushlight::ops::panel
