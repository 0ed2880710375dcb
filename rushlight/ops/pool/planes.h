// SPDX-License-Identifier: BSD-3-Clause
// The loops over planes and windows that every pooling kernel shares.

#pragma once

#include "rushlight/ops/pool/shapes.h"

namespace rushlight::ops::pool {

/// Calls body(in, out) with the offset, in elements, of each of the planes of `in` and `out`: every index of the
/// dimensions before the last two, which both tensors share.
template <class Body>
void each_plane(const Tensor& in, const Tensor& out, Body&& body) {
  const size_t last = in.rank() - 3;
  const int64_t batch = last == 0 ? 1 : in.size(0);
  const ptrdiff_t in_batch = last == 0 ? 0 : in.stride(0), out_batch = last == 0 ? 0 : out.stride(0);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t c = 0; c < in.size(last); ++c) {
      body(n * in_batch + c * in.stride(last), n * out_batch + c * out.stride(last));
    }
  }
}

/// The part of one window that lies inside the input: first, first + step, … before `end`.
struct Window {
  int64_t first, end;
};

/// Window `i` of an axis.
inline Window window_of(const Axis& axis, int64_t i) {
  const int64_t start = i * axis.stride - axis.padding;
  const int64_t reach = start + axis.dilation * (axis.kernel - 1) + 1;
  Window window = {start, reach < axis.in ? reach : axis.in};
  if (start < 0) window.first = start + (-start + axis.dilation - 1) / axis.dilation * axis.dilation;
  return window;
}

}  // namespace rushlight::ops::pool
