// SPDX-License-Identifier: BSD-3-Clause
// Shape functions that every family uses; a family's own are in <family>/shapes.h. Twins of shapes.py.
//
// A shape function fills out[i] for destination i, or fails with a sentence. It checks all that the kernel needs in
// order to stay in bounds: ranks, dims, counts; out.count() too, where the number of destinations is not the schema's.
// It never reads tensor data.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight::shapes {

/// out[0] = self's sizes.
Error same_as(KernelContext& ctx, const Tensor& self, Span<Shape> out);
/// out[0] = the sizes that both stretch to: aligned at the last dimension, 1 stretches.
Error broadcast(KernelContext& ctx, const Tensor& a, const Tensor& b, Span<Shape> out);
Error broadcast3(KernelContext& ctx, const Tensor& a, const Tensor& b, const Tensor& c, Span<Shape> out);
/// The same with operands that may be absent.
Error broadcast_optional(KernelContext& ctx, const Tensor& a, const Tensor* b, const Tensor* c, Span<Shape> out);
/// out[0] = self's sizes, to which `other` must stretch.
Error stretch_to(KernelContext& ctx, const Tensor& self, const Tensor& other, Span<Shape> out);
/// out[0] = size: rank at most kMaxRank, each size from 0 to INT32_MAX.
Error from_list(KernelContext& ctx, IntList size, Span<Shape> out);
/// out[0] = [].
Error scalar(KernelContext& ctx, Span<Shape> out);

/// *shape = the common shape of itself and `sizes`. InvalidArgument naming both otherwise.
Error stretch(KernelContext& ctx, Shape* shape, Span<const int32_t> sizes);
/// *out = dim counted from 0, where negative ones count from `rank` (rank 0 takes 0 and -1).
/// InvalidArgument naming the range.
Error normalize_dim(KernelContext& ctx, int64_t dim, size_t rank, size_t* out);
/// Appends `size` to *shape. InvalidArgument if it is negative or beyond int32, or the rank is kMaxRank already.
Error append(KernelContext& ctx, Shape* shape, int64_t size);

}  // namespace rushlight::shapes
