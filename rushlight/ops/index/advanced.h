// SPDX-License-Identifier: BSD-3-Clause
// Indexing with tensors, x[:, i, j]: which dimensions are indexed, and what the result looks like.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight::ops {

/// What `indices` (one per leading dimension of self; absent: take all) select.
struct IndexPlan {
  size_t count = 0;               ///< index tensors present
  const Tensor* index[kMaxRank];  ///< those
  size_t dim[kMaxRank];           ///< the dimension of self that each one indexes
  Shape common;                   ///< sizes that the indices stretch to
  Shape result;                   ///< sizes of self[indices]
  size_t common_at = 0;           ///< where `common` starts in `result`
  size_t rest_count = 0;          ///< dimensions that are not indexed
  size_t rest_dim[kMaxRank];      ///< their place in self
  size_t rest_at[kMaxRank];       ///< their place in `result`
};

/// Fills *plan. InvalidArgument if there are too many indices, none, or their sizes do not fit; InvalidType if one is
/// not int32 or int64.
Error plan_index(KernelContext& ctx, const Tensor& self, OptionalTensorList indices, IndexPlan* plan);

/// Walks the indices' common shape, one step after the other in row-major order.
class IndexWalk {
 public:
  /// `strides`: of the tensor whose elements correspond to the steps (result or values), for each dim of plan.common.
  IndexWalk(const IndexPlan& plan, const ptrdiff_t* strides);
  /// *offset = where the present step's indices point to in self, in elements. InvalidArgument naming an index that is
  /// out of range. Negative ones count from the end.
  Error locate(KernelContext& ctx, const Tensor& self, ptrdiff_t* offset) const;
  /// Offset in the other tensor.
  ptrdiff_t other() const { return other_; }
  bool next();

 private:
  const IndexPlan& plan_;
  const ptrdiff_t* strides_;
  size_t step_ = 0;
  int32_t at_[kMaxRank] = {};
  ptrdiff_t other_ = 0;
};

/// The integer at `offset` elements in an int32 or int64 tensor.
inline int64_t read_index(const Tensor& index, ptrdiff_t offset) {
  return index.dtype() == DType::Int64 ? index.data<int64_t>()[offset] : index.data<int32_t>()[offset];
}
/// InvalidType if `index` is neither int32 nor int64.
Error expect_index(KernelContext& ctx, const Tensor& index);

}  // namespace rushlight::ops
