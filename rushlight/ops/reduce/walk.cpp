// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/reduce/walk.h"

#include "rushlight/ops/shapes.h"

namespace rushlight::ops {

void Nest::sort() {
  for (size_t i = 1; i < rank; ++i) {
    const Loop loop = loops[i];
    size_t j = i;
    for (; j > 0 && loops[j - 1].in < loop.in; --j) loops[j] = loops[j - 1];
    loops[j] = loop;
  }
}

void Nest::merge() {
  size_t kept = 0;
  for (size_t i = 0; i < rank; ++i) {
    const Loop loop = loops[i];
    if (loop.count == 1) continue;
    const ptrdiff_t count = static_cast<ptrdiff_t>(loop.count);
    Loop* outer = kept ? &loops[kept - 1] : nullptr;
    if (outer && outer->in == loop.in * count && outer->out[0] == loop.out[0] * count &&
        outer->out[1] == loop.out[1] * count) {
      *outer = {outer->count * loop.count, loop.in, {loop.out[0], loop.out[1]}};
    } else {
      loops[kept++] = loop;
    }
  }
  rank = kept;
}

size_t Nest::numel() const {
  size_t product = 1;
  for (size_t i = 0; i < rank; ++i) product *= loops[i].count;
  return product;
}

bool Odometer::next(const Nest& nest, size_t rank) {
  for (size_t i = rank; i-- > 0;) {
    const Loop& loop = nest.loops[i];
    const bool wraps = ++at[i] == loop.count;
    const ptrdiff_t steps = wraps ? 1 - static_cast<ptrdiff_t>(loop.count) : 1;
    in += steps * loop.in;
    for (size_t r = 0; r < kMaxResults; ++r) out[r] += steps * loop.out[r];
    if (!wraps) return true;
    at[i] = 0;
  }
  return false;
}

Error dims_mask(KernelContext& ctx, size_t rank, Optional<IntList> dims, uint32_t* mask) {
  *mask = 0;
  for (size_t i = 0; dims && i < dims.value.count(); ++i) {
    uint32_t bit = 0;
    RL_TRY(dim_mask(ctx, rank, dims.value[i], &bit));
    if (*mask & bit) return ctx.fail(Error::InvalidArgument, "dim {} is listed twice", dims.value[i]);
    *mask |= bit;
  }
  if (!dims || dims.value.empty()) *mask = ~0u;
  return Error::Ok;
}

Error dim_mask(KernelContext& ctx, size_t rank, int64_t dim, uint32_t* mask) {
  size_t d = 0;
  RL_TRY(shapes::normalize_dim(ctx, dim, rank, &d));
  *mask = 1u << d;
  return Error::Ok;
}

namespace {

/// Sets loop->out to the results' strides in their dimension `at`, whose size must be `expected`.
Error match_results(KernelContext& ctx, Span<Tensor* const> outs, size_t at, int32_t expected, Loop* loop) {
  for (size_t r = 0; r < outs.count(); ++r) {
    if (at >= outs[r]->rank() || outs[r]->size(at) != expected) {
      return ctx.fail(Error::InvalidArgument, "result {} has sizes {}; dim {} should be {}", r, outs[r]->sizes(), at,
                      expected);
    }
    loop->out[r] = outs[r]->stride(at);
  }
  return Error::Ok;
}

}  // namespace

Error plan_walk(KernelContext& ctx, const Tensor& self, uint32_t mask, bool keepdim, Span<Tensor* const> outs,
                Order order, Walk* walk) {
  size_t at = 0;  // dimension of the results
  for (size_t d = 0; d < self.rank(); ++d) {
    Loop loop = {static_cast<size_t>(self.size(d)), self.stride(d), {0, 0}};
    if (!(mask >> d & 1)) {
      RL_TRY(match_results(ctx, outs, at++, self.size(d), &loop));
      walk->kept.add(loop);
      continue;
    }
    Loop unused = loop;
    if (keepdim) RL_TRY(match_results(ctx, outs, at++, 1, &unused));
    walk->reduced.add(loop);
    walk->count *= loop.count;
  }
  for (Tensor* out : outs) {
    if (out->rank() != at)
      return ctx.fail(Error::InvalidArgument, "a result has rank {}, expected {}", out->rank(), at);
  }
  walk->kept.sort();
  walk->kept.merge();
  if (order == Order::Memory) walk->reduced.sort();
  walk->reduced.merge();
  return Error::Ok;
}

Error expect_elements(KernelContext& ctx, const Tensor& self, uint32_t mask) {
  for (size_t d = 0; d < self.rank(); ++d) {
    if ((mask >> d & 1) && self.size(d) == 0) {
      return ctx.fail(Error::InvalidArgument, "dim {} has size 0: there is nothing to choose from", d);
    }
  }
  return Error::Ok;
}

Error expect_numbers(KernelContext& ctx, const char* name, const Tensor& x) {
  if (loader<int64_t>(x.dtype())) return Error::Ok;
  return ctx.fail(Error::InvalidType, "{} is {}, which is not supported", name, to_string(x.dtype()));
}

Error expect_floating(KernelContext& ctx, const char* name, const Tensor& x) {
  if (is_floating(x.dtype()) && loader<double>(x.dtype())) return Error::Ok;
  return ctx.fail(Error::InvalidType, "{} is {}, expected a floating dtype", name, to_string(x.dtype()));
}

}  // namespace rushlight::ops
