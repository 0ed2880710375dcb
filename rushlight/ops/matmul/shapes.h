// SPDX-License-Identifier: BSD-3-Clause
// Shapes of matrix products. Twins of shapes.py here.

#pragma once

#include "rushlight/ops/shapes.h"

namespace rushlight::shapes {

/// out[0] = [M, N] of [M, K] and [K, N].
Error mm(KernelContext& ctx, const Tensor& self, const Tensor& mat2, Span<Shape> out);
/// out[0] = [B, M, N] of [B, M, K] and [B, K, N].
Error bmm(KernelContext& ctx, const Tensor& self, const Tensor& mat2, Span<Shape> out);
/// The same as mm, to which `self` must stretch.
Error addmm(KernelContext& ctx, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Span<Shape> out);
/// out[0] = [..., N] of [..., K] and weight [N, K]; bias is [N] or null.
Error linear(KernelContext& ctx, const Tensor& input, const Tensor& weight, const Tensor* bias, Span<Shape> out);

}  // namespace rushlight::shapes
