// SPDX-License-Identifier: BSD-3-Clause
// Sums, products, extremes and atan2.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

// Eager refuses a fractional alpha with integers, and a bool minuend.
Error check_alpha(KernelContext& ctx, DType promoted, Scalar alpha) {
  if (is_floating(promoted) || !alpha.is_floating()) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "alpha = {} with {} operands, expected an integer", alpha.to_double(),
                  to_string(promoted));
}

Error check_not_bool(KernelContext& ctx, const Operand& a, const Operand& b) {
  if (a.dtype() != DType::Bool && b.dtype() != DType::Bool) return Error::Ok;
  return ctx.fail(Error::InvalidType, "subtraction with a bool operand is not defined; use logical_xor or logical_not");
}

/// alpha as the type that a loop computes with.
struct Alpha {
  float f;
  double d;
  int64_t i;
  explicit Alpha(Scalar value) : f(static_cast<float>(value.to_double())), d(value.to_double()), i(value.to_int()) {}
  float as(float) const { return f; }
  double as(double) const { return d; }
  int64_t as(int64_t) const { return i; }
  bool is_one() const { return d == 1; }
};

/// out = a + alpha * b.
template <class Types>
Error add_operands(KernelContext& ctx, const Operand& a, const Operand& b, Scalar alpha, Tensor& out) {
  const Operand both[] = {a, b};
  RL_TRY(check_alpha(ctx, result_type(both), alpha));
  const Alpha k(alpha);
  if (k.is_one()) return arithmetic<Types>(ctx, {a, b}, out, [](auto x, auto y) { return wrap_add(x, y); });
  return arithmetic<Types>(ctx, {a, b}, out, [=](auto x, auto y) { return wrap_add(x, wrap_mul(k.as(x), y)); });
}

/// out = a - alpha * b.
template <class Types>
Error subtract_operands(KernelContext& ctx, const Operand& a, const Operand& b, Scalar alpha, Tensor& out) {
  const Operand both[] = {a, b};
  RL_TRY(check_alpha(ctx, result_type(both), alpha));
  RL_TRY(check_not_bool(ctx, a, b));
  const Alpha k(alpha);
  if (k.is_one()) return arithmetic<Types>(ctx, {a, b}, out, [](auto x, auto y) { return wrap_sub(x, y); });
  return arithmetic<Types>(ctx, {a, b}, out, [=](auto x, auto y) { return wrap_sub(x, wrap_mul(k.as(x), y)); });
}

struct Product {
  template <class T>
  T operator()(T x, T y) const {
    return wrap_mul(x, y);
  }
};

template <class T>
bool is_nan(T x) {
  return x != x;
}

}  // namespace

/// out = self + alpha * other. Integers wrap; bools: self or (alpha and other).
Error add(KernelContext& ctx, const Tensor& self, const Tensor& other, Scalar alpha, Tensor& out) {
  return add_operands<types::add>(ctx, self, other, alpha, out);
}
Error add_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Scalar alpha, Tensor& out) {
  return add_operands<types::add_Scalar>(ctx, self, other, alpha, out);
}

/// out = self - alpha * other. Bools are refused.
Error sub(KernelContext& ctx, const Tensor& self, const Tensor& other, Scalar alpha, Tensor& out) {
  return subtract_operands<types::sub>(ctx, self, other, alpha, out);
}
Error sub_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Scalar alpha, Tensor& out) {
  return subtract_operands<types::sub_Scalar>(ctx, self, other, alpha, out);
}
/// out = other - alpha * self.
Error rsub_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Scalar alpha, Tensor& out) {
  return subtract_operands<types::rsub_Scalar>(ctx, other, self, alpha, out);
}

/// out = self * other. Integers wrap; bools: and.
Error mul(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return arithmetic<types::mul>(ctx, {self, other}, out, Product(), true);
}
Error mul_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return arithmetic<types::mul_Scalar>(ctx, {self, other}, out, Product(), true);
}

/// out = the larger operand; NaN if either is NaN.
Error maximum(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return arithmetic<types::maximum>(ctx, {self, other}, out, [](auto x, auto y) { return x > y || is_nan(x) ? x : y; });
}
/// out = the smaller operand; NaN if either is NaN.
Error minimum(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return arithmetic<types::minimum>(ctx, {self, other}, out, [](auto x, auto y) { return x < y || is_nan(x) ? x : y; });
}

/// out = the angle of the point (other, self), in (-pi, pi].
Error atan2(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return floating<types::atan2>(ctx, {self, other}, out, [](auto y, auto x) { return std::atan2(y, x); });
}

}  // namespace rushlight::ops
