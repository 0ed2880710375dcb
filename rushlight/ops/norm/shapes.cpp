// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/norm/shapes.h"

namespace rushlight::shapes {
namespace {

Error check_per_channel(KernelContext& ctx, const char* name, const Tensor* parameter, int64_t channels) {
  if (!parameter || (parameter->rank() == 1 && parameter->size(0) == channels)) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "{} is {}, expected [{}]", name, parameter->sizes(), channels);
}

Error check_normalized(KernelContext& ctx, const char* name, const Tensor* parameter, const Tensor& input,
                       size_t outer) {
  if (!parameter) return Error::Ok;
  bool same = parameter->rank() == input.rank() - outer;
  for (size_t d = 0; same && d < parameter->rank(); ++d) same = parameter->size(d) == input.size(outer + d);
  if (same) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "{} is {} for an input {}", name, parameter->sizes(), input.sizes());
}

}  // namespace

Error layer_norm(KernelContext& ctx, const Tensor& input, IntList normalized_shape, const Tensor* weight,
                 const Tensor* bias, Span<Shape> out) {
  const size_t rank = input.rank(), count = normalized_shape.count();
  bool fits = count >= 1 && count <= rank;
  for (size_t i = 0; fits && i < count; ++i) fits = normalized_shape[i] == input.size(rank - count + i);
  if (!fits) {
    return ctx.fail(Error::InvalidArgument, "normalized_shape of {} items is not the end of input {}", count,
                    input.sizes());
  }
  RL_TRY(check_normalized(ctx, "weight", weight, input, rank - count));
  RL_TRY(check_normalized(ctx, "bias", bias, input, rank - count));
  for (size_t i = 0; i < 3; ++i) out[i].assign(input.sizes());
  for (size_t d = rank - count; d < rank; ++d) out[1].sizes[d] = out[2].sizes[d] = 1;
  return Error::Ok;
}

Error group_norm(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t N,
                 int64_t C, int64_t HxW, int64_t group, Span<Shape> out) {
  int64_t spatial = 1;
  bool fits = input.rank() >= 2 && input.size(0) == N && input.size(1) == C;
  for (size_t d = 2; fits && d < input.rank(); ++d) fits = checked_mul<int64_t>(spatial, input.size(d), &spatial);
  if (!fits || spatial != HxW) {
    return ctx.fail(Error::InvalidArgument, "input {} is not N = {}, C = {}, HxW = {}", input.sizes(), N, C, HxW);
  }
  if (group < 1 || C % group != 0) {
    return ctx.fail(Error::InvalidArgument, "{} channels do not split into {} groups", C, group);
  }
  RL_TRY(check_per_channel(ctx, "weight", weight, C));
  RL_TRY(check_per_channel(ctx, "bias", bias, C));
  out[0].assign(input.sizes());
  for (size_t i = 1; i < 3; ++i) {
    RL_TRY(append(ctx, &out[i], N));
    RL_TRY(append(ctx, &out[i], group));
  }
  return Error::Ok;
}

Error batch_norm(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias, bool training,
                 Span<Shape> out) {
  if (input.rank() < 2) return ctx.fail(Error::InvalidArgument, "input has rank {}, expected 2", input.rank());
  RL_TRY(check_per_channel(ctx, "weight", weight, input.size(1)));
  RL_TRY(check_per_channel(ctx, "bias", bias, input.size(1)));
  out[0].assign(input.sizes());
  for (size_t i = 1; i < 3; ++i) RL_TRY(append(ctx, &out[i], training ? input.size(1) : 0));
  return Error::Ok;
}

Error batch_norm_inference(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias,
                           Span<Shape> out) {
  return batch_norm(ctx, input, weight, bias, false, out);
}

}  // namespace rushlight::shapes
