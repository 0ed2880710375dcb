// SPDX-License-Identifier: BSD-3-Clause
// Portable aten._softmax and aten._log_softmax. Their rows are in ops.py here.

#include <cmath>
#include <limits>

#include "rushlight/ops/matmul/panel.h"
#include "rushlight/ops/norm/exponential.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

// Elements that are converted, or columns whose maxima and sums are alive, at a time.
constexpr size_t kChunk = 64;

size_t least(size_t a, size_t b) { return a < b ? a : b; }

// NaN wins, as it must: then the row's sum is NaN too.
template <class Acc>
Acc larger(Acc a, Acc b) {
  return a > b || a != a ? a : b;
}

// One call: memory seen as [outer, depth, inner], whatever the dim order, with the softmax along depth.
template <class Acc>
struct Softmax {
  panel::Access<Acc> from, to;
  const char* in;
  char* out;
  size_t in_nbytes, out_nbytes;  // per element
  size_t outer, depth, inner;
  bool is_log;
  bool keeps_exponentials;  // out holds them at full precision between the passes

  void load(size_t at, size_t count, Acc* values) const { from.load(in + at * in_nbytes, 1, count, values); }
  void store(const Acc* values, size_t at, size_t count) const { to.store(values, count, out + at * out_nbytes, 1); }

  // values = the results for inputs `values`; shift is the maximum, sum the sum of exponentials or its logarithm.
  void finish(Acc* values, size_t count, Acc shift, Acc sum) const {
    if (is_log) {
      for (size_t i = 0; i < count; ++i) values[i] = values[i] - shift - sum;
      return;
    }
    for (size_t i = 0; i < count; ++i) values[i] -= shift;
    exponentials(values, count);
    for (size_t i = 0; i < count; ++i) values[i] /= sum;
  }

  // inner is 1: the row's elements are neighbours.
  void row(size_t first) const {
    Acc values[kChunk];
    Acc largest = -std::numeric_limits<Acc>::infinity();
    for (size_t d = 0; d < depth; d += kChunk) {
      const size_t count = least(depth - d, kChunk);
      load(first + d, count, values);
      largest = larger(largest_of(values, count), largest);
    }
    double sum = 0;
    for (size_t d = 0; d < depth; d += kChunk) {
      const size_t count = least(depth - d, kChunk);
      load(first + d, count, values);
      for (size_t i = 0; i < count; ++i) values[i] -= largest;
      exponentials(values, count);
      sum += static_cast<double>(sum_of(values, count));
      if (keeps_exponentials) store(values, first + d, count);
    }
    const Acc total = static_cast<Acc>(is_log ? std::log(sum) : sum);
    for (size_t d = 0; d < depth; d += kChunk) {
      const size_t count = least(depth - d, kChunk);
      if (keeps_exponentials) {
        to.load(out + (first + d) * out_nbytes, 1, count, values);
        for (size_t i = 0; i < count; ++i) values[i] /= total;
      } else {
        load(first + d, count, values);
        finish(values, count, largest, total);
      }
      store(values, first + d, count);
    }
  }

  // `count` neighbouring columns at once, each with its own maximum and sum.
  void columns(size_t first, size_t count) const {
    Acc values[kChunk], largest[kChunk], sum[kChunk];
    for (size_t i = 0; i < count; ++i) largest[i] = -std::numeric_limits<Acc>::infinity(), sum[i] = 0;
    for (size_t d = 0; d < depth; ++d) {
      load(first + d * inner, count, values);
      for (size_t i = 0; i < count; ++i) largest[i] = larger(values[i], largest[i]);
    }
    for (size_t d = 0; d < depth; ++d) {
      load(first + d * inner, count, values);
      subtract(largest, count, values);
      exponentials(values, count);
      for (size_t i = 0; i < count; ++i) sum[i] += values[i];
      if (keeps_exponentials) store(values, first + d * inner, count);
    }
    for (size_t i = 0; is_log && i < count; ++i) sum[i] = std::log(sum[i]);
    for (size_t d = 0; d < depth; ++d) finish_columns(first + d * inner, count, largest, sum);
  }

