// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/reduce/block.h"

namespace rushlight::ops {
namespace {

int64_t truncated(double x) {
  if (x != x) return 0;
  if (x >= 9223372036854775808.0) return INT64_MAX;
  if (x < -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(x);
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<double>(x) != 0;
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return static_cast<To>(truncated(x));
  } else {
    return static_cast<To>(x);
  }
}

/// What memory holds: a bool may be any byte there.
template <class T>
struct Stored {
  using Type = T;
  static T get(T x) { return x; }
};
template <>
struct Stored<bool> {
  using Type = uint8_t;
  static bool get(uint8_t x) { return x != 0; }
};
template <>
struct Stored<Half> {
  using Type = Half;
  static float get(Half x) { return x; }
};
template <>
struct Stored<BFloat16> {
  using Type = BFloat16;
  static float get(BFloat16 x) { return x; }
};

template <class T, class V>
void load(const void* src, ptrdiff_t stride, size_t n, V* values) {
  const auto* s = static_cast<const typename Stored<T>::Type*>(src);
  if (stride == 1) {
    for (size_t i = 0; i < n; ++i) values[i] = converted<V>(Stored<T>::get(s[i]));
  } else {
    for (size_t i = 0; i < n; ++i) values[i] = converted<V>(Stored<T>::get(s[static_cast<ptrdiff_t>(i) * stride]));
  }
}

template <class T, class V>
void store(void* dst, ptrdiff_t stride, size_t n, const V* values) {
  T* d = static_cast<T*>(dst);
  for (size_t i = 0; i < n; ++i) d[static_cast<ptrdiff_t>(i) * stride] = converted<T>(values[i]);
}

}  // namespace

template <class V>
LoadFn<V> loader(DType dtype) {
  switch (dtype) {
#define RL_CASE(name, type) \
  case DType::name:         \
    return load<type, V>;
    RL_FOR_EACH_DTYPE(RL_CASE)
#undef RL_CASE
    default:
      return nullptr;
  }
}

template <class V>
StoreFn<V> storer(DType dtype) {
  switch (dtype) {
#define RL_CASE(name, type) \
  case DType::name:         \
    return store<type, V>;
    RL_FOR_EACH_DTYPE(RL_CASE)
#undef RL_CASE
    default:
      return nullptr;
  }
}

template LoadFn<double> loader<double>(DType);
template LoadFn<int64_t> loader<int64_t>(DType);
template StoreFn<double> storer<double>(DType);
template StoreFn<int64_t> storer<int64_t>(DType);

}  // namespace rushlight::ops
