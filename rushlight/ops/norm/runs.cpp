// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/norm/runs.h"

#include <cmath>

#include "rushlight/ops/norm/exponential.h"

namespace rushlight::ops::norm {
namespace {

constexpr int64_t kChunk = 64;

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Calls body(in, out, parameter, count) with the offsets of each piece of at most kChunk elements of the last
// dimension.
template <class Body>
void each_chunk(const Runs& runs, Body&& body) {
  if (runs.numel() == 0) return;
  int64_t at[kMaxRank] = {};
  const Runs::Dimension one = {1, 0, 0, 0};
  const Runs::Dimension& last = runs.rank == 0 ? one : runs.dimension[runs.rank - 1];
  ptrdiff_t in = 0, out = 0, parameter = 0;
  while (true) {
    for (int64_t i = 0; i < last.size; i += kChunk) {
      const size_t count = static_cast<size_t>(least(last.size - i, kChunk));
      body(in + i * last.in, out + i * last.out, parameter + i * last.parameter, count);
    }
    size_t d = runs.rank < 2 ? 0 : runs.rank - 1;
    for (; d > 0; --d) {
      const Runs::Dimension& outer = runs.dimension[d - 1];
      const bool carries = ++at[d - 1] == outer.size;
      const int64_t step = carries ? 1 - outer.size : 1;
      in += step * outer.in, out += step * outer.out, parameter += step * outer.parameter;
      if (!carries) break;
      at[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace

void Runs::add(int64_t size, ptrdiff_t in, ptrdiff_t out, ptrdiff_t parameter) {
  if (size == 1) return;
  size_t at = rank;
  while (at > 0 && dimension[at - 1].in < in) --at;
  for (size_t d = rank; d > at; --d) dimension[d] = dimension[d - 1];
  dimension[at] = {size, in, out, parameter};
  ++rank;
  for (size_t d = rank - 1; d > 0; --d) {
    Dimension& outer = dimension[d - 1];
    const Dimension inner = dimension[d];
    if (outer.in != inner.in * inner.size || outer.out != inner.out * inner.size ||
        outer.parameter != inner.parameter * inner.size) {
      continue;
    }
    outer = {outer.size * inner.size, inner.in, inner.out, inner.parameter};
    for (size_t i = d; i + 1 < rank; ++i) dimension[i] = dimension[i + 1];
    --rank;
  }
}

int64_t Runs::numel() const {
  int64_t product = 1;
  for (size_t d = 0; d < rank; ++d) product *= dimension[d].size;
  return product;
}

template <class Acc>
Moments<Acc> moments(const Operands<Acc>& o, const Runs& runs) {
  const int64_t numel = runs.numel();
  Moments<Acc> result;
  result.variance = std::nan("");
  if (numel == 0) return result;
  const ptrdiff_t stride = runs.rank == 0 ? 1 : runs.dimension[runs.rank - 1].in;
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(o.in_nbytes);
  Acc values[kChunk];
  double sum = 0;
  each_chunk(runs, [&](ptrdiff_t in, ptrdiff_t, ptrdiff_t, size_t count) {
    o.in.load(o.input + in * nbytes, stride, count, values);
    sum += static_cast<double>(sum_of(values, count));
  });
  const Acc mean = result.mean = static_cast<Acc>(sum / static_cast<double>(numel));
  double squares = 0;
  each_chunk(runs, [&](ptrdiff_t in, ptrdiff_t, ptrdiff_t, size_t count) {
    o.in.load(o.input + in * nbytes, stride, count, values);
    for (size_t i = 0; i < count; ++i) values[i] = (values[i] - mean) * (values[i] - mean);
    squares += static_cast<double>(sum_of(values, count));
  });
  result.variance = squares / static_cast<double>(numel);
  return result;
}
template Moments<float> moments(const Operands<float>&, const Runs&);
template Moments<double> moments(const Operands<double>&, const Runs&);

template <class Acc>
void normalize(const Operands<Acc>& o, const Runs& runs, Acc mean, Acc scale) {
  const Runs::Dimension one = {1, 1, 1, 1};
  const Runs::Dimension& last = runs.rank == 0 ? one : runs.dimension[runs.rank - 1];
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(o.in_nbytes);
  each_chunk(runs, [&](ptrdiff_t in, ptrdiff_t out, ptrdiff_t parameter, size_t count) {
    Acc values[kChunk], parameters[kChunk];
    o.in.load(o.input + in * nbytes, last.in, count, values);
    for (size_t i = 0; i < count; ++i) values[i] = (values[i] - mean) * scale;
    const ptrdiff_t at = parameter * static_cast<ptrdiff_t>(o.parameter_nbytes);
    if (o.weight) {
      o.parameter.load(o.weight + at, last.parameter, count, parameters);
      for (size_t i = 0; i < count; ++i) values[i] *= parameters[i];
    }
    if (o.bias) {
      o.parameter.load(o.bias + at, last.parameter, count, parameters);
      for (size_t i = 0; i < count; ++i) values[i] += parameters[i];
    }
    o.in.store(values, count, o.out + out * nbytes, last.out);
  });
}
template void normalize(const Operands<float>&, const Runs&, float, float);
template void normalize(const Operands<double>&, const Runs&, double, double);

Error check_parameters(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias,
                       DType* dtype) {
  *dtype = weight ? weight->dtype() : bias ? bias->dtype() : input.dtype();
  if (weight && bias) RL_TRY(ctx.check_dtype("bias", *bias, *dtype));
  const bool is_16_bit = input.dtype() == DType::Float16 || input.dtype() == DType::BFloat16;
  if (*dtype == input.dtype() || (is_16_bit && *dtype == DType::Float32)) return Error::Ok;
  return ctx.fail(Error::InvalidType, "parameters are {} for an input of {}", to_string(*dtype),
                  to_string(input.dtype()));
}

template <class Acc>
Operands<Acc> operands_of(const Tensor& input, const Tensor* weight, const Tensor* bias, DType parameter,
                          const Tensor& out) {
  Operands<Acc> o;
  o.in = panel::access<Acc>(input.dtype());
  o.parameter = panel::access<Acc>(parameter);
  o.in_nbytes = input.element_nbytes();
  o.parameter_nbytes = element_nbytes(parameter);
  o.input = input.data<char>();
  o.out = out.mutable_data<char>();
  o.weight = weight ? weight->data<char>() : nullptr;
  o.bias = bias ? bias->data<char>() : nullptr;
  return o;
}
template Operands<float> operands_of(const Tensor&, const Tensor*, const Tensor*, DType, const Tensor&);
template Operands<double> operands_of(const Tensor&, const Tensor*, const Tensor*, DType, const Tensor&);

template <class Acc>
void put(const Operands<Acc>& o, const Tensor& to, size_t at, Acc value) {
  o.parameter.store(&value, 1, to.mutable_data<char>() + at * o.parameter_nbytes, 1);
}
template void put(const Operands<float>&, const Tensor&, size_t, float);
template void put(const Operands<double>&, const Tensor&, size_t, double);

}  // namespace rushlight::ops::norm
