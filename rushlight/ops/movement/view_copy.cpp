// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.view: the same elements in logical (row-major) order under other sizes.

#include <cstring>

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {
namespace {

/// Splits both shapes into common factors, innermost first, one loop each. False if they have none, as [2, 3] and [3,
/// 2].
bool add_common_loops(const Tensor& self, const Tensor& out, StridedCopy* copy) {
  size_t i = self.rank(), o = out.rank();
  size_t from = 1, to = 1;  // what is left of the present dimensions
  ptrdiff_t from_stride = 0, to_stride = 0;
  for (;;) {
    while (from == 1 && i > 0) from = static_cast<size_t>(self.size(--i)), from_stride = self.stride(i);
    while (to == 1 && o > 0) to = static_cast<size_t>(out.size(--o)), to_stride = out.stride(o);
    if (from == 1 && to == 1) return true;
    const size_t count = from < to ? from : to;
    if (count == 1 || from % count != 0 || to % count != 0) return false;
    copy->add(count, to_stride, from_stride);
    from /= count, to /= count;
    from_stride *= static_cast<ptrdiff_t>(count), to_stride *= static_cast<ptrdiff_t>(count);
  }
}

/// Copies element by element in logical order.
void copy_elements(const Tensor& self, Tensor& out) {
  const size_t nbytes = self.element_nbytes();
  for (size_t i = 0; i < out.numel(); ++i) {
    std::memmove(out.mutable_data<uint8_t>() + element_offset(out, i) * static_cast<ptrdiff_t>(nbytes),
                 self.data<uint8_t>() + element_offset(self, i) * static_cast<ptrdiff_t>(nbytes), nbytes);
  }
}

}  // namespace

/// out = self's elements in row-major order, with out's sizes. Sharing self's memory is fine if both are row-major.
Error view(KernelContext& ctx, const Tensor& self, IntList size, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  if (self.numel() != out.numel()) {
    return ctx.fail(Error::InvalidArgument, "out has {} elements, self {}", out.numel(), self.numel());
  }
  if (self.numel() == 0) return Error::Ok;
  if (self.is_contiguous() && out.is_contiguous()) {
    if (out.raw() != self.raw()) std::memmove(out.mutable_raw(), self.raw(), self.nbytes());
    return Error::Ok;
  }
  StridedCopy copy(self.element_nbytes());
  if (add_common_loops(self, out, &copy)) {
    copy.finish();
    copy.run(out.mutable_raw(), self.raw());
  } else {
    copy_elements(self, out);
  }
  return Error::Ok;
}

}  // namespace rushlight::ops
