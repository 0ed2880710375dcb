// SPDX-License-Identifier: BSD-3-Clause
// Portable layer, group and batch norm. Their rows are in ops.py here.

#include <cmath>

#include "rushlight/ops/norm/runs.h"
#include "rushlight/ops/norm/shapes.h"

namespace rushlight::ops {
namespace {

using namespace norm;

// Checks a norm's three destinations; *parameter is the dtype of parameters and statistics.
Error check_all(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias,
                const Shape (&shapes)[3], const Tensor& out0, const Tensor& out1, const Tensor& out2,
                DType* parameter) {
  RL_TRY(check_parameters(ctx, input, weight, bias, parameter));
  RL_TRY(ctx.check_sizes("out0", out0, shapes[0]));
  RL_TRY(ctx.check_sizes("out1", out1, shapes[1]));
  RL_TRY(ctx.check_sizes("out2", out2, shapes[2]));
  RL_TRY(ctx.check_dtype("out0", out0, input.dtype()));
  RL_TRY(ctx.check_dtype("out1", out1, *parameter));
  return ctx.check_dtype("out2", out2, *parameter);
}

template <class Acc>
Acc inverse_deviation(double variance, double eps) {
  return static_cast<Acc>(1 / std::sqrt(variance + eps));
}

// Elements from the start of `t` to item `index` of its first `count` dimensions, taken in row-major order.
ptrdiff_t offset_of(const Tensor& t, size_t count, size_t index) {
  ptrdiff_t offset = 0;
  for (size_t d = count; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(index % static_cast<size_t>(t.size(d))) * t.stride(d);
    index /= static_cast<size_t>(t.size(d));
  }
  return offset;
}

// The operands of one slice, `in` and `out` elements in.
template <class Acc>
Operands<Acc> shifted(Operands<Acc> o, ptrdiff_t in, ptrdiff_t out) {
  o.input += in * static_cast<ptrdiff_t>(o.in_nbytes);
  o.out += out * static_cast<ptrdiff_t>(o.in_nbytes);
  return o;
}

// Weight and bias must have one layout; where a parameter is absent it does not matter.
ptrdiff_t stride_of(const Tensor* weight, const Tensor* bias, size_t d) {
  return weight ? weight->stride(d) : bias ? bias->stride(d) : 0;
}

// Number of slices that the statistics' first dimensions make. Not from numel: a slice may be empty.
size_t count_of(const Tensor& statistics) { return statistics.numel(); }

template <class Acc>
void run_layer_norm(const Tensor& input, size_t outer, const Tensor* weight, const Tensor* bias, double eps,
                    const Tensor& out0, const Tensor& out1, const Tensor& out2) {
  const Operands<Acc> o = operands_of<Acc>(input, weight, bias, out1.dtype(), out0);
  Runs runs;
  for (size_t d = outer; d < input.rank(); ++d) {
    runs.add(input.size(d), input.stride(d), out0.stride(d), stride_of(weight, bias, d - outer));
  }
  for (size_t i = 0; i < count_of(out1); ++i) {
    const Operands<Acc> slice = shifted(o, offset_of(input, outer, i), offset_of(out0, outer, i));
    const Moments<Acc> m = moments(slice, runs);
    const Acc scale = inverse_deviation<Acc>(m.variance, eps);
    put(o, out1, static_cast<size_t>(offset_of(out1, outer, i)), m.mean);
    put(o, out2, static_cast<size_t>(offset_of(out2, outer, i)), scale);
    normalize(slice, runs, m.mean, scale);
  }
}

}  // namespace

/// out0 = (input - mean) * rstd * weight + bias over the last normalized_shape.count() dimensions; out1 the means, out2
/// rstd = 1 / sqrt(variance + eps).
///
/// Sums are taken in float64. Statistics have the parameters' dtype (the input's if there are none).
/// @param weight, bias  normalized_shape, input's dtype or float32 beside a 16-bit input, or null; row-major if both.
/// @param out0          Any dim order; may be input's memory where the layouts agree.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html
Error native_layer_norm(KernelContext& ctx, const Tensor& input, IntList normalized_shape, const Tensor* weight,
                        const Tensor* bias, double eps, Tensor& out0, Tensor& out1, Tensor& out2) {
  Shape shapes[3];
  RL_TRY(shapes::layer_norm(ctx, input, normalized_shape, weight, bias, shapes));
  DType parameter{};
  RL_TRY(check_all(ctx, input, weight, bias, shapes, out0, out1, out2, &parameter));
  if (weight && bias && !weight->same_layout(*bias)) {
    return ctx.fail(Error::NotSupported, "weight and bias have different dim orders");
  }
  return panel::visit_accumulator<types::native_layer_norm>(ctx, input.dtype(), [&](auto acc) {
    using Acc = decltype(acc);
    if constexpr (std::is_floating_point_v<Acc>) {
      run_layer_norm<Acc>(input, input.rank() - normalized_shape.count(), weight, bias, eps, out0, out1, out2);
    }
    return Error::Ok;
  });
}

namespace {

template <class Acc>
void run_group_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t group, double eps,
                    const Tensor& out0, const Tensor& out1, const Tensor& out2) {
  const Operands<Acc> o = operands_of<Acc>(input, weight, bias, out1.dtype(), out0);
  const int64_t channels = input.size(1) / group;
  Runs runs;
  runs.add(channels, input.stride(1), out0.stride(1), 1);
  for (size_t d = 2; d < input.rank(); ++d) runs.add(input.size(d), input.stride(d), out0.stride(d), 0);
  for (int64_t n = 0; n < input.size(0); ++n) {
    for (int64_t g = 0; g < group; ++g) {
      Operands<Acc> slice = shifted(o, n * input.stride(0) + g * channels * input.stride(1),
                                    n * out0.stride(0) + g * channels * out0.stride(1));
      const ptrdiff_t first = g * channels * static_cast<ptrdiff_t>(o.parameter_nbytes);
      if (slice.weight) slice.weight += first;
      if (slice.bias) slice.bias += first;
      const Moments<Acc> m = moments(slice, runs);
      const Acc scale = inverse_deviation<Acc>(m.variance, eps);
      put(o, out1, static_cast<size_t>(n * out1.stride(0) + g * out1.stride(1)), m.mean);
      put(o, out2, static_cast<size_t>(n * out2.stride(0) + g * out2.stride(1)), scale);
      normalize(slice, runs, m.mean, scale);
    }
  }
}

}  // namespace

