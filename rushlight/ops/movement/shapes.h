// SPDX-License-Identifier: BSD-3-Clause
// Shape functions of the movement family. Twins of shapes.py; see ops/shapes.h for the rules.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight::shapes {

/// out[0] = size, in which one -1 is inferred; as many elements as self.
Error view(KernelContext& ctx, const Tensor& self, IntList size, Span<Shape> out);
Error permute(KernelContext& ctx, const Tensor& self, IntList dims, Span<Shape> out);
Error transpose(KernelContext& ctx, const Tensor& self, int64_t dim0, int64_t dim1, Span<Shape> out);
/// out[0] = self's sizes turned round; rank at most 2.
Error reversed(KernelContext& ctx, const Tensor& self, Span<Shape> out);
Error expand(KernelContext& ctx, const Tensor& self, IntList size, Span<Shape> out);
Error slice(KernelContext& ctx, const Tensor& self, int64_t dim, Optional<int64_t> start, Optional<int64_t> end,
            int64_t step, Span<Shape> out);
Error narrow(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t start, int64_t length, Span<Shape> out);
Error select(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t index, Span<Shape> out);
Error unsqueeze(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out);
Error squeeze_dim(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out);
Error squeeze_dims(KernelContext& ctx, const Tensor& self, IntList dims, Span<Shape> out);
Error diagonal(KernelContext& ctx, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, Span<Shape> out);
Error as_strided(KernelContext& ctx, const Tensor& self, IntList size, IntList stride, Optional<int64_t> offset,
                 Span<Shape> out);
Error unfold(KernelContext& ctx, const Tensor& self, int64_t dim, int64_t size, int64_t step, Span<Shape> out);
Error repeat(KernelContext& ctx, const Tensor& self, IntList repeats, Span<Shape> out);
/// out[0] = the tensors' sizes, added up at `dim`. Tensors of sizes [0] do not count.
Error cat(KernelContext& ctx, TensorList tensors, int64_t dim, Span<Shape> out);
/// out[0] = the tensors' common sizes with a new dimension at `dim`.
Error stack(KernelContext& ctx, TensorList tensors, int64_t dim, Span<Shape> out);
/// One result for each piece of split_size at `dim`; the last one may be smaller.
Error split(KernelContext& ctx, const Tensor& self, int64_t split_size, int64_t dim, Span<Shape> out);
Error split_with_sizes(KernelContext& ctx, const Tensor& self, IntList sizes, int64_t dim, Span<Shape> out);
/// One result, without `dim`, for each index of `dim`.
Error unbind(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out);
/// out[0] = self's sizes; self has rank 2 or more.
Error matrices(KernelContext& ctx, const Tensor& self, Span<Shape> out);

}  // namespace rushlight::shapes
