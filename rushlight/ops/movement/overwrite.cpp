// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.slice_scatter and aten.select_scatter: self with a part replaced. src is converted to self's dtype.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/convert.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {

/// out = self, and out[start:end:step] in dimension `dim` = src. May be in place of self.
Error slice_scatter(KernelContext& ctx, const Tensor& self, const Tensor& src, int64_t dim, Optional<int64_t> start,
                    Optional<int64_t> end, int64_t step, Tensor& out) {
  RL_TRY(copy_tensor(ctx, self, out));
  View view;
  RL_TRY(slice_view(ctx, out, dim, start, end, step, &view));
  return convert_into(ctx, src, out, view);
}

/// out = self, and out[index] in dimension `dim` = src. May be in place of self.
Error select_scatter(KernelContext& ctx, const Tensor& self, const Tensor& src, int64_t dim, int64_t index,
                     Tensor& out) {
  RL_TRY(copy_tensor(ctx, self, out));
  View view;
  RL_TRY(select_view(ctx, out, dim, index, &view));
  return convert_into(ctx, src, out, view);
}

}  // namespace rushlight::ops
