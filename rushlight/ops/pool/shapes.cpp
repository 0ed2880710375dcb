// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/pool/shapes.h"

#include <cstdint>

namespace rushlight::shapes {
namespace {

using ops::pool::Axis;

// *value = the item of an int[] of one or two for axis `i`; it is in [low, INT32_MAX].
Error read_item(KernelContext& ctx, const char* name, IntList list, size_t i, int64_t low, int64_t* value) {
  if (list.count() != 1 && list.count() != 2) {
    return ctx.fail(Error::InvalidArgument, "{} has {} items, expected 2", name, list.count());
  }
  *value = list[list.count() == 1 ? 0 : i];
  if (*value >= low && *value <= INT32_MAX) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "{} has item {}, must be at least {}", name, *value, low);
}

// Sets axis->out from the rest.
Error count_windows(KernelContext& ctx, bool ceil_mode, Axis* axis) {
  if (axis->padding > axis->kernel / 2) {
    return ctx.fail(Error::InvalidArgument, "padding {} is more than half of kernel size {}", axis->padding,
                    axis->kernel);
  }
  const int64_t free = axis->in + 2 * axis->padding - axis->dilation * (axis->kernel - 1) - 1;
  axis->out = free < 0 ? 0 : (free + (ceil_mode ? axis->stride - 1 : 0)) / axis->stride + 1;
  // A window that begins in the padding after the input is dropped.
  if (ceil_mode && (axis->out - 1) * axis->stride >= axis->in + axis->padding) --axis->out;
  if (axis->in >= 1 && axis->out >= 1) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "input of size {} is too small for kernel size {}", axis->in, axis->kernel);
}

Error check_rank(KernelContext& ctx, const Tensor& self) {
  if (self.rank() == 3 || self.rank() == 4) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "self has rank {}, expected 3 or 4", self.rank());
}

Error with_plane(KernelContext& ctx, const Tensor& self, int64_t height, int64_t width, Shape* out) {
  for (size_t d = 0; d + 2 < self.rank(); ++d) RL_TRY(append(ctx, out, self.size(d)));
  RL_TRY(append(ctx, out, height));
  return append(ctx, out, width);
}

}  // namespace

Error pool_axes(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                const IntList* dilation, bool ceil_mode, Axis (&axes)[2]) {
  RL_TRY(check_rank(ctx, self));
  for (size_t i = 0; i < 2; ++i) {
    Axis& axis = axes[i];
    axis.in = self.size(self.rank() - 2 + i);
    axis.dilation = 1;
    RL_TRY(read_item(ctx, "kernel_size", kernel_size, i, 1, &axis.kernel));
    RL_TRY(read_item(ctx, "stride", stride.empty() ? kernel_size : stride, i, 1, &axis.stride));
    RL_TRY(read_item(ctx, "padding", padding, i, 0, &axis.padding));
    if (dilation) RL_TRY(read_item(ctx, "dilation", *dilation, i, 1, &axis.dilation));
    RL_TRY(count_windows(ctx, ceil_mode, &axis));
  }
  return Error::Ok;
}

Error max_pool2d(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                 IntList dilation, bool ceil_mode, Span<Shape> out) {
  Axis axes[2];
  RL_TRY(pool_axes(ctx, self, kernel_size, stride, padding, &dilation, ceil_mode, axes));
  RL_TRY(with_plane(ctx, self, axes[0].out, axes[1].out, &out[0]));
  out[1] = out[0];
  return Error::Ok;
}

Error avg_pool2d(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                 bool ceil_mode, Span<Shape> out) {
  Axis axes[2];
  RL_TRY(pool_axes(ctx, self, kernel_size, stride, padding, nullptr, ceil_mode, axes));
  return with_plane(ctx, self, axes[0].out, axes[1].out, &out[0]);
}

Error adaptive_pool2d(KernelContext& ctx, const Tensor& self, IntList output_size, Span<Shape> out) {
  RL_TRY(check_rank(ctx, self));
  const size_t rank = self.rank();
  if (output_size.count() != 2) {
    return ctx.fail(Error::InvalidArgument, "output_size has {} items, expected 2", output_size.count());
  }
  if (self.size(rank - 2) < 1 || self.size(rank - 1) < 1) {
    return ctx.fail(Error::InvalidArgument, "self {} has nothing to pool", self.sizes());
  }
  return with_plane(ctx, self, output_size[0], output_size[1], &out[0]);
}

}  // namespace rushlight::shapes
