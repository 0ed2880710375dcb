// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/conv/shapes.h"

#include <cmath>
#include <cstdint>

namespace rushlight::shapes {
namespace {

// Checks an int[] of one item per axis, or one for all: each in [low, INT32_MAX].
Error check_list(KernelContext& ctx, const char* name, IntList list, size_t axes, int64_t low) {
  if (list.count() != 1 && list.count() != axes) {
    return ctx.fail(Error::InvalidArgument, "{} has {} items for {} spatial dimensions", name, list.count(), axes);
  }
  for (size_t i = 0; i < list.count(); ++i) {
    if (list[i] < low || list[i] > INT32_MAX) {
      return ctx.fail(Error::InvalidArgument, "{} has item {}, must be at least {}", name, list[i], low);
    }
  }
  return Error::Ok;
}

int64_t item(IntList list, size_t axis) { return list[list.count() == 1 ? 0 : axis]; }

Error check_channels(KernelContext& ctx, const Tensor& input, const Tensor& weight, bool transposed, int64_t groups,
                     int64_t* out_channels) {
  if (groups <= 0 || groups > INT32_MAX) return ctx.fail(Error::InvalidArgument, "groups is {}, out of range", groups);
  const int64_t channels = input.size(1);
  const int64_t in = transposed ? weight.size(0) : weight.size(1) * groups;
  *out_channels = transposed ? weight.size(1) * groups : weight.size(0);
  if (in == channels && channels % groups == 0 && *out_channels % groups == 0) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "input of {} channels does not fit weight {} in {} groups", channels,
                  weight.sizes(), groups);
}

// One spatial axis of a convolution. Each factor fits int32, so that the products and their sums fit int64.
struct Axis {
  int64_t in, kernel, stride, padding, dilation, output_padding;
  bool transposed;

  int64_t reach() const { return dilation * (kernel - 1) + 1; }
  // Size of the result; less than 1 if the taps do not fit.
  int64_t size() const {
    if (transposed) return (in - 1) * stride - 2 * padding + reach() + output_padding;
    const int64_t free = in + 2 * padding - reach();
    return free < 0 ? 0 : free / stride + 1;
  }
};

Error append_axis(KernelContext& ctx, const Axis& axis, size_t i, Shape* out) {
  if (axis.kernel < 1) return ctx.fail(Error::InvalidArgument, "weight has no taps in spatial dimension {}", i);
  if (axis.transposed && axis.output_padding >= axis.stride && axis.output_padding >= axis.dilation) {
    return ctx.fail(Error::InvalidArgument, "output_padding {} is not less than stride or dilation",
                    axis.output_padding);
  }
  if (axis.size() >= 1) return append(ctx, out, axis.size());
  return ctx.fail(Error::InvalidArgument, "input of size {} in spatial dimension {} is too small for {} taps", axis.in,
                  i, axis.kernel);
}

}  // namespace

Error convolution(KernelContext& ctx, const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
                  IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups,
                  Span<Shape> out) {
  const size_t rank = input.rank();
  if (rank < 3 || rank > 5) return ctx.fail(Error::InvalidArgument, "input has rank {}, expected 3 to 5", rank);
  if (weight.rank() != rank) {
    return ctx.fail(Error::InvalidArgument, "weight has rank {}, expected {}", weight.rank(), rank);
  }
  RL_TRY(check_list(ctx, "stride", stride, rank - 2, 1));
  RL_TRY(check_list(ctx, "padding", padding, rank - 2, 0));
  RL_TRY(check_list(ctx, "dilation", dilation, rank - 2, 1));
  if (transposed) RL_TRY(check_list(ctx, "output_padding", output_padding, rank - 2, 0));
  int64_t channels = 0;
  RL_TRY(check_channels(ctx, input, weight, transposed, groups, &channels));
  if (bias && (bias->rank() != 1 || bias->size(0) != channels)) {
    return ctx.fail(Error::InvalidArgument, "bias is {}, expected [{}]", bias->sizes(), channels);
  }
  RL_TRY(append(ctx, &out[0], input.size(0)));
  RL_TRY(append(ctx, &out[0], channels));
  for (size_t i = 0; i + 2 < rank; ++i) {
    const int64_t extra = transposed ? item(output_padding, i) : 0;
    const Axis axis = {
        input.size(i + 2), weight.size(i + 2), item(stride, i), item(padding, i), item(dilation, i), extra, transposed};
    RL_TRY(append_axis(ctx, axis, i, &out[0]));
  }
  return Error::Ok;
}