/// The same over each of `group` groups of channels: input [N, C, spatial], out1 and out2 [N, group].
/// @param weight, bias  [C] or null.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html
Error native_group_norm(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t N,
                        int64_t C, int64_t HxW, int64_t group, double eps, Tensor& out0, Tensor& out1, Tensor& out2) {
  Shape shapes[3];
  RL_TRY(shapes::group_norm(ctx, input, weight, bias, N, C, HxW, group, shapes));
  DType parameter{};
  RL_TRY(check_all(ctx, input, weight, bias, shapes, out0, out1, out2, &parameter));
  return panel::visit_accumulator<types::native_group_norm>(ctx, input.dtype(), [&](auto acc) {
    using Acc = decltype(acc);
    if constexpr (std::is_floating_point_v<Acc>) {
      run_group_norm<Acc>(input, weight, bias, group, eps, out0, out1, out2);
    }
    return Error::Ok;
  });
}

namespace {

// Channel `c` of a batch norm's operands, and the loops over its elements.
template <class Acc>
Operands<Acc> channel_of(const Operands<Acc>& o, const Tensor& input, const Tensor& out, int64_t c) {
  Operands<Acc> slice = shifted(o, c * input.stride(1), c * out.stride(1));
  const ptrdiff_t first = c * static_cast<ptrdiff_t>(o.parameter_nbytes);
  if (slice.weight) slice.weight += first;
  if (slice.bias) slice.bias += first;
  return slice;
}

Runs channel_runs(const Tensor& input, const Tensor& out) {
  Runs runs;
  for (size_t d = 0; d < input.rank(); ++d) {
    if (d != 1) runs.add(input.size(d), input.stride(d), out.stride(d), 0);
  }
  return runs;
}

template <class Acc>
Acc value_at(const Operands<Acc>& o, const Tensor& vector, int64_t c) {
  Acc value;
  o.parameter.load(vector.data<char>() + c * static_cast<int64_t>(o.parameter_nbytes), 1, 1, &value);
  return value;
}

// With the statistics given.
template <class Acc>
void run_inference(const Operands<Acc>& o, const Tensor& input, const Tensor& mean, const Tensor& variance, double eps,
                   const Tensor& out) {
  const Runs runs = channel_runs(input, out);
  for (int32_t c = 0; c < input.size(1); ++c) {
    const Acc scale = inverse_deviation<Acc>(static_cast<double>(value_at(o, variance, c)), eps);
    normalize(channel_of(o, input, out, c), runs, value_at(o, mean, c), scale);
  }
}

// With statistics of the batch, which go to `saved_mean` and `saved_scale`, and into the running ones if there are any.
template <class Acc>
void run_training(const Operands<Acc>& o, const Tensor& input, const Tensor* mean, const Tensor* variance,
                  double momentum, double eps, const Tensor& out, const Tensor& saved_mean, const Tensor& saved_scale) {
  const Runs runs = channel_runs(input, out);
  const double numel = static_cast<double>(runs.numel());
  for (int32_t c = 0; c < input.size(1); ++c) {
    const Operands<Acc> slice = channel_of(o, input, out, c);
    const Moments<Acc> m = moments(slice, runs);
    const Acc scale = inverse_deviation<Acc>(m.variance, eps);
    const size_t at = static_cast<size_t>(c);
    put(o, saved_mean, at, m.mean);
    put(o, saved_scale, at, scale);
    if (mean) {
      const double unbiased = m.variance * numel / (numel - 1);
      put(o, *mean, at, static_cast<Acc>(momentum * m.mean + (1 - momentum) * value_at(o, *mean, c)));
      put(o, *variance, at, static_cast<Acc>(momentum * unbiased + (1 - momentum) * value_at(o, *variance, c)));
    }
    normalize(slice, runs, m.mean, scale);
  }
}

Error check_running(KernelContext& ctx, const char* name, const Tensor& running, const Tensor& input, DType parameter) {
  RL_TRY(ctx.check_dtype(name, running, parameter));
  if (running.rank() == 1 && running.size(0) == input.size(1)) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "{} is {}, expected [{}]", name, running.sizes(), input.size(1));
}

