// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.upsample_nearest2d and aten.upsample_bilinear2d (.vec). Their rows are in ops.py here.

#include <cmath>

#include "rushlight/ops/conv/shapes.h"

namespace rushlight::ops {
namespace {

// Positions are computed in the type that eager computes them in.
template <class T>
using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Input elements per output element along one axis: 1 / the factor given, or the ratio of the sizes.
template <class R>
R ratio(Optional<Span<const double>> factors, size_t axis, int64_t in, int64_t out) {
  if (factors && (*factors)[axis] > 0) return static_cast<R>(1 / (*factors)[axis]);
  return static_cast<R>(in) / static_cast<R>(out);
}

// Where an output position lies in the input: between `low` and `high`, weighted 1 - part and part.
template <class R>
struct Place {
  int64_t low, high;
  R part;
};

template <class R>
Place<R> nearest(R scale, int64_t i, int64_t in) {
  const R at = std::floor(static_cast<R>(i) * scale);
  const int64_t index = at < static_cast<R>(in) ? static_cast<int64_t>(at) : in - 1;
  return {index, index, 0};
}

template <class R>
Place<R> between(R scale, int64_t i, int64_t in, bool align_corners) {
  R at = align_corners ? scale * static_cast<R>(i) : scale * (static_cast<R>(i) + R(0.5)) - R(0.5);
  if (!(at > 0)) at = 0;
  if (at > static_cast<R>(in - 1)) return {in - 1, in - 1, 0};
  const int64_t low = static_cast<int64_t>(at);
  const R part = at - static_cast<R>(low);
  return {low, low + 1 < in ? low + 1 : low, part};
}

// out[n, c, i, j] = mix(n, c's plane, place of i, place of j) for every element.
template <class T, class R, class Places, class Mix>
void each(const Tensor& in, const Tensor& out, Places&& places, Mix&& mix) {
  for (int64_t n = 0; n < out.size(0); ++n) {
    for (int64_t c = 0; c < out.size(1); ++c) {
      const T* const from = in.data<T>() + n * in.stride(0) + c * in.stride(1);
      T* const to = out.mutable_data<T>() + n * out.stride(0) + c * out.stride(1);
      for (int64_t i = 0; i < out.size(2); ++i) {
        const Place<R> row = places(0, i);
        for (int64_t j = 0; j < out.size(3); ++j) {
          to[i * out.stride(2) + j * out.stride(3)] = mix(from, row, places(1, j));
        }
      }
    }
  }
}

Error check(KernelContext& ctx, const Tensor& input, Optional<IntList> output_size,
            Optional<Span<const double>> scale_factors, const Tensor& out) {
  Shape shape;
  RL_TRY(shapes::upsample2d(ctx, input, output_size, scale_factors, {&shape, 1}));
  RL_TRY(ctx.check_sizes("out", out, shape));
  return ctx.check_dtype("out", out, input.dtype());
}

}  // namespace

/// out[n, c, i, j] = input[n, c, floor(i s), floor(j s')], s being input elements per output element.
///
/// @param input  [N, C, H, W], any dim order.
/// @param output_size, scale_factors  Exactly one of them, two items. With factors, s is 1 / factor.
/// @return InvalidArgument if the sizes are out of range, InvalidType for dtypes.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
Error upsample_nearest2d_vec(KernelContext& ctx, const Tensor& input, Optional<IntList> output_size,
                             Optional<Span<const double>> scale_factors, Tensor& out) {
  RL_TRY(check(ctx, input, output_size, scale_factors, out));
  return visit_dtype<types::upsample_nearest2d_vec>(ctx, input.dtype(), [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    using R = Real<T>;
    const R scale[2] = {ratio<R>(scale_factors, 0, input.size(2), out.size(2)),
                        ratio<R>(scale_factors, 1, input.size(3), out.size(3))};
    const auto places = [&](size_t axis, int64_t i) { return nearest<R>(scale[axis], i, input.size(2 + axis)); };
    each<T, R>(input, out, places, [&](const T* plane, const Place<R>& h, const Place<R>& w) {
      return plane[h.low * input.stride(2) + w.low * input.stride(3)];
    });
  });
}

/// out[n, c, i, j] = the four neighbours of the place of (i, j) in input, weighted by their distance along each axis.
///
/// @param align_corners  Whether the centres of the corner elements meet (else their outer edges).
/// @param input, output_size, scale_factors  As for nearest.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
Error upsample_bilinear2d_vec(KernelContext& ctx, const Tensor& input, Optional<IntList> output_size,
                              bool align_corners, Optional<Span<const double>> scale_factors, Tensor& out) {
  RL_TRY(check(ctx, input, output_size, scale_factors, out));
  return visit_dtype<types::upsample_bilinear2d_vec>(ctx, input.dtype(), [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    using R = Real<T>;
    R scale[2];
    for (size_t a = 0; a < 2; ++a) {
      const int64_t from = input.size(2 + a), to = out.size(2 + a);
      scale[a] = ratio<R>(scale_factors, a, from, to);
      if (align_corners) scale[a] = to > 1 ? static_cast<R>(from - 1) / static_cast<R>(to - 1) : R(0);
    }
    const auto places = [&](size_t axis, int64_t i) {
      return between<R>(scale[axis], i, input.size(2 + axis), align_corners);
    };
    const ptrdiff_t row = input.stride(2), column = input.stride(3);
    each<T, R>(input, out, places, [&](const T* plane, const Place<R>& h, const Place<R>& w) {
      const auto value = [&](int64_t i, int64_t j) { return static_cast<R>(plane[i * row + j * column]); };
      const R top = (1 - w.part) * value(h.low, w.low) + w.part * value(h.low, w.high);
      const R bottom = (1 - w.part) * value(h.high, w.low) + w.part * value(h.high, w.high);
      const R mixed = (1 - h.part) * top + h.part * bottom;
      if constexpr (std::is_integral_v<T>) return static_cast<T>(std::nearbyint(mixed));
      return static_cast<T>(mixed);
    });
  });
}

}  // namespace rushlight::ops
