// SPDX-License-Identifier: BSD-3-Clause
// How a reduction walks its input: loops over what is kept, and for each of them loops over what is reduced.

#pragma once

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/reduce/block.h"

namespace rushlight::ops {

constexpr size_t kMaxResults = 2;

/// A loop of `count` steps; strides count elements. `out`: one for each result.
struct Loop {
  size_t count;
  ptrdiff_t in;
  ptrdiff_t out[kMaxResults];
};

/// Nested loops, outermost first. Positions inside it are where() of the present step.
struct Nest {
  size_t rank = 0;
  Loop loops[kMaxRank];

  void add(const Loop& loop) { loops[rank++] = loop; }
  /// Orders the loops by input stride, largest first.
  void sort();
  /// Merges neighbours that one loop can do, keeping the order of the steps.
  void merge();
  size_t numel() const;
};

/// A step of a nest: counters and offsets.
struct Odometer {
  size_t at[kMaxRank] = {};
  ptrdiff_t in = 0;
  ptrdiff_t out[kMaxResults] = {};

  /// Goes one step further in the nest's first `rank` loops. False, and back at the start, after the last one.
  bool next(const Nest& nest, size_t rank);
};

/// Which dimensions are reduced, and the two nests.
struct Walk {
  Nest kept;
  Nest reduced;
  size_t count = 1;  ///< elements that go into one result
};

/// *mask has bit d set for each dimension listed; all, if the list is absent or empty. InvalidArgument if one is out of
/// range or listed twice.
Error dims_mask(KernelContext& ctx, size_t rank, Optional<IntList> dims, uint32_t* mask);
/// The same for one dimension.
Error dim_mask(KernelContext& ctx, size_t rank, int64_t dim, uint32_t* mask);

/// How a reduction may order its elements: as they are in memory, or in logical order, so that positions have a
/// meaning.
enum class Order : uint8_t { Memory, Logical };

/// Plans the reduction of self over `mask` into each of `outs`, whose sizes are checked.
Error plan_walk(KernelContext& ctx, const Tensor& self, uint32_t mask, bool keepdim, Span<Tensor* const> outs,
                Order order, Walk* walk);

/// InvalidArgument if a reduced dimension has size 0: the op has no neutral element.
Error expect_elements(KernelContext& ctx, const Tensor& self, uint32_t mask);

/// InvalidType, naming `name`, if x's dtype is not one that blocks hold (complex, quantized, …).
Error expect_numbers(KernelContext& ctx, const char* name, const Tensor& x);
/// InvalidType, naming `name`, if x is not floating.
Error expect_floating(KernelContext& ctx, const char* name, const Tensor& x);

/// Reduces many neighbouring results side by side: the innermost kept loop is the contiguous one. See reduce().
template <class Op>
void reduce_lanes(const Walk& walk, LoadFn<typename Op::Value> load, const Tensor& self, Op& op) {
  constexpr size_t kLanes = 64;
  const Loop& lanes = walk.kept.loops[walk.kept.rank - 1];
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  typename Op::State states[kLanes];
  typename Op::Value values[kLanes];
  Odometer place;
  do {
    for (size_t first = 0; first < lanes.count; first += kLanes) {
      const size_t n = lanes.count - first < kLanes ? lanes.count - first : kLanes;
      const auto* start = self.data<uint8_t>() + (place.in + static_cast<ptrdiff_t>(first) * lanes.in) * nbytes;
      for (size_t i = 0; i < n; ++i) states[i] = op.start();
      Odometer step;
      int64_t position = 0;
      do {
        load(start + step.in * nbytes, lanes.in, n, values);
        for (size_t i = 0; i < n; ++i) op.step(states[i], values[i], position);
        ++position;
      } while (step.next(walk.reduced, walk.reduced.rank));
      for (size_t i = 0; i < n; ++i) {
        const ptrdiff_t at = static_cast<ptrdiff_t>(first + i);
        const ptrdiff_t out[kMaxResults] = {place.out[0] + at * lanes.out[0], place.out[1] + at * lanes.out[1]};
        op.finish(states[i], out);
      }
    }
  } while (place.next(walk.kept, walk.kept.rank - 1));
}

/// Reduces one result after the other, the innermost reduced loop in blocks. See reduce().
template <class Op>
void reduce_rows(const Walk& walk, LoadFn<typename Op::Value> load, const Tensor& self, Op& op) {
  const Nest& reduced = walk.reduced;
  const Loop once = {1, 0, {0, 0}};
  const Loop& inner = reduced.rank ? reduced.loops[reduced.rank - 1] : once;
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  typename Op::Value values[kBlock];
  Odometer place;
  do {
    typename Op::State state = op.start();
    Odometer step;
    int64_t position = 0;
    do {
      const auto* row = self.data<uint8_t>() + (place.in + step.in) * nbytes;
      for (size_t first = 0; first < inner.count; first += kBlock) {
        const size_t n = inner.count - first < kBlock ? inner.count - first : kBlock;
        load(row + static_cast<ptrdiff_t>(first) * inner.in * nbytes, inner.in, n, values);
        op.fold(state, values, n, position);
        position += static_cast<int64_t>(n);
      }
    } while (step.next(reduced, reduced.rank ? reduced.rank - 1 : 0));
    op.finish(state, place.out);
  } while (place.next(walk.kept, walk.kept.rank));
}

/// Runs `op` over a walk, reading self through `load`.
///
/// Op has a State made by start(), step(state, value, position) for one more element, fold(state, values, n, position
/// of the first) for several, and finish(state, out offsets), which writes a result. Value is double or int64_t.
template <class Op>
void reduce(const Walk& walk, LoadFn<typename Op::Value> load, const Tensor& self, Op op) {
  const Nest& kept = walk.kept;
  const Nest& reduced = walk.reduced;
  if (kept.numel() == 0) return;
  if (reduced.numel() == 0) {  // nothing to read: every result is that of no elements
    Odometer place;
    do {
      op.finish(op.start(), place.out);
    } while (place.next(kept, kept.rank));
    return;
  }
  const ptrdiff_t inner_stride = reduced.rank ? reduced.loops[reduced.rank - 1].in : 0;
  const bool side_by_side =
      kept.rank && kept.loops[kept.rank - 1].count >= 8 && kept.loops[kept.rank - 1].in < inner_stride;
  if (side_by_side) {
    reduce_lanes(walk, load, self, op);
  } else {
    reduce_rows(walk, load, self, op);
  }
}

}  // namespace rushlight::ops
