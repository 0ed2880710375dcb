// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/prim/numbers.h"

#include <cmath>

namespace rushlight::ops {
namespace {

template <class T>
Ordering order(T a, T b) {
  return a < b ? Ordering::Less : a > b ? Ordering::Greater : a == b ? Ordering::Equal : Ordering::Unordered;
}

Ordering reversed(Ordering x) {
  return x == Ordering::Less ? Ordering::Greater : x == Ordering::Greater ? Ordering::Less : x;
}

/// An integer against a double: the double's integer part decides, then its fraction.
Ordering order_mixed(int64_t a, double b) {
  if (b != b) return Ordering::Unordered;
  if (b >= 9223372036854775808.0) return Ordering::Less;
  if (b < -9223372036854775808.0) return Ordering::Greater;
  const double whole = std::trunc(b);
  const Ordering by_whole = order(a, static_cast<int64_t>(whole));
  return by_whole != Ordering::Equal ? by_whole : order(whole, b);
}

}  // namespace

Ordering compare(Scalar a, Scalar b) {
  if (a.is_floating() && b.is_floating()) return order(a.to_double(), b.to_double());
  if (b.is_floating()) return order_mixed(a.to_int(), b.to_double());
  if (a.is_floating()) return reversed(order_mixed(b.to_int(), a.to_double()));
  return order(a.to_int(), b.to_int());
}

bool fits_int(double x, int64_t* out) {
  if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) return false;
  *out = static_cast<int64_t>(x);
  return true;
}

double divide(double a, double b) {
  if (b != 0) return a / b;
  if (a == 0 || a != a) return static_cast<double>(NAN);
  return std::signbit(a) != std::signbit(b) ? -static_cast<double>(INFINITY) : static_cast<double>(INFINITY);
}

double floor_divide(double a, double b) {
  if (b == 0) return divide(a, 0.0);
  // The remainder is exact; removing it first makes the quotient a whole number up to rounding.
  double remainder = std::fmod(a, b);
  const bool is_opposite = remainder != 0 && (remainder < 0) != (b < 0);
  const double quotient = (a - remainder) / b - (is_opposite ? 1.0 : 0.0);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

double round_half_even(double x) {
  const double down = std::floor(x);
  const double rest = x - down;
  const bool goes_up = rest > 0.5 || (rest == 0.5 && std::fmod(down, 2.0) != 0);
  return goes_up ? down + 1 : down;
}

}  // namespace rushlight::ops
