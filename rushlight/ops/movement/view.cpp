// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/movement/view.h"

#include <algorithm>

#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

Error append(KernelContext& ctx, View* view, int64_t size, ptrdiff_t stride) {
  if (view->append(size, stride)) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "size {} at dim {} is out of range", size, view->rank);
}

void drop(View* view, size_t d) {
  for (size_t i = d; i + 1 < view->rank; ++i) {
    view->sizes[i] = view->sizes[i + 1];
    view->strides[i] = view->strides[i + 1];
  }
  --view->rank;
}

/// As normalize_dim, but a rank-0 tensor has no dimension to take.
Error dim_of(KernelContext& ctx, const Tensor& self, int64_t dim, size_t* out) {
  if (self.rank() == 0) return ctx.fail(Error::InvalidArgument, "self has rank 0: there is no dim {}", dim);
  return shapes::normalize_dim(ctx, dim, self.rank(), out);
}

/// *last = the furthest element a view reaches from 0, given non-negative strides. False on overflow.
bool reach(const View& view, ptrdiff_t* last) {
  *last = view.offset;
  for (size_t d = 0; d < view.rank; ++d) {
    ptrdiff_t extent = 0;
    const ptrdiff_t steps = view.sizes[d] - 1;
    if (!checked_mul(steps, view.strides[d], &extent) || !checked_add(*last, extent, last)) return false;
  }
  return true;
}

}  // namespace

bool View::append(int64_t size, ptrdiff_t stride) {
  if (rank >= kMaxRank || size < 0 || size > INT32_MAX) return false;
  sizes[rank] = static_cast<int32_t>(size);
  strides[rank++] = stride;
  return true;
}

ptrdiff_t element_offset(const Tensor& tensor, size_t i) {
  ptrdiff_t offset = 0;
  for (size_t d = tensor.rank(); d-- > 0;) {
    const size_t size = static_cast<size_t>(tensor.size(d));
    offset += static_cast<ptrdiff_t>(i % size) * tensor.stride(d);
    i /= size;
  }
  return offset;
}

View view_of(const Tensor& tensor) {
  View view;
  for (size_t d = 0; d < tensor.rank(); ++d) view.append(tensor.size(d), tensor.stride(d));
  return view;
}

Error clamp_slice(KernelContext& ctx, int32_t size, Optional<int64_t> start, Optional<int64_t> end, int64_t step,
                  Steps* out) {
  if (step < 1) return ctx.fail(Error::InvalidArgument, "step {} must be positive", step);
  const auto clamp = [size](int64_t at) {
    if (at < 0) at += size;
    return at < 0 ? 0 : at > size ? size : at;
  };
  const int64_t first = clamp(start ? *start : 0);
  const int64_t last = clamp(end ? *end : size);
  const int64_t span = last > first ? last - first : 0;
  const int64_t pace = step < INT32_MAX ? step : INT32_MAX;
  out->start = static_cast<int32_t>(first);
  out->step = static_cast<int32_t>(pace);
  out->count = static_cast<int32_t>((span + pace - 1) / pace);
  return Error::Ok;
}

Error permute_view(KernelContext& ctx, const Tensor& self, IntList dims, View* view) {
  if (dims.count() != self.rank()) {
    return ctx.fail(Error::InvalidArgument, "{} dims given for rank {}", dims.count(), self.rank());
  }
  uint32_t seen = 0;
  for (size_t i = 0; i < dims.count(); ++i) {
    size_t d = 0;
    RL_TRY(shapes::normalize_dim(ctx, dims[i], self.rank(), &d));
    if (seen >> d & 1) return ctx.fail(Error::InvalidArgument, "dim {} is given twice", d);
    seen |= 1u << d;
    view->append(self.size(d), self.stride(d));
  }
  return Error::Ok;
}

Error transpose_view(KernelContext& ctx, const Tensor& self, int64_t dim0, int64_t dim1, View* view) {
  size_t a = 0, b = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim0, self.rank(), &a));
  RL_TRY(shapes::normalize_dim(ctx, dim1, self.rank(), &b));
  for (size_t d = 0; d < self.rank(); ++d) {
    const size_t from = d == a ? b : d == b ? a : d;
    view->append(self.size(from), self.stride(from));
  }
  return Error::Ok;
}

Error t_view(KernelContext& ctx, const Tensor& self, View* view) {
  if (self.rank() > 2) return ctx.fail(Error::InvalidArgument, "self has rank {}, more than 2", self.rank());
  for (size_t d = self.rank(); d-- > 0;) view->append(self.size(d), self.stride(d));
  return Error::Ok;
}

