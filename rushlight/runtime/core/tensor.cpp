// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/core/tensor.h"

#include "rushlight/runtime/core/checked.h"

namespace rushlight {

bool count_elements(Span<const int32_t> sizes, size_t element_nbytes, size_t* numel, size_t* nbytes) {
  // The extent counts empty dimensions as 1: strides are products of it, so they cannot wrap either.
  size_t extent = 1;
  bool is_empty = false;
  for (const int32_t n : sizes) {
    if (n < 0) return false;
    is_empty |= n == 0;
    if (n > 1 && !checked_mul(extent, static_cast<size_t>(n), &extent)) return false;
  }
  size_t extent_nbytes = 0;
  if (!checked_mul(extent, element_nbytes ? element_nbytes : 1, &extent_nbytes)) return false;
  if (extent_nbytes > static_cast<size_t>(PTRDIFF_MAX)) return false;
  *numel = is_empty ? 0 : extent;
  *nbytes = is_empty ? 0 : extent * element_nbytes;
  return true;
}

Tensor::Tensor(DType dtype, Span<const int32_t> sizes, const uint8_t* dim_order, ptrdiff_t* strides, void* data)
    : dtype_(dtype),
      rank_(static_cast<uint8_t>(sizes.count())),
      element_nbytes_(static_cast<uint8_t>(rushlight::element_nbytes(dtype))),
      sizes_(sizes.data()),
      dim_order_(dim_order),
      strides_(strides),
      data_(data) {
  update_strides();
  capacity_nbytes_ = nbytes();
}

Tensor::Tensor(DType dtype, Span<int32_t> sizes, const uint8_t* dim_order, ptrdiff_t* strides, void* data,
               size_t capacity_nbytes)
    : Tensor(dtype, sizes, dim_order, strides, data) {
  dynamism_ = Dynamism::Bounded;
  capacity_nbytes_ = capacity_nbytes;
}

void Tensor::update_strides() {
  size_t stride = 1;
  bool is_empty = false;
  for (size_t i = rank_; i-- > 0;) {
    const size_t d = dim_order_[i];
    strides_[d] = static_cast<ptrdiff_t>(stride);
    if (sizes_[d] == 0) is_empty = true;
    else stride *= static_cast<size_t>(sizes_[d]);
  }
  numel_ = is_empty ? 0 : stride;
  // Row-major in memory: dimensions of size 1 may stand anywhere in the dim order.
  is_contiguous_ = true;
  ptrdiff_t expected = 1;
  for (size_t d = rank_; d-- > 0;) {
    if (sizes_[d] <= 1) continue;
    is_contiguous_ &= strides_[d] == expected;
    expected *= sizes_[d];
  }
}

bool Tensor::same_layout(const Tensor& other) const {
  if (rank_ != other.rank_) return false;
  for (size_t d = 0; d < rank_; ++d) {
    if (sizes_[d] != other.sizes_[d]) return false;
    if (sizes_[d] > 1 && strides_[d] != other.strides_[d]) return false;
  }
  return true;
}

Error Tensor::share(Message& message, const Tensor& other) {
  if (is_pinned_) return message.fail(Error::InvalidArgument, "a constant cannot become a view");
  if (nbytes() > other.capacity_nbytes_) {
    return message.fail(Error::InvalidArgument, "a view of {} bytes does not fit the {} of its base", nbytes(),
                        other.capacity_nbytes_);
  }
  bind(other.data_, other.capacity_nbytes_, other.is_read_only_);
  return Error::Ok;
}

Error Tensor::resize(Message& message, Span<const int32_t> sizes) {
  const Span<const int32_t> now = this->sizes();
  bool is_same = sizes.count() == rank_;
  for (size_t d = 0; is_same && d < rank_; ++d) is_same = sizes[d] == now[d];
  if (is_same) return Error::Ok;
  if (sizes.count() != rank_ || dynamism_ == Dynamism::Static) {
    return message.fail(Error::InvalidArgument, "tensor of {} sizes {} cannot become {}",
                        dynamism_ == Dynamism::Static ? "static" : "bounded", now, sizes);
  }
  size_t numel = 0, nbytes = 0;
  if (!count_elements(sizes, element_nbytes_, &numel, &nbytes) || nbytes > capacity_nbytes_) {
    return message.fail(Error::OutOfResources, "sizes {} of {} need more than the {} planned bytes", sizes,
                        to_string(dtype_), capacity_nbytes_);
  }
  auto* const writable = const_cast<int32_t*>(sizes_);  // Bounded: the constructor took them writable
  for (size_t d = 0; d < rank_; ++d) writable[d] = sizes[d];
  update_strides();
  return Error::Ok;
}

}  // namespace rushlight
