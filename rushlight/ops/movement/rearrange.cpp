// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.repeat, aten.flip and aten.roll.

#include <cstring>

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

/// *shift = how far each dimension moves, within its size; a dimension listed twice moves by the sum.
Error sum_shifts(KernelContext& ctx, const Tensor& self, IntList shifts, IntList dims, int32_t* shift) {
  if (shifts.count() != dims.count()) {
    return ctx.fail(Error::InvalidArgument, "{} shifts but {} dims given", shifts.count(), dims.count());
  }
  for (size_t i = 0; i < dims.count(); ++i) {
    size_t d = 0;
    RL_TRY(shapes::normalize_dim(ctx, dims[i], self.rank(), &d));
    if (d >= self.rank() || self.size(d) == 0) continue;
    const int64_t size = self.size(d);
    shift[d] = static_cast<int32_t>((((shifts[i] % size) + size) % size + shift[d]) % size);
  }
  return Error::Ok;
}

/// Copies one of the 2^n blocks of a roll. Bit d of `wrapped`: the block whose elements wrap round in dimension d.
void copy_block(const Tensor& self, Tensor& out, const int32_t* shift, uint32_t wrapped) {
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  StridedCopy copy(self.element_nbytes());
  ptrdiff_t from = 0, to = 0;
  for (size_t d = 0; d < self.rank(); ++d) {
    const int32_t straight = self.size(d) - shift[d];
    const bool is_wrapped = wrapped >> d & 1;
    copy.add(static_cast<size_t>(is_wrapped ? shift[d] : straight), out.stride(d), self.stride(d));
    from += is_wrapped ? straight * self.stride(d) : 0;
    to += is_wrapped ? 0 : shift[d] * out.stride(d);
  }
  copy.finish();
  copy.run(out.mutable_data<uint8_t>() + to * nbytes, self.data<uint8_t>() + from * nbytes);
}

/// Roll of all elements in logical order as one row.
Error roll_flat(KernelContext& ctx, const Tensor& self, IntList shifts, Tensor& out) {
  if (shifts.count() != 1) return ctx.fail(Error::InvalidArgument, "{} shifts given without dims", shifts.count());
  const int64_t numel = static_cast<int64_t>(self.numel());
  const size_t nbytes = self.element_nbytes();
  const size_t shift = static_cast<size_t>(((shifts[0] % numel) + numel) % numel);
  if (self.is_contiguous() && out.is_contiguous()) {
    std::memmove(out.mutable_data<uint8_t>() + shift * nbytes, self.raw(), self.nbytes() - shift * nbytes);
    std::memmove(out.mutable_raw(), self.data<uint8_t>() + self.nbytes() - shift * nbytes, shift * nbytes);
    return Error::Ok;
  }
  for (size_t i = 0; i < self.numel(); ++i) {
    const size_t j = i + shift < self.numel() ? i + shift : i + shift - self.numel();
    std::memmove(out.mutable_data<uint8_t>() + element_offset(out, j) * static_cast<ptrdiff_t>(nbytes),
                 self.data<uint8_t>() + element_offset(self, i) * static_cast<ptrdiff_t>(nbytes), nbytes);
  }
  return Error::Ok;
}

}  // namespace

/// out = self tiled repeats[d] times in dimension d; new dimensions in front.
Error repeat(KernelContext& ctx, const Tensor& self, IntList repeats, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  if (repeats.count() != out.rank() || out.rank() < self.rank()) {
    return ctx.fail(Error::InvalidArgument, "out has rank {}, expected {}", out.rank(), repeats.count());
  }
  if (out.numel() == 0) return Error::Ok;
  const size_t added = out.rank() - self.rank();
  StridedCopy copy(self.element_nbytes());
  for (size_t d = 0; d < out.rank(); ++d) {
    const int32_t size = d < added ? 1 : self.size(d - added);
    if (size == 0 || repeats[d] != out.size(d) / size || out.size(d) % size != 0) {
      return ctx.fail(Error::InvalidArgument, "out has size {} at dim {}, expected {} times {}", out.size(d), d, size,
                      repeats[d]);
    }
    copy.add(static_cast<size_t>(repeats[d]), out.stride(d) * size, 0);
    if (d >= added) copy.add(static_cast<size_t>(size), out.stride(d), self.stride(d - added));
  }
  copy.finish();
  copy.run(out.mutable_raw(), self.raw());
  return Error::Ok;
}

/// out = self read backwards in each of `dims`.
Error flip(KernelContext& ctx, const Tensor& self, IntList dims, Tensor& out) {
  View view = view_of(self);
  uint32_t seen = 0;
  for (size_t i = 0; i < dims.count(); ++i) {
    size_t d = 0;
    RL_TRY(shapes::normalize_dim(ctx, dims[i], self.rank(), &d));
    if (seen >> d & 1) return ctx.fail(Error::InvalidArgument, "dim {} is given twice", d);
    seen |= 1u << d;
    if (d >= self.rank() || self.size(d) == 0) continue;
    view.offset += self.stride(d) * (self.size(d) - 1);
    view.strides[d] = -self.stride(d);
  }
  return copy_view(ctx, self, view, out);
}

/// out[i + shift] = self[i], wrapped round, in each of `dims`; without dims over all elements in row-major order.
Error roll(KernelContext& ctx, const Tensor& self, IntList shifts, IntList dims, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_sizes(ctx, "out", out, self.sizes()));
  if (self.numel() == 0) return Error::Ok;
  if (dims.empty()) return roll_flat(ctx, self, shifts, out);
  int32_t shift[kMaxRank] = {};
  RL_TRY(sum_shifts(ctx, self, shifts, dims, shift));
  uint32_t moving = 0;
  for (size_t d = 0; d < self.rank(); ++d) moving |= (shift[d] != 0 ? 1u : 0u) << d;
  uint32_t wrapped = 0;
  do {  // every subset of `moving`
    copy_block(self, out, shift, wrapped);
    wrapped = (wrapped - moving) & moving;
  } while (wrapped != 0);
  return Error::Ok;
}

}  // namespace rushlight::ops
