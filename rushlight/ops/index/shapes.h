// SPDX-License-Identifier: BSD-3-Clause
// Shape functions of the index family. Twins of shapes.py; see ops/shapes.h for the rules.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight::shapes {

/// out[0] = the sizes of indices, then the row size of weight [rows, row size].
Error embedding(KernelContext& ctx, const Tensor& weight, const Tensor& indices, Span<Shape> out);
/// out[0] = self's sizes with the indexed dimensions replaced by the indices' common sizes: where the first one was, or
/// in front if they are not neighbours. Masks are refused: their result depends on data.
Error index(KernelContext& ctx, const Tensor& self, OptionalTensorList indices, Span<Shape> out);
/// out[0] = self's sizes with that of `dim` replaced by the length of index.
Error index_select(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Span<Shape> out);
/// out[0] = index's sizes, which are at most self's but in `dim`.
Error gather(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Span<Shape> out);
/// out[0] = self's sizes; index's are at most these but in `dim`, and at most src's.
Error scatter(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
              Span<Shape> out);
/// The same with a number for src.
Error scatter_value(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Span<Shape> out);
/// out[0] and out[1] = self's sizes with k at `dim`.
Error topk(KernelContext& ctx, const Tensor& self, int64_t k, int64_t dim, Span<Shape> out);
/// out[0] and out[1] = self's sizes; `dim` is one of self's.
Error along_twice(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out);

}  // namespace rushlight::shapes
