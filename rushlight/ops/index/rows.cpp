// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.embedding and aten.index_select: slices of one dimension, picked by a list of indices.

#include "rushlight/ops/index/advanced.h"
#include "rushlight/ops/index/shapes.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {

/// out[…, :] = weight[indices[…], :]. Negative indices are out of range. The other arguments matter in training only.
Error embedding(KernelContext& ctx, const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                bool scale_grad_by_freq, bool sparse, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::embedding(ctx, weight, indices, {&shape, 1}));
  RL_TRY(expect_dtype(ctx, "out", out, weight.dtype()));
  RL_TRY(expect_sizes(ctx, "out", out, shape.span()));
  RL_TRY(expect_index(ctx, indices));
  const size_t last = out.rank() - 1;
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(weight.element_nbytes());
  StridedCopy row(weight.element_nbytes());
  row.add(static_cast<size_t>(weight.size(1)), out.stride(last), weight.stride(1));
  row.finish();
  const bool in_order = indices.is_contiguous() && out.is_contiguous();
  for (size_t i = 0; i < indices.numel(); ++i) {
    const int64_t index = read_index(indices, in_order ? static_cast<ptrdiff_t>(i) : element_offset(indices, i));
    if (index < 0 || index >= weight.size(0)) {
      return ctx.fail(Error::InvalidArgument, "index {} at position {} is out of range for {} rows", index, i,
                      weight.size(0));
    }
    if (out.numel() == 0) continue;
    const size_t element = i * static_cast<size_t>(weight.size(1));
    const ptrdiff_t to = in_order ? static_cast<ptrdiff_t>(element) : element_offset(out, element);
    row.run(out.mutable_data<uint8_t>() + to * nbytes,
            weight.data<uint8_t>() + static_cast<ptrdiff_t>(index) * weight.stride(0) * nbytes);
  }
  return Error::Ok;
}

/// out[…, i, …] = self[…, index[i], …] in dimension `dim`. Negative indices are out of range.
Error index_select(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::index_select(ctx, self, dim, index, {&shape, 1}));
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_sizes(ctx, "out", out, shape.span()));
  RL_TRY(expect_index(ctx, index));
  size_t d = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank(), &d));
  const bool is_scalar = self.rank() == 0;
  StridedCopy slice(self.element_nbytes());
  for (size_t i = 0; i < self.rank(); ++i) {
    if (i != d) slice.add(static_cast<size_t>(self.size(i)), out.stride(i), self.stride(i));
  }
  slice.finish();
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  const ptrdiff_t to_step = is_scalar ? 0 : out.stride(d) * nbytes;
  const ptrdiff_t from_step = is_scalar ? 0 : self.stride(d) * nbytes;
  const int64_t size = is_scalar ? 1 : self.size(d);
  for (size_t i = 0; i < index.numel(); ++i) {
    const int64_t at = read_index(index, static_cast<ptrdiff_t>(i));
    if (at < 0 || at >= size) {
      return ctx.fail(Error::InvalidArgument, "index {} at position {} is out of range for dim {} of size {}", at, i, d,
                      size);
    }
    if (out.numel() == 0) continue;
    slice.run(out.mutable_data<uint8_t>() + static_cast<ptrdiff_t>(i) * to_step,
              self.data<uint8_t>() + static_cast<ptrdiff_t>(at) * from_step);
  }
  return Error::Ok;
}

}  // namespace rushlight::ops
