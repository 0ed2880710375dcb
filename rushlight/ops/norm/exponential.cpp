// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/norm/exponential.h"

#include <cmath>
#include <cstdint>

namespace rushlight::ops {
namespace {

typedef float Float4 __attribute__((vector_size(16)));
typedef int32_t Int4 __attribute__((vector_size(16)));

// 2^n for n in [-126, 127].
Float4 power_of_two(Int4 n) { return reinterpret_cast<Float4>((n + 127) << 23); }

// exp(x) for x <= 0: x = n ln 2 + r with |r| <= ln(2) / 2, then 2^n times the Taylor polynomial of degree 7 in r, whose
// remainder there, r^8 / 8!, is below a tenth of a unit of the last place.
Float4 exponential(Float4 x) {
  constexpr float kLowest = -104;  // exp of it rounds to 0
  x = x < kLowest ? Float4{kLowest, kLowest, kLowest, kLowest} : x;
  // Adding 1.5 * 2^23 leaves the rounded integer in the low bits.
  constexpr float kShift = 12582912.0f;
  const Float4 shifted = x * 1.44269504f + kShift;
  const Int4 n = reinterpret_cast<Int4>(shifted) - 0x4b400000;  // the bits of kShift
  const Float4 whole = shifted - kShift;
  // ln 2 in two parts; the first has trailing zeros, so that its product with n is exact.
  const Float4 r = (x - whole * 0.693145751953125f) - whole * 1.42860682e-6f;
  Float4 p = r * (1.0f / 5040) + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * (r * r) + r + 1.0f;
  const Int4 half = n >> 1;  // two factors, since 2^n itself may be subnormal
  return p * power_of_two(half) * power_of_two(n - half);
}

template <class Real>
Real sum_in_lanes(const Real* values, size_t count) {
  Real lanes[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t lane = 0; lane < 4; ++lane) lanes[lane] += values[i + lane];
  }
  for (; i < count; ++i) lanes[0] += values[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

void exponentials(float* values, size_t count) {
  for (size_t i = 0; i < count; i += 4) {
    const size_t nbytes = (count - i < 4 ? count - i : 4) * sizeof(float);
    Float4 x{};
    if (nbytes == sizeof x) {
      __builtin_memcpy(&x, values + i, sizeof x);
      x = exponential(x);
      __builtin_memcpy(values + i, &x, sizeof x);
    } else {
      __builtin_memcpy(&x, values + i, nbytes);
      x = exponential(x);
      __builtin_memcpy(values + i, &x, nbytes);
    }
  }
}

void exponentials(double* values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i] = std::exp(values[i]);
}

float sum_of(const float* values, size_t count) { return sum_in_lanes(values, count); }
double sum_of(const double* values, size_t count) { return sum_in_lanes(values, count); }

}  // namespace rushlight::ops