Error expand_view(KernelContext& ctx, const Tensor& self, IntList size, View* view) {
  if (size.count() < self.rank()) {
    return ctx.fail(Error::InvalidArgument, "{} sizes given for rank {}", size.count(), self.rank());
  }
  const size_t added = size.count() - self.rank();
  for (size_t i = 0; i < size.count(); ++i) {
    const bool is_new = i < added;
    const int64_t have = is_new ? 1 : self.size(i - added);
    const int64_t want = size[i] == -1 && !is_new ? have : size[i];
    if (have != 1 && want != have) {
      return ctx.fail(Error::InvalidArgument, "size {} of self does not expand to {}", have, want);
    }
    RL_TRY(append(ctx, view, want, want == have && !is_new ? self.stride(i - added) : 0));
  }
  return Error::Ok;
}

Error slice_view(KernelContext& ctx, const Tensor& self, int64_t dim, Optional<int64_t> start, Optional<int64_t> end,
                 int64_t step, View* view) {
  size_t d = 0;
  RL_TRY(dim_of(ctx, self, dim, &d));
  Steps steps;
  RL_TRY(clamp_slice(ctx, self.size(d), start, end, step, &steps));
  *view = view_of(self);
  view->sizes[d] = steps.count;
  if (steps.count > 0) view->offset = self.stride(d) * steps.start;
  if (steps.count > 1) view->strides[d] = self.stride(d) * steps.step;
  return Error::Ok;
}

Error narrow_view(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t start, int64_t length, View* view) {
  size_t d = 0;
  RL_TRY(dim_of(ctx, self, dim, &d));
  const int64_t size = self.size(d);
  const int64_t first = start < 0 ? start + size : start;
  if (first < 0 || first > size || length < 0 || length > size - first) {
    return ctx.fail(Error::InvalidArgument, "{} elements from {} are not within size {}", length, start, size);
  }
  return slice_view(ctx, self, dim, {true, first}, {true, first + length}, 1, view);
}

Error select_view(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t index, View* view) {
  size_t d = 0;
  RL_TRY(dim_of(ctx, self, dim, &d));
  const int64_t size = self.size(d);
  if (index < -size || index >= size) {
    return ctx.fail(Error::InvalidArgument, "index {} is out of range for dim {} of size {}", index, d, size);
  }
  *view = view_of(self);
  view->offset = self.stride(d) * static_cast<ptrdiff_t>(index < 0 ? index + size : index);
  drop(view, d);
  return Error::Ok;
}

Error unsqueeze_view(KernelContext& ctx, const Tensor& self, int64_t dim, View* view) {
  size_t at = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank() + 1, &at));
  for (size_t d = 0; d <= self.rank(); ++d) {
    if (d == at) RL_TRY(append(ctx, view, 1, 0));
    if (d < self.rank()) RL_TRY(append(ctx, view, self.size(d), self.stride(d)));
  }
  return Error::Ok;
}

Error squeeze_view(KernelContext& ctx, const Tensor& self, IntList dims, View* view) {
  uint32_t listed = 0;
  for (size_t i = 0; i < dims.count(); ++i) {
    size_t d = 0;
    RL_TRY(shapes::normalize_dim(ctx, dims[i], self.rank(), &d));
    if (listed >> d & 1) return ctx.fail(Error::InvalidArgument, "dim {} is given twice", d);
    listed |= 1u << d;
  }
  for (size_t d = 0; d < self.rank(); ++d) {
    if (self.size(d) != 1 || !(listed >> d & 1)) view->append(self.size(d), self.stride(d));
  }
  return Error::Ok;
}

Error squeeze_view(KernelContext& ctx, const Tensor& self, int64_t dim, View* view) {
  size_t d = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank(), &d));
  *view = view_of(self);
  if (d < self.rank() && self.size(d) == 1) drop(view, d);
  return Error::Ok;
}

Error diagonal_view(KernelContext& ctx, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, View* view) {
  size_t a = 0, b = 0;
  RL_TRY(dim_of(ctx, self, dim1, &a));
  RL_TRY(dim_of(ctx, self, dim2, &b));
  if (a == b) return ctx.fail(Error::InvalidArgument, "dim1 and dim2 are both {}", a);
  // Where the diagonal starts: beyond any size is as good as at INT32_MAX.
  const int64_t column = std::clamp<int64_t>(offset, 0, INT32_MAX);
  const int64_t row = std::clamp<int64_t>(offset, -INT32_MAX, 0) * -1;
  const int64_t count = std::min(self.size(a) - row, self.size(b) - column);
  *view = view_of(self);
  drop(view, std::max(a, b));
  drop(view, std::min(a, b));
  RL_TRY(append(ctx, view, std::max<int64_t>(count, 0), self.stride(a) + self.stride(b)));
  if (count > 0) view->offset = static_cast<ptrdiff_t>(row * self.stride(a) + column * self.stride(b));
  return Error::Ok;
}

