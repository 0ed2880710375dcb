// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.max_pool2d_with_indices. Its row is in ops.py here.

#include <limits>

#include "rushlight/ops/pool/planes.h"

namespace rushlight::ops {
namespace {

using namespace pool;

template <class T>
constexpr bool kIsFloating = !std::is_integral_v<T>;
template <class T>
using Compared = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

template <class T>
struct Pool {
  const T* in;
  ptrdiff_t row, column;  // strides of `in`
  const Axis (&axes)[2];

  // The largest value of a window, NaN above all, and its index in the plane; the first one of equals.
  int64_t largest(const Window& h, const Window& w, T* value) const {
    using C = Compared<T>;
    C best = kIsFloating<T> ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
    int64_t at_h = h.first, at_w = w.first;
    for (int64_t i = h.first; i < h.end; i += axes[0].dilation) {
      for (int64_t j = w.first; j < w.end; j += axes[1].dilation) {
        const C v = static_cast<C>(in[i * row + j * column]);
        if (v > best || v != v) best = v, at_h = i, at_w = j;
      }
    }
    *value = static_cast<T>(best);
    return at_h * axes[1].in + at_w;
  }
};

template <class T>
void run(const Tensor& self, const Axis (&axes)[2], const Tensor& out, const Tensor& indices) {
  const size_t h = self.rank() - 2, w = self.rank() - 1;
  each_plane(self, out, [&](ptrdiff_t in_at, ptrdiff_t out_at) {
    const Pool<T> pool = {self.data<T>() + in_at, self.stride(h), self.stride(w), axes};
    for (int64_t i = 0; i < axes[0].out; ++i) {
      const Window rows = window_of(axes[0], i);
      for (int64_t j = 0; j < axes[1].out; ++j) {
        const ptrdiff_t at = out_at + i * out.stride(h) + j * out.stride(w);
        const int64_t index = pool.largest(rows, window_of(axes[1], j), out.mutable_data<T>() + at);
        indices.mutable_data<int64_t>()[at] = index;
      }
    }
  });
}

}  // namespace

/// out = the largest value of each window, indices where it was found, counted in row-major order within its plane.
///
/// NaN counts as the largest. Padding never wins. A window wholly outside the input gives -inf or the lowest integer.
/// @param self     [N, C, H, W] or [C, H, W], any dim order.
/// @param indices  int64, in out's dim order.
/// @return InvalidArgument if the window does not fit, InvalidType for dtypes.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html
Error max_pool2d_with_indices(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride,
                              IntList padding, IntList dilation, bool ceil_mode, Tensor& out, Tensor& indices) {
  Shape shapes[2];
  RL_TRY(shapes::max_pool2d(ctx, self, kernel_size, stride, padding, dilation, ceil_mode, shapes));
  RL_TRY(ctx.check_sizes("out", out, shapes[0]));
  RL_TRY(ctx.check_sizes("indices", indices, shapes[1]));
  RL_TRY(ctx.check_dtype("out", out, self.dtype()));
  RL_TRY(ctx.check_dtype("indices", indices, DType::Int64));
  if (!out.same_layout(indices)) return ctx.fail(Error::NotSupported, "out and indices have different dim orders");
  Axis axes[2];
  RL_TRY(shapes::pool_axes(ctx, self, kernel_size, stride, padding, &dilation, ceil_mode, axes));
  return visit_dtype<types::max_pool2d_with_indices>(ctx, self.dtype(), [&](auto* tag) {
    if (out.numel() != 0) run<std::remove_const_t<std::remove_pointer_t<decltype(tag)>>>(self, axes, out, indices);
  });
}

}  // namespace rushlight::ops
