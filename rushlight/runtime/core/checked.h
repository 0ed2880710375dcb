// SPDX-License-Identifier: BSD-3-Clause
// Size arithmetic that cannot wrap. Every product or sum of file-derived numbers goes through here.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rushlight {

/// *out = a * b. False if the product does not fit.
template <class T>
[[nodiscard]] inline bool checked_mul(T a, T b, T* out) {
  return !__builtin_mul_overflow(a, b, out);
}

/// *out = a + b. False if the sum does not fit.
template <class T>
[[nodiscard]] inline bool checked_add(T a, T b, T* out) {
  return !__builtin_add_overflow(a, b, out);
}

/// *out = value rounded up to a multiple of `alignment` (a power of two). False if that does not fit.
[[nodiscard]] inline bool checked_align(size_t value, size_t alignment, size_t* out) {
  if (!checked_add(value, alignment - 1, out)) return false;
  *out &= ~(alignment - 1);
  return true;
}

}  // namespace rushlight
