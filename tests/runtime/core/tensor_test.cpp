// SPDX-License-Identifier: BSD-3-Clause
#include "tests/check.h"

namespace rushlight {

TEST(strides_follow_from_the_dim_order) {
  const int32_t sizes[] = {2, 3, 4, 5};
  const uint8_t channels_last[] = {0, 2, 3, 1};
  ptrdiff_t strides[4];
  const Tensor t(DType::Float32, sizes, channels_last, strides, nullptr);
  CHECK_EQ(t.stride(0), ptrdiff_t{60});
  CHECK_EQ(t.stride(1), ptrdiff_t{1});
  CHECK_EQ(t.stride(2), ptrdiff_t{15});
  CHECK_EQ(t.stride(3), ptrdiff_t{3});
  CHECK_EQ(t.numel(), size_t{120});
  CHECK_EQ(t.nbytes(), size_t{480});
  CHECK(!t.is_contiguous());
}

TEST(dimensions_of_size_one_may_stand_anywhere_in_a_row_major_order) {
  const int32_t sizes[] = {1, 1, 4, 5};
  const uint8_t channels_last[] = {0, 2, 3, 1}, row_major[] = {0, 1, 2, 3};
  ptrdiff_t strides[4], others[4];
  const Tensor a(DType::Float32, sizes, channels_last, strides, nullptr);
  const Tensor b(DType::Float32, sizes, row_major, others, nullptr);
  CHECK(a.is_contiguous());
  CHECK(a.same_layout(b));
}

TEST(bounded_tensors_shrink_and_grow_within_their_bytes) {
  int32_t sizes[] = {4, 6};
  const uint8_t order[] = {0, 1};
  ptrdiff_t strides[2];
  Message m;
  Tensor t(DType::Int16, Span<int32_t>(sizes), order, strides, nullptr, 48);
  const int32_t small[] = {2, 5}, wide[] = {3, 8}, big[] = {5, 5}, deep[] = {1, 1, 1}, negative[] = {-1, 2};
  CHECK_EQ(t.resize(m, small), Error::Ok);
  CHECK_EQ(t.stride(0), ptrdiff_t{5});
  CHECK_EQ(t.resize(m, wide), Error::Ok);
  CHECK_EQ(t.numel(), size_t{24});
  CHECK_EQ(t.resize(m, big), Error::OutOfResources);
  CHECK_TEXT(m.text(), "[5, 5] of int16 need more than the 48 planned bytes");
  CHECK_EQ(t.resize(m, deep), Error::InvalidArgument);
  CHECK_EQ(t.resize(m, negative), Error::OutOfResources);
  CHECK_EQ(t.numel(), size_t{24});
}

TEST(static_tensors_refuse_any_other_shape) {
  const int32_t sizes[] = {2, 2}, other[] = {4, 1};
  const uint8_t order[] = {0, 1};
  ptrdiff_t strides[2];
  Message m;
  Tensor t(DType::Int16, sizes, order, strides, nullptr);
  CHECK_EQ(t.resize(m, sizes), Error::Ok);
  CHECK_EQ(t.resize(m, other), Error::InvalidArgument);
  CHECK_TEXT(m.text(), "static sizes [2, 2] cannot become [4, 1]");
}

TEST(element_counts_that_wrap_are_refused) {
  size_t numel = 0, nbytes = 0;
  const int32_t big[] = {INT32_MAX, INT32_MAX, INT32_MAX}, negative[] = {3, -1}, empty[] = {0, INT32_MAX, INT32_MAX};
  const int32_t hollow[] = {5, 0, 7};
  CHECK(!count_elements(big, 1, &numel, &nbytes));
  CHECK(!count_elements(negative, 1, &numel, &nbytes));
  CHECK(!count_elements(empty, 8, &numel, &nbytes));  // its strides would wrap
  CHECK(count_elements(hollow, 8, &numel, &nbytes) && numel == 0 && nbytes == 0);
  CHECK(count_elements({}, 8, &numel, &nbytes) && numel == 1 && nbytes == 8);
}

TEST(kernels_may_count_from_the_data_of_an_empty_tensor_without_memory) {
  const int32_t empty[] = {2, 0}, full[] = {2, 1};
  const uint8_t order[] = {0, 1};
  ptrdiff_t strides[2];
  const Tensor hollow(DType::Float32, empty, order, strides, nullptr);
  CHECK(hollow.data<float>() != nullptr && hollow.mutable_data<float>() != nullptr && !hollow.raw());
  const Tensor unbound(DType::Float32, full, order, strides, nullptr);
  CHECK(!unbound.data<float>() && !unbound.raw());
}

SUITE(tensor, CASE(strides_follow_from_the_dim_order),
      CASE(dimensions_of_size_one_may_stand_anywhere_in_a_row_major_order),
      CASE(bounded_tensors_shrink_and_grow_within_their_bytes), CASE(static_tensors_refuse_any_other_shape),
      CASE(element_counts_that_wrap_are_refused),
      CASE(kernels_may_count_from_the_data_of_an_empty_tensor_without_memory));

}  // namespace rushlight
