// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.any: whether an element is not zero. NaN is not zero.

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/reduce/result.h"
#include "rushlight/ops/reduce/walk.h"

namespace rushlight::ops {
namespace {

struct Any {
  using Value = double;  // a uint64 or int64 that is not 0 is no 0 in double either
  using State = uint8_t;
  Result<int64_t> result;

  State start() const { return 0; }
  void step(State& state, double value, int64_t) const { state |= value != 0; }
  void fold(State& state, const double* values, size_t n, int64_t) const {
    for (size_t i = 0; i < n; ++i) state |= values[i] != 0;
  }
  void finish(const State& state, const ptrdiff_t* out) const { result.write(out[0], state); }
};

Error reduce_any(KernelContext& ctx, const Tensor& self, uint32_t mask, bool keepdim, Tensor& out) {
  if (out.dtype() != DType::Bool && out.dtype() != DType::UInt8) {
    return ctx.fail(Error::InvalidType, "out is {}, expected bool", to_string(out.dtype()));
  }
  RL_TRY(expect_numbers(ctx, "self", self));
  Tensor* const outs[] = {&out};
  Walk walk;
  RL_TRY(plan_walk(ctx, self, mask, keepdim, outs, Order::Memory, &walk));
  reduce(walk, loader<double>(self.dtype()), self, Any{Result<int64_t>(out)});
  return Error::Ok;
}

}  // namespace

/// out = whether any element is not zero. False for no elements.
Error any(KernelContext& ctx, const Tensor& self, Tensor& out) { return reduce_any(ctx, self, ~0u, false, out); }

/// The same along one dimension.
Error any_dim(KernelContext& ctx, const Tensor& self, int64_t dim, bool keepdim, Tensor& out) {
  uint32_t mask = 0;
  RL_TRY(dim_mask(ctx, self.rank(), dim, &mask));
  return reduce_any(ctx, self, mask, keepdim, out);
}

/// The same over several dimensions: all if absent; none if empty, which makes out = self != 0.
Error any_dims(KernelContext& ctx, const Tensor& self, Optional<IntList> dim, bool keepdim, Tensor& out) {
  uint32_t mask = 0;
  if (!dim || !dim.value.empty()) RL_TRY(dims_mask(ctx, self.rank(), dim, &mask));
  return reduce_any(ctx, self, mask, keepdim, out);
}

}  // namespace rushlight::ops
