// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.var and aten.var_mean.
//
// Mean and sum of squared deviations are updated together (Welford; blocks merge by Chan, Golub and LeVeque, "Updating
// Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979), so a large mean costs no digits.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/reduce/result.h"
#include "rushlight/ops/reduce/walk.h"

namespace rushlight::ops {
namespace {

struct Variance {
  using Value = double;
  struct State {
    double count, mean, squares;
  };
  Result<double> variance;
  const Result<double>* mean;
  double divisor;

  State start() const { return {0, 0, 0}; }
  void step(State& state, double value, int64_t) const {
    state.count += 1;
    const double deviation = value - state.mean;
    state.mean += deviation / state.count;
    state.squares += deviation * (value - state.mean);
  }
  void fold(State& state, const double* values, size_t n, int64_t) const {
    const double count = static_cast<double>(n);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += values[i];
    const double block_mean = sum / count;
    double squares = 0;
    for (size_t i = 0; i < n; ++i) squares += (values[i] - block_mean) * (values[i] - block_mean);
    const double total = state.count + count;
    const double apart = block_mean - state.mean;
    state.mean += apart * (count / total);
    state.squares += squares + apart * apart * (state.count * (count / total));
    state.count = total;
  }
  void finish(const State& state, const ptrdiff_t* out) const {
    const double nothing = static_cast<double>(NAN);
    variance.write(out[0], state.count > 0 ? state.squares / divisor : nothing);
    if (mean) mean->write(out[1], state.count > 0 ? state.mean : nothing);
  }
};

Error reduce_variance(KernelContext& ctx, const Tensor& self, Optional<IntList> dim, double correction, bool keepdim,
                      Tensor& out, Tensor* mean) {
  uint32_t mask = 0;
  RL_TRY(dims_mask(ctx, self.rank(), dim, &mask));
  RL_TRY(expect_floating(ctx, "self", self));
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  if (mean) RL_TRY(expect_dtype(ctx, "the mean", *mean, self.dtype()));
  Tensor* const outs[] = {&out, mean ? mean : &out};
  Walk walk;
  RL_TRY(plan_walk(ctx, self, mask, keepdim, outs, Order::Memory, &walk));
  const double freedom = static_cast<double>(walk.count) - correction;
  const Result<double> mean_result(mean ? *mean : out);
  reduce(walk, loader<double>(self.dtype()), self,
         Variance{Result<double>(out), mean ? &mean_result : nullptr, freedom > 0 ? freedom : 0});
  return Error::Ok;
}

}  // namespace

/// out = sum of squared deviations from the mean over `dim` (all if absent or empty) / max(0, n - correction).
Error var_correction(KernelContext& ctx, const Tensor& self, Optional<IntList> dim, Optional<Scalar> correction,
                     bool keepdim, Tensor& out) {
  return reduce_variance(ctx, self, dim, correction ? correction.value.to_double() : 1, keepdim, out, nullptr);
}

/// The same with correction 1 if `unbiased`, else 0.
Error var_dim(KernelContext& ctx, const Tensor& self, Optional<IntList> dim, bool unbiased, bool keepdim, Tensor& out) {
  return reduce_variance(ctx, self, dim, unbiased ? 1 : 0, keepdim, out, nullptr);
}

/// out = the variance as var_correction, mean = the mean.
Error var_mean_correction(KernelContext& ctx, const Tensor& self, Optional<IntList> dim, Optional<Scalar> correction,
                          bool keepdim, Tensor& out, Tensor& mean) {
  return reduce_variance(ctx, self, dim, correction ? correction.value.to_double() : 1, keepdim, out, &mean);
}

}  // namespace rushlight::ops
