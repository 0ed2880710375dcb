// SPDX-License-Identifier: BSD-3-Clause
// A pointer and a count. C++17 has no std::span, and the runtime may not depend on a library for one.

#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace rushlight {

/// `count` elements at `data`, owned by someone else. Indexing is unchecked: check against count() first.
template <class T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, size_t count) : data_(data), count_(count) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) : data_(array), count_(N) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  constexpr Span(const Span<U>& other) : data_(other.data()), count_(other.count()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t count() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + count_; }
  constexpr Span first(size_t n) const { return {data_, n}; }
  constexpr Span drop(size_t n) const { return {data_ + n, count_ - n}; }

 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};

/// Same count and same items.
template <class T>
bool equal(Span<const T> a, Span<const T> b) {
  static_assert(std::is_integral_v<T>, "compared as bytes");
  return a.count() == b.count() && (a.empty() || std::memcmp(a.data(), b.data(), a.count() * sizeof(T)) == 0);
}

}  // namespace rushlight
