// SPDX-License-Identifier: BSD-3-Clause
// Signs, roundings and tests of one number. Integers round to themselves.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

template <class Types, class F>
Error round_with(KernelContext& ctx, const Tensor& self, Tensor& out, const F& f) {
  if (is_integral(self.dtype()) && self.dtype() == out.dtype()) return copy_elements(ctx, self, out);
  return arithmetic<Types>(ctx, {self}, out, [&](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) return x;
    else return f(x);
  });
}

}  // namespace

/// out = |self|. The lowest integer wraps to itself.
Error abs(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return arithmetic<types::abs>(ctx, {self}, out, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) return x < 0 ? wrap_sub<int64_t>(0, x) : x;
    else return std::fabs(x);
  });
}
/// out = -self.
Error neg(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return arithmetic<types::neg>(ctx, {self}, out, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) return wrap_sub<int64_t>(0, x);
    else return -x;
  });
}
/// out = -1, 0 or 1 by the sign of self; 0 for NaN.
Error sign(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return arithmetic<types::sign>(ctx, {self}, out, [](auto x) { return static_cast<decltype(x)>((x > 0) - (x < 0)); });
}
/// out = the next whole number above.
Error ceil(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return round_with<types::ceil>(ctx, self, out, [](auto x) { return std::ceil(x); });
}
/// out = the next whole number below.
Error floor(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return round_with<types::floor>(ctx, self, out, [](auto x) { return std::floor(x); });
}
/// out = the nearest whole number, halves to even.
Error round(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return round_with<types::round>(ctx, self, out, [](auto x) { return std::nearbyint(x); });
}
/// out = self without its fraction.
Error trunc(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return round_with<types::trunc>(ctx, self, out, [](auto x) { return std::trunc(x); });
}
/// out = self is NaN.
Error isnan(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return predicate<types::isnan>(ctx, {self}, out, [](auto x) { return x != x; });
}
/// out = self is infinite.
Error isinf(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return predicate<types::isinf>(ctx, {self}, out, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) return false;
    else return x == x && x - x != 0;
  });
}

}  // namespace rushlight::ops
