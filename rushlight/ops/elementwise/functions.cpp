// SPDX-License-Identifier: BSD-3-Clause
// Functions of one real number. Integers and bools are computed in float32.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {

/// out = e to the power of self.
Error exp(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::exp>(ctx, {self}, out, [](auto x) { return std::exp(x); });
}
/// out = exp(self) - 1, exact near 0.
Error expm1(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::expm1>(ctx, {self}, out, [](auto x) { return std::expm1(x); });
}
/// out = the natural logarithm; NaN below 0.
Error log(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::log>(ctx, {self}, out, [](auto x) { return std::log(x); });
}
/// out = the logarithm to base 2.
Error log2(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::log2>(ctx, {self}, out, [](auto x) { return std::log2(x); });
}
/// out = the logarithm to base 10.
Error log10(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::log10>(ctx, {self}, out, [](auto x) { return std::log10(x); });
}
/// out = log(1 + self), exact near 0.
Error log1p(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::log1p>(ctx, {self}, out, [](auto x) { return std::log1p(x); });
}
/// out = the square root; NaN below 0.
Error sqrt(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::sqrt>(ctx, {self}, out, [](auto x) { return std::sqrt(x); });
}
/// out = 1 / sqrt(self).
Error rsqrt(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::rsqrt>(ctx, {self}, out, [](auto x) { return 1 / std::sqrt(x); });
}
/// out = 1 / self.
Error reciprocal(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::reciprocal>(ctx, {self}, out, [](auto x) { return 1 / x; });
}
/// out = the sine of self radians.
Error sin(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::sin>(ctx, {self}, out, [](auto x) { return std::sin(x); });
}
/// out = the cosine of self radians.
Error cos(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::cos>(ctx, {self}, out, [](auto x) { return std::cos(x); });
}
/// out = the tangent of self radians.
Error tan(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::tan>(ctx, {self}, out, [](auto x) { return std::tan(x); });
}
/// out = the angle whose sine is self.
Error asin(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::asin>(ctx, {self}, out, [](auto x) { return std::asin(x); });
}
/// out = the angle whose cosine is self.
Error acos(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::acos>(ctx, {self}, out, [](auto x) { return std::acos(x); });
}
/// out = the angle whose tangent is self.
Error atan(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::atan>(ctx, {self}, out, [](auto x) { return std::atan(x); });
}
/// out = the hyperbolic sine.
Error sinh(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::sinh>(ctx, {self}, out, [](auto x) { return std::sinh(x); });
}
/// out = the hyperbolic cosine.
Error cosh(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::cosh>(ctx, {self}, out, [](auto x) { return std::cosh(x); });
}
/// out = the hyperbolic tangent.
Error tanh(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::tanh>(ctx, {self}, out, [](auto x) { return std::tanh(x); });
}
/// out = the inverse hyperbolic sine.
Error asinh(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::asinh>(ctx, {self}, out, [](auto x) { return std::asinh(x); });
}
/// out = the inverse hyperbolic cosine; NaN below 1.
Error acosh(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::acosh>(ctx, {self}, out, [](auto x) { return std::acosh(x); });
}
/// out = the inverse hyperbolic tangent; NaN outside [-1, 1].
Error atanh(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::atanh>(ctx, {self}, out, [](auto x) { return std::atanh(x); });
}
/// out = the error function.
Error erf(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::erf>(ctx, {self}, out, [](auto x) { return std::erf(x); });
}
/// out = 1 / (1 + exp(-self)).
Error sigmoid(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return floating<types::sigmoid>(ctx, {self}, out, [](auto x) { return 1 / (1 + std::exp(-x)); });
}

/// out = log(x / (1 - x)) where x is self, kept in [eps, 1 - eps] if eps is given.
Error logit(KernelContext& ctx, const Tensor& self, Optional<double> eps, Tensor& out) {
  if (!eps) {
    return floating<types::logit>(ctx, {self}, out, [](auto x) { return std::log(x / (1 - x)); });
  }
  const double low = *eps;
  return floating<types::logit>(ctx, {self}, out, [low](auto x) {
    using T = decltype(x);
    const T bottom = static_cast<T>(low), top = 1 - bottom;
    const T kept = x < bottom ? bottom : x > top ? top : x;
    return std::log(kept / (1 - kept));
  });
}

}  // namespace rushlight::ops
