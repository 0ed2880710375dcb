// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.leaky_relu. Its row (schema, shapes, samples) is in ops.py here.

#include "rushlight/ops/kernel.h"

namespace rushlight::ops {

/// out[i] = x[i] >= 0 ? x[i] : slope * x[i]. NaN stays NaN.
Error leaky_relu(KernelContext& ctx, const Tensor& x, Scalar slope, Tensor& out) {
  float k = 0;
  RL_TRY(ctx.to_float32("negative_slope", slope, &k));
  RL_TRY(ctx.check_dtype("out", out, x.dtype()));
  return visit<types::leaky_relu>(ctx, x, [&](const auto* in) {
    using T = std::decay_t<decltype(*in)>;
    T* const dst = out.mutable_data<T>();
    for (size_t i = 0; i < x.numel(); ++i) {
      const float v = in[i];
      dst[i] = T(v >= 0 ? v : k * v);
    }
  });
}

}  // namespace rushlight::ops
