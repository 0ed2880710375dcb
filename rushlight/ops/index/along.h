// SPDX-License-Identifier: BSD-3-Clause
// Walks an index tensor whose elements each name a place along one dimension of another tensor: gather and scatter.

#pragma once

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/reduce/walk.h"

namespace rushlight::ops {

/// Loops over index's elements in row-major order: `in` steps through index, out[0] through the tensor that it points
/// into (0 in `dim`), out[1] through the tensor whose elements correspond to index's.
struct AlongPlan {
  Nest around;
  Loop row = {1, 0, {0, 0}};
  int64_t size = 1;      ///< of `dim`
  ptrdiff_t stride = 0;  ///< of `dim`, in the tensor pointed into
  size_t dim = 0;
  bool is_empty = false;
};

/// Fills *plan. InvalidArgument if sizes do not fit; InvalidType if index is not int32 or int64. `matched` may be null.
Error plan_along(KernelContext& ctx, const Tensor& pointed, int64_t dim, const Tensor& index, const Tensor* matched,
                 AlongPlan* plan);

/// Calls visit(offset in the tensor pointed into, offset in the matched one) for each element of index, offsets in
/// elements. InvalidArgument naming an index that is out of range; negative ones are.
template <class Visit>
Error walk_along(KernelContext& ctx, const AlongPlan& plan, const Tensor& index, Visit&& visit) {
  if (plan.is_empty) return Error::Ok;
  const LoadFn<int64_t> load = loader<int64_t>(index.dtype());
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(index.element_nbytes());
  Odometer at;
  int64_t values[kBlock];
  size_t position = 0;
  do {
    for (size_t first = 0; first < plan.row.count; first += kBlock) {
      const size_t n = plan.row.count - first < kBlock ? plan.row.count - first : kBlock;
      const ptrdiff_t skip = static_cast<ptrdiff_t>(first);
      load(index.data<uint8_t>() + (at.in + skip * plan.row.in) * nbytes, plan.row.in, n, values);
      for (size_t i = 0; i < n; ++i, ++position) {
        if (values[i] < 0 || values[i] >= plan.size) {
          return ctx.fail(Error::InvalidArgument, "index {} at position {} is out of range for dim {} of size {}",
                          values[i], position, plan.dim, plan.size);
        }
        const ptrdiff_t j = skip + static_cast<ptrdiff_t>(i);
        visit(at.out[0] + j * plan.row.out[0] + static_cast<ptrdiff_t>(values[i]) * plan.stride,
              at.out[1] + j * plan.row.out[1]);
      }
    }
  } while (at.next(plan.around, plan.around.rank));
  return Error::Ok;
}

}  // namespace rushlight::ops
