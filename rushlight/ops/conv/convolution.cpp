// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.convolution. Its row is in ops.py here; the loops are in strips.cpp and direct.cpp.

#include "rushlight/ops/conv/direct.h"
#include "rushlight/ops/conv/geometry.h"
#include "rushlight/ops/conv/shapes.h"
#include "rushlight/ops/conv/strips.h"

namespace rushlight::ops {
namespace {

using namespace conv;

// An int[] of one item stands for that item on every axis.
int64_t item(IntList list, size_t axis) { return list[list.count() == 1 ? 0 : axis]; }

Geometry geometry_of(const Tensor& input, const Tensor& weight, const Tensor& out, IntList stride, IntList padding,
                     IntList dilation, bool transposed, int64_t groups) {
  Geometry g{};
  g.batch = input.size(0);
  g.groups = groups;
  g.in_channels = input.size(1) / groups;
  g.out_channels = out.size(1) / groups;
  g.in_batch = input.stride(0);
  g.in_channel = input.stride(1);
  g.out_batch = out.stride(0);
  g.out_channel = out.stride(1);
  g.weight_in = weight.stride(transposed ? 0 : 1);
  g.weight_out = weight.stride(transposed ? 1 : 0);
  g.weight_group = weight.stride(0) * (transposed ? g.in_channels : g.out_channels);
  g.transposed = transposed;
  const size_t axes = input.rank() - 2;
  for (size_t i = 0; i < axes; ++i) {
    Axis& axis = g.axis[3 - axes + i];
    axis.in = input.size(i + 2);
    axis.out = out.size(i + 2);
    axis.kernel = g.in_channels == 0 ? 0 : weight.size(i + 2);  // a sum without channels has no taps
    axis.stride = item(stride, i);
    axis.padding = item(padding, i);
    axis.dilation = item(dilation, i);
    axis.in_stride = input.stride(i + 2);
    axis.out_stride = out.stride(i + 2);
    axis.weight_stride = weight.stride(i + 2);
  }
  return g;
}

// Depthwise, with the channels of both input and out side by side in memory.
bool is_by_channels(const Geometry& g, const Phase& phase) {
  const PhaseAxis* const a = phase.axis;
  return g.in_channels == 1 && g.out_channels == 1 && g.in_channel == 1 && g.out_channel == 1 && g.groups > 1 &&
         a[0].taps <= kMostTaps && a[1].taps <= kMostTaps && a[2].taps <= kMostTaps &&
         a[0].taps * a[1].taps * a[2].taps <= kMostTaps;
}

// Below this many output channels per group a panel costs more than it saves.
constexpr int64_t kFewChannels = 4;

template <class Acc>
void run_phase(const Part<Acc>& whole) {
  const Geometry& g = *whole.geometry;
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(element_nbytes(whole.dtype));
  const bool by_channels = is_by_channels(g, whole.phase);
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t group = 0; group < (by_channels ? 1 : g.groups); ++group) {
      Part<Acc> part = whole;
      part.input += (n * g.in_batch + group * g.in_channels * g.in_channel) * nbytes;
      part.out += (n * g.out_batch + group * g.out_channels * g.out_channel) * nbytes;
      part.weight += group * g.weight_group * nbytes;
      if (part.bias) part.bias += group * g.out_channels * nbytes;
      if (by_channels) {
        run_channels(part);
      } else if (g.out_channels < kFewChannels) {
        run_rows(part);
      } else {
        run_strips(part);
      }
    }
  }
}

template <class Acc>
void run(const Geometry& g, Part<Acc> part) {
  const int64_t phases[3] = {phase_count(g.axis[0], g.transposed), phase_count(g.axis[1], g.transposed),
                             phase_count(g.axis[2], g.transposed)};
  for (int64_t d = 0; d < phases[0]; ++d) {
    part.phase.axis[0] = phase_of(g.axis[0], g.transposed, d);
    for (int64_t h = 0; h < phases[1]; ++h) {
      part.phase.axis[1] = phase_of(g.axis[1], g.transposed, h);
      for (int64_t w = 0; w < phases[2]; ++w) {
        part.phase.axis[2] = phase_of(g.axis[2], g.transposed, w);
        run_phase(part);
      }
    }
  }
}

}  // namespace

/// out[n, o, x] = bias[o] + sum over c, t of weight[o, c, t] * input[n, c, x * stride - padding + t * dilation].
///
/// Transposed: out[n, o, i * stride - padding + t * dilation] gathers weight[c, o, t] * input[n, c, i] instead.
///
/// @param input   [N, C, spatial], one to three spatial dimensions, any dim order, zero elements allowed.
/// @param weight  [O, C / groups, taps], or [C, O / groups, taps] if transposed. Any dim order. Same dtype as input.
/// @param bias    [O] or null.
/// @param stride, padding, dilation, output_padding  One item for all axes, or one per axis.
/// @param out     [N, O, spatial], any dim order; must not overlap the inputs.
/// @return InvalidArgument if the sizes do not fit together, InvalidType if the dtypes differ.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html
Error convolution(KernelContext& ctx, const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
                  IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups,
                  Tensor& out) {
  Shape shape;
  RL_TRY(shapes::convolution(ctx, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups,
                             {&shape, 1}));
  RL_TRY(ctx.check_sizes("out", out, shape));
  RL_TRY(ctx.check_dtype("weight", weight, input.dtype()));
  if (bias) RL_TRY(ctx.check_dtype("bias", *bias, input.dtype()));
  RL_TRY(ctx.check_dtype("out", out, input.dtype()));
  return panel::visit_accumulator<types::convolution>(ctx, input.dtype(), [&](auto acc) {
    using Acc = decltype(acc);
    if (out.numel() == 0) return Error::Ok;
    const Geometry g = geometry_of(input, weight, out, stride, padding, dilation, transposed, groups);
    Part<Acc> part{};
    part.geometry = &g;
    part.input = input.data<char>();
    part.weight = weight.data<char>();
    part.bias = bias ? bias->data<char>() : nullptr;
    part.out = out.mutable_data<char>();
    part.dtype = input.dtype();
    part.access = panel::access<Acc>(input.dtype());
    run(g, part);
    return Error::Ok;
  });
}

}  // namespace rushlight::ops
