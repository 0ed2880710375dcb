// SPDX-License-Identifier: BSD-3-Clause
// Portable ops whose result depends on which elements are true: nonzero, masked_select, masked_scatter,
// repeat_interleave. The first two and the last set the size of `out` themselves, which no shape function can know.

#include <cstring>
#include <initializer_list>

#include "rushlight/ops/index/advanced.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/reduce/block.h"
#include "rushlight/ops/reduce/walk.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

/// Sets out's sizes, within its bound. `out` must not be one of the inputs, whose sizes would change under the kernel.
Error resize_result(KernelContext& ctx, Tensor& out, const Shape& shape, std::initializer_list<const Tensor*> inputs) {
  for (const Tensor* input : inputs) {
    if (input == &out) return ctx.fail(Error::InvalidArgument, "out is also an input");
  }
  if (out.resize(ctx.message(), shape.span()) != Error::Ok) {
    return ctx.fail(Error::OutOfResources, "the result has sizes {}, which do not fit out's bound", shape.span());
  }
  if (out.numel() > 0 && !out.raw()) return ctx.fail(Error::InvalidProgram, "out has no memory");
  return Error::Ok;
}

/// Where an element of `x` is that stands for logical position i of `shape`, to which x's sizes stretch.
ptrdiff_t stretched_offset(const Tensor& x, const Shape& shape, size_t i) {
  ptrdiff_t offset = 0;
  for (size_t d = shape.rank; d-- > 0;) {
    const size_t size = static_cast<size_t>(shape.sizes[d]);
    const size_t added = shape.rank - x.rank();
    if (d >= added && x.size(d - added) != 1) offset += static_cast<ptrdiff_t>(i % size) * x.stride(d - added);
    i /= size;
  }
  return offset;
}

size_t numel_of(const Shape& shape) {
  size_t numel = 1;
  for (size_t d = 0; d < shape.rank; ++d) numel *= static_cast<size_t>(shape.sizes[d]);
  return numel;
}

Error expect_mask(KernelContext& ctx, const Tensor& mask) {
  if (mask.dtype() == DType::Bool || mask.dtype() == DType::UInt8) return Error::Ok;
  return ctx.fail(Error::InvalidType, "mask is {}, expected bool", to_string(mask.dtype()));
}

/// *shape = the common shape of a and b; its element count must not wrap, although nothing of that size exists.
Error common_shape(KernelContext& ctx, const Tensor& a, const Tensor& b, Shape* shape) {
  size_t numel = 0, nbytes = 0;
  shape->assign(a.sizes());
  RL_TRY(shapes::stretch(ctx, shape, b.sizes()));
  if (count_elements(shape->span(), 16, &numel, &nbytes)) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "sizes {} overflow", shape->span());
}

}  // namespace

/// out [count, rank] (int64) = the positions of the elements that are not zero, row-major.
Error nonzero(KernelContext& ctx, const Tensor& self, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, DType::Int64));
  RL_TRY(expect_numbers(ctx, "self", self));
  const LoadFn<double> load = loader<double>(self.dtype());
  const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self.element_nbytes());
  size_t count = 0;
  double value = 0;
  for (size_t i = 0; i < self.numel(); ++i) {  // in memory order: the order does not matter for the count
    load(self.data<uint8_t>() + static_cast<ptrdiff_t>(i) * nbytes, 0, 1, &value);
    count += value != 0;
  }
  Shape shape;
  RL_TRY(shapes::append(ctx, &shape, static_cast<int64_t>(count)));
  RL_TRY(shapes::append(ctx, &shape, static_cast<int64_t>(self.rank())));
  RL_TRY(resize_result(ctx, out, shape, {&self}));
  size_t found = 0;
  for (size_t i = 0; i < self.numel() && found < count; ++i) {
    load(self.data<uint8_t>() + element_offset(self, i) * nbytes, 0, 1, &value);
    if (value == 0) continue;
    size_t rest = i;
    for (size_t d = self.rank(); d-- > 0; rest /= static_cast<size_t>(self.size(d))) {
      int64_t* to = out.mutable_data<int64_t>() + static_cast<ptrdiff_t>(found) * out.stride(0);
      to[static_cast<ptrdiff_t>(d) * out.stride(1)] = static_cast<int64_t>(rest % static_cast<size_t>(self.size(d)));
    }
    ++found;
  }
  return Error::Ok;
}

