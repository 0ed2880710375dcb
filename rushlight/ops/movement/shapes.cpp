// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/movement/shapes.h"

#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::shapes {
namespace {

Error keep(Error error, const ops::View& view, Span<Shape> out) {
  if (error == Error::Ok) out[0].assign(view.span());
  return error;
}

Error expect_results(KernelContext& ctx, Span<Shape> out, size_t expected) {
  if (out.count() == expected) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "{} results for {} destinations", expected, out.count());
}

/// Fills out[0] for every result with self's sizes and *d with the dimension to cut.
Error prepare_pieces(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out, size_t* d) {
  if (self.rank() == 0) return ctx.fail(Error::InvalidArgument, "self has rank 0: nothing to split");
  RL_TRY(normalize_dim(ctx, dim, self.rank(), d));
  for (Shape& shape : out) shape.assign(self.sizes());
  return Error::Ok;
}

bool is_skipped(const Tensor& x) { return x.rank() == 1 && x.size(0) == 0; }

Error expect_same_but(KernelContext& ctx, const Tensor& x, const Shape& shape, size_t d, size_t position) {
  bool same = x.rank() == shape.rank;
  for (size_t i = 0; same && i < shape.rank; ++i) same = i == d || x.size(i) == shape.sizes[i];
  if (same) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "tensor {} has sizes {}, which do not fit {} before it", position, x.sizes(),
                  shape.span());
}

/// What `known` must be multiplied by to give numel: 1 unless that may be inferred. -1 if nothing, or anything, does.
int64_t factor_of(int64_t numel, int64_t known, bool may_be_inferred) {
  const int64_t factor = may_be_inferred && known > 0 ? numel / known : 1;
  const bool is_any = may_be_inferred && known == 0;
  return !is_any && factor <= INT32_MAX && factor * known == numel ? factor : -1;
}

}  // namespace

Error view(KernelContext& ctx, const Tensor& self, IntList size, Span<Shape> out) {
  int64_t known = 1;  // the product of the sizes given
  int32_t* inferred = nullptr;
  for (size_t i = 0; i < size.count(); ++i) {
    const bool is_inferred = size[i] == -1 && !inferred;
    const int64_t n = is_inferred ? 1 : size[i];
    RL_TRY(append(ctx, &out[0], n));
    if (is_inferred) inferred = &out[0].sizes[i];
    if (!checked_mul(known, n, &known)) return ctx.fail(Error::InvalidArgument, "sizes overflow");
  }
  const int64_t missing = factor_of(static_cast<int64_t>(self.numel()), known, inferred != nullptr);
  if (missing < 0) {
    return ctx.fail(Error::InvalidArgument, "sizes {} do not hold the {} elements of {}", out[0].span(), self.numel(),
                    self.sizes());
  }
  if (inferred) *inferred = static_cast<int32_t>(missing);
  return Error::Ok;
}

Error permute(KernelContext& ctx, const Tensor& self, IntList dims, Span<Shape> out) {
  ops::View view;
  return keep(ops::permute_view(ctx, self, dims, &view), view, out);
}

Error transpose(KernelContext& ctx, const Tensor& self, int64_t dim0, int64_t dim1, Span<Shape> out) {
  ops::View view;
  return keep(ops::transpose_view(ctx, self, dim0, dim1, &view), view, out);
}

Error reversed(KernelContext& ctx, const Tensor& self, Span<Shape> out) {
  ops::View view;
  return keep(ops::t_view(ctx, self, &view), view, out);
}

Error expand(KernelContext& ctx, const Tensor& self, IntList size, Span<Shape> out) {
  ops::View view;
  return keep(ops::expand_view(ctx, self, size, &view), view, out);
}

Error slice(KernelContext& ctx, const Tensor& self, int64_t dim, Optional<int64_t> start, Optional<int64_t> end,
            int64_t step, Span<Shape> out) {
  ops::View view;
  return keep(ops::slice_view(ctx, self, dim, start, end, step, &view), view, out);
}

Error narrow(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t start, int64_t length, Span<Shape> out) {
  ops::View view;
  return keep(ops::narrow_view(ctx, self, dim, start, length, &view), view, out);
}

Error select(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t index, Span<Shape> out) {
  ops::View view;
  return keep(ops::select_view(ctx, self, dim, index, &view), view, out);
}

Error unsqueeze(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out) {
  ops::View view;
  return keep(ops::unsqueeze_view(ctx, self, dim, &view), view, out);
}

Error squeeze_dim(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out) {
  ops::View view;
  return keep(ops::squeeze_view(ctx, self, dim, &view), view, out);
}

Error squeeze_dims(KernelContext& ctx, const Tensor& self, IntList dims, Span<Shape> out) {
  ops::View view;
  return keep(ops::squeeze_view(ctx, self, dims, &view), view, out);
}

Error diagonal(KernelContext& ctx, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, Span<Shape> out) {
  ops::View view;
  return keep(ops::diagonal_view(ctx, self, offset, dim1, dim2, &view), view, out);
}

Error as_strided(KernelContext& ctx, const Tensor& self, IntList size, IntList stride, Optional<int64_t> offset,
                 Span<Shape> out) {
  ops::View view;
  return keep(ops::as_strided_view(ctx, self, size, stride, offset, &view), view, out);
}