struct BatchNorm {
  const Tensor& input;
  const Tensor *weight, *bias, *mean, *variance;
  bool training;
  double momentum, eps;
  Tensor &out0, &out1, &out2;
};

Error check_batch_norm(KernelContext& ctx, const BatchNorm& b, DType* parameter) {
  Shape shapes[3];
  RL_TRY(shapes::batch_norm(ctx, b.input, b.weight, b.bias, b.training, shapes));
  const Tensor* const first = b.weight ? b.weight : b.bias ? b.bias : b.mean;
  RL_TRY(check_all(ctx, b.input, first, b.bias, shapes, b.out0, b.out1, b.out2, parameter));
  if (b.mean) RL_TRY(check_running(ctx, "running_mean", *b.mean, b.input, *parameter));
  if (b.variance) RL_TRY(check_running(ctx, "running_var", *b.variance, b.input, *parameter));
  if (b.training && b.input.numel() == 0) {
    return ctx.fail(Error::InvalidArgument, "training needs an element, but input is {}", b.input.sizes());
  }
  return Error::Ok;
}

template <class Types>
Error run_batch_norm(KernelContext& ctx, const BatchNorm& b) {
  if (!b.training && !b.mean) return ctx.fail(Error::InvalidArgument, "statistics are missing without training");
  DType parameter{};
  RL_TRY(check_batch_norm(ctx, b, &parameter));
  return panel::visit_accumulator<Types>(ctx, b.input.dtype(), [&](auto acc) {
    using Acc = decltype(acc);
    if constexpr (std::is_floating_point_v<Acc>) {
      const Operands<Acc> o = operands_of<Acc>(b.input, b.weight, b.bias, parameter, b.out0);
      if (b.training) {
        run_training(o, b.input, b.mean, b.variance, b.momentum, b.eps, b.out0, b.out1, b.out2);
      } else {
        run_inference(o, b.input, *b.mean, *b.variance, b.eps, b.out0);
      }
    }
    return Error::Ok;
  });
}

}  // namespace

/// out0 = (input - running_mean) / sqrt(running_var + eps) * weight + bias per channel; out1 and out2 are empty.
///
/// @param input  [N, C, spatial], any dim order. weight and bias [C] or null, statistics [C], all of one dtype.
/// @param out0   Any dim order; may be input's memory where the layouts agree.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html
Error native_batch_norm_legit_no_training(KernelContext& ctx, const Tensor& input, const Tensor* weight,
                                          const Tensor* bias, const Tensor& running_mean, const Tensor& running_var,
                                          double momentum, double eps, Tensor& out0, Tensor& out1, Tensor& out2) {
  return run_batch_norm<types::native_batch_norm_legit_no_training>(
      ctx, {input, weight, bias, &running_mean, &running_var, false, momentum, eps, out0, out1, out2});
}

/// The same; if `training`, with the batch's own statistics, which move the running ones by `momentum` and are saved in
/// out1 and out2 (mean and 1 / sqrt(variance + eps)), both [C].
Error native_batch_norm_legit(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias,
                              Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps,
                              Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  return run_batch_norm<types::native_batch_norm_legit>(
      ctx, {input, weight, bias, &running_mean, &running_var, training, momentum, eps, out, save_mean, save_invstd});
}

/// The same without running statistics; `training` must be true.
Error native_batch_norm_legit_no_stats(KernelContext& ctx, const Tensor& input, const Tensor* weight,
                                       const Tensor* bias, bool training, double momentum, double eps, Tensor& out,
                                       Tensor& save_mean, Tensor& save_invstd) {
  return run_batch_norm<types::native_batch_norm_legit_no_stats>(
      ctx, {input, weight, bias, nullptr, nullptr, training, momentum, eps, out, save_mean, save_invstd});
}

}  // namespace rushlight::ops
