// SPDX-License-Identifier: BSD-3-Clause
// Copies, with conversion to out's dtype and dim order. What the arguments say of layout and dtype is in out already.

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {

/// out = self in out's dtype and dim order.
Error to_copy(KernelContext& ctx, const Tensor& self, bool, Optional<int64_t>, Tensor& out) {
  return copy_elements(ctx, self, out);
}
Error to_dim_order_copy(KernelContext& ctx, const Tensor& self, bool, Optional<IntList>, Tensor& out) {
  return copy_elements(ctx, self, out);
}
Error clone_dim_order(KernelContext& ctx, const Tensor& self, bool, Optional<IntList>, Tensor& out) {
  return copy_elements(ctx, self, out);
}
Error clone(KernelContext& ctx, const Tensor& self, Optional<int64_t>, Tensor& out) {
  return copy_elements(ctx, self, out);
}
Error lift_fresh_copy(KernelContext& ctx, const Tensor& self, Tensor& out) { return copy_elements(ctx, self, out); }
Error detach_copy(KernelContext& ctx, const Tensor& self, Tensor& out) { return copy_elements(ctx, self, out); }
Error alias_copy(KernelContext& ctx, const Tensor& self, Tensor& out) { return copy_elements(ctx, self, out); }

/// out = src, stretched to self's sizes and in self's dtype. self's elements are not read.
Error copy(KernelContext& ctx, const Tensor& self, const Tensor& src, bool, Tensor& out) {
  return copy_elements(ctx, src, out);
}
/// self = src, stretched and converted.
Error copy_(KernelContext& ctx, Tensor& self, const Tensor& src, bool) { return copy_elements(ctx, src, self); }

}  // namespace rushlight::ops
