// SPDX-License-Identifier: BSD-3-Clause
// Shapes of convolutions, paddings and resamplings. Twins of shapes.py here.

#pragma once

#include "rushlight/ops/shapes.h"

namespace rushlight::shapes {

/// out[0] = [N, O, spatial]. Afterwards every size, stride, padding and dilation fits int32, strides and dilations are
/// positive, paddings are not negative, the channel counts agree with `groups`, and `bias` is [O].
Error convolution(KernelContext& ctx, const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
                  IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups,
                  Span<Shape> out);
/// out[0] = self's sizes plus the pads of `pad`, which lists (before, after) from the last dimension. Pads may be
/// negative; a size may not become so.
Error constant_pad(KernelContext& ctx, const Tensor& self, IntList pad, Span<Shape> out);
/// The same with exactly one pad pair per each of the last pad.count() / 2 dimensions, 1 to 3 of them, and one or two
/// dimensions before; each pad less than the size it reflects.
Error reflection_pad(KernelContext& ctx, const Tensor& self, IntList padding, Span<Shape> out);
/// The same, where no padded dimension may be empty.
Error replication_pad(KernelContext& ctx, const Tensor& self, IntList padding, Span<Shape> out);
/// out[0] = [..., C / f^2, H * f, W * f].
Error pixel_shuffle(KernelContext& ctx, const Tensor& self, int64_t upscale_factor, Span<Shape> out);
/// out[0] = [..., C * f^2, H / f, W / f].
Error pixel_unshuffle(KernelContext& ctx, const Tensor& self, int64_t downscale_factor, Span<Shape> out);
/// out[0] = [N, C, output_size], or N, C and the spatial sizes times scale_factors, rounded down. Exactly one of the
/// two is given.
Error upsample2d(KernelContext& ctx, const Tensor& input, Optional<IntList> output_size,
                 Optional<Span<const double>> scale_factors, Span<Shape> out);
/// out[0] = [N, C, output_size].
Error resize2d(KernelContext& ctx, const Tensor& input, IntList output_size, Span<Shape> out);

}  // namespace rushlight::shapes
