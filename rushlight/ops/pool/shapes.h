// SPDX-License-Identifier: BSD-3-Clause
// Shapes of pooling. Twins of shapes.py here.

#pragma once

#include "rushlight/ops/shapes.h"

namespace rushlight::ops::pool {

/// One spatial axis of a pooling window.
struct Axis {
  int64_t in, out, kernel, stride, padding, dilation;
};

}  // namespace rushlight::ops::pool

namespace rushlight::shapes {

/// Reads the last two axes of `self` [N, C, H, W] or [C, H, W] and their results' sizes. Each int[] has one item or
/// two; an empty stride is the kernel size. Afterwards every number fits int32, kernel, stride, dilation and out are
/// positive and 0 <= padding <= kernel / 2.
Error pool_axes(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                const IntList* dilation, bool ceil_mode, ops::pool::Axis (&axes)[2]);

/// out[0] and out[1] = [..., C, H', W'].
Error max_pool2d(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                 IntList dilation, bool ceil_mode, Span<Shape> out);
/// out[0] = [..., C, H', W'].
Error avg_pool2d(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                 bool ceil_mode, Span<Shape> out);
/// out[0] = [..., C, output_size].
Error adaptive_pool2d(KernelContext& ctx, const Tensor& self, IntList output_size, Span<Shape> out);

}  // namespace rushlight::shapes
