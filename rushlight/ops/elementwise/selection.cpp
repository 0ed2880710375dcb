// SPDX-License-Identifier: BSD-3-Clause
// Choosing between operands, and keeping one within others.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

Error check_condition(KernelContext& ctx, const char* name, const Tensor& condition) {
  if (condition.dtype() == DType::Bool || condition.dtype() == DType::UInt8) return Error::Ok;
  return ctx.fail(Error::InvalidType, "{} is {}, expected bool", name, to_string(condition.dtype()));
}

// Keeps x from below or above; a NaN on either side wins.
template <class T>
T raise_to(T x, T low) {
  return x < low || low != low ? low : x;
}
template <class T>
T lower_to(T x, T high) {
  return x > high || high != high ? high : x;
}

/// The bounds that are given: low and high, or one of them.
template <class Types>
Error clamp_to(KernelContext& ctx, const Tensor& self, const Operand* low, const Operand* high, Tensor& out) {
  if (low && high) {
    return arithmetic<Types>(ctx, {self, *low, *high}, out,
                             [](auto x, auto l, auto h) { return x != x ? x : lower_to(raise_to(x, l), h); });
  }
  if (low) return arithmetic<Types>(ctx, {self, *low}, out, [](auto x, auto l) { return x != x ? x : raise_to(x, l); });
  if (high) {
    return arithmetic<Types>(ctx, {self, *high}, out, [](auto x, auto h) { return x != x ? x : lower_to(x, h); });
  }
  return ctx.fail(Error::InvalidArgument, "neither min nor max is given");
}

}  // namespace

/// out = self where condition is true, else other.
Error where_self(KernelContext& ctx, const Tensor& condition, const Tensor& self, const Tensor& other, Tensor& out) {
  RL_TRY(check_condition(ctx, "condition", condition));
  const Operand both[] = {self, other};
  return in_dtype<types::where_self_input1>(ctx, result_type(both), {condition, self, other}, out,
                                            [](auto c, auto a, auto b) { return c != 0 ? a : b; });
}

/// out = value where mask is true, else self.
Error masked_fill_Scalar(KernelContext& ctx, const Tensor& self, const Tensor& mask, Scalar value, Tensor& out) {
  RL_TRY(check_condition(ctx, "mask", mask));
  uint64_t bytes = 0;
  RL_TRY(store_scalar(ctx, "value", value, self.dtype(), &bytes));
  return in_dtype<types::masked_fill_Scalar>(ctx, self.dtype(), {self, mask, value}, out,
                                             [](auto x, auto m, auto v) { return m != 0 ? v : x; });
}

/// out = self kept in [min, max]; max wins where min is larger. NaN stays NaN.
Error clamp(KernelContext& ctx, const Tensor& self, Optional<Scalar> min, Optional<Scalar> max, Tensor& out) {
  const Operand low(*min), high(*max);
  return clamp_to<types::clamp>(ctx, self, min ? &low : nullptr, max ? &high : nullptr, out);
}
Error clamp_Tensor(KernelContext& ctx, const Tensor& self, const Tensor* min, const Tensor* max, Tensor& out) {
  const Operand low(min ? *min : self), high(max ? *max : self);
  return clamp_to<types::clamp_Tensor>(ctx, self, min ? &low : nullptr, max ? &high : nullptr, out);
}

}  // namespace rushlight::ops