Error constant_pad(KernelContext& ctx, const Tensor& self, IntList pad, Span<Shape> out) {
  if (pad.count() % 2 != 0 || pad.count() / 2 > self.rank()) {
    return ctx.fail(Error::InvalidArgument, "pad has {} items, expected two per dimension of {}", pad.count(),
                    self.sizes());
  }
  for (size_t d = 0; d < self.rank(); ++d) {
    const size_t pair = self.rank() - 1 - d;
    int64_t size = self.size(d);
    for (size_t i = 2 * pair; pair < pad.count() / 2 && i < 2 * pair + 2; ++i) {
      if (pad[i] < -INT32_MAX || pad[i] > INT32_MAX) {
        return ctx.fail(Error::InvalidArgument, "pad {} is out of range", pad[i]);
      }
      size += pad[i];
      // Cropping from one side beyond the tensor is refused even where the other side's pad would make up for it.
      if (pad[i] < -int64_t{self.size(d)}) size = -1;
      if (size < 0) {
        return ctx.fail(Error::InvalidArgument, "pad {} leaves nothing of size {} in dimension {}", pad[i],
                        self.size(d), d);
      }
    }
    RL_TRY(append(ctx, &out[0], size));
  }
  return Error::Ok;
}

namespace {

bool has_edges(const Tensor& self, IntList padding) {
  const size_t axes = padding.count() / 2;
  return padding.count() % 2 == 0 && axes >= 1 && axes <= 3 && (self.rank() == axes + 1 || self.rank() == axes + 2);
}

Error edge_pad(KernelContext& ctx, const Tensor& self, IntList padding, bool reflects, Span<Shape> out) {
  if (!has_edges(self, padding)) {
    return ctx.fail(Error::InvalidArgument, "padding has {} items for self {}", padding.count(), self.sizes());
  }
  RL_TRY(constant_pad(ctx, self, padding, out));
  for (size_t i = 0; i < padding.count(); ++i) {
    const size_t d = self.rank() - 1 - i / 2;
    if (self.size(d) == 0 || out[0].sizes[d] == 0) {
      return ctx.fail(Error::InvalidArgument, "self {} has nothing to pad from", self.sizes());
    }
    if (reflects && padding[i] >= self.size(d)) {
      return ctx.fail(Error::InvalidArgument, "padding {} is not less than size {}", padding[i], self.size(d));
    }
  }
  return Error::Ok;
}

}  // namespace

Error reflection_pad(KernelContext& ctx, const Tensor& self, IntList padding, Span<Shape> out) {
  return edge_pad(ctx, self, padding, true, out);
}

Error replication_pad(KernelContext& ctx, const Tensor& self, IntList padding, Span<Shape> out) {
  return edge_pad(ctx, self, padding, false, out);
}

namespace {

// Leading dimensions as they are, then the last three.
Error with_last_three(KernelContext& ctx, const Tensor& self, const int64_t (&last)[3], Span<Shape> out) {
  for (size_t d = 0; d + 3 < self.rank(); ++d) RL_TRY(append(ctx, &out[0], self.size(d)));
  for (const int64_t size : last) RL_TRY(append(ctx, &out[0], size));
  return Error::Ok;
}

Error check_factor(KernelContext& ctx, const Tensor& self, int64_t factor) {
  if (self.rank() < 3) return ctx.fail(Error::InvalidArgument, "self has rank {}, expected at least 3", self.rank());
  if (factor < 1 || factor > 32767) return ctx.fail(Error::InvalidArgument, "factor {} is out of range", factor);
  return Error::Ok;
}

}  // namespace

