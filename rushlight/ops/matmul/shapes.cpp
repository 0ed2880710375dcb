// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/matmul/shapes.h"

namespace rushlight::shapes {
namespace {

Error check_ranks(KernelContext& ctx, const Tensor& a, const Tensor& b, size_t rank) {
  if (a.rank() == rank && b.rank() == rank) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "matrices are {} and {}, expected rank {}", a.sizes(), b.sizes(), rank);
}

// The product's last two sizes.
Error product(KernelContext& ctx, const Tensor& a, const Tensor& b, Span<Shape> out) {
  const size_t rank = a.rank();
  if (a.size(rank - 1) != b.size(rank - 2)) {
    return ctx.fail(Error::InvalidArgument, "matrices {} and {} do not multiply", a.sizes(), b.sizes());
  }
  RL_TRY(append(ctx, &out[0], a.size(rank - 2)));
  return append(ctx, &out[0], b.size(rank - 1));
}

}  // namespace

Error mm(KernelContext& ctx, const Tensor& self, const Tensor& mat2, Span<Shape> out) {
  RL_TRY(check_ranks(ctx, self, mat2, 2));
  return product(ctx, self, mat2, out);
}

Error bmm(KernelContext& ctx, const Tensor& self, const Tensor& mat2, Span<Shape> out) {
  RL_TRY(check_ranks(ctx, self, mat2, 3));
  if (self.size(0) != mat2.size(0)) {
    return ctx.fail(Error::InvalidArgument, "batches of {} and {} differ", self.sizes(), mat2.sizes());
  }
  RL_TRY(append(ctx, &out[0], self.size(0)));
  return product(ctx, self, mat2, out);
}

Error addmm(KernelContext& ctx, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Span<Shape> out) {
  RL_TRY(mm(ctx, mat1, mat2, out));
  bool fits = self.rank() <= 2;
  for (size_t i = 0; fits && i < self.rank(); ++i) {  // i counts from the last dimension
    const int32_t size = self.size(self.rank() - 1 - i);
    fits = size == 1 || size == out[0].sizes[1 - i];
  }
  if (fits) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "self {} does not stretch to {}", self.sizes(), out[0].span());
}

Error linear(KernelContext& ctx, const Tensor& input, const Tensor& weight, const Tensor* bias, Span<Shape> out) {
  const size_t rank = input.rank();
  if (rank < 1 || weight.rank() != 2 || input.size(rank - 1) != weight.size(1)) {
    return ctx.fail(Error::InvalidArgument, "input {} does not fit weight {}", input.sizes(), weight.sizes());
  }
  if (bias && (bias->rank() != 1 || bias->size(0) != weight.size(0))) {
    return ctx.fail(Error::InvalidArgument, "bias is {}, expected [{}]", bias->sizes(), weight.size(0));
  }
  for (size_t d = 0; d + 1 < rank; ++d) RL_TRY(append(ctx, &out[0], input.size(d)));
  return append(ctx, &out[0], weight.size(0));
}

}  // namespace rushlight::shapes
