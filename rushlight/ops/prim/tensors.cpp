// SPDX-License-Identifier: BSD-3-Clause
// Helpers of programs that read numbers off tensors, reshape without a copy, fill a stack row by row or cross to a
// device.

#include <cstring>

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/shapes.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/reduce/block.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

/// These ops are called without the check that tensors with elements have memory.
Error expect_memory(KernelContext& ctx, const char* name, const Tensor& x) {
  if (x.numel() == 0 || x.raw()) return Error::Ok;
  return ctx.fail(Error::InvalidProgram, "{} has no memory", name);
}

/// Sets x's sizes.
Error resized(KernelContext& ctx, Tensor& x, const Shape& shape) {
  if (x.resize(ctx.message(), shape.span()) == Error::Ok) return Error::Ok;
  return ctx.fail(Error::OutOfResources, "sizes {} do not fit {} and its bound of {} bytes", shape.span(), x.sizes(),
                  x.capacity_nbytes());
}

}  // namespace

/// out (Int) = the size of dimension `dim`.
Error sym_size_int(KernelContext& ctx, const Tensor& self, int64_t dim, EValue& out) {
  size_t d = 0;
  if (self.rank() == 0) return ctx.fail(Error::InvalidArgument, "self has rank 0: there is no dim {}", dim);
  RL_TRY(shapes::normalize_dim(ctx, dim, self.rank(), &d));
  out = EValue::of_int(self.size(d));
  return Error::Ok;
}

/// out (Int) = the number of elements.
Error sym_numel(KernelContext& ctx, const Tensor& self, EValue& out) {
  out = EValue::of_int(static_cast<int64_t>(self.numel()));
  return Error::Ok;
}

/// out = the first element: Int, Double or Bool after self's dtype.
Error local_scalar_dense(KernelContext& ctx, const Tensor& self, EValue& out) {
  if (self.numel() == 0) return ctx.fail(Error::InvalidArgument, "self has no elements");
  RL_TRY(expect_memory(ctx, "self", self));
  const LoadFn<double> load = loader<double>(self.dtype());
  if (!load) return ctx.fail(Error::InvalidType, "self is {}, which is not supported", to_string(self.dtype()));
  double number = 0;
  int64_t integer = 0;
  if (is_floating(self.dtype())) {
    load(self.raw(), 0, 1, &number);
    out = EValue::of_double(number);
  } else {
    loader<int64_t>(self.dtype())(self.raw(), 0, 1, &integer);
    out = self.dtype() == DType::Bool ? EValue::of_bool(integer != 0) : EValue::of_int(integer);
  }
  return Error::Ok;
}

/// out = a view of self's memory under the sizes `size`. Both row-major. Nothing is copied.
Error prim_et_view(KernelContext& ctx, const Tensor& self, IntList size, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::view(ctx, self, size, {&shape, 1}));
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  if (&self == &out) return expect_sizes(ctx, "out", out, shape.span());
  if (!self.is_contiguous() || !out.is_contiguous()) {
    return ctx.fail(Error::InvalidArgument, "self and out must be in row-major order");
  }
  RL_TRY(resized(ctx, out, shape));
  RL_TRY(expect_memory(ctx, "self", self));
  if (out.share(ctx.message(), self) == Error::Ok) return Error::Ok;
  return ctx.fail(Error::InvalidProgram, "out cannot be a view of self: it is a constant");
}

/// to = its first `index` rows, then `from` as row number `index`: its first size becomes index + 1.
Error prim_et_copy_index_tensor(KernelContext& ctx, Tensor& to, const Tensor& from, int64_t index) {
  if (&to == &from) return ctx.fail(Error::InvalidArgument, "a tensor cannot be a row of itself");
  if (to.rank() != from.rank() + 1) {
    return ctx.fail(Error::InvalidArgument, "from has rank {}, expected {} less 1", from.rank(), to.rank());
  }
  Shape shape;
  if (index < 0 || index >= INT32_MAX) return ctx.fail(Error::InvalidArgument, "index {} is out of range", index);
  RL_TRY(shapes::append(ctx, &shape, index + 1));
  for (size_t d = 0; d < from.rank(); ++d) RL_TRY(shapes::append(ctx, &shape, from.size(d)));
  RL_TRY(resized(ctx, to, shape));
  RL_TRY(expect_memory(ctx, "from", from));
  RL_TRY(expect_memory(ctx, "to", to));
  View row;
  RL_TRY(select_view(ctx, to, 0, index, &row));
  return copy_into(ctx, from, to, row);
}

/// out = self. Devices other than the host are a backend's matter.
Error et_copy_h2d_copy(KernelContext& ctx, const Tensor& self, Tensor& out) { return copy_tensor(ctx, self, out); }
/// out = self. Devices other than the host are a backend's matter.
Error et_copy_d2h_copy(KernelContext& ctx, const Tensor& self, Tensor& out) { return copy_tensor(ctx, self, out); }

}  // namespace rushlight::ops
