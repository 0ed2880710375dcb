// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/index/shapes.h"

#include "rushlight/ops/index/advanced.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::shapes {
namespace {

/// InvalidArgument unless index's sizes are at most x's, but in dimension `skip`.
Error expect_within(KernelContext& ctx, const Tensor& index, const Tensor& x, size_t skip) {
  if (index.numel() == 0) return Error::Ok;
  bool fits = index.rank() == x.rank();
  for (size_t d = 0; fits && d < x.rank(); ++d) fits = d == skip || index.size(d) <= x.size(d);
  if (fits) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "index has sizes {}, which do not fit {}", index.sizes(), x.sizes());
}

}  // namespace

Error embedding(KernelContext& ctx, const Tensor& weight, const Tensor& indices, Span<Shape> out) {
  if (weight.rank() != 2) return ctx.fail(Error::InvalidArgument, "weight has rank {}, expected 2", weight.rank());
  out[0].assign(indices.sizes());
  return append(ctx, &out[0], weight.size(1));
}

Error index(KernelContext& ctx, const Tensor& self, OptionalTensorList indices, Span<Shape> out) {
  ops::IndexPlan plan;
  RL_TRY(ops::plan_index(ctx, self, indices, &plan));
  out[0] = plan.result;
  return Error::Ok;
}

Error index_select(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(normalize_dim(ctx, dim, self.rank(), &d));
  if (index.rank() > 1) return ctx.fail(Error::InvalidArgument, "index has rank {}, more than 1", index.rank());
  if (self.rank() == 0 && index.numel() != 1)
    return ctx.fail(Error::InvalidArgument, "self has rank 0: one index only");
  out[0].assign(self.sizes());
  if (self.rank() > 0) out[0].sizes[d] = static_cast<int32_t>(index.numel());
  return Error::Ok;
}

Error gather(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(normalize_dim(ctx, dim, self.rank(), &d));
  out[0].assign(index.sizes());
  return expect_within(ctx, index, self, d);
}

Error scatter(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
              Span<Shape> out) {
  RL_TRY(scatter_value(ctx, self, dim, index, out));
  return expect_within(ctx, index, src, kMaxRank);
}

Error scatter_value(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(normalize_dim(ctx, dim, self.rank(), &d));
  out[0].assign(self.sizes());
  return expect_within(ctx, index, self, d);
}

Error topk(KernelContext& ctx, const Tensor& self, int64_t k, int64_t dim, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(normalize_dim(ctx, dim, self.rank(), &d));
  const int64_t size = self.rank() == 0 ? 1 : self.size(d);
  if (k < 0 || k > size) return ctx.fail(Error::InvalidArgument, "k = {} is not within 0 to {}", k, size);
  for (Shape& shape : out) {
    shape.assign(self.sizes());
    if (self.rank() > 0) shape.sizes[d] = static_cast<int32_t>(k);
  }
  return Error::Ok;
}

Error along_twice(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out) {
  size_t d = 0;
  RL_TRY(normalize_dim(ctx, dim, self.rank(), &d));
  for (Shape& shape : out) shape.assign(self.sizes());
  return Error::Ok;
}

}  // namespace rushlight::shapes
