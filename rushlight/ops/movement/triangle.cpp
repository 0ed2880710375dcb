// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.tril and aten.triu.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/shapes.h"
#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {
namespace {

/// Zeroes columns [first, last) of `row` in all matrices of out.
void clear(Tensor& out, int32_t row, int64_t first, int64_t last) {
  if (first >= last) return;
  constexpr uint8_t kZero[16] = {};
  const size_t r = out.rank() - 2, c = out.rank() - 1;
  StridedCopy copy(out.element_nbytes());
  for (size_t d = 0; d < r; ++d) copy.add(static_cast<size_t>(out.size(d)), out.stride(d), 0);
  copy.add(static_cast<size_t>(last - first), out.stride(c), 0);
  copy.finish();
  const ptrdiff_t offset = row * out.stride(r) + static_cast<ptrdiff_t>(first) * out.stride(c);
  copy.run(out.mutable_data<uint8_t>() + offset * static_cast<ptrdiff_t>(out.element_nbytes()), kZero);
}

Error keep_triangle(KernelContext& ctx, const Tensor& self, int64_t diagonal, bool lower, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::matrices(ctx, self, {&shape, 1}));
  RL_TRY(copy_tensor(ctx, self, out));
  if (out.numel() == 0) return Error::Ok;
  const int64_t columns = out.size(out.rank() - 1);
  const int64_t limit = INT32_MAX;  // beyond any size
  const int64_t shift = diagonal > limit ? limit : diagonal < -limit ? -limit : diagonal;
  for (int32_t row = 0; row < out.size(out.rank() - 2); ++row) {
    const int64_t edge = row + shift + (lower ? 1 : 0);
    const int64_t column = edge < 0 ? 0 : edge > columns ? columns : edge;
    if (lower) {
      clear(out, row, column, columns);
    } else {
      clear(out, row, 0, column);
    }
  }
  return Error::Ok;
}

}  // namespace

/// out[…, i, j] = j <= i + diagonal ? self[…, i, j] : 0. May be in place.
Error tril(KernelContext& ctx, const Tensor& self, int64_t diagonal, Tensor& out) {
  return keep_triangle(ctx, self, diagonal, true, out);
}

/// out[…, i, j] = j >= i + diagonal ? self[…, i, j] : 0. May be in place.
Error triu(KernelContext& ctx, const Tensor& self, int64_t diagonal, Tensor& out) {
  return keep_triangle(ctx, self, diagonal, false, out);
}

}  // namespace rushlight::ops
