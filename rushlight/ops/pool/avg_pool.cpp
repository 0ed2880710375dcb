// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.avg_pool2d and aten._adaptive_avg_pool2d. Their rows are in ops.py here.

#include "rushlight/ops/matmul/panel.h"
#include "rushlight/ops/pool/planes.h"

namespace rushlight::ops {
namespace {

using namespace pool;

// Elements of a window's row that are converted at a time.
constexpr int64_t kChunk = 16;

template <class Acc>
Acc sum_of_window(const panel::Access<Acc>& access, const Tensor& self, ptrdiff_t at, const Window& h,
                  const Window& w) {
  const size_t rank = self.rank();
  const ptrdiff_t row = self.stride(rank - 2), column = self.stride(rank - 1);
  Acc values[kChunk];
  Acc sum = 0;
  for (int64_t i = h.first; i < h.end; ++i) {
    for (int64_t j = w.first; j < w.end; j += kChunk) {
      const size_t count = static_cast<size_t>(w.end - j < kChunk ? w.end - j : kChunk);
      const ptrdiff_t offset = at + i * row + j * column;
      access.load(self.data<char>() + offset * static_cast<ptrdiff_t>(self.element_nbytes()), column, count, values);
      Acc part = 0;
      for (size_t k = 0; k < count; ++k) part += values[k];
      sum += part;
    }
  }
  return sum;
}

// Integers are divided towards zero; the accumulator holds them as two's complement.
inline float quotient(float sum, int64_t count) { return sum / static_cast<float>(count); }
inline double quotient(double sum, int64_t count) { return sum / static_cast<double>(count); }
inline uint64_t quotient(uint64_t sum, int64_t count) {
  if (count == -1) return -sum;  // the one quotient that may not fit
  return static_cast<uint64_t>(static_cast<int64_t>(sum) / count);
}

// out = the sum of each window over its divisor. windows(axis, i) and divisor(i, j, rows, columns) say which.
template <class Acc, class Windows, class Divisor>
void average(const Tensor& self, const Tensor& out, Windows&& windows, Divisor&& divisor) {
  const size_t h = self.rank() - 2, w = self.rank() - 1;
  const panel::Access<Acc> access = panel::access<Acc>(self.dtype());
  each_plane(self, out, [&](ptrdiff_t in_at, ptrdiff_t out_at) {
    for (int64_t i = 0; i < out.size(h); ++i) {
      const Window rows = windows(0, i);
      for (int64_t j = 0; j < out.size(w); ++j) {
        const Window columns = windows(1, j);
        Acc value = 0;
        if (rows.first < rows.end && columns.first < columns.end) {
          value = quotient(sum_of_window(access, self, in_at, rows, columns), divisor(i, j, rows, columns));
        }
        const ptrdiff_t at = out_at + i * out.stride(h) + j * out.stride(w);
        access.store(&value, 1, out.mutable_data<char>() + at * static_cast<ptrdiff_t>(out.element_nbytes()), 1);
      }
    }
  });
}

// Length of a window, counting the padding at both ends but nothing beyond it.
int64_t padded_length(const Axis& axis, int64_t i) {
  const int64_t start = i * axis.stride - axis.padding;
  const int64_t end = start + axis.kernel;
  return (end < axis.in + axis.padding ? end : axis.in + axis.padding) - start;
}

}  // namespace

/// out = the mean of each window.
///
/// @param self               [N, C, H, W] or [C, H, W], any dim order.
/// @param count_include_pad  Whether the padding counts in the divisor (its values are zeros).
/// @param divisor_override   What to divide by instead, not 0. Integers are divided towards zero.
/// @return InvalidArgument if the window does not fit or the divisor is 0, InvalidType for dtypes.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html
Error avg_pool2d(KernelContext& ctx, const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                 bool ceil_mode, bool count_include_pad, Optional<int64_t> divisor_override, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::avg_pool2d(ctx, self, kernel_size, stride, padding, ceil_mode, {&shape, 1}));
  RL_TRY(ctx.check_sizes("out", out, shape));
  RL_TRY(ctx.check_dtype("out", out, self.dtype()));
  if (divisor_override && *divisor_override == 0) return ctx.fail(Error::InvalidArgument, "divisor_override is 0");
  Axis axes[2];
  RL_TRY(shapes::pool_axes(ctx, self, kernel_size, stride, padding, nullptr, ceil_mode, axes));
  const auto windows = [&](size_t axis, int64_t i) { return window_of(axes[axis], i); };
  const auto divisor = [&](int64_t i, int64_t j, const Window& h, const Window& w) {
    if (divisor_override) return *divisor_override;
    if (count_include_pad) return padded_length(axes[0], i) * padded_length(axes[1], j);
    return (h.end - h.first) * (w.end - w.first);
  };
  return panel::visit_accumulator<types::avg_pool2d>(ctx, self.dtype(), [&](auto acc) {
    if (out.numel() != 0) average<decltype(acc)>(self, out, windows, divisor);
    return Error::Ok;
  });
}

/// out[..., i, j] = the mean over rows [floor(i H / H'), ceil((i + 1) H / H')) and the same columns.
///
/// @param self         [N, C, H, W] or [C, H, W], any dim order.
/// @param output_size  [H', W']; 0 gives an empty result.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html
Error adaptive_avg_pool2d(KernelContext& ctx, const Tensor& self, IntList output_size, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::adaptive_pool2d(ctx, self, output_size, {&shape, 1}));
  RL_TRY(ctx.check_sizes("out", out, shape));
  RL_TRY(ctx.check_dtype("out", out, self.dtype()));
  const auto windows = [&](size_t axis, int64_t i) {
    const int64_t from = self.size(self.rank() - 2 + axis), to = out.size(self.rank() - 2 + axis);
    return Window{i * from / to, ((i + 1) * from + to - 1) / to};
  };
  const auto divisor = [](int64_t, int64_t, const Window& h, const Window& w) {
    return (h.end - h.first) * (w.end - w.first);
  };
  return panel::visit_accumulator<types::adaptive_avg_pool2d>(ctx, self.dtype(), [&](auto acc) {
    using Acc = decltype(acc);
    if constexpr (std::is_floating_point_v<Acc>) {
      if (out.numel() != 0) average<Acc>(self, out, windows, divisor);
    }
    return Error::Ok;
  });
}

}  // namespace rushlight::ops