Error pixel_shuffle(KernelContext& ctx, const Tensor& self, int64_t upscale_factor, Span<Shape> out) {
  RL_TRY(check_factor(ctx, self, upscale_factor));
  const size_t r = self.rank();
  const int64_t f = upscale_factor, channels = self.size(r - 3);
  if (channels % (f * f) != 0) {
    return ctx.fail(Error::InvalidArgument, "{} channels are not a multiple of {}", channels, f * f);
  }
  return with_last_three(ctx, self, {channels / (f * f), self.size(r - 2) * f, self.size(r - 1) * f}, out);
}

Error pixel_unshuffle(KernelContext& ctx, const Tensor& self, int64_t downscale_factor, Span<Shape> out) {
  RL_TRY(check_factor(ctx, self, downscale_factor));
  const size_t r = self.rank();
  const int64_t f = downscale_factor, height = self.size(r - 2), width = self.size(r - 1);
  if (height % f != 0 || width % f != 0) {
    return ctx.fail(Error::InvalidArgument, "height {} and width {} are not multiples of {}", height, width, f);
  }
  return with_last_three(ctx, self, {self.size(r - 3) * f * f, height / f, width / f}, out);
}

namespace {

Error check_resized(KernelContext& ctx, const Tensor& input, Span<Shape> out) {
  for (size_t d = 2; d < 4; ++d) {
    if (input.size(d) < 1 || out[0].sizes[d] < 1) {
      return ctx.fail(Error::InvalidArgument, "cannot resize {} to {}", input.sizes(), out[0].span());
    }
  }
  return Error::Ok;
}

Error start_resize(KernelContext& ctx, const Tensor& input, Span<Shape> out) {
  if (input.rank() != 4) return ctx.fail(Error::InvalidArgument, "input has rank {}, expected 4", input.rank());
  RL_TRY(append(ctx, &out[0], input.size(0)));
  return append(ctx, &out[0], input.size(1));
}

}  // namespace

Error resize2d(KernelContext& ctx, const Tensor& input, IntList output_size, Span<Shape> out) {
  RL_TRY(start_resize(ctx, input, out));
  if (output_size.count() != 2) {
    return ctx.fail(Error::InvalidArgument, "output_size has {} items, expected 2", output_size.count());
  }
  for (size_t i = 0; i < 2; ++i) RL_TRY(append(ctx, &out[0], output_size[i]));
  return check_resized(ctx, input, out);
}

Error upsample2d(KernelContext& ctx, const Tensor& input, Optional<IntList> output_size,
                 Optional<Span<const double>> scale_factors, Span<Shape> out) {
  if (output_size.has_value == scale_factors.has_value) {
    return ctx.fail(Error::InvalidArgument, "expected one of output_size and scale_factors");
  }
  if (output_size) return resize2d(ctx, input, *output_size, out);
  RL_TRY(start_resize(ctx, input, out));
  if ((*scale_factors).count() != 2) {
    return ctx.fail(Error::InvalidArgument, "scale_factors has {} items, expected 2", (*scale_factors).count());
  }
  for (size_t i = 0; i < 2; ++i) {
    const double size = std::floor(static_cast<double>(input.size(i + 2)) * (*scale_factors)[i]);
    if (!(size >= 0 && size <= INT32_MAX)) {
      return ctx.fail(Error::InvalidArgument, "scale factor {} is out of range", (*scale_factors)[i]);
    }
    RL_TRY(append(ctx, &out[0], static_cast<int64_t>(size)));
  }
  return check_resized(ctx, input, out);
}

}  // namespace rushlight::shapes
