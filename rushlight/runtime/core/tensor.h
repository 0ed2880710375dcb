// SPDX-License-Identifier: BSD-3-Clause
// A tensor: shape and layout that live in method memory or in the file, and data that lives elsewhere.

#pragma once

#include <cstddef>
#include <cstdint>

#include "rushlight/runtime/core/dtype.h"
#include "rushlight/runtime/core/message.h"
#include "rushlight/runtime/core/span.h"

namespace rushlight {

constexpr size_t kMaxRank = 16;

/// Whether sizes() is the shape for good, or an upper bound that may shrink and grow again.
enum class Dynamism : uint8_t { Static = 0, Bounded = 1 };

/// Sizes of one result, filled by a shape function before its kernel runs.
struct Shape {
  uint8_t rank = 0;
  int32_t sizes[kMaxRank] = {};

  Span<const int32_t> span() const { return {sizes, rank}; }
  void assign(Span<const int32_t> from) {
    rank = static_cast<uint8_t>(from.count());
    for (size_t i = 0; i < from.count(); ++i) sizes[i] = from[i];
  }
};

/// A dense block of elements with sizes and a dim order (dimensions from outermost to innermost in memory).
///
/// Owns nothing. `sizes`, `strides` and `dim_order` have rank() entries and outlive the Tensor. Strides count elements
/// and follow from sizes and dim order, so data is always dense: numel() elements at data().
/// Data may be null only when numel() is 0 or nothing was bound yet.
class Tensor {
 public:
  Tensor() = default;
  /// Static tensor over the caller's arrays; `strides` is filled here.
  Tensor(DType dtype, Span<const int32_t> sizes, const uint8_t* dim_order, ptrdiff_t* strides, void* data);
  /// Bounded tensor: `sizes` is writable and starts at the upper bound; `capacity_nbytes` bytes are at data.
  Tensor(DType dtype, Span<int32_t> sizes, const uint8_t* dim_order, ptrdiff_t* strides, void* data,
         size_t capacity_nbytes);

  DType dtype() const { return dtype_; }
  size_t rank() const { return rank_; }
  Span<const int32_t> sizes() const { return {sizes_, rank_}; }
  Span<const ptrdiff_t> strides() const { return {strides_, rank_}; }
  Span<const uint8_t> dim_order() const { return {dim_order_, rank_}; }
  int32_t size(size_t d) const { return sizes_[d]; }
  ptrdiff_t stride(size_t d) const { return strides_[d]; }
  size_t numel() const { return numel_; }
  size_t element_nbytes() const { return element_nbytes_; }
  size_t nbytes() const { return numel_ * element_nbytes_; }
  size_t capacity_nbytes() const { return capacity_nbytes_; }
  bool is_dynamic() const { return dynamism_ == Dynamism::Bounded; }
  /// Elements lie in row-major order (dimensions of size 1 may stand anywhere in the dim order).
  bool is_contiguous() const { return is_contiguous_; }
  /// Equal sizes, and equal strides in every dimension of size > 1: element i in memory is the same in both.
  bool same_layout(const Tensor& other) const;

  /// For kernels: never null for a tensor without elements, which may have no memory, so that offsets may be added.
  template <class T>
  const T* data() const {
    return static_cast<const T*>(start());
  }
  template <class T>
  T* mutable_data() const {
    return static_cast<T*>(start());
  }
  /// The memory as it was bound, or null.
  const void* raw() const { return data_; }
  void* mutable_raw() const { return data_; }
  void bind(void* data) { data_ = data; }

  /// Nobody may write the data: a constant of the file, a caller's input, or a view of one.
  bool is_read_only() const { return is_read_only_; }
  /// Gives the tensor memory of which `capacity_nbytes` may be read, and written unless is_read_only.
  void bind(void* data, size_t capacity_nbytes, bool is_read_only) {
    data_ = data;
    capacity_nbytes_ = capacity_nbytes;
    is_read_only_ = is_read_only;
  }
  /// The data is bound for good: share() refuses this tensor.
  bool is_pinned() const { return is_pinned_; }
  void pin() { is_pinned_ = true; }
  /// Makes this tensor a view of `other`'s memory, with its capacity and its read-only state; sizes stay.
  /// InvalidArgument if this tensor is a constant or the present sizes need more bytes than there are.
  [[nodiscard]] Error share(Message& message, const Tensor& other);

  /// Sets the sizes. InvalidArgument if the rank differs or a static tensor would change; OutOfResources if the new
  /// element count does not fit in capacity_nbytes(). The tensor is unchanged then.
  [[nodiscard]] Error resize(Message& message, Span<const int32_t> sizes);

 private:
  /// What stands in for the memory of a tensor without elements: nothing is read or written there.
  alignas(16) static constexpr unsigned char kNothing[16] = {};

  void* start() const { return data_ || numel_ > 0 ? data_ : const_cast<unsigned char*>(kNothing); }
  void update_strides();

  DType dtype_ = DType::Float32;
  uint8_t rank_ = 0;
  uint8_t element_nbytes_ = 0;
  Dynamism dynamism_ = Dynamism::Static;
  bool is_contiguous_ = true;
  bool is_read_only_ = false;
  bool is_pinned_ = false;
  const int32_t* sizes_ = nullptr;  // writable when Bounded
  const uint8_t* dim_order_ = nullptr;
  ptrdiff_t* strides_ = nullptr;
  size_t numel_ = 0;
  size_t capacity_nbytes_ = 0;
  void* data_ = nullptr;
};

/// *numel = the product of sizes, and *nbytes that times the element size.
///
/// False if a size is negative, or if the product wraps with empty dimensions counted as 1 (strides are such products).
[[nodiscard]] bool count_elements(Span<const int32_t> sizes, size_t element_nbytes, size_t* numel, size_t* nbytes);

}  // namespace rushlight
