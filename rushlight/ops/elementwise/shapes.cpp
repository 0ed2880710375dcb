// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/elementwise/shapes.h"

namespace rushlight::shapes {
namespace {

Error count_integers(KernelContext& ctx, int64_t start, int64_t end, int64_t step, Span<Shape> out) {
  // Differences in the right direction fit uint64.
  const bool up = step > 0;
  const uint64_t distance = up ? static_cast<uint64_t>(end) - static_cast<uint64_t>(start)
                               : static_cast<uint64_t>(start) - static_cast<uint64_t>(end);
  const uint64_t stride = up ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = distance / stride + (distance % stride != 0);
  return append(ctx, &out[0], count > INT32_MAX ? INT64_MAX : static_cast<int64_t>(count));
}

}  // namespace

Error arange(KernelContext& ctx, Scalar start, Scalar end, Scalar step, Span<Shape> out) {
  out[0].rank = 0;
  const double from = start.to_double(), to = end.to_double(), by = step.to_double();
  if (!(by > 0 || by < 0)) return ctx.fail(Error::InvalidArgument, "step is {}, expected a number but 0", by);
  if (!(by > 0 ? to >= from : to <= from)) {
    return ctx.fail(Error::InvalidArgument, "step {} does not lead from {} to {}", by, from, to);
  }
  if (!start.is_floating() && !end.is_floating() && !step.is_floating()) {
    return count_integers(ctx, start.to_int(), end.to_int(), step.to_int(), out);
  }
  const double count = std::ceil((to - from) / by);
  return append(ctx, &out[0], count <= INT32_MAX ? static_cast<int64_t>(count) : INT64_MAX);
}

Error arange_to(KernelContext& ctx, Scalar end, Span<Shape> out) {
  return arange(ctx, Scalar(int64_t{0}), end, Scalar(int64_t{1}), out);
}

}  // namespace rushlight::shapes
