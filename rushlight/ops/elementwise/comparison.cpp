// SPDX-License-Identifier: BSD-3-Clause
// Comparisons, to bool. A number must be one that the tensor's dtype can hold.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

// Eager refuses to compare int8 with 300.
Error check_number(KernelContext& ctx, const Tensor& self, Scalar other) {
  const Operand both[] = {self, other};
  uint64_t bytes = 0;
  return store_scalar(ctx, "other", other, result_type(both), &bytes);
}

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};

template <class Types, class F>
Error compare_number(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out, F f) {
  RL_TRY(check_number(ctx, self, other));
  return predicate<Types>(ctx, {self, other}, out, f);
}

}  // namespace

/// out = self == other.
Error eq(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::eq>(ctx, {self, other}, out, Equal());
}
Error eq_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return compare_number<types::eq_Scalar>(ctx, self, other, out, Equal());
}
/// out = self != other.
Error ne(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::ne>(ctx, {self, other}, out, NotEqual());
}
Error ne_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return compare_number<types::ne_Scalar>(ctx, self, other, out, NotEqual());
}
/// out = self < other.
Error lt(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::lt>(ctx, {self, other}, out, Less());
}
Error lt_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return compare_number<types::lt_Scalar>(ctx, self, other, out, Less());
}
/// out = self <= other.
Error le(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::le>(ctx, {self, other}, out, LessEqual());
}
Error le_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return compare_number<types::le_Scalar>(ctx, self, other, out, LessEqual());
}
/// out = self > other.
Error gt(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::gt>(ctx, {self, other}, out, Greater());
}
Error gt_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return compare_number<types::gt_Scalar>(ctx, self, other, out, Greater());
}
/// out = self >= other.
Error ge(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
  return predicate<types::ge>(ctx, {self, other}, out, GreaterEqual());
}
Error ge_Scalar(KernelContext& ctx, const Tensor& self, Scalar other, Tensor& out) {
  return compare_number<types::ge_Scalar>(ctx, self, other, out, GreaterEqual());
}

}  // namespace rushlight::ops
