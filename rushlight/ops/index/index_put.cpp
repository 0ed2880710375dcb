// SPDX-License-Identifier: BSD-3-Clause
// Portable aten.index_put, functional and in place: self[i, :, j] = values, or += values.

#include "rushlight/ops/index/advanced.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/ops/movement/strided.h"
#include "rushlight/ops/movement/view.h"
#include "rushlight/ops/reduce/walk.h"
#include "rushlight/ops/shapes.h"

namespace rushlight::ops {
namespace {

/// Puts a block of values into a block of self, over the dimensions that are not indexed.
class Writer {
 public:
  Writer(const Tensor& self, const Tensor& values, bool accumulate)
      : self_(self), values_(values), accumulate_(accumulate), copy_(self.element_nbytes()) {}
  void add(size_t count, ptrdiff_t self_stride, ptrdiff_t values_stride) {
    if (accumulate_) {
      rest_.add({count, values_stride, {self_stride, 0}});
    } else {
      copy_.add(count, self_stride, values_stride);
    }
  }
  void finish() { copy_.finish(), rest_.merge(); }
  /// Offsets in elements.
  void run(ptrdiff_t self_offset, ptrdiff_t values_offset) const {
    uint8_t* to = self_.mutable_data<uint8_t>() + self_offset * static_cast<ptrdiff_t>(self_.element_nbytes());
    const uint8_t* from = values_.data<uint8_t>() + values_offset * static_cast<ptrdiff_t>(values_.element_nbytes());
    if (!accumulate_) {
      copy_.run(to, from);
    } else if (rest_.numel() == 0) {
      return;
    } else if (computes_in_double(self_.dtype())) {
      add_all<double, double>(to, from);
    } else {
      add_all<int64_t, uint64_t>(to, from);
    }
  }

 private:
  template <class V, class Total>
  void add_all(uint8_t* to, const uint8_t* from) const {
    const LoadFn<V> load = loader<V>(self_.dtype());
    const StoreFn<V> store = storer<V>(self_.dtype());
    const ptrdiff_t nbytes = static_cast<ptrdiff_t>(self_.element_nbytes());
    Odometer at;
    do {
      V sum = 0, value = 0;
      load(to + at.out[0] * nbytes, 0, 1, &sum);
      load(from + at.in * nbytes, 0, 1, &value);
      sum = static_cast<V>(static_cast<Total>(sum) + static_cast<Total>(value));
      store(to + at.out[0] * nbytes, 0, 1, &sum);
    } while (at.next(rest_, rest_.rank));
  }

