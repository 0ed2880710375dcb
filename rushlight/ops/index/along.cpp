// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/index/along.h"

#include "rushlight/ops/index/advanced.h"
#include "rushlight/ops/index/shapes.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {

Error plan_along(KernelContext& ctx, const Tensor& pointed, int64_t dim, const Tensor& index, const Tensor* matched,
                 AlongPlan* plan) {
  RL_TRY(expect_index(ctx, index));
  Shape unused;
  if (matched) {
    RL_TRY(shapes::scatter(ctx, pointed, dim, index, *matched, {&unused, 1}));
  } else {
    RL_TRY(shapes::scatter_value(ctx, pointed, dim, index, {&unused, 1}));
  }
  RL_TRY(shapes::normalize_dim(ctx, dim, pointed.rank(), &plan->dim));
  plan->is_empty = index.numel() == 0;
  if (plan->is_empty || pointed.rank() == 0) return Error::Ok;
  plan->size = pointed.size(plan->dim);
  plan->stride = pointed.stride(plan->dim);
  for (size_t d = 0; d < index.rank(); ++d) {
    plan->around.add({static_cast<size_t>(index.size(d)),
                      index.stride(d),
                      {d == plan->dim ? 0 : pointed.stride(d), matched ? matched->stride(d) : 0}});
  }
  plan->around.merge();
  if (plan->around.rank > 0) plan->row = plan->around.loops[--plan->around.rank];
  return Error::Ok;
}

}  // namespace rushlight::ops
