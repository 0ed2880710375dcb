// SPDX-License-Identifier: BSD-3-Clause
// Views of a tensor that a movement op copies out of (or into): sizes, strides and where the first element is.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight::ops {

/// Some elements of a tensor. `offset` and `strides` count elements from the tensor's first one.
struct View {
  uint8_t rank = 0;
  ptrdiff_t offset = 0;
  int32_t sizes[kMaxRank] = {};
  ptrdiff_t strides[kMaxRank] = {};

  /// Appends a dimension. False if the rank is kMaxRank already or `size` is not within int32.
  bool append(int64_t size, ptrdiff_t stride);
  Span<const int32_t> span() const { return {sizes, rank}; }
};

/// Where the element of logical (row-major) position `i` is, in elements from the first. i < numel().
ptrdiff_t element_offset(const Tensor& tensor, size_t i);
/// All of `tensor`.
View view_of(const Tensor& tensor);

/// Steps of a slice: elements start, start + step, … within a dimension of `size`.
struct Steps {
  int32_t start = 0;
  int32_t step = 1;
  int32_t count = 0;
};
/// Clamps as Python does. InvalidArgument if step < 1.
Error clamp_slice(KernelContext& ctx, int32_t size, Optional<int64_t> start, Optional<int64_t> end, int64_t step,
                  Steps* out);

// Each fills *view with what the ATen op of the name selects; InvalidArgument if the arguments do not fit self.
Error permute_view(KernelContext& ctx, const Tensor& self, IntList dims, View* view);
Error transpose_view(KernelContext& ctx, const Tensor& self, int64_t dim0, int64_t dim1, View* view);
Error t_view(KernelContext& ctx, const Tensor& self, View* view);
Error expand_view(KernelContext& ctx, const Tensor& self, IntList size, View* view);
Error slice_view(KernelContext& ctx, const Tensor& self, int64_t dim, Optional<int64_t> start, Optional<int64_t> end,
                 int64_t step, View* view);
Error narrow_view(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t start, int64_t length, View* view);
Error select_view(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t index, View* view);
Error unsqueeze_view(KernelContext& ctx, const Tensor& self, int64_t dim, View* view);
Error squeeze_view(KernelContext& ctx, const Tensor& self, IntList dims, View* view);
Error squeeze_view(KernelContext& ctx, const Tensor& self, int64_t dim, View* view);
Error diagonal_view(KernelContext& ctx, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, View* view);
Error as_strided_view(KernelContext& ctx, const Tensor& self, IntList size, IntList stride, Optional<int64_t> offset,
                      View* view);
Error unfold_view(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t size, int64_t step, View* view);

/// InvalidType, naming `name`, if x's dtype is not `dtype`.
Error expect_dtype(KernelContext& ctx, const char* name, const Tensor& x, DType dtype);
/// InvalidArgument, naming `name`, if x's sizes are not `sizes`.
Error expect_sizes(KernelContext& ctx, const char* name, const Tensor& x, Span<const int32_t> sizes);

/// out = from(self). `out` must have self's dtype and the view's sizes; any dim order.
Error copy_view(KernelContext& ctx, const Tensor& self, const View& from, Tensor& out);
/// to(out) = self. `out` must have self's dtype, `self` the view's sizes.
Error copy_into(KernelContext& ctx, const Tensor& self, Tensor& out, const View& to);
/// out = self in out's dim order, unless they are the same memory in the same layout.
Error copy_tensor(KernelContext& ctx, const Tensor& self, Tensor& out);

}  // namespace rushlight::ops
