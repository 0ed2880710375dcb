// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.mm, aten.bmm, aten.addmm and aten.linear. Their rows are in ops.py here; the loops are in gemm.cpp.

#include "rushlight/ops/matmul/gemm.h"
#include "rushlight/ops/matmul/panel.h"
#include "rushlight/ops/matmul/shapes.h"

namespace rushlight::ops {
namespace {

char* at(const Tensor& t, ptrdiff_t offset) {
  return t.mutable_data<char>() + offset * static_cast<ptrdiff_t>(t.element_nbytes());
}

// The matrix in dimensions `row` and `column` of a tensor, `offset` elements in.
Matrix matrix(const Tensor& t, size_t row, size_t column, ptrdiff_t offset = 0) {
  return {at(t, offset), t.dtype(), t.stride(row), t.stride(column)};
}

// A product of `a` and `b` into dimensions `row` and `column` of `out`, without an addend.
template <class Acc>
Product<Acc> product(const Matrix& a, const Matrix& b, size_t k, const Tensor& out, size_t row, size_t column,
                     ptrdiff_t offset = 0) {
  Product<Acc> p{};
  p.m = static_cast<size_t>(out.size(row));
  p.n = static_cast<size_t>(out.size(column));
  p.k = k;
  p.a = a;
  p.b = b;
  p.alpha = Acc(1);
  p.beta = Acc(1);
  p.out = at(out, offset);
  p.out_dtype = out.dtype();
  p.out_row = out.stride(row);
  p.out_column = out.stride(column);
  return p;
}

Error check_pair(KernelContext& ctx, const Tensor& a, const Tensor& b, const char* b_name, const Tensor& out,
                 const Shape& shape) {
  RL_TRY(ctx.check_sizes("out", out, shape));
  RL_TRY(ctx.check_dtype(b_name, b, a.dtype()));
  return ctx.check_dtype("out", out, a.dtype());
}

// *out = value in the accumulator type; integers take no fractions.
Error to_accumulator(KernelContext& ctx, const char* name, Scalar value, float* out) {
  return ctx.to_float32(name, value, out);
}
Error to_accumulator(KernelContext&, const char*, Scalar value, double* out) {
  *out = value.to_double();
  return Error::Ok;
}
Error to_accumulator(KernelContext& ctx, const char* name, Scalar value, uint64_t* out) {
  *out = static_cast<uint64_t>(value.to_int());
  if (!value.is_floating()) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "{} = {} must be an integer for integer matrices", name, value.to_double());
}

// The addend [M, N] that `self`, of rank 0 to 2, stretches to.
Matrix stretched(const Tensor& self, const Tensor& out) {
  Matrix m{self.data<char>(), self.dtype(), 0, 0};
  const size_t rank = self.rank();
  if (rank >= 1 && self.size(rank - 1) == out.size(1)) m.column = self.stride(rank - 1);
  if (rank >= 2 && self.size(0) == out.size(0)) m.row = self.stride(0);
  return m;
}

}  // namespace

/// out [M, N] = self [M, K] mat2 [K, N], any dim orders. Zero elements allowed; K = 0 gives zeros.
///
/// Sums are taken in float32 for the dtypes up to it and rounded once; integers wrap.
/// @return InvalidArgument if the sizes do not multiply, InvalidType if the dtypes differ.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.mm.html
Error mm(KernelContext& ctx, const Tensor& self, const Tensor& mat2, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::mm(ctx, self, mat2, {&shape, 1}));
  RL_TRY(check_pair(ctx, self, mat2, "mat2", out, shape));
  return panel::visit_accumulator<types::mm>(ctx, self.dtype(), [&](auto acc) {
    const size_t k = static_cast<size_t>(self.size(1));
    multiply(product<decltype(acc)>(matrix(self, 0, 1), matrix(mat2, 0, 1), k, out, 0, 1));
    return Error::Ok;
  });
}

/// out [B, M, N] = self [B, M, K] mat2 [B, K, N], as mm for each of B.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.bmm.html
Error bmm(KernelContext& ctx, const Tensor& self, const Tensor& mat2, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::bmm(ctx, self, mat2, {&shape, 1}));
  RL_TRY(check_pair(ctx, self, mat2, "mat2", out, shape));
  return panel::visit_accumulator<types::bmm>(ctx, self.dtype(), [&](auto acc) {
    if (out.numel() == 0) return Error::Ok;
    const size_t k = static_cast<size_t>(self.size(2));
    for (int32_t i = 0; i < out.size(0); ++i) {
      const Matrix a = matrix(self, 1, 2, i * self.stride(0));
      const Matrix b = matrix(mat2, 1, 2, i * mat2.stride(0));
      multiply(product<decltype(acc)>(a, b, k, out, 1, 2, i * out.stride(0)));
    }
    return Error::Ok;
  });
}

