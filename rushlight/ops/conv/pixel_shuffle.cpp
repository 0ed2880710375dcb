// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.pixel_shuffle and aten.pixel_unshuffle. Their rows are in ops.py here.

#include "rushlight/ops/conv/shapes.h"

namespace rushlight::ops {
namespace {

// The last three dimensions of a tensor, for one index of those before.
template <class U>
struct Image {
  U* data;
  ptrdiff_t channel, row, column;
};

template <class U>
Image<U> image_of(const Tensor& t, size_t index) {
  const size_t r = t.rank();
  ptrdiff_t offset = 0;
  for (size_t d = r - 3; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(index % static_cast<size_t>(t.size(d))) * t.stride(d);
    index /= static_cast<size_t>(t.size(d));
  }
  return {t.mutable_data<U>() + offset, t.stride(r - 3), t.stride(r - 2), t.stride(r - 1)};
}

// Copies between `deep` [..., C f f, H, W] and `wide` [..., C, H f, W f], where pixel (h f + i, w f + j) of channel c
// is pixel (h, w) of channel c f f + i f + j.
template <class U>
void move(const Tensor& deep, const Tensor& wide, int64_t f, bool to_wide) {
  const size_t r = deep.rank();
  const int64_t channels = deep.size(r - 3), height = deep.size(r - 2), width = deep.size(r - 1);
  const size_t image_numel = static_cast<size_t>(channels) * static_cast<size_t>(height) * static_cast<size_t>(width);
  for (size_t n = 0; n < deep.numel() / image_numel; ++n) {
    const Image<U> a = image_of<U>(deep, n), b = image_of<U>(wide, n);
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t i = c / f % f, j = c % f;
      for (int64_t h = 0; h < height; ++h) {
        U* const from = a.data + c * a.channel + h * a.row;
        U* const to = b.data + c / (f * f) * b.channel + (h * f + i) * b.row + j * b.column;
        for (int64_t w = 0; w < width; ++w) {
          U& narrow = from[w * a.column];
          U& broad = to[w * f * b.column];
          to_wide ? broad = narrow : narrow = broad;
        }
      }
    }
  }
}

template <class Types>
Error run(KernelContext& ctx, const Tensor& self, const Tensor& deep, const Tensor& wide, int64_t f, bool to_wide) {
  RL_TRY(visit_dtype<Types>(ctx, self.dtype(), [](auto*) {}));
  if (self.numel() == 0) return Error::Ok;
  switch (self.element_nbytes()) {
    case 1:
      move<uint8_t>(deep, wide, f, to_wide);
      break;
    case 2:
      move<uint16_t>(deep, wide, f, to_wide);
      break;
    case 4:
      move<uint32_t>(deep, wide, f, to_wide);
      break;
    default:
      move<uint64_t>(deep, wide, f, to_wide);
      break;
  }
  return Error::Ok;
}

}  // namespace

/// out[..., c, h f + i, w f + j] = self[..., c f f + i f + j, h, w].
///
/// @param self            [..., C f f, H, W], any dim order.
/// @param upscale_factor  f, at least 1.
/// @return InvalidArgument if f f does not divide the channels.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelShuffle.html
Error pixel_shuffle(KernelContext& ctx, const Tensor& self, int64_t upscale_factor, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::pixel_shuffle(ctx, self, upscale_factor, {&shape, 1}));
  RL_TRY(ctx.check_sizes("out", out, shape));
  RL_TRY(ctx.check_dtype("out", out, self.dtype()));
  return run<types::pixel_shuffle>(ctx, self, self, out, upscale_factor, true);
}

/// The inverse: out[..., c f f + i f + j, h, w] = self[..., c, h f + i, w f + j].
/// @see https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelUnshuffle.html
Error pixel_unshuffle(KernelContext& ctx, const Tensor& self, int64_t downscale_factor, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::pixel_unshuffle(ctx, self, downscale_factor, {&shape, 1}));
  RL_TRY(ctx.check_sizes("out", out, shape));
  RL_TRY(ctx.check_dtype("out", out, self.dtype()));
  return run<types::pixel_unshuffle>(ctx, self, out, self, downscale_factor, false);
}

}  // namespace rushlight::ops
