// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.view: the same elements in logical (row-major) order under other sizes.

#include <algorithm>
#include <cstring>

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {
namespace {

/// What is left of a tensor's dimensions, taken from the innermost on in factors.
struct Factors {
  const Tensor& tensor;
  size_t rank = tensor.rank();
  size_t left = 1;  // of the present dimension
  ptrdiff_t stride = 0;

  /// Goes to the next dimension that has more than one element left. `left` is 1 if there is none.
  void refill() {
    while (left == 1 && rank > 0) {
      left = static_cast<size_t>(tensor.size(--rank));
      stride = tensor.stride(rank);
    }
  }
  void take(size_t count) {
    left /= count;
    stride *= static_cast<ptrdiff_t>(count);
  }
};

/// Splits both shapes into common factors, innermost first, one loop each. False if they have none, as [2, 3] and [3,
/// 2].
bool add_common_loops(const Tensor& self, const Tensor& out, StridedCopy* copy) {
  Factors from{self}, to{out};
  for (;;) {
    from.refill();
    to.refill();
    if (from.left == 1 && to.left == 1) return true;
    const size_t count = std::min(from.left, to.left);
    if (count == 1 || from.left % count != 0 || to.left % count != 0) return false;
    copy->add(count, to.stride, from.stride);
    from.take(count);
    to.take(count);
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
