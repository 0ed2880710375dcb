// SPDX-License-Identifier: BSD-3-Clause
// Quotients and remainders. An integer divided by zero is an error; a float follows IEEE 754.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

/// Set by a loop that met a zero divisor; the quotient there is 0.
struct ZeroDivisor {
  mutable bool found = false;
};

int64_t divide_trunc(int64_t a, int64_t b, const ZeroDivisor& zero) {
  if (b == 0) return zero.found = true, 0;
  return b == -1 ? wrap_sub<int64_t>(0, a) : a / b;  // INT64_MIN / -1 wraps
}
int64_t modulo_trunc(int64_t a, int64_t b, const ZeroDivisor& zero) {
  if (b == 0) return zero.found = true, 0;
  return b == -1 ? 0 : a % b;
}
int64_t divide_floor(int64_t a, int64_t b, const ZeroDivisor& zero) {
  const int64_t r = modulo_trunc(a, b, zero);
  return divide_trunc(a, b, zero) - (r != 0 && (r < 0) != (b < 0));
}
int64_t modulo_floor(int64_t a, int64_t b, const ZeroDivisor& zero) {
  const int64_t r = modulo_trunc(a, b, zero);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <class T>
T divide_trunc(T a, T b, const ZeroDivisor&) {
  return std::trunc(a / b);
}
template <class T>
T modulo_trunc(T a, T b, const ZeroDivisor&) {
  return std::fmod(a, b);
}
template <class T>
T modulo_floor(T a, T b, const ZeroDivisor&) {
  const T r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// As Python's float floor division: exact where a / b rounded up to the next integer.
template <class T>
T divide_floor(T a, T b, const ZeroDivisor&) {
  if (b == 0) return a / b;
  const T r = std::fmod(a, b);
  T quotient = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T whole = std::floor(quotient);
  return quotient - whole > T(0.5) ? whole + 1 : whole;
}

enum class Rounding : uint8_t { None, Trunc, Floor };

Error parse_rounding(KernelContext& ctx, Optional<Text> mode, Rounding* rounding) {
  *rounding = Rounding::None;
  if (!mode) return Error::Ok;
  if (equal(*mode, "trunc")) return *rounding = Rounding::Trunc, Error::Ok;
  if (equal(*mode, "floor")) return *rounding = Rounding::Floor, Error::Ok;
  return ctx.fail(Error::InvalidArgument, "rounding_mode is {}, expected trunc or floor", *mode);
}

Error check_divisor(KernelContext& ctx, Error error, const ZeroDivisor& zero) {
  if (error != Error::Ok || !zero.found) return error;
  return ctx.fail(Error::InvalidArgument, "integer division by zero");
}

template <class Types>
Error divide(KernelContext& ctx, const Operand& a, const Operand& b, Tensor& out) {
  return floating<Types>(ctx, {a, b}, out, [](auto x, auto y) { return x / y; }, true);
}

template <class Types>
Error divide_rounded(KernelContext& ctx, const Operand& a, const Operand& b, Rounding rounding, Tensor& out) {
  const ZeroDivisor zero;
  if (rounding == Rounding::None) return divide<Types>(ctx, a, b, out);
  if (rounding == Rounding::Trunc) {
    const auto f = [&](auto x, auto y) { return divide_trunc(x, y, zero); };
    return check_divisor(ctx, arithmetic<Types>(ctx, {a, b}, out, f, true), zero);
  }
  const auto f = [&](auto x, auto y) { return divide_floor(x, y, zero); };
  return check_divisor(ctx, arithmetic<Types>(ctx, {a, b}, out, f, true), zero);
}

template <class Types>
Error remainder_of(KernelContext& ctx, const Operand& a, const Operand& b, Tensor& out) {
  const ZeroDivisor zero;
  const auto f = [&](auto x, auto y) { return modulo_floor(x, y, zero); };
  return check_divisor(ctx, arithmetic<Types>(ctx, {a, b}, out, f), zero);
}

template <class Types>
Error fmod_of(KernelContext& ctx, const Operand& a, const Operand& b, Tensor& out) {
  const ZeroDivisor zero;
  const auto f = [&](auto x, auto y) { return modulo_trunc(x, y, zero); };
  return check_divisor(ctx, arithmetic<Types>(ctx, {a, b}, out, f), zero);
}

}  // namespace

/// out = self / other, in floating point whatever the operands are.
Error div(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return divide<types::div>(ctx, self, other, out);
}
Error div_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return divide<types::div_Scalar>(ctx, self, other, out);
}

/// out = self / other, rounded toward zero ("trunc") or down ("floor") in the promoted dtype; None: true division.
Error div_Tensor_mode(KernelContext& ctx, const Tensor& self, const Tensor& other, Optional<Text> mode, Tensor& out) {
  Rounding rounding;
  RL_TRY(parse_rounding(ctx, mode, &rounding));
  return divide_rounded<types::div_Tensor_mode>(ctx, self, other, rounding, out);
}
Error div_Scalar_mode(KernelContext& ctx, const Tensor& self, Scalar other, Optional<Text> mode, Tensor& out) {
  Rounding rounding;
  RL_TRY(parse_rounding(ctx, mode, &rounding));
  return divide_rounded<types::div_Scalar_mode>(ctx, self, other, rounding, out);
}

/// out = floor(self / other).
Error floor_divide(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return divide_rounded<types::floor_divide>(ctx, self, other, Rounding::Floor, out);
}

/// out = self modulo other, with other's sign.
Error remainder(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return remainder_of<types::remainder>(ctx, self, other, out);
}
Error remainder_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return remainder_of<types::remainder_Scalar>(ctx, self, other, out);
}

/// out = self modulo other, with self's sign.
Error fmod(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return fmod_of<types::fmod>(ctx, self, other, out);
}
Error fmod_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return fmod_of<types::fmod_Scalar>(ctx, self, other, out);
}

}  // namespace rushlight::ops
