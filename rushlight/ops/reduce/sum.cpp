// SPDX-License-Identifier: BSD-3-Clause
// Portable sums, means and products.
//
// Floats accumulate in double, so a float32 sum is exact to the last place for any practical length; integers in int64,
// wrapping.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/reduce/result.h"
#include "rushlight/ops/reduce/walk.h"

namespace rushlight::ops {
namespace {

double plus(double a, double b) { return a + b; }
int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
double times(double a, double b) { return a * b; }
int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// The sum of all elements.
template <class V>
struct Sum {
  using Value = V;
  using State = V;
  Result<V> result;

  State start() const { return 0; }
  void step(State& state, V value, int64_t) const { state = plus(state, value); }
  void fold(State& state, const V* values, size_t n, int64_t) const {
    V lanes[8] = {};  // independent, so that the compiler may add side by side
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
      for (size_t k = 0; k < 8; ++k) lanes[k] = plus(lanes[k], values[i + k]);
    }
    for (; i < n; ++i) lanes[0] = plus(lanes[0], values[i]);
    for (size_t k = 4; k > 0; k /= 2) {
      for (size_t j = 0; j < k; ++j) lanes[j] = plus(lanes[j], lanes[j + k]);
    }
    state = plus(state, lanes[0]);
  }
  void finish(const State& state, const ptrdiff_t* out) const { result.write(out[0], state); }
};

struct Mean : Sum<double> {
  double count;
  Mean(const Result<double>& to, size_t n) : Sum<double>{to}, count(static_cast<double>(n)) {}
  void finish(const State& state, const ptrdiff_t* out) const { result.write(out[0], state / count); }
};

template <class V>
struct Product {
  using Value = V;
  using State = V;
  Result<V> result;

  State start() const { return 1; }
  void step(State& state, V value, int64_t) const { state = times(state, value); }
  void fold(State& state, const V* values, size_t n, int64_t) const {
    for (size_t i = 0; i < n; ++i) state = times(state, values[i]);
  }
  void finish(const State& state, const ptrdiff_t* out) const { result.write(out[0], state); }
};

/// Reduces with Op<double> if the result is floating, else with Op<int64_t>: elements are converted first, as in eager.
template <template <class> class Op>
Error reduce_by_result(KernelContext& ctx, const Tensor& self, uint32_t mask, bool keepdim, Tensor& out) {
  Tensor* const outs[] = {&out};
  Walk walk;
  RL_TRY(plan_walk(ctx, self, mask, keepdim, outs, Order::Memory, &walk));
  RL_TRY(expect_numbers(ctx, "self", self));
  RL_TRY(expect_numbers(ctx, "out", out));
  if (computes_in_double(out.dtype())) {
    reduce(walk, loader<double>(self.dtype()), self, Op<double>{Result<double>(out)});
  } else {
    reduce(walk, loader<int64_t>(self.dtype()), self, Op<int64_t>{Result<int64_t>(out)});
  }
  return Error::Ok;
}

Error reduce_mean(KernelContext& ctx, const Tensor& self, uint32_t mask, bool keepdim, Tensor& out) {
  Tensor* const outs[] = {&out};
  Walk walk;
  RL_TRY(plan_walk(ctx, self, mask, keepdim, outs, Order::Memory, &walk));
  RL_TRY(expect_numbers(ctx, "self", self));
  RL_TRY(expect_floating(ctx, "out", out));
  reduce(walk, loader<double>(self.dtype()), self, Mean(Result<double>(out), walk.count));
  return Error::Ok;
}

}  // namespace

/// out = the sum over `dim` (all dimensions if absent or empty), in out's dtype. 0 for no elements.
Error sum_dim_IntList(KernelContext& ctx, const Tensor& self, Optional<IntList> dim, bool keepdim,
                      Optional<int64_t> dtype, Tensor& out) {
  uint32_t mask = 0;
  RL_TRY(dims_mask(ctx, self.rank(), dim, &mask));
  return reduce_by_result<Sum>(ctx, self, mask, keepdim, out);
}

/// out = the mean over `dim` (all dimensions if absent or empty); floating. NaN for no elements.
Error mean_dim(KernelContext& ctx, const Tensor& self, Optional<IntList> dim, bool keepdim, Optional<int64_t> dtype,
               Tensor& out) {
  uint32_t mask = 0;
  RL_TRY(dims_mask(ctx, self.rank(), dim, &mask));
  return reduce_mean(ctx, self, mask, keepdim, out);
}

/// out = the mean of all elements; floating. NaN for no elements.
Error mean(KernelContext& ctx, const Tensor& self, Optional<int64_t> dtype, Tensor& out) {
  return reduce_mean(ctx, self, ~0u, false, out);
}

/// out = the product over one dimension, in out's dtype. 1 for no elements.
Error prod_dim_int(KernelContext& ctx, const Tensor& self, int64_t dim, bool keepdim, Optional<int64_t> dtype,
                   Tensor& out) {
  uint32_t mask = 0;
  RL_TRY(dim_mask(ctx, self.rank(), dim, &mask));
  return reduce_by_result<Product>(ctx, self, mask, keepdim, out);
}

/// out = the product of all elements, in out's dtype. 1 for no elements.
Error prod(KernelContext& ctx, const Tensor& self, Optional<int64_t> dtype, Tensor& out) {
  return reduce_by_result<Product>(ctx, self, ~0u, false, out);
}

}  // namespace rushlight::ops
