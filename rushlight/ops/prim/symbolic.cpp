// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on symbolic sizes and numbers. The last parameter is the value to overwrite, together with its type.

#include <cmath>

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/prim/numbers.h"

namespace rushlight::ops {
namespace {

bool both_int(Scalar a, Scalar b) { return a.tag() == Tag::Int && b.tag() == Tag::Int; }

Error finish(EValue& out, EValue value) {
  out = value;
  return Error::Ok;
}

Error overflow(KernelContext& ctx, Scalar a, Scalar b) {
  return ctx.fail(Error::InvalidArgument, "the result of {} and {} does not fit int64", a.to_int(), b.to_int());
}

/// Error for a zero divisor, or a quotient that does not fit (the least int64 by -1).
Error check_divisor(KernelContext& ctx, int64_t a, int64_t b) {
  if (b == 0) return ctx.fail(Error::InvalidArgument, "division of {} by zero", a);
  if (b == -1 && a == INT64_MIN) return ctx.fail(Error::InvalidArgument, "{} / -1 does not fit int64", a);
  return Error::Ok;
}

/// out = a < b, a == b or a > b, exactly also for an Int against a Double.
template <class Test>
Error compare_to(Scalar a, Scalar b, EValue& out, Test test) {
  const Ordering order = compare(a, b);
  return finish(out, EValue::of_bool(order != Ordering::Unordered && test(static_cast<int>(order))));
}

Error to_int(KernelContext& ctx, double rounded, EValue& out) {
  int64_t value = 0;
  if (!fits_int(rounded, &value)) return ctx.fail(Error::InvalidArgument, "{} does not fit int64", rounded);
  return finish(out, EValue::of_int(value));
}

Error expect_double(KernelContext& ctx, Scalar a) {
  if (a.tag() == Tag::Double) return Error::Ok;
  return ctx.fail(Error::InvalidType, "the argument is {}, expected Double", to_string(a.tag()));
}

EValue value_of(Scalar a) {
  return a.tag() == Tag::Int    ? EValue::of_int(a.to_int())
         : a.tag() == Tag::Bool ? EValue::of_bool(a.to_int() != 0)
                                : EValue::of_double(a.to_double());
}

}  // namespace

/// out = a + b: Int if both are Int, else Double. InvalidArgument if it does not fit int64.
Error prim_add_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  if (!both_int(a, b)) return finish(out, EValue::of_double(a.to_double() + b.to_double()));
  int64_t sum = 0;
  if (!checked_add(a.to_int(), b.to_int(), &sum)) return overflow(ctx, a, b);
  return finish(out, EValue::of_int(sum));
}

/// out = a - b, as add.
Error prim_sub_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  if (!both_int(a, b)) return finish(out, EValue::of_double(a.to_double() - b.to_double()));
  int64_t difference = 0;
  if (__builtin_sub_overflow(a.to_int(), b.to_int(), &difference)) return overflow(ctx, a, b);
  return finish(out, EValue::of_int(difference));
}

/// out = a * b, as add.
Error prim_mul_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  if (!both_int(a, b)) return finish(out, EValue::of_double(a.to_double() * b.to_double()));
  int64_t product = 0;
  if (!checked_mul(a.to_int(), b.to_int(), &product)) return overflow(ctx, a, b);
  return finish(out, EValue::of_int(product));
}

/// out = a // b, rounded down. Int by zero is an error; Double by zero an infinity with the sign of a (NaN for 0 / 0).
Error prim_floordiv_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  if (!both_int(a, b)) return finish(out, EValue::of_double(floor_divide(a.to_double(), b.to_double())));
  const int64_t n = a.to_int(), d = b.to_int();
  RL_TRY(check_divisor(ctx, n, d));
  const bool rounds_up = n % d != 0 && (n < 0) != (d < 0);
  return finish(out, EValue::of_int(n / d - (rounds_up ? 1 : 0)));
}

/// out = a / b, truncated.
Error prim_floordiv_int(KernelContext& ctx, int64_t a, int64_t b, EValue& out) {
  RL_TRY(check_divisor(ctx, a, b));
  return finish(out, EValue::of_int(a / b));
}

