// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.gather, aten.scatter and aten.scatter_add.

#include <cstring>

#include "rushlight/ops/index/along.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {
namespace {

/// An element on its way, of any dtype of up to 16 bytes.
struct Element {
  uint8_t bytes[16];
};

/// Calls run(move), where move(to, from) copies one element of `nbytes`.
template <class Run>
Error with_move(KernelContext& ctx, size_t nbytes, Run&& run) {
  const auto mover = [](auto tag) {
    return [](uint8_t* to, const uint8_t* from) {
      decltype(tag) element;
      std::memcpy(&element, from, sizeof element);
      std::memcpy(to, &element, sizeof element);
    };
  };
  switch (nbytes) {
    case 1:
      return run(mover(uint8_t{}));
    case 2:
      return run(mover(uint16_t{}));
    case 4:
      return run(mover(uint32_t{}));
    case 8:
      return run(mover(uint64_t{}));
    case 16:
      return run(mover(Element{}));
    default:
      return ctx.fail(Error::InvalidType, "elements of {} bytes are not supported", nbytes);
  }
}

/// out[index] = the matched element of src, or the bytes at `value` if src is null.
Error scatter_elements(KernelContext& ctx, Tensor& out, int64_t dim, const Tensor& index, const Tensor* src,
                       const uint8_t* value) {
  AlongPlan plan;
  RL_TRY(plan_along(ctx, out, dim, index, src, &plan));
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(out.element_nbytes());
  uint8_t* to = out.mutable_data<uint8_t>();
  const uint8_t* from = src ? src->data<uint8_t>() : value;
  return with_move(ctx, out.element_nbytes(), [&](auto move) {
    return walk_along(ctx, plan, index, [&](ptrdiff_t pointed, ptrdiff_t matched) {
      move(to + pointed * nbytes, from + matched * nbytes);
    });
  });
}

template <class V, class Total>
Error add_elements(KernelContext& ctx, const AlongPlan& plan, Tensor& out, const Tensor& index, const Tensor& src) {
  const LoadFn<V> load = loader<V>(out.dtype());
  const StoreFn<V> store = storer<V>(out.dtype());
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(out.element_nbytes());
  return walk_along(ctx, plan, index, [&](ptrdiff_t pointed, ptrdiff_t matched) {
    V sum = 0, value = 0;
    uint8_t* to = out.mutable_data<uint8_t>() + pointed * nbytes;
    load(to, 0, 1, &sum);
    load(src.data<uint8_t>() + matched * nbytes, 0, 1, &value);
    sum = static_cast<V>(static_cast<Total>(sum) + static_cast<Total>(value));
    store(to, 0, 1, &sum);
  });
}

}  // namespace

/// out[i, j, …] = self[i, index[i, j, …], …], the index standing in dimension `dim`.
Error gather(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_sizes(ctx, "out", out, index.sizes()));
  AlongPlan plan;
  RL_TRY(plan_along(ctx, self, dim, index, &out, &plan));
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  const uint8_t* from = self.data<uint8_t>();
  uint8_t* to = out.mutable_data<uint8_t>();
  return with_move(ctx, self.element_nbytes(), [&](auto move) {
    return walk_along(ctx, plan, index, [&](ptrdiff_t pointed, ptrdiff_t matched) {
      move(to + matched * nbytes, from + pointed * nbytes);
    });
  });
}

/// out = self, and out[i, index[i, j, …], …] = src[i, j, …]. May be in place of self.
Error scatter_src(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Tensor& out) {
  RL_TRY(expect_dtype(ctx, "src", src, self.dtype()));
  RL_TRY(copy_tensor(ctx, self, out));
  return scatter_elements(ctx, out, dim, index, &src, nullptr);
}

/// out = self, and out[i, index[i, j, …], …] = value. May be in place of self.
Error scatter_value(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
                    Tensor& out) {
  RL_TRY(expect_numbers(ctx, "self", self));
  RL_TRY(copy_tensor(ctx, self, out));
  Element element = {};
  if (value.is_floating()) {
    const double number = value.to_double();
    storer<double>(out.dtype())(element.bytes, 0, 1, &number);
  } else {
    const int64_t number = value.to_int();
    storer<int64_t>(out.dtype())(element.bytes, 0, 1, &number);
  }
  return scatter_elements(ctx, out, dim, index, nullptr, element.bytes);
}

/// out = self, and out[i, index[i, j, …], …] += src[i, j, …]. Integers wrap. May be in place of self.
Error scatter_add(KernelContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Tensor& out) {
  RL_TRY(expect_numbers(ctx, "self", self));
  RL_TRY(expect_dtype(ctx, "src", src, self.dtype()));
  RL_TRY(copy_tensor(ctx, self, out));
  AlongPlan plan;
  RL_TRY(plan_along(ctx, out, dim, index, &src, &plan));
  return computes_in_double(self.dtype()) ? add_elements<double, double>(ctx, plan, out, index, src)
                                          : add_elements<int64_t, uint64_t>(ctx, plan, out, index, src);
}

}  // namespace rushlight::ops
