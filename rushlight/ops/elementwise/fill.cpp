// SPDX-License-Identifier: BSD-3-Clause
// Tensors made of a number, of nothing, or of a sequence.

#include <cstring>

#include "rushlight/ops/elementwise/elementwise.h"

namespace rushlight::ops {
namespace {

/// out[i] = the element at `bytes`.
void repeat_element(const void* bytes, Tensor& out) {
  const size_t nbytes = out.element_nbytes(), total = out.nbytes();
  auto* const to = out.mutable_data<uint8_t>();
  if (total == 0) return;
  std::memcpy(to, bytes, nbytes);
  for (size_t done = nbytes; done < total;) {  // doubles what is there
    const size_t n = total - done < done ? total - done : done;
    std::memcpy(to + done, to, n);
    done += n;
  }
}

Error fill_with(KernelContext& ctx, const char* name, Scalar value, Tensor& out) {
  uint64_t bytes = 0;
  RL_TRY(store_scalar(ctx, name, value, out.dtype(), &bytes));
  repeat_element(&bytes, out);
  return Error::Ok;
}

/// out[i] = start + i * step.
template <class T>
void write_sequence(Compute compute, T start, T step, Tensor& out) {
  const Store store = find_store(compute, out.dtype());
  auto* to = out.mutable_data<uint8_t>();
  for (size_t i = 0; i < out.numel(); ++i, to += out.element_nbytes()) {
    const T value = wrap_add(start, wrap_mul(static_cast<T>(i), step));
    store(&value, to, 1);
  }
}

Error fill_sequence(KernelContext& ctx, Scalar start, Scalar step, Tensor& out) {
  if (!is_computable(out.dtype())) return ctx.fail(Error::InvalidType, "out is {}", to_string(out.dtype()));
  if (is_floating(out.dtype())) {
    write_sequence(Compute::Double, start.to_double(), step.to_double(), out);
    return Error::Ok;
  }
  int64_t first = 0, stride = 0;
  RL_TRY(store_scalar(ctx, "start", start, DType::Int64, &first));
  RL_TRY(store_scalar(ctx, "step", step, DType::Int64, &stride));
  write_sequence(Compute::Int, first, stride, out);
  return Error::Ok;
}

}  // namespace

/// out = fill_value everywhere.
Error full(KernelContext& ctx, IntList, Scalar fill_value, Tensor& out) {
  return fill_with(ctx, "fill_value", fill_value, out);
}
Error full_like(KernelContext& ctx, const Tensor&, Scalar fill_value, Optional<int64_t>, Tensor& out) {
  return fill_with(ctx, "fill_value", fill_value, out);
}
Error fill_Scalar(KernelContext& ctx, const Tensor&, Scalar value, Tensor& out) {
  return fill_with(ctx, "value", value, out);
}
/// out = the one element of value, in out's dtype.
Error fill(KernelContext& ctx, const Tensor&, const Tensor& value, Tensor& out) {
  if (value.numel() != 1) {
    return ctx.fail(Error::InvalidArgument, "value has sizes {}, expected one element", value.sizes());
  }
  return copy_elements(ctx, value, out);
}
Error zeros(KernelContext& ctx, IntList, Tensor& out) { return fill_with(ctx, "value", Scalar(false), out); }
Error ones(KernelContext& ctx, IntList, Tensor& out) { return fill_with(ctx, "value", Scalar(true), out); }
Error scalar_tensor(KernelContext& ctx, Scalar s, Tensor& out) { return fill_with(ctx, "s", s, out); }

/// out = whatever its memory holds.
Error empty_memory_format(KernelContext&, IntList, Optional<int64_t>, Tensor&) { return Error::Ok; }
Error empty_dim_order(KernelContext&, IntList, Optional<IntList>, Tensor&) { return Error::Ok; }

/// out = 0, 1, 2, … below end.
Error arange(KernelContext& ctx, Scalar, Tensor& out) {
  return fill_sequence(ctx, Scalar(int64_t{0}), Scalar(int64_t{1}), out);
}
/// out = start, start + step, … before end.
Error arange_start_step(KernelContext& ctx, Scalar start, Scalar, Scalar step, Tensor& out) {
  return fill_sequence(ctx, start, step, out);
}

}  // namespace rushlight::ops
