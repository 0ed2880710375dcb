// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/shapes.h"

#include <cstdint>

namespace rushlight::shapes {

Error stretch(KernelContext& ctx, Shape* shape, Span<const int32_t> sizes) {
  Shape result;
  const size_t rank = sizes.count() > shape->rank ? sizes.count() : shape->rank;
  if (rank > kMaxRank) return ctx.fail(Error::InvalidArgument, "rank {} is more than {}", rank, kMaxRank);
  result.rank = static_cast<uint8_t>(rank);
  for (size_t i = 0; i < rank; ++i) {  // i counts from the last dimension
    const int32_t a = i < shape->rank ? shape->sizes[shape->rank - 1 - i] : 1;
    const int32_t b = i < sizes.count() ? sizes[sizes.count() - 1 - i] : 1;
    if (a != b && a != 1 && b != 1) {
      return ctx.fail(Error::InvalidArgument, "shapes {} and {} do not broadcast", shape->span(), sizes);
    }
    result.sizes[rank - 1 - i] = a == 1 ? b : a;
  }
  *shape = result;
  return Error::Ok;
}

Error same_as(KernelContext&, const Tensor& self, Span<Shape> out) {
  out[0].assign(self.sizes());
  return Error::Ok;
}

Error broadcast(KernelContext& ctx, const Tensor& a, const Tensor& b, Span<Shape> out) {
  return broadcast_optional(ctx, a, &b, nullptr, out);
}

Error broadcast3(KernelContext& ctx, const Tensor& a, const Tensor& b, const Tensor& c, Span<Shape> out) {
  return broadcast_optional(ctx, a, &b, &c, out);
}

Error broadcast_optional(KernelContext& ctx, const Tensor& a, const Tensor* b, const Tensor* c, Span<Shape> out) {
  out[0].assign(a.sizes());
  if (b) RL_TRY(stretch(ctx, &out[0], b->sizes()));
  if (c) RL_TRY(stretch(ctx, &out[0], c->sizes()));
  return Error::Ok;
}

Error stretch_to(KernelContext& ctx, const Tensor& self, const Tensor& other, Span<Shape> out) {
  out[0].assign(self.sizes());
  RL_TRY(stretch(ctx, &out[0], other.sizes()));
  bool grew = out[0].rank != self.rank();
  for (size_t d = 0; !grew && d < self.rank(); ++d) grew = out[0].sizes[d] != self.size(d);
  if (grew) return ctx.fail(Error::InvalidArgument, "shape {} does not stretch to {}", other.sizes(), self.sizes());
  return Error::Ok;
}

Error from_list(KernelContext& ctx, IntList size, Span<Shape> out) {
  for (size_t i = 0; i < size.count(); ++i) RL_TRY(append(ctx, &out[0], size[i]));
  return Error::Ok;
}

Error scalar(KernelContext&, Span<Shape> out) {
  out[0].rank = 0;
  return Error::Ok;
}

Error normalize_dim(KernelContext& ctx, int64_t dim, size_t rank, size_t* out) {
  const int64_t count = rank == 0 ? 1 : static_cast<int64_t>(rank);
  if (dim < -count || dim >= count) {
    return ctx.fail(Error::InvalidArgument, "dim {} is not in [{}, {}]", dim, -count, count - 1);
  }
  *out = static_cast<size_t>(dim < 0 ? dim + count : dim);
  return Error::Ok;
}

Error append(KernelContext& ctx, Shape* shape, int64_t size) {
  if (shape->rank >= kMaxRank) return ctx.fail(Error::InvalidArgument, "rank is more than {}", kMaxRank);
  if (size < 0 || size > INT32_MAX) return ctx.fail(Error::InvalidArgument, "size {} is out of range", size);
  shape->sizes[shape->rank++] = static_cast<int32_t>(size);
  return Error::Ok;
}

}  // namespace rushlight::shapes
