// SPDX-License-Identifier: BSD-3-Clause
// Shapes of norms. Twins of shapes.py here.

#pragma once

#include "rushlight/ops/shapes.h"

namespace rushlight::shapes {

/// out = input's sizes, then twice those with 1 for each of the last normalized_shape.count() dimensions.
/// normalized_shape is the end of input's sizes; weight and bias are normalized_shape or null.
Error layer_norm(KernelContext& ctx, const Tensor& input, IntList normalized_shape, const Tensor* weight,
                 const Tensor* bias, Span<Shape> out);
/// out = input's sizes, then twice [N, group]. input is [N, C, spatial], weight and bias [C] or null.
Error group_norm(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t N,
                 int64_t C, int64_t HxW, int64_t group, Span<Shape> out);
/// out = input's sizes, then twice [0], or [C] if `training`. input is [N, C, spatial], weight and bias [C] or null.
Error batch_norm(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias, bool training,
                 Span<Shape> out);
/// The same without training.
Error batch_norm_inference(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias,
                           Span<Shape> out);

}  // namespace rushlight::shapes
