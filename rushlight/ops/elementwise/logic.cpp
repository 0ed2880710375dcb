// SPDX-License-Identifier: BSD-3-Clause
// Logic on truth values and on bits.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

struct And {
  int64_t operator()(int64_t a, int64_t b) const { return a & b; }
};
struct Or {
  int64_t operator()(int64_t a, int64_t b) const { return a | b; }
};
struct Xor {
  int64_t operator()(int64_t a, int64_t b) const { return a ^ b; }
};

/// A shift of `bits`-wide integers: all bits leave when the count is negative or at least `bits`.
struct LeftShift {
  int64_t bits;
  int64_t operator()(int64_t a, int64_t count) const {
    const bool is_out = count < 0 || count >= bits;
    return is_out ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << count);
  }
};
struct RightShift {
  int64_t most;  // the count that leaves the sign alone
  int64_t operator()(int64_t a, int64_t count) const { return a >> (count < 0 || count > most ? most : count); }
};

/// out = f(a, b) on integers and bools; f never sees a float.
template <class Types, class F>
Error on_bits(KernelContext& ctx, const Operand& a, const Operand& b, Tensor& out, const F& f) {
  const Operand both[] = {a, b};
  const DType promoted = result_type(both);
  if (is_floating(promoted)) {
    return ctx.fail(Error::InvalidType, "operands are {}, expected integers or bool", to_string(promoted));
  }
  Elementwise call{both, promoted, promoted, Compute::Int};
  call.loops[2] = detail::has_integers<Types> ? &detail::loop<int64_t, int64_t, F, 2> : nullptr;
  call.f = &f;
  return run(ctx, call, out);
}

template <class Types>
Error shift_left(KernelContext& ctx, const Operand& a, const Operand& b, Tensor& out) {
  const Operand both[] = {a, b};
  return on_bits<Types>(ctx, a, b, out, LeftShift{static_cast<int64_t>(element_nbytes(result_type(both)) * 8)});
}

template <class Types>
Error shift_right(KernelContext& ctx, const Operand& a, const Operand& b, Tensor& out) {
  const Operand both[] = {a, b};
  const DType promoted = result_type(both);
  const int64_t bits = static_cast<int64_t>(element_nbytes(promoted) * 8);
  return on_bits<Types>(ctx, a, b, out, RightShift{promoted == DType::UInt8 ? bits : bits - 1});
}

}  // namespace

/// out = self & other, bit by bit; on bools, and.
Error bitwise_and(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return on_bits<types::bitwise_and>(ctx, self, other, out, And());
}
Error bitwise_and_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return on_bits<types::bitwise_and_Scalar>(ctx, self, other, out, And());
}
/// out = self | other.
Error bitwise_or(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return on_bits<types::bitwise_or>(ctx, self, other, out, Or());
}
Error bitwise_or_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return on_bits<types::bitwise_or_Scalar>(ctx, self, other, out, Or());
}
/// out = self ^ other.
Error bitwise_xor(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return on_bits<types::bitwise_xor>(ctx, self, other, out, Xor());
}
Error bitwise_xor_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return on_bits<types::bitwise_xor_Scalar>(ctx, self, other, out, Xor());
}

/// out = self << other; 0 if other is negative or at least the dtype's width.
Error bitwise_left_shift(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return shift_left<types::bitwise_left_shift>(ctx, self, other, out);
}
Error bitwise_left_shift_Tensor_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return shift_left<types::bitwise_left_shift_Tensor_Scalar>(ctx, self, other, out);
}
/// out = self >> other; only the sign is left if other is negative or at least the dtype's width.
Error bitwise_right_shift(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return shift_right<types::bitwise_right_shift>(ctx, self, other, out);
}
Error bitwise_right_shift_Tensor_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return shift_right<types::bitwise_right_shift_Tensor_Scalar>(ctx, self, other, out);
}

/// out = every bit of self turned; on bools, not.
Error bitwise_not(KernelContext& ctx, const Tensor& self, Tensor& out) {
  // x ^ -1 turns all bits; a bool is the one bit.
  const Scalar mask = self.dtype() == DType::Bool ? Scalar(true) : Scalar(int64_t{-1});
  return on_bits<types::bitwise_not>(ctx, self, mask, out, Xor());
}

/// Truth values: everything but zero is true.
Error logical_and(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::logical_and>(ctx, {self, other}, out, [](auto a, auto b) { return (a != 0) & (b != 0); });
}
Error logical_or(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::logical_or>(ctx, {self, other}, out, [](auto a, auto b) { return (a != 0) | (b != 0); });
}
Error logical_xor(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::logical_xor>(ctx, {self, other}, out, [](auto a, auto b) { return (a != 0) != (b != 0); });
}
Error logical_not(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return predicate<types::logical_not>(ctx, {self}, out, [](auto a) { return a == 0; });
}

}  // namespace rushlight::ops