/// out [M, N] = beta * self + alpha * (mat1 [M, K] mat2 [K, N]); self stretches to [M, N].
///
/// beta = 0 ignores self, NaN included.
/// @param beta, alpha  Integers if the matrices are; within float32 for dtypes up to it.
/// @param out  May be self's memory where self has the sizes and the layout of out.
/// @see https://docs.pytorch.org/docs/stable/generated/torch.addmm.html
Error addmm(KernelContext& ctx, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
            Tensor& out) {
  Shape shape;
  RL_TRY(shapes::addmm(ctx, self, mat1, mat2, {&shape, 1}));
  RL_TRY(ctx.check_dtype("mat1", mat1, self.dtype()));
  RL_TRY(check_pair(ctx, self, mat2, "mat2", out, shape));
  return panel::visit_accumulator<types::addmm>(ctx, self.dtype(), [&](auto acc) {
    const size_t k = static_cast<size_t>(mat1.size(1));
    auto p = product<decltype(acc)>(matrix(mat1, 0, 1), matrix(mat2, 0, 1), k, out, 0, 1);
    RL_TRY(to_accumulator(ctx, "alpha", alpha, &p.alpha));
    RL_TRY(to_accumulator(ctx, "beta", beta, &p.beta));
    if (p.beta != 0) p.addend = stretched(self, out);
    multiply(p);
    return Error::Ok;
  });
}

namespace {

// Whether dimensions 0 … last of `t` are one dimension with last's stride.
bool is_one_dimension(const Tensor& t, size_t last) {
  ptrdiff_t stride = t.stride(last);
  for (size_t d = last + 1; d-- > 0;) {
    if (t.size(d) != 1 && t.stride(d) != stride) return false;
    stride *= t.size(d);
  }
  return true;
}

// Elements from the start of `t` to item `index` of its dimensions before `last`.
ptrdiff_t offset_of(const Tensor& t, size_t last, size_t index) {
  ptrdiff_t offset = 0;
  for (size_t d = last; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(index % static_cast<size_t>(t.size(d))) * t.stride(d);
    index /= static_cast<size_t>(t.size(d));
  }
  return offset;
}

template <class Acc>
void run_linear(const Tensor& input, const Tensor& weight, const Tensor* bias, const Tensor& out) {
  const size_t column = input.rank() - 1;
  const size_t row = column == 0 ? 0 : column - 1;
  Product<Acc> p = product<Acc>(matrix(input, row, column), matrix(weight, 1, 0), static_cast<size_t>(weight.size(1)),
                                out, row, column);
  if (bias) p.addend = {bias->data<char>(), bias->dtype(), 0, bias->stride(0)};
  const size_t rows = out.numel() / p.n;
  if (is_one_dimension(input, row) && is_one_dimension(out, row)) p.m = rows;
  if (column == 0) p.m = 1;
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(out.element_nbytes());
  for (size_t i = 0; i * p.m < rows; ++i) {
    Product<Acc> part = p;
    if (p.m != rows) {
      part.a.data = input.data<char>() + offset_of(input, row, i) * nbytes;
      part.out = out.mutable_data<char>() + offset_of(out, row, i) * nbytes;
    }
    multiply(part);
  }
}

}  // namespace

/// out [..., N] = input [..., K] weight [N, K]^T + bias [N].
///
/// @param bias  Or null.
/// @param out   Must not overlap the inputs.
/// @return InvalidArgument if the sizes do not fit, InvalidType if the dtypes differ.
/// @see    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear.html
Error linear(KernelContext& ctx, const Tensor& input, const Tensor& weight, const Tensor* bias, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::linear(ctx, input, weight, bias, {&shape, 1}));
  RL_TRY(check_pair(ctx, input, weight, "weight", out, shape));
  if (bias) RL_TRY(ctx.check_dtype("bias", *bias, input.dtype()));
  return panel::visit_accumulator<types::linear>(ctx, input.dtype(), [&](auto acc) {
    if (out.numel() != 0) run_linear<decltype(acc)>(input, weight, bias, out);
    return Error::Ok;
  });
}

}  // namespace rushlight::ops