Error as_strided_view(KernelContext& ctx, const Tensor& self, IntList size, IntList stride, Optional<int64_t> offset,
                      View* view) {
  if (size.count() != stride.count()) {
    return ctx.fail(Error::InvalidArgument, "{} sizes but {} strides given", size.count(), stride.count());
  }
  view->offset = static_cast<ptrdiff_t>(offset ? *offset : 0);
  bool is_empty = false, is_negative = view->offset < 0;
  for (size_t d = 0; d < size.count(); ++d) {
    RL_TRY(append(ctx, view, size[d], static_cast<ptrdiff_t>(stride[d])));
    is_empty |= size[d] == 0;
    is_negative |= stride[d] < 0;
  }
  if (is_negative) return ctx.fail(Error::InvalidArgument, "negative strides or offsets are not supported");
  ptrdiff_t last = 0;
  if (!is_empty && (!reach(*view, &last) || static_cast<size_t>(last) >= self.numel())) {
    return ctx.fail(Error::InvalidArgument, "the view reaches beyond self's {} elements", self.numel());
  }
  return Error::Ok;
}

Error unfold_view(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t size, int64_t step, View* view) {
  size_t d = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank(), &d));
  const int64_t have = self.rank() == 0 ? 1 : self.size(d);
  if (size < 0 || size > have) return ctx.fail(Error::InvalidArgument, "size {} is not within 0 to {}", size, have);
  if (step < 1) return ctx.fail(Error::InvalidArgument, "step {} must be positive", step);
  *view = view_of(self);
  const ptrdiff_t stride = self.rank() == 0 ? 1 : self.stride(d);
  if (self.rank() > 0) {
    const int64_t count = (have - size) / step + 1;
    view->sizes[d] = static_cast<int32_t>(count <= INT32_MAX ? count : INT32_MAX);
    view->strides[d] = count > 1 ? stride * static_cast<ptrdiff_t>(step) : 0;
  }
  return append(ctx, view, size, stride);
}

Error expect_dtype(KernelContext& ctx, const char* name, const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return Error::Ok;
  return ctx.fail(Error::InvalidType, "{} is {}, expected {}", name, to_string(x.dtype()), to_string(dtype));
}

Error expect_sizes(KernelContext& ctx, const char* name, const Tensor& x, Span<const int32_t> sizes) {
  bool same = x.rank() == sizes.count();
  for (size_t d = 0; same && d < sizes.count(); ++d) same = x.size(d) == sizes[d];
  if (same) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "{} has sizes {}, expected {}", name, x.sizes(), sizes);
}

Error copy_view(KernelContext& ctx, const Tensor& self, const View& from, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_sizes(ctx, "out", out, from.span()));
  if (out.numel() == 0) return Error::Ok;
  const size_t nbytes = self.element_nbytes();
  StridedCopy copy(nbytes);
  for (size_t d = 0; d < from.rank; ++d) {
    copy.add(static_cast<size_t>(from.sizes[d]), out.stride(d), from.strides[d]);
  }
  copy.finish();
  copy.run(out.mutable_raw(), self.data<uint8_t>() + from.offset * static_cast<ptrdiff_t>(nbytes));
  return Error::Ok;
}

Error copy_into(KernelContext& ctx, const Tensor& self, Tensor& out, const View& to) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_sizes(ctx, "the source", self, to.span()));
  if (self.numel() == 0) return Error::Ok;
  const size_t nbytes = self.element_nbytes();
  StridedCopy copy(nbytes);
  for (size_t d = 0; d < to.rank; ++d) {
    copy.add(static_cast<size_t>(to.sizes[d]), to.strides[d], self.stride(d));
  }
  copy.finish();
  copy.run(out.mutable_data<uint8_t>() + to.offset * static_cast<ptrdiff_t>(nbytes), self.raw());
  return Error::Ok;
}

Error copy_tensor(KernelContext& ctx, const Tensor& self, Tensor& out) {
  if (self.raw() == out.raw() && self.dtype() == out.dtype() && self.same_layout(out)) {
    return expect_sizes(ctx, "out", out, self.sizes());
  }
  return copy_view(ctx, self, view_of(self), out);
}

}  // namespace rushlight::ops