Error unfold(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t size, int64_t step, Span<Shape> out) {
  ops::View view;
  return keep(ops::unfold_view(ctx, self, dim, size, step, &view), view, out);
}

Error repeat(KernelContext& ctx, const Tensor& self, IntList repeats, Span<Shape> out) {
  if (repeats.count() < self.rank()) {
    return ctx.fail(Error::InvalidArgument, "{} repeats given for rank {}", repeats.count(), self.rank());
  }
  const size_t added = repeats.count() - self.rank();
  for (size_t i = 0; i < repeats.count(); ++i) {
    int64_t size = i < added ? 1 : self.size(i - added);
    if (repeats[i] < 0 || !checked_mul(size, repeats[i], &size)) {
      return ctx.fail(Error::InvalidArgument, "repeats[{}] = {} is out of range", i, repeats[i]);
    }
    RL_TRY(append(ctx, &out[0], size));
  }
  return Error::Ok;
}

Error cat(KernelContext& ctx, TensorList tensors, int64_t dim, Span<Shape> out) {
  if (tensors.count() == 0) return ctx.fail(Error::InvalidArgument, "the list of tensors is empty");
  size_t first = 0;
  while (first + 1 < tensors.count() && is_skipped(tensors[first])) ++first;
  if (tensors[first].rank() == 0) return ctx.fail(Error::InvalidArgument, "tensor {} has rank 0", first);
  size_t d = 0;
  RL_TRY(normalize_dim(ctx, dim, tensors[first].rank(), &d));
  out[0].assign(tensors[first].sizes());
  int64_t total = 0;
  for (size_t i = 0; i < tensors.count(); ++i) {
    if (is_skipped(tensors[i])) continue;
    RL_TRY(expect_same_but(ctx, tensors[i], out[0], d, i));
    total += tensors[i].size(d);  // cannot wrap: fewer than 2^32 list items
  }
  if (total > INT32_MAX) return ctx.fail(Error::InvalidArgument, "size {} at dim {} is out of range", total, d);
  out[0].sizes[d] = static_cast<int32_t>(total);
  return Error::Ok;
}

Error stack(KernelContext& ctx, TensorList tensors, int64_t dim, Span<Shape> out) {
  if (tensors.count() == 0) return ctx.fail(Error::InvalidArgument, "the list of tensors is empty");
  const Tensor& first = tensors[0];
  Shape common;
  common.assign(first.sizes());
  for (size_t i = 1; i < tensors.count(); ++i) RL_TRY(expect_same_but(ctx, tensors[i], common, kMaxRank, i));
  size_t at = 0;
  RL_TRY(normalize_dim(ctx, dim, first.rank() + 1, &at));
  for (size_t d = 0; d <= first.rank(); ++d) {
    if (d == at) RL_TRY(append(ctx, &out[0], static_cast<int64_t>(tensors.count())));
    if (d < first.rank()) RL_TRY(append(ctx, &out[0], first.size(d)));
  }
  return Error::Ok;
}

Error split(KernelContext& ctx, const Tensor& self, int64_t split_size, int64_t dim, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(prepare_pieces(ctx, self, dim, out, &d));
  const int64_t size = self.size(d);
  if (split_size < 0 || (split_size == 0 && size > 0)) {
    return ctx.fail(Error::InvalidArgument, "split_size {} is out of range", split_size);
  }
  const int64_t piece = split_size == 0 ? 1 : split_size > INT32_MAX ? INT32_MAX : split_size;
  RL_TRY(expect_results(ctx, out, size == 0 ? 1 : static_cast<size_t>((size + piece - 1) / piece)));
  for (size_t i = 0; i < out.count(); ++i) {
    const int64_t left = size - static_cast<int64_t>(i) * piece;
    out[i].sizes[d] = static_cast<int32_t>(left < piece ? left : piece);
  }
  return Error::Ok;
}

Error split_with_sizes(KernelContext& ctx, const Tensor& self, IntList sizes, int64_t dim, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(prepare_pieces(ctx, self, dim, out, &d));
  RL_TRY(expect_results(ctx, out, sizes.count()));
  int64_t left = self.size(d);
  for (size_t i = 0; i < sizes.count(); ++i) {
    if (sizes[i] < 0 || sizes[i] > left) left = -1;
    if (left < 0) break;
    left -= sizes[i];
    out[i].sizes[d] = static_cast<int32_t>(sizes[i]);
  }
  if (left == 0) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "split sizes do not add up to size {} of dim {}", self.size(d), d);
}

Error unbind(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(prepare_pieces(ctx, self, dim, out, &d));
  RL_TRY(expect_results(ctx, out, static_cast<size_t>(self.size(d))));
  for (Shape& shape : out) {
    for (size_t i = d; i + 1 < shape.rank; ++i) shape.sizes[i] = shape.sizes[i + 1];
    --shape.rank;
  }
  return Error::Ok;
}

Error matrices(KernelContext& ctx, const Tensor& self, Span<Shape> out) {
  if (self.rank() < 2) return ctx.fail(Error::InvalidArgument, "self has rank {}, less than 2", self.rank());
  out[0].assign(self.sizes());
  return Error::Ok;
}

}  // namespace rushlight::shapes
