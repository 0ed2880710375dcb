// SPDX-License-Identifier: BSD-3-Clause
// Portable amax, amin, max, min, argmax, argmin. NaN wins; of equal elements the first.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/reduce/result.h"
#include "rushlight/ops/reduce/walk.h"

namespace rushlight::ops {
namespace {

/// The largest (or smallest) element and its position. Writes the results that are wanted.
template <class V, bool is_max>
struct Extreme {
  using Value = V;
  struct State {
    V value;
    int64_t position;
  };
  const Result<V>* value;
  const Result<int64_t>* position;

  State start() const { return {0, -1}; }
  static bool is_nan(V x) {
    if constexpr (std::is_floating_point_v<V>) return x != x;
    return false;
  }
  static bool beats(V x, V y) { return (is_max ? x > y : x < y) || (is_nan(x) && !is_nan(y)); }
  void step(State& state, V x, int64_t at) const {
    if (state.position < 0 || beats(x, state.value)) state = {x, at};
  }
  void fold(State& state, const V* values, size_t n, int64_t at) const {
    V best = values[0];
    size_t best_at = 0;
    for (size_t i = 1; i < n; ++i) {
      if (beats(values[i], best)) best = values[i], best_at = i;
    }
    step(state, best, at + static_cast<int64_t>(best_at));
  }
  void finish(const State& state, const ptrdiff_t* out) const {
    if (value) value->write(out[0], state.value);
    if (position) position->write(out[1], state.position);
  }
};

/// Writes values to `values` and positions to `positions`; either may be null.
template <class V, bool is_max>
void run(const Walk& walk, const Tensor& self, Tensor* values, Tensor* positions) {
  Tensor none;
  const Result<V> value(values ? *values : none);
  const Result<int64_t> position(positions ? *positions : none);
  reduce(walk, loader<V>(self.dtype()), self,
         Extreme<V, is_max>{values ? &value : nullptr, positions ? &position : nullptr});
}

template <bool is_max>
Error extreme(KernelContext& ctx, const Tensor& self, uint32_t mask, bool keepdim, Tensor* values, Tensor* positions) {
  if (values) RL_TRY(expect_dtype(ctx, "the result", *values, self.dtype()));
  if (positions) RL_TRY(expect_dtype(ctx, "the index result", *positions, DType::Int64));
  RL_TRY(expect_numbers(ctx, "self", self));
  RL_TRY(expect_elements(ctx, self, mask));
  Tensor* const outs[] = {values ? values : positions, positions ? positions : values};
  Walk walk;
  RL_TRY(plan_walk(ctx, self, mask, keepdim, outs, positions ? Order::Logical : Order::Memory, &walk));
  if (computes_in_double(self.dtype())) {
    run<double, is_max>(walk, self, values, positions);
  } else {
    run<int64_t, is_max>(walk, self, values, positions);
  }
  return Error::Ok;
}

template <bool is_max>
Error extreme_over(KernelContext& ctx, const Tensor& self, IntList dims, bool keepdim, Tensor& out) {
  uint32_t mask = 0;
  RL_TRY(dims_mask(ctx, self.rank(), {true, dims}, &mask));
  return extreme<is_max>(ctx, self, mask, keepdim, &out, nullptr);
}

template <bool is_max>
Error extreme_along(KernelContext& ctx, const Tensor& self, int64_t dim, bool keepdim, Tensor* values,
                    Tensor* positions) {
  uint32_t mask = 0;
  RL_TRY(dim_mask(ctx, self.rank(), dim, &mask));
  return extreme<is_max>(ctx, self, mask, keepdim, values, positions);
}

template <bool is_max>
Error position_of(KernelContext& ctx, const Tensor& self, Optional<int64_t> dim, bool keepdim, Tensor& out) {
  if (dim) return extreme_along<is_max>(ctx, self, *dim, keepdim, nullptr, &out);
  return extreme<is_max>(ctx, self, ~0u, keepdim, nullptr, &out);
}

}  // namespace

/// out = the largest element over `dim` (all dimensions if empty). A dimension of size 0 is an error.
Error amax(KernelContext& ctx, const Tensor& self, IntList dim, bool keepdim, Tensor& out) {
  return extreme_over<true>(ctx, self, dim, keepdim, out);
}

/// out = the smallest element over `dim` (all dimensions if empty). A dimension of size 0 is an error.
Error amin(KernelContext& ctx, const Tensor& self, IntList dim, bool keepdim, Tensor& out) {
  return extreme_over<false>(ctx, self, dim, keepdim, out);
}

/// max = the largest element along one dimension, indices (int64) = the first place where it is.
Error max_dim(KernelContext& ctx, const Tensor& self, int64_t dim, bool keepdim, Tensor& max, Tensor& indices) {
  return extreme_along<true>(ctx, self, dim, keepdim, &max, &indices);
}

/// min = the smallest element along one dimension, indices (int64) = the first place where it is.
Error min_dim(KernelContext& ctx, const Tensor& self, int64_t dim, bool keepdim, Tensor& min, Tensor& indices) {
  return extreme_along<false>(ctx, self, dim, keepdim, &min, &indices);
}

/// out = the largest of all elements, of which there must be one.
Error max(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return extreme<true>(ctx, self, ~0u, false, &out, nullptr);
}

/// out = the smallest of all elements, of which there must be one.
Error min(KernelContext& ctx, const Tensor& self, Tensor& out) {
  return extreme<false>(ctx, self, ~0u, false, &out, nullptr);
}

/// out (int64) = where the largest element along `dim` is first; without dim in all elements, row-major.
Error argmax(KernelContext& ctx, const Tensor& self, Optional<int64_t> dim, bool keepdim, Tensor& out) {
  return position_of<true>(ctx, self, dim, keepdim, out);
}

/// out (int64) = where the smallest element along `dim` is first; without dim in all elements, row-major.
Error argmin(KernelContext& ctx, const Tensor& self, Optional<int64_t> dim, bool keepdim, Tensor& out) {
  return position_of<false>(ctx, self, dim, keepdim, out);
}

}  // namespace rushlight::ops
