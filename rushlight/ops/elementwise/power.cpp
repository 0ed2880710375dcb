// SPDX-License-Identifier: BSD-3-Clause
// Powers.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

template <class T>
T power(T base, T exponent) {
  return std::pow(base, exponent);
}

/// Wraps. A negative exponent gives the truncated real power: 0 unless the base is 1 or -1.
int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    return base != -1 ? 0 : exponent % 2 == 0 ? 1 : -1;
  }
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = wrap_mul(result, base);
    base = wrap_mul(base, base);
  }
  return result;
}

template <class Types>
Error power_of(KernelContext& ctx, const Operand& base, const Operand& exponent, Tensor& out) {
  const Operand both[] = {base, exponent};
  if (result_type(both) == DType::Bool) {
    return ctx.fail(Error::InvalidType, "a bool to a bool power is not defined");
  }
  return arithmetic<Types>(ctx, {base, exponent}, out, [](auto x, auto y) { return power(x, y); });
}

}  // namespace

/// out = self to the power of exponent, element by element.
Error pow_Tensor_Tensor(KernelContext& ctx, const Tensor& self, const Tensor& exponent, Tensor& out) {
  return power_of<types::pow_Tensor_Tensor>(ctx, self, exponent, out);
}
Error pow_Scalar(KernelContext& ctx, Scalar self, const Tensor& exponent, Tensor& out) {
  return power_of<types::pow_Scalar>(ctx, self, exponent, out);
}

/// out = self to the power of exponent. Integers to a negative integer power are refused.
Error pow_Tensor_Scalar(KernelContext& ctx, const Tensor& self, Scalar exponent, Tensor& out) {
  const double e = exponent.to_double();
  if (e == 2)
    return arithmetic<types::pow_Tensor_Scalar>(ctx, {self, exponent}, out,
                                                [](auto x, auto) { return wrap_mul(x, x); });
  if (!is_floating(self.dtype()) && !exponent.is_floating() && e < 0) {
    return ctx.fail(Error::InvalidArgument, "exponent is {}: integers to negative integer powers are not defined",
                    exponent.to_int());
  }
  return power_of<types::pow_Tensor_Scalar>(ctx, self, exponent, out);
}

}  // namespace rushlight::ops
