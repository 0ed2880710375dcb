// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.index: self[i, :, j] with tensors of indices.

#include "rushlight/ops/index/advanced.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {

/// out = self[indices]: as numpy, indices stretch to common sizes, absent ones take the whole dimension, negative ones
/// count from the end.
Error index(KernelContext& ctx, const Tensor& self, OptionalTensorList indices, Tensor& out) {
  IndexPlan plan;
  RL_TRY(plan_index(ctx, self, indices, &plan));
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_sizes(ctx, "out", out, plan.result.span()));
  bool is_empty = false;  // no index is read then
  for (size_t d = 0; d < plan.common.rank; ++d) is_empty |= plan.common.sizes[d] == 0;
  if (is_empty) return Error::Ok;
  StridedCopy rest(self.element_nbytes());
  for (size_t i = 0; i < plan.rest_count; ++i) {
    const size_t d = plan.rest_dim[i];
    rest.add(static_cast<size_t>(self.size(d)), out.stride(plan.rest_at[i]), self.stride(d));
  }
  rest.finish();
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  IndexWalk walk(plan, out.strides().data() + plan.common_at);
  do {
    ptrdiff_t from = 0;
    RL_TRY(walk.locate(ctx, self, &from));
    if (out.numel() == 0) continue;
    rest.run(out.mutable_data<uint8_t>() + walk.other() * nbytes, self.data<uint8_t>() + from * nbytes);
  } while (walk.next());
  return Error::Ok;
}

}  // namespace rushlight::ops
