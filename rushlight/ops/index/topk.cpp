// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.topk and aten.sort, in the memory of their results: a heap of the k best, then a heap sort. No scratch.
//
// Of equal elements the one with the lower index comes first, so sort is stable. NaN counts as the largest.

#include "rushlight/ops/index/shapes.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/reduce/walk.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

/// One line of the two results, as an array of (value, index) items.
template <class V>
class Line {
 public:
  struct Item {
    V value;
    int64_t index;
  };
  Line(const Tensor& values, const Tensor& indices, const Loop& line, bool largest)
      : load_(loader<V>(values.dtype())),
        store_(storer<V>(values.dtype())),
        values_(values.mutable_data<uint8_t>()),
        indices_(indices.mutable_data<int64_t>()),
        value_step_(line.out[0]),
        index_step_(line.out[1]),
        nbytes_(static_cast<ptrdiff_t>(values.element_nbytes())),
        largest_(largest) {}

  void move_to(ptrdiff_t value_offset, ptrdiff_t index_offset) {
    value_offset_ = value_offset;
    index_offset_ = index_offset;
  }
  Item get(size_t i) const {
    Item item{0, indices_[index_at(i)]};
    load_(values_ + value_at(i) * nbytes_, 0, 1, &item.value);
    return item;
  }
  void set(size_t i, const Item& item) {
    store_(values_ + value_at(i) * nbytes_, 0, 1, &item.value);
    indices_[index_at(i)] = item.index;
  }
  /// Whether a comes before b in the result.
  bool before(const Item& a, const Item& b) const {
    if (above(a.value, b.value)) return largest_;
    if (above(b.value, a.value)) return !largest_;
    return a.index < b.index;
  }
  /// Puts `item` into the heap of `count` items with the last-placed on top, at `at` or below.
  void sift_down(size_t at, size_t count, const Item& item) {
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= count) break;
      Item below = get(child);
      if (child + 1 < count) {
        const Item other = get(child + 1);
        if (before(below, other)) below = other, ++child;
      }
      if (!before(item, below)) break;
      set(at, below);
      at = child;
    }
    set(at, item);
  }
  void make_heap(size_t count) {
    for (size_t i = count / 2; i-- > 0;) sift_down(i, count, get(i));
  }
  void sort_heap(size_t count) {
    for (size_t n = count; n > 1; --n) {
      const Item last = get(n - 1);
      set(n - 1, get(0));
      sift_down(0, n - 1, last);
    }
  }

 private:
  static bool above(V a, V b) {
    if constexpr (std::is_floating_point_v<V>) return a > b || (a != a && b == b);
    return a > b;
  }
  ptrdiff_t value_at(size_t i) const { return value_offset_ + static_cast<ptrdiff_t>(i) * value_step_; }
  ptrdiff_t index_at(size_t i) const { return index_offset_ + static_cast<ptrdiff_t>(i) * index_step_; }

  LoadFn<V> load_;
  StoreFn<V> store_;
  uint8_t* values_;
  int64_t* indices_;
  ptrdiff_t value_step_, index_step_, nbytes_;
  ptrdiff_t value_offset_ = 0, index_offset_ = 0;
  bool largest_;
};

/// Keeps the k first-placed of one input line in `line`, in order.
template <class V>
void select_line(LoadFn<V> load, const uint8_t* from, ptrdiff_t nbytes, const Loop& loop, size_t k, Line<V>& line) {
  V values[kBlock];
  typename Line<V>::Item top{0, 0};
  for (size_t first = 0; first < loop.count; first += kBlock) {
    const size_t n = loop.count - first < kBlock ? loop.count - first : kBlock;
    load(from + static_cast<ptrdiff_t>(first) * loop.in * nbytes, loop.in, n, values);
    for (size_t i = 0; i < n; ++i) {
      const typename Line<V>::Item item{values[i], static_cast<int64_t>(first + i)};
      if (first + i < k) {
        line.set(first + i, item);
        if (first + i + 1 == k) line.make_heap(k), top = line.get(0);
      } else if (line.before(item, top)) {
        line.sift_down(0, k, item);
        top = line.get(0);
      }
    }
  }
  line.sort_heap(k);
}

template <class V>
void select_lines(const Nest& around, const Loop& loop, const Tensor& self, size_t k, bool largest, Tensor& values,
                  Tensor& indices) {
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  Line<V> line(values, indices, loop, largest);
  Odometer at;
  do {
    line.move_to(at.out[0], at.out[1]);
    select_line(loader<V>(self.dtype()), self.data<uint8_t>() + at.in * nbytes, nbytes, loop, k, line);
  } while (at.next(around, around.rank));
}

Error select_best(KernelContext& ctx, const Tensor& self, int64_t k, int64_t dim, bool largest, Tensor& values,
                  Tensor& indices) {
  Shape shapes_of[2];
  RL_TRY(shapes::topk(ctx, self, k, dim, shapes_of));
  RL_TRY(expect_numbers(ctx, "self", self));
  RL_TRY(expect_dtype(ctx, "values", values, self.dtype()));
  RL_TRY(expect_dtype(ctx, "indices", indices, DType::Int64));
  RL_TRY(expect_sizes(ctx, "values", values, shapes_of[0].span()));
  RL_TRY(expect_sizes(ctx, "indices", indices, shapes_of[0].span()));
  if (values.numel() == 0) return Error::Ok;
  size_t chosen = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank(), &chosen));
  Nest around;
  Loop line = {1, 0, {0, 0}};
  for (size_t d = 0; d < self.rank(); ++d) {
    const Loop loop = {static_cast<size_t>(self.size(d)), self.stride(d), {values.stride(d), indices.stride(d)}};
    if (d == chosen) {
      line = loop;
    } else {
      around.add(loop);
    }
  }
  if (computes_in_double(self.dtype())) {
    select_lines<double>(around, line, self, static_cast<size_t>(k), largest, values, indices);
  } else {
    select_lines<int64_t>(around, line, self, static_cast<size_t>(k), largest, values, indices);
  }
  return Error::Ok;
}

}  // namespace

/// values = the k largest (or smallest) elements along `dim`, best first, indices (int64) = where they are. They are in
/// order even if `sorted` does not ask for it.
Error topk(KernelContext& ctx, const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, Tensor& values,
           Tensor& indices) {
  return select_best(ctx, self, k, dim, largest, values, indices);
}

/// values = self in order along `dim`, indices (int64) = where each was. Stable.
Error sort(KernelContext& ctx, const Tensor& self, int64_t dim, bool descending, Tensor& values, Tensor& indices) {
  size_t d = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank(), &d));
  const int64_t count = self.rank() == 0 ? 1 : self.size(d);
  return select_best(ctx, self, count, dim, descending, values, indices);
}

}  // namespace rushlight::ops
