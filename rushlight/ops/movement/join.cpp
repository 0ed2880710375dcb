// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.cat and aten.stack, and the ways back: split, split_with_sizes, unbind.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/convert.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {

/// out = the tensors one after the other along `dim`, each converted to out's dtype. Tensors of sizes [0] are skipped.
Error cat(KernelContext& ctx, TensorList tensors, int64_t dim, Tensor& out) {
  int64_t at = 0;
  for (size_t i = 0; i < tensors.count(); ++i) {
    const Tensor& x = tensors[i];
    if (x.rank() == 1 && x.size(0) == 0) continue;
    const int64_t d = dim < 0 ? dim + static_cast<int64_t>(out.rank()) : dim;
    if (x.rank() != out.rank() || d < 0 || d >= static_cast<int64_t>(out.rank())) {
      return ctx.fail(Error::InvalidArgument, "tensor {} has rank {}, out {}", i, x.rank(), out.rank());
    }
    View to;
    RL_TRY(narrow_view(ctx, out, d, at, x.size(static_cast<size_t>(d)), &to));
    RL_TRY(convert_into(ctx, x, out, to));
    at += x.size(static_cast<size_t>(d));
  }
  return Error::Ok;
}

/// out[…, i, …] = tensors[i], converted to out's dtype, where i counts along the new dimension `dim`.
Error stack(KernelContext& ctx, TensorList tensors, int64_t dim, Tensor& out) {
  for (size_t i = 0; i < tensors.count(); ++i) {
    View to;
    RL_TRY(select_view(ctx, out, dim, static_cast<int64_t>(i), &to));
    RL_TRY(convert_into(ctx, tensors[i], out, to));
  }
  return Error::Ok;
}

/// out[i] = elements i * split_size … of dimension `dim`; the last one may be shorter.
Error split(KernelContext& ctx, const Tensor& self, int64_t split_size, int64_t dim, TensorList out) {
  int64_t at = 0;
  for (size_t i = 0; i < out.count(); ++i) {
    View from;
    RL_TRY(slice_view(ctx, self, dim, {true, at}, {true, INT64_MAX}, 1, &from));
    const size_t d = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(self.rank()) : dim);
    if (split_size < from.sizes[d]) from.sizes[d] = static_cast<int32_t>(split_size < 0 ? 0 : split_size);
    RL_TRY(copy_view(ctx, self, from, out[i]));
    at += from.sizes[d];
  }
  return Error::Ok;
}

/// out[i] = the next split_sizes[i] elements of dimension `dim`.
Error split_with_sizes(KernelContext& ctx, const Tensor& self, IntList split_sizes, int64_t dim, TensorList out) {
  if (out.count() != split_sizes.count()) {
    return ctx.fail(Error::InvalidArgument, "{} results for {} destinations", split_sizes.count(), out.count());
  }
  int64_t at = 0;
  for (size_t i = 0; i < out.count(); ++i) {
    View from;
    RL_TRY(narrow_view(ctx, self, dim, at, split_sizes[i], &from));
    RL_TRY(copy_view(ctx, self, from, out[i]));
    at += split_sizes[i];
  }
  return Error::Ok;
}

/// out[i] = self[i] in dimension `dim`, which goes away.
Error unbind_int(KernelContext& ctx, const Tensor& self, int64_t dim, TensorList out) {
  for (size_t i = 0; i < out.count(); ++i) {
    View from;
    RL_TRY(select_view(ctx, self, dim, static_cast<int64_t>(i), &from));
    RL_TRY(copy_view(ctx, self, from, out[i]));
  }
  return Error::Ok;
}

}  // namespace rushlight::ops
