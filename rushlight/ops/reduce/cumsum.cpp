// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.cumsum.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/reduce/walk.h"

namespace rushlight::ops {
namespace {

/// Running sums of one line of `count` elements, in double or wrapping in uint64.
template <class V, class Total>
void sum_line(const Loop& line, LoadFn<V> load, StoreFn<V> store, const uint8_t* from, ptrdiff_t from_nbytes,
              uint8_t* to, ptrdiff_t to_nbytes) {
  V values[kBlock];
  Total total = 0;
  for (size_t first = 0; first < line.count; first += kBlock) {
    const size_t n = line.count - first < kBlock ? line.count - first : kBlock;
    const ptrdiff_t at = static_cast<ptrdiff_t>(first);
    load(from + at * line.in * from_nbytes, line.in, n, values);
    for (size_t i = 0; i < n; ++i) {
      total += static_cast<Total>(values[i]);
      values[i] = static_cast<V>(total);
    }
    store(to + at * line.out[0] * to_nbytes, line.out[0], n, values);
  }
}

template <class V, class Total>
void sum_lines(const Nest& around, const Loop& line, const Tensor& self, Tensor& out) {
  const LoadFn<V> load = loader<V>(self.dtype());
  const StoreFn<V> store = storer<V>(out.dtype());
  const ptrdiff_t from_nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  const ptrdiff_t to_nbytes = static_cast<ptrdiff_t>(out.element_nbytes());
  Odometer place;
  do {
    sum_line<V, Total>(line, load, store, self.data<uint8_t>() + place.in * from_nbytes, from_nbytes,
                       out.mutable_data<uint8_t>() + place.out[0] * to_nbytes, to_nbytes);
  } while (place.next(around, around.rank));
}

}  // namespace

/// out[…, i, …] = the sum of self[…, 0 to i, …] along `dim`, in out's dtype; floats accumulate in double.
Error cumsum(KernelContext& ctx, const Tensor& self, int64_t dim, Optional<int64_t> dtype, Tensor& out) {
  uint32_t mask = 0;
  RL_TRY(dim_mask(ctx, self.rank(), dim, &mask));
  RL_TRY(expect_sizes(ctx, "out", out, self.sizes()));
  RL_TRY(expect_numbers(ctx, "self", self));
  RL_TRY(expect_numbers(ctx, "out", out));
  if (self.numel() == 0) return Error::Ok;
  Loop line = {1, 0, {0, 0}};
  Nest around;
  for (size_t d = 0; d < self.rank(); ++d) {
    const Loop loop = {static_cast<size_t>(self.size(d)), self.stride(d), {out.stride(d), 0}};
    if (mask >> d & 1) {
      line = loop;
    } else {
      around.add(loop);
    }
  }
  if (computes_in_double(out.dtype())) {
    sum_lines<double, double>(around, line, self, out);
  } else {
    sum_lines<int64_t, uint64_t>(around, line, self, out);
  }
  return Error::Ok;
}

}  // namespace rushlight::ops
