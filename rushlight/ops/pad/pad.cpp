// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.constant_pad_nd, aten.reflection_pad1d/2d/3d and aten.replication_pad1d/2d/3d.

#include "rushlight/ops/conv/shapes.h"
#include "rushlight/ops/elementwise/convert.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/strided.h"

namespace rushlight::ops {
namespace {

/// A stretch of one dimension of out, and the indices of self that fill it: source, source + step, …
struct Part {
  int64_t target = 0;
  int64_t source = 0;
  int64_t step = 1;
  int64_t count = 0;
};

/// How a margin is filled.
enum class Margin { None, Mirror, Repeat };

/// Before, middle and after of one dimension; parts[1] is self's own, the others empty for Margin::None.
struct Parts {
  Part parts[3];
};

Parts divide(int64_t size, int64_t before, int64_t after, Margin margin) {
  Parts out;
  const int64_t cut = before < 0 ? -before : 0;
  const int64_t left = before > 0 ? before : 0;
  const int64_t kept = size - cut + (after < 0 ? after : 0);
  out.parts[1] = {left, cut, 1, kept > 0 ? kept : 0};
  if (margin == Margin::None) return out;
  const int64_t step = margin == Margin::Mirror ? -1 : 0;
  out.parts[0] = {0, margin == Margin::Mirror ? before : 0, step, left};
  out.parts[2] = {left + out.parts[1].count, margin == Margin::Mirror ? size - 2 : size - 1, step,
                  after > 0 ? after : 0};
  return out;
}

/// The amounts for dimension d of self.
Parts parts_of(const Tensor& self, IntList pad, size_t d, Margin margin) {
  const size_t i = self.rank() - 1 - d;
  if (2 * i >= pad.count()) return divide(self.size(d), 0, 0, margin);
  return divide(self.size(d), pad[2 * i], pad[2 * i + 1], margin);
}

/// Copies the block of out that part choice[d] of each dimension d makes.
void copy_block(const Tensor& self, IntList pad, const uint8_t* choice, Margin margin, Tensor& out) {
  StridedCopy copy(self.element_nbytes());
  ptrdiff_t target = 0, source = 0;
  for (size_t d = 0; d < self.rank(); ++d) {
    const Part part = parts_of(self, pad, d, margin).parts[choice[d]];
    if (part.count == 0) return;
    copy.add(static_cast<size_t>(part.count), out.stride(d), static_cast<ptrdiff_t>(part.step) * self.stride(d));
    target += static_cast<ptrdiff_t>(part.target) * out.stride(d);
    source += static_cast<ptrdiff_t>(part.source) * self.stride(d);
  }
  copy.finish();
  const auto nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  copy.run(out.mutable_data<uint8_t>() + target * nbytes, self.data<uint8_t>() + source * nbytes);
}

Error check_result(KernelContext& ctx, const Tensor& self, const Shape& shape, const Tensor& out) {
  RL_TRY(ctx.check_dtype("out", out, self.dtype()));
  RL_TRY(ctx.check_sizes("out", out, shape));
  if (self.numel() > 0 && self.raw() == out.raw()) {
    return ctx.fail(Error::InvalidArgument, "out is self's memory: padding does not work in place");
  }
  return Error::Ok;
}

/// Fills out with the middle of self and both margins of every padded dimension: 3^dims blocks.
Error pad_edges(KernelContext& ctx, const Tensor& self, IntList padding, size_t dims, Margin margin, Tensor& out) {
  if (padding.count() != 2 * dims) {
    return ctx.fail(Error::InvalidArgument, "{} amounts, expected {}", padding.count(), 2 * dims);
  }
  Shape shape;
  RL_TRY(
      (margin == Margin::Mirror ? shapes::reflection_pad : shapes::replication_pad)(ctx, self, padding, {&shape, 1}));
  RL_TRY(check_result(ctx, self, shape, out));
  if (out.numel() == 0) return Error::Ok;
  size_t blocks = 1;
  for (size_t i = 0; i < dims; ++i) blocks *= 3;
  for (size_t block = 0; block < blocks; ++block) {
    uint8_t choice[kMaxRank];
    size_t rest = block;
    for (size_t d = 0; d < self.rank(); ++d) {
      const bool padded = d + dims >= self.rank();
      choice[d] = padded ? static_cast<uint8_t>(rest % 3) : 1;
      if (padded) rest /= 3;
    }
    copy_block(self, padding, choice, margin, out);
  }
  return Error::Ok;
}

}  // namespace

/// out = value everywhere but where self stands. A value that self's dtype cannot hold is refused.
Error constant_pad_nd(KernelContext& ctx, const Tensor& self, IntList pad, Scalar value, Tensor& out) {
  Shape shape;
  RL_TRY(shapes::constant_pad(ctx, self, pad, {&shape, 1}));
  RL_TRY(check_result(ctx, self, shape, out));
  uint8_t bytes[16] = {};
  RL_TRY(store_scalar(ctx, "value", value, self.dtype(), bytes));
  if (out.numel() == 0) return Error::Ok;
  StridedCopy fill(out.element_nbytes());
  fill.add(out.numel(), 1, 0);
  fill.finish();
  fill.run(out.mutable_raw(), bytes);
  uint8_t middle[kMaxRank];
  for (uint8_t& choice : middle) choice = 1;
  if (self.numel() > 0) copy_block(self, pad, middle, Margin::None, out);
  return Error::Ok;
}

Error reflection_pad1d(KernelContext& ctx, const Tensor& self, IntList padding, Tensor& out) {
  return pad_edges(ctx, self, padding, 1, Margin::Mirror, out);
}

Error reflection_pad2d(KernelContext& ctx, const Tensor& self, IntList padding, Tensor& out) {
  return pad_edges(ctx, self, padding, 2, Margin::Mirror, out);
}

Error reflection_pad3d(KernelContext& ctx, const Tensor& self, IntList padding, Tensor& out) {
  return pad_edges(ctx, self, padding, 3, Margin::Mirror, out);
}

Error replication_pad1d(KernelContext& ctx, const Tensor& self, IntList padding, Tensor& out) {
  return pad_edges(ctx, self, padding, 1, Margin::Repeat, out);
}

Error replication_pad2d(KernelContext& ctx, const Tensor& self, IntList padding, Tensor& out) {
  return pad_edges(ctx, self, padding, 2, Margin::Repeat, out);
}

Error replication_pad3d(KernelContext& ctx, const Tensor& self, IntList padding, Tensor& out) {
  return pad_edges(ctx, self, padding, 3, Margin::Repeat, out);
}

}  // namespace rushlight::ops
