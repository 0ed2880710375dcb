// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/reduce/shapes.h"

#include "rushlight/ops/reduce/walk.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::shapes {
namespace {

Error without(const Tensor& self, uint32_t mask, bool keepdim, Span<Shape> out) {
  Shape shape;
  for (size_t d = 0; d < self.rank(); ++d) {
    const bool is_reduced = mask >> d & 1;
    if (!is_reduced || keepdim) shape.sizes[shape.rank++] = is_reduced ? 1 : self.size(d);
  }
  for (Shape& result : out) result = shape;
  return Error::Ok;
}

}  // namespace

Error reduce_dims(KernelContext& ctx, const Tensor& self, Optional<IntList> dims, bool keepdim, Span<Shape> out) {
  uint32_t mask = 0;
  RL_TRY(ops::dims_mask(ctx, self.rank(), dims, &mask));
  return without(self, mask, keepdim, out);
}

Error reduce_dims_twice(KernelContext& ctx, const Tensor& self, Optional<IntList> dims, bool keepdim, Span<Shape> out) {
  return reduce_dims(ctx, self, dims, keepdim, out);
}

Error reduce_listed(KernelContext& ctx, const Tensor& self, Optional<IntList> dims, bool keepdim, Span<Shape> out) {
  if (dims && dims.value.empty()) return without(self, 0, keepdim, out);
  return reduce_dims(ctx, self, dims, keepdim, out);
}

Error reduce_dim(KernelContext& ctx, const Tensor& self, Optional<int64_t> dim, bool keepdim, Span<Shape> out) {
  uint32_t mask = ~0u;
  if (dim) RL_TRY(ops::dim_mask(ctx, self.rank(), *dim, &mask));
  return without(self, mask, keepdim, out);
}

Error reduce_dim_twice(KernelContext& ctx, const Tensor& self, Optional<int64_t> dim, bool keepdim, Span<Shape> out) {
  return reduce_dim(ctx, self, dim, keepdim, out);
}

Error along(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(normalize_dim(ctx, dim, self.rank(), &d));
  out[0].assign(self.sizes());
  return Error::Ok;
}

}  // namespace rushlight::shapes
