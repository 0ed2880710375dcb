// SPDX-License-Identifier: BSD-3-Clause
// Portable movement ops that are one view of self, copied out.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {

/// out[i0, i1, …] = self with dimensions in the order `dims`.
Error permute(KernelContext& ctx, const Tensor& self, IntList dims, Tensor& out) {
  View view;
  RL_TRY(permute_view(ctx, self, dims, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self with two dimensions exchanged.
Error transpose_int(KernelContext& ctx, const Tensor& self, int64_t dim0, int64_t dim1, Tensor& out) {
  View view;
  RL_TRY(transpose_view(ctx, self, dim0, dim1, &view));
  return copy_view(ctx, self, view, out);
}

/// out = the transpose of a matrix; a vector or a scalar as it is.
Error t(KernelContext& ctx, const Tensor& self, Tensor& out) {
  View view;
  RL_TRY(t_view(ctx, self, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self with dimensions of size 1 stretched to `size`; new ones in front.
Error expand(KernelContext& ctx, const Tensor& self, IntList size, bool implicit, Tensor& out) {
  View view;
  RL_TRY(expand_view(ctx, self, size, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self[start:end:step] in dimension `dim`.
Error slice(KernelContext& ctx, const Tensor& self, int64_t dim, Optional<int64_t> start, Optional<int64_t> end,
            int64_t step, Tensor& out) {
  View view;
  RL_TRY(slice_view(ctx, self, dim, start, end, step, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self[start:start+length] in dimension `dim`.
Error narrow_copy(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t start, int64_t length, Tensor& out) {
  View view;
  RL_TRY(narrow_view(ctx, self, dim, start, length, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self[index] in dimension `dim`, which goes away.
Error select_int(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t index, Tensor& out) {
  View view;
  RL_TRY(select_view(ctx, self, dim, index, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self with a new dimension of size 1 at `dim`.
Error unsqueeze(KernelContext& ctx, const Tensor& self, int64_t dim, Tensor& out) {
  View view;
  RL_TRY(unsqueeze_view(ctx, self, dim, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self without `dim` if its size is 1.
Error squeeze_dim(KernelContext& ctx, const Tensor& self, int64_t dim, Tensor& out) {
  View view;
  RL_TRY(squeeze_view(ctx, self, dim, &view));
  return copy_view(ctx, self, view, out);
}

/// out = self without those of `dim` whose size is 1.
Error squeeze_dims(KernelContext& ctx, const Tensor& self, IntList dim, Tensor& out) {
  View view;
  RL_TRY(squeeze_view(ctx, self, dim, &view));
  return copy_view(ctx, self, view, out);
}

/// out[…, i] = self at (i, i + offset) of dimensions dim1 and dim2.
Error diagonal(KernelContext& ctx, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, Tensor& out) {
  View view;
  RL_TRY(diagonal_view(ctx, self, offset, dim1, dim2, &view));
  return copy_view(ctx, self, view, out);
}

/// out = the elements of self's memory that size, stride and offset describe. They must be self's.
Error as_strided(KernelContext& ctx, const Tensor& self, IntList size, IntList stride, Optional<int64_t> storage_offset,
                 Tensor& out) {
  View view;
  RL_TRY(as_strided_view(ctx, self, size, stride, storage_offset, &view));
  return copy_view(ctx, self, view, out);
}

/// out[…, i, …, j] = self[…, i * step + j, …]: windows of `size` along `dimension`.
Error unfold(KernelContext& ctx, const Tensor& self, int64_t dimension, int64_t size, int64_t step, Tensor& out) {
  View view;
  RL_TRY(unfold_view(ctx, self, dimension, size, step, &view));
  return copy_view(ctx, self, view, out);
}

}  // namespace rushlight::ops