  const Tensor& self_;
  const Tensor& values_;
  bool accumulate_;
  StridedCopy copy_;
  Nest rest_;
};

/// strides[d] = the step in `values` for dimension d of `result`, to which its sizes stretch.
Error stretched_strides(KernelContext& ctx, const Tensor& values, const Shape& result, ptrdiff_t* strides) {
  bool fits = values.rank() <= result.rank;
  const size_t added = fits ? result.rank - values.rank() : 0;
  for (size_t d = 0; fits && d < result.rank; ++d) {
    const int32_t size = d < added ? 1 : values.size(d - added);
    strides[d] = size == 1 ? 0 : values.stride(d - added);
    fits = size == 1 || size == result.sizes[d];
  }
  if (fits) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "values have sizes {}, which do not stretch to {}", values.sizes(),
                  result.span());
}

Error put_at_indices(KernelContext& ctx, Tensor& self, OptionalTensorList indices, const Tensor& values,
                     bool accumulate) {
  IndexPlan plan;
  RL_TRY(plan_index(ctx, self, indices, &plan));
  ptrdiff_t strides[kMaxRank] = {};
  RL_TRY(stretched_strides(ctx, values, plan.result, strides));
  for (size_t d = 0; d < plan.result.rank; ++d) {
    if (plan.result.sizes[d] == 0) return Error::Ok;
  }
  Writer writer(self, values, accumulate);
  for (size_t i = 0; i < plan.rest_count; ++i) {
    const size_t d = plan.rest_dim[i];
    writer.add(static_cast<size_t>(self.size(d)), self.stride(d), strides[plan.rest_at[i]]);
  }
  writer.finish();
  IndexWalk walk(plan, strides + plan.common_at);
  do {
    ptrdiff_t to = 0;
    RL_TRY(walk.locate(ctx, self, &to));
    writer.run(to, walk.other());
  } while (walk.next());
  return Error::Ok;
}

/// The position of the only index if that is a mask (bool or, as in old programs, uint8); kMaxRank otherwise.
size_t mask_position(OptionalTensorList indices) {
  size_t found = kMaxRank, present = 0;
  for (size_t d = 0; d < indices.count() && d < kMaxRank; ++d) {
    if (!indices[d]) continue;
    ++present;
    if (indices[d]->dtype() == DType::Bool || indices[d]->dtype() == DType::UInt8) found = d;
  }
  return present == 1 ? found : kMaxRank;
}

/// *result = the sizes of self[:, mask], *count = how many elements of the mask are true.
Error plan_mask(KernelContext& ctx, const Tensor& self, size_t first, const Tensor& mask, Shape* result,
                size_t* count) {
  const size_t last = first + mask.rank();
  bool fits = mask.rank() > 0 && last <= self.rank();
  for (size_t d = first; fits && d < last; ++d) fits = mask.size(d - first) == self.size(d);
  if (!fits) {
    return ctx.fail(Error::InvalidArgument, "a mask of sizes {} does not fit {}", mask.sizes(), self.sizes());
  }
  *count = 0;
  for (size_t i = 0; i < mask.numel(); ++i) *count += mask.data<uint8_t>()[i] != 0;
  result->assign(self.sizes().first(first));
  RL_TRY(shapes::append(ctx, result, static_cast<int64_t>(*count)));
  for (size_t d = last; d < self.rank(); ++d) RL_TRY(shapes::append(ctx, result, self.size(d)));
  return Error::Ok;
}

/// Where logical position i of a mask is in self, in whose dimension `first` the mask begins. In elements.
ptrdiff_t masked_offset(const Tensor& self, size_t first, const Tensor& mask, size_t i) {
  ptrdiff_t offset = 0;
  for (size_t d = mask.rank(); d-- > 0;) {
    const size_t size = static_cast<size_t>(mask.size(d));
    offset += static_cast<ptrdiff_t>(i % size) * self.stride(first + d);
    i /= size;
  }
  return offset;
}

/// self[:, mask] = values, where the mask stands for as many dimensions as it has.
Error put_at_mask(KernelContext& ctx, Tensor& self, size_t first, const Tensor& mask, const Tensor& values,
                  bool accumulate) {
  Shape result;
  size_t count = 0;
  RL_TRY(plan_mask(ctx, self, first, mask, &result, &count));
  ptrdiff_t strides[kMaxRank] = {};
  RL_TRY(stretched_strides(ctx, values, result, strides));
  if (values.numel() == 0) return Error::Ok;
  Writer writer(self, values, accumulate);
  for (size_t d = 0; d < first; ++d) writer.add(static_cast<size_t>(self.size(d)), self.stride(d), strides[d]);
  for (size_t d = first + mask.rank(); d < self.rank(); ++d) {
    writer.add(static_cast<size_t>(self.size(d)), self.stride(d), strides[d - mask.rank() + 1]);
  }
  writer.finish();
  size_t done = 0;
  for (size_t i = 0; i < mask.numel() && done < count; ++i) {  // `done`: self may overlap the mask in a broken file
    if (mask.data<uint8_t>()[element_offset(mask, i)] == 0) continue;
    writer.run(masked_offset(self, first, mask, i), static_cast<ptrdiff_t>(done++) * strides[first]);
  }
  return Error::Ok;
}

Error put(KernelContext& ctx, Tensor& self, OptionalTensorList indices, const Tensor& values, bool accumulate) {
  RL_TRY(expect_dtype(ctx, "values", values, self.dtype()));
  if (accumulate) RL_TRY(expect_numbers(ctx, "self", self));
  const size_t position = mask_position(indices);
  if (position < kMaxRank) return put_at_mask(ctx, self, position, *indices[position], values, accumulate);
  return put_at_indices(ctx, self, indices, values, accumulate);
}

}  // namespace

/// out = self, and out[indices] = values, or += values if `accumulate`. Of several values for one element the last one
/// stays. The only index may be a mask. May be in place of self.
Error index_put(KernelContext& ctx, const Tensor& self, OptionalTensorList indices, const Tensor& values,
                bool accumulate, Tensor& out) {
  RL_TRY(copy_tensor(ctx, self, out));
  return put(ctx, out, indices, values, accumulate);
}

/// self[indices] = values, or += values; see index_put.
Error index_put_(KernelContext& ctx, Tensor& self, OptionalTensorList indices, const Tensor& values, bool accumulate) {
  return put(ctx, self, indices, values, accumulate);
}

}  // namespace rushlight::ops