/// out (Double) = a / b. By zero: an infinity or NaN.
Error prim_truediv_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return finish(out, EValue::of_double(divide(a.to_double(), b.to_double())));
}

/// out = the remainder of a / b with the sign of a (unlike Python).
Error prim_mod_Scalar(KernelContext& ctx, int64_t a, int64_t b, EValue& out) { return prim_mod_int(ctx, a, b, out); }
/// The same.
Error prim_mod_int(KernelContext& ctx, int64_t a, int64_t b, EValue& out) {
  if (b == 0) return ctx.fail(Error::InvalidArgument, "division of {} by zero", a);
  return finish(out, EValue::of_int(b == -1 ? 0 : a % b));
}

/// out (Bool) = a == b. Numbers of different types are compared by value.
Error prim_eq_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return compare_to(a, b, out, [](int order) { return order == 0; });
}
/// out (Bool) = a > b.
Error prim_gt_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return compare_to(a, b, out, [](int order) { return order > 0; });
}
/// out (Bool) = a < b.
Error prim_lt_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return compare_to(a, b, out, [](int order) { return order < 0; });
}
/// out (Bool) = a >= b.
Error prim_ge_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return compare_to(a, b, out, [](int order) { return order >= 0; });
}
/// out (Bool) = a <= b.
Error prim_le_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return compare_to(a, b, out, [](int order) { return order <= 0; });
}

/// out = -a. InvalidArgument for the least int64.
Error prim_neg_Scalar(KernelContext& ctx, Scalar a, EValue& out) {
  if (a.is_floating()) return finish(out, EValue::of_double(-a.to_double()));
  return prim_sub_Scalar(ctx, Scalar(int64_t{0}), Scalar(a.to_int()), out);
}

/// out (Double) = a.
Error prim_sym_float_Scalar(KernelContext& ctx, Scalar a, EValue& out) {
  return finish(out, EValue::of_double(a.to_double()));
}

/// out (Int) = a, truncated. InvalidArgument if it does not fit.
Error prim_sym_int_Scalar(KernelContext& ctx, Scalar a, EValue& out) {
  if (!a.is_floating()) return finish(out, EValue::of_int(a.to_int()));
  return to_int(ctx, std::trunc(a.to_double()), out);
}

/// out (Int) = the least integer not below a, which is Double.
Error prim_ceil_Scalar(KernelContext& ctx, Scalar a, EValue& out) {
  RL_TRY(expect_double(ctx, a));
  return to_int(ctx, std::ceil(a.to_double()), out);
}

/// out (Int) = a, which is Double, rounded towards zero.
Error prim_trunc_Scalar(KernelContext& ctx, Scalar a, EValue& out) {
  RL_TRY(expect_double(ctx, a));
  return to_int(ctx, std::trunc(a.to_double()), out);
}

/// out (Int) = the integer nearest to a, which is Double; halves go to the even one.
Error prim_round_Scalar(KernelContext& ctx, Scalar a, EValue& out) {
  RL_TRY(expect_double(ctx, a));
  return to_int(ctx, round_half_even(a.to_double()), out);
}

/// out = the larger one. Equal numbers: a.
Error prim_sym_max_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return finish(out, value_of(compare(b, a) == Ordering::Greater ? b : a));
}

/// out = the smaller one. Equal numbers: a.
Error prim_sym_min_Scalar(KernelContext& ctx, Scalar a, Scalar b, EValue& out) {
  return finish(out, value_of(compare(b, a) == Ordering::Less ? b : a));
}

/// out (Bool) = not a.
Error prim_sym_not_Scalar(KernelContext& ctx, Scalar a, EValue& out) {
  return finish(out, EValue::of_bool(a.to_double() == 0));
}

/// out = b ? t : f, with its type.
Error prim_sym_ite_Scalar(KernelContext& ctx, bool b, Scalar t, Scalar f, EValue& out) {
  return finish(out, value_of(b ? t : f));
}

}  // namespace rushlight::ops
