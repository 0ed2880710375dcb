// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/index/advanced.h"

#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

/// Notes the index tensors and their dimensions. *adjacent: no absent one lies between them.
Error list_indices(KernelContext& ctx, const Tensor& self, OptionalTensorList indices, IndexPlan* plan,
                   bool* adjacent) {
  if (indices.count() > self.rank()) {
    return ctx.fail(Error::InvalidArgument, "{} indices for rank {}", indices.count(), self.rank());
  }
  *adjacent = true;
  for (size_t d = 0; d < indices.count(); ++d) {
    if (!indices[d]) continue;
    RL_TRY(expect_index(ctx, *indices[d]));
    if (plan->count > 0 && plan->dim[plan->count - 1] + 1 != d) *adjacent = false;
    plan->dim[plan->count] = d;
    plan->index[plan->count++] = indices[d];
    RL_TRY(shapes::stretch(ctx, &plan->common, indices[d]->sizes()));
  }
  return plan->count > 0 ? Error::Ok : ctx.fail(Error::InvalidArgument, "no index is given");
}

Error append_common(KernelContext& ctx, IndexPlan* plan) {
  plan->common_at = plan->result.rank;
  for (size_t i = 0; i < plan->common.rank; ++i) RL_TRY(shapes::append(ctx, &plan->result, plan->common.sizes[i]));
  return Error::Ok;
}

}  // namespace

Error expect_index(KernelContext& ctx, const Tensor& index) {
  if (index.dtype() == DType::Int64 || index.dtype() == DType::Int32) return Error::Ok;
  return ctx.fail(Error::InvalidType, "an index is {}, expected int64 or int32", to_string(index.dtype()));
}

Error plan_index(KernelContext& ctx, const Tensor& self, OptionalTensorList indices, IndexPlan* plan) {
  bool adjacent = false;
  RL_TRY(list_indices(ctx, self, indices, plan, &adjacent));
  const size_t place = adjacent ? plan->dim[0] : 0;
  size_t next = 0;  // index tensor
  for (size_t d = 0; d < self.rank(); ++d) {
    if (plan->result.rank == place && plan->rest_count == place && next == 0) RL_TRY(append_common(ctx, plan));
    if (next < plan->count && plan->dim[next] == d) {
      ++next;
      continue;
    }
    plan->rest_dim[plan->rest_count] = d;
    plan->rest_at[plan->rest_count++] = plan->result.rank;
    RL_TRY(shapes::append(ctx, &plan->result, self.size(d)));
  }
  return Error::Ok;
}

IndexWalk::IndexWalk(const IndexPlan& plan, const ptrdiff_t* strides) : plan_(plan), strides_(strides) {}

Error IndexWalk::locate(KernelContext& ctx, const Tensor& self, ptrdiff_t* offset) const {
  *offset = 0;
  for (size_t i = 0; i < plan_.count; ++i) {
    const Tensor& index = *plan_.index[i];
    const size_t added = plan_.common.rank - index.rank();
    ptrdiff_t at = 0;
    for (size_t d = 0; d < index.rank(); ++d) {
      if (index.size(d) != 1) at += at_[d + added] * index.stride(d);
    }
    const int64_t value = read_index(index, at);
    const int64_t size = self.size(plan_.dim[i]);
    if (value < -size || value >= size) {
      return ctx.fail(Error::InvalidArgument, "index {} at position {} is out of range for dim {} of size {}", value,
                      step_, plan_.dim[i], size);
    }
    *offset += static_cast<ptrdiff_t>(value < 0 ? value + size : value) * self.stride(plan_.dim[i]);
  }
  return Error::Ok;
}

bool IndexWalk::next() {
  ++step_;
  for (size_t d = plan_.common.rank; d-- > 0;) {
    other_ += strides_[d];
    if (++at_[d] < plan_.common.sizes[d]) return true;
    other_ -= strides_[d] * plan_.common.sizes[d];
    at_[d] = 0;
  }
  return false;
}

}  // namespace rushlight::ops