/// out [count] = the elements of self where mask is true, row-major; self and mask stretch to each other.
Error masked_select(KernelContext& ctx, const Tensor& self, const Tensor& mask, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_mask(ctx, mask));
  Shape common, shape;
  RL_TRY(common_shape(ctx, self, mask, &common));
  const size_t numel = numel_of(common), nbytes = self.element_nbytes();
  size_t count = 0;
  for (size_t i = 0; i < numel; ++i) count += mask.data<uint8_t>()[stretched_offset(mask, common, i)] != 0;
  RL_TRY(shapes::append(ctx, &shape, static_cast<int64_t>(count)));
  RL_TRY(resize_result(ctx, out, shape, {&self, &mask}));
  size_t found = 0;
  for (size_t i = 0; i < numel && found < count; ++i) {
    if (mask.data<uint8_t>()[stretched_offset(mask, common, i)] == 0) continue;
    std::memmove(out.mutable_data<uint8_t>() + found++ * nbytes,
                 self.data<uint8_t>() + stretched_offset(self, common, i) * static_cast<ptrdiff_t>(nbytes), nbytes);
  }
  return Error::Ok;
}

/// out = self with the elements where mask is true replaced, one after the other, by those of source (row-major).
Error masked_scatter(KernelContext& ctx, const Tensor& self, const Tensor& mask, const Tensor& source, Tensor& out) {
  RL_TRY(expect_dtype(ctx, "out", out, self.dtype()));
  RL_TRY(expect_dtype(ctx, "source", source, self.dtype()));
  RL_TRY(expect_mask(ctx, mask));
  Shape common;
  RL_TRY(common_shape(ctx, self, mask, &common));
  RL_TRY(expect_sizes(ctx, "out", out, common.span()));
  const size_t nbytes = self.element_nbytes();
  size_t used = 0;
  for (size_t i = 0; i < out.numel(); ++i) {
    const bool is_replaced = mask.data<uint8_t>()[stretched_offset(mask, common, i)] != 0;
    if (is_replaced && used == source.numel()) {
      return ctx.fail(Error::InvalidArgument, "source has {} elements, fewer than mask has true ones", used);
    }
    const ptrdiff_t from = is_replaced ? element_offset(source, used++) : stretched_offset(self, common, i);
    std::memmove(out.mutable_data<uint8_t>() + element_offset(out, i) * static_cast<ptrdiff_t>(nbytes),
                 (is_replaced ? source : self).data<uint8_t>() + from * static_cast<ptrdiff_t>(nbytes), nbytes);
  }
  return Error::Ok;
}

/// out = 0 repeats[0] times, 1 repeats[1] times, … in repeats' dtype. output_size, if given, is the sum of repeats.
Error repeat_interleave(KernelContext& ctx, const Tensor& repeats, Optional<int64_t> output_size, Tensor& out) {
  if (repeats.rank() != 1) return ctx.fail(Error::InvalidArgument, "repeats has rank {}, expected 1", repeats.rank());
  RL_TRY(expect_index(ctx, repeats));
  RL_TRY(expect_dtype(ctx, "out", out, repeats.dtype()));
  int64_t total = 0;
  for (size_t i = 0; i < repeats.numel(); ++i) {
    const int64_t count = read_index(repeats, static_cast<ptrdiff_t>(i));
    if (count < 0 || !checked_add(total, count, &total)) {
      return ctx.fail(Error::InvalidArgument, "repeats[{}] = {} is out of range", i, count);
    }
  }
  if (output_size && *output_size != total) {
    return ctx.fail(Error::InvalidArgument, "output_size is {}, but repeats add up to {}", *output_size, total);
  }
  Shape shape;
  RL_TRY(shapes::append(ctx, &shape, total));
  RL_TRY(resize_result(ctx, out, shape, {&repeats}));
  const StoreFn<int64_t> store = storer<int64_t>(out.dtype());
  size_t at = 0;
  for (size_t i = 0; i < repeats.numel(); ++i) {
    const int64_t value = static_cast<int64_t>(i);
    for (int64_t n = read_index(repeats, value); n > 0 && at < out.numel(); --n, ++at) {
      store(out.mutable_data<uint8_t>() + at * out.element_nbytes(), 0, 1, &value);
    }
  }
  return Error::Ok;
}

}  // namespace rushlight::ops