  // The same for one line across columns, each with its own shift and sum.
  void finish_columns(size_t at, size_t count, const Acc* shift, const Acc* sum) const {
    Acc values[kChunk];
    if (keeps_exponentials) {
      to.load(out + at * out_nbytes, 1, count, values);
    } else {
      load(at, count, values);
      subtract(shift, count, values);
      if (!is_log) exponentials(values, count);
    }
    is_log ? subtract(sum, count, values) : divide(sum, count, values);
    store(values, at, count);
  }

  void run() const {
    for (size_t o = 0; o < outer; ++o) {
      const size_t first = o * depth * inner;
      if (inner == 1) row(first);
      for (size_t i = 0; inner != 1 && i < inner; i += kChunk) columns(first + i, least(inner - i, kChunk));
    }
  }

 private:
  static void subtract(const Acc* by, size_t count, Acc* values) {
    for (size_t i = 0; i < count; ++i) values[i] -= by[i];
  }
  static void divide(const Acc* by, size_t count, Acc* values) {
    for (size_t i = 0; i < count; ++i) values[i] /= by[i];
  }
  static Acc largest_of(const Acc* values, size_t count) {
    Acc lanes[4] = {values[0], values[0], values[0], values[0]};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      for (size_t lane = 0; lane < 4; ++lane) lanes[lane] = larger(values[i + lane], lanes[lane]);
    }
    for (; i < count; ++i) lanes[0] = larger(values[i], lanes[0]);
    return larger(larger(lanes[0], lanes[1]), larger(lanes[2], lanes[3]));
  }
};

// Out of line: both ops, whatever their dtypes, share one copy per accumulator type.
template <class Acc>
[[gnu::noinline]] void run(const Tensor& self, size_t dim, bool is_log, const Tensor& out) {
  const size_t depth = self.rank() == 0 ? 1 : static_cast<size_t>(self.size(dim));
  const size_t inner = depth == 1 ? 1 : static_cast<size_t>(self.stride(dim));
  const bool keeps = !is_log && out.dtype() == dtype_of<Acc>;
  const Softmax<Acc> softmax{panel::access<Acc>(self.dtype()),
                             panel::access<Acc>(out.dtype()),
                             self.data<char>(),
                             out.mutable_data<char>(),
                             self.element_nbytes(),
                             out.element_nbytes(),
                             self.numel() / depth / inner,
                             depth,
                             inner,
                             is_log,
                             keeps};
  softmax.run();
}

template <class Types>
Error call(KernelContext& ctx, const Tensor& self, int64_t dim, bool half_to_float, bool is_log, Tensor& out) {
  size_t d = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank(), &d));
  if (half_to_float) RL_TRY(ctx.check_dtype("self", self, DType::Float16));
  RL_TRY(ctx.check_dtype("out", out, half_to_float ? DType::Float32 : self.dtype()));
  Shape shape;
  shape.assign(self.sizes());
  RL_TRY(ctx.check_sizes("out", out, shape));
  if (!self.same_layout(out)) return ctx.fail(Error::NotSupported, "self and out have different dim orders");
  return panel::visit_accumulator<Types>(ctx, self.dtype(), [&](auto acc) {
    if constexpr (std::is_floating_point_v<decltype(acc)>) {
      if (self.numel() != 0) run<decltype(acc)>(self, d, is_log, out);
    }
    return Error::Ok;
  });
}

}  // namespace

/// out[i] = exp(self[i] - m) / sum over dim of exp(self - m), with m the maximum along dim.
///
/// Computed in float32 for the dtypes up to it and rounded once. A slice that holds NaN, +inf, or only -inf is NaN.
/// @param dim            In [-rank, rank).
/// @param half_to_float  self is float16 and out float32.
/// @param out            self's dim order; may be self's memory where the dtypes agree.
/// @return InvalidArgument if dim is out of range, InvalidType for dtypes, NotSupported if the dim orders differ.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
Error softmax(KernelContext& ctx, const Tensor& self, int64_t dim, bool half_to_float, Tensor& out) {
  return call<types::softmax>(ctx, self, dim, half_to_float, false, out);
}

/// out = log(softmax(self)), as self - m - log(sum of exp(self - m)). Otherwise as softmax.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
Error log_softmax(KernelContext& ctx, const Tensor& self, int64_t dim, bool half_to_float, Tensor& out) {
  return call<types::log_softmax>(ctx, self, dim, half_to_float, true, out);
}

}  // namespace rushlight::ops
