// SPDX-License-Identifier: BSD-3-Clause
// Activations.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {

/// out = max(self, 0). NaN stays NaN.
Error relu(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return arithmetic<types::relu>(ctx, {self}, out, [](auto x) { return x < 0 ? 0 : x; });
}

/// out = self kept in [min_val, max_val]. NaN stays NaN.
Error hardtanh(KernelContext& ctx, const Tensor& self, Scalar min_val, Scalar max_val, Tensor& out) {
  uint64_t bytes = 0;
  RL_TRY(store_scalar(ctx, "min_val", min_val, self.dtype(), &bytes));
  RL_TRY(store_scalar(ctx, "max_val", max_val, self.dtype(), &bytes));
  return in_dtype<types::hardtanh>(ctx, self.dtype(), {self, min_val, max_val}, out, [](auto x, auto low, auto high) {
    const auto raised = x < low ? low : x;
    return raised > high ? high : raised;
  });
}

/// out = self where self > 0, else negative_slope * self. NaN stays NaN.
Error leaky_relu(KernelContext& ctx, const Tensor& self, Scalar negative_slope, Tensor& out) {
  float slope = 0;
  RL_TRY(ctx.to_float32("negative_slope", negative_slope, &slope));
  const double exact = negative_slope.to_double();
  return floating<types::leaky_relu>(ctx, {self}, out, [=](auto x) {
    const auto k = sizeof(x) == sizeof(float) ? static_cast<decltype(x)>(slope) : static_cast<decltype(x)>(exact);
    return x > 0 ? x : x * k;
  });
}

/// out = scale * self where self > 0, else scale * alpha * (exp(input_scale * self) - 1).
Error elu(KernelContext& ctx, const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale, Tensor& out) {
  const double negative = alpha.to_double() * scale.to_double();
  const double positive = scale.to_double(), inner = input_scale.to_double();
  return floating<types::elu>(ctx, {self}, out, [=](auto x) {
    using T = decltype(x);
    return x < 0 ? std::expm1(x * static_cast<T>(inner)) * static_cast<T>(negative) : x * static_cast<T>(positive);
  });
}

/// out = self * P(X <= self) for a standard normal X; approximate "tanh": by its formula with tanh.
Error gelu(KernelContext& ctx, const Tensor& self, Text approximate, Tensor& out) {
  if (equal(approximate, "none")) {
    return floating<types::gelu>(ctx, {self}, out, [](auto x) {
      using T = decltype(x);
      return x * T(0.5) * (1 + std::erf(x * T(0.70710678118654752440)));
    });
  }
  if (!equal(approximate, "tanh")) {
    return ctx.fail(Error::InvalidArgument, "approximate is {}, expected none or tanh", approximate);
  }
  return floating<types::gelu>(ctx, {self}, out, [](auto x) {
    using T = decltype(x);
    constexpr T kBeta = T(0.79788456080286535588);  // sqrt(2 / pi)
    const T inner = kBeta * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (1 + std::tanh(inner));
  });
}

}  // namespace rushlight::ops
