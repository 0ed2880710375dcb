// SPDX-License-Identifier: BSD-3-Clause
#include "tests/check.h"

#include "rushlight/ops/registry.h"

namespace rushlight {
namespace {

/// Calls an operator of the table on the slots given.
Error run(const char* name, Message& message, Span<EValue* const> slots) {
  for (const OpEntry& op : default_ops()) {
    if (std::strcmp(op.name, name) != 0) continue;
    KernelContext ctx(op.name, message, {});
    return op.kernel(ctx, slots);
  }
  return Error::OperatorMissing;
}

/// An int[] of two.
struct Pair {
  EValue items[2];
  EValue* slots[2] = {&items[0], &items[1]};
  EValue list = EValue::of_slots(Tag::IntList, slots);
  Pair(int64_t a, int64_t b) : items{EValue::of_int(a), EValue::of_int(b)} {}
};

const uint8_t kOrder[] = {0, 1, 2};

}  // namespace

TEST(et_view_shares_memory_and_takes_the_sizes) {
  float data[12] = {}, elsewhere[12] = {};
  const int32_t sizes[] = {3, 4};
  int32_t out_sizes[] = {6, 2};
  ptrdiff_t strides[2], out_strides[2];
  Tensor self(DType::Float32, sizes, kOrder, strides, data);
  Tensor out(DType::Float32, Span<int32_t>(out_sizes), kOrder, out_strides, elsewhere, sizeof elsewhere);
  EValue a = EValue::of_tensor(&self), b = EValue::of_tensor(&out);
  Pair size(2, -1);
  Message message;
  EValue* slots[] = {&a, &size.list, &b};
  CHECK_EQ(run("executorch_prim::et_view.default", message, slots), Error::Ok);
  CHECK(out.raw() == data);
  CHECK_EQ(out.size(0), 2);
  CHECK_EQ(out.size(1), 6);
}

TEST(et_view_of_read_only_memory_is_read_only) {
  float data[4] = {};
  const int32_t sizes[] = {2, 2};
  int32_t out_sizes[] = {4, 1};
  ptrdiff_t strides[2], out_strides[2];
  Tensor self(DType::Float32, sizes, kOrder, strides, nullptr);
  self.bind(data, sizeof data, true);
  Tensor out(DType::Float32, Span<int32_t>(out_sizes), kOrder, out_strides, nullptr, sizeof data);
  EValue a = EValue::of_tensor(&self), b = EValue::of_tensor(&out);
  Pair size(4, 1);
  Message message;
  EValue* slots[] = {&a, &size.list, &b};
  CHECK_EQ(run("executorch_prim::et_view.default", message, slots), Error::Ok);
  CHECK(out.is_read_only());
}

TEST(et_view_refuses_other_dtypes_and_element_counts) {
  float data[4] = {};
  const int32_t sizes[] = {2, 2};
  int32_t out_sizes[] = {4, 1};
  ptrdiff_t strides[2], out_strides[2];
  Tensor self(DType::Float32, sizes, kOrder, strides, data);
  Tensor out(DType::Int32, Span<int32_t>(out_sizes), kOrder, out_strides, nullptr, sizeof data);
  EValue a = EValue::of_tensor(&self), b = EValue::of_tensor(&out);
  Pair size(4, 1), wrong(3, 1);
  Message message;
  EValue* slots[] = {&a, &size.list, &b};
  CHECK_EQ(run("executorch_prim::et_view.default", message, slots), Error::InvalidType);
  CHECK_TEXT(message.text(), "executorch_prim::et_view.default: out is int32, expected float32");
  EValue* wrong_slots[] = {&a, &wrong.list, &b};
  CHECK_EQ(run("executorch_prim::et_view.default", message, wrong_slots), Error::InvalidArgument);
  CHECK_TEXT(message.text(), "do not hold the 4 elements");
}

TEST(et_copy_index_fills_row_by_row) {
  int32_t stack[6] = {}, row[2] = {7, 8};
  int32_t to_sizes[] = {3, 2};
  const int32_t from_sizes[] = {2};
  ptrdiff_t to_strides[2], from_strides[1];
  Tensor to(DType::Int32, Span<int32_t>(to_sizes), kOrder, to_strides, stack, sizeof stack);
  Tensor from(DType::Int32, from_sizes, kOrder, from_strides, row);
  EValue a = EValue::of_tensor(&to), b = EValue::of_tensor(&from), index = EValue::of_int(0);
  Message message;
  EValue* slots[] = {&a, &b, &index};
  for (int64_t i = 0; i < 3; ++i) {
    index = EValue::of_int(i);
    CHECK_EQ(run("executorch_prim::et_copy_index.tensor", message, slots), Error::Ok);
    CHECK_EQ(to.size(0), static_cast<int32_t>(i) + 1);
    row[0] += 10;
  }
  const int32_t expected[] = {7, 8, 17, 8, 27, 8};
  CHECK(std::memcmp(stack, expected, sizeof stack) == 0);
  index = EValue::of_int(3);
  CHECK_EQ(run("executorch_prim::et_copy_index.tensor", message, slots), Error::OutOfResources);
  CHECK_TEXT(message.text(), "sizes [4, 2] do not fit");
  index = EValue::of_int(-1);
  CHECK_EQ(run("executorch_prim::et_copy_index.tensor", message, slots), Error::InvalidArgument);
}

TEST(reading_a_number_off_memory_that_is_not_there_is_an_error) {
  const int32_t sizes[] = {1};
  ptrdiff_t strides[1];
  Tensor self(DType::Float32, sizes, kOrder, strides, nullptr);
  EValue a = EValue::of_tensor(&self), out;
  Message message;
  EValue* slots[] = {&a, &out};
  CHECK_EQ(run("aten::_local_scalar_dense", message, slots), Error::InvalidProgram);
}

SUITE(prim, CASE(et_view_shares_memory_and_takes_the_sizes), CASE(et_view_of_read_only_memory_is_read_only),
      CASE(et_view_refuses_other_dtypes_and_element_counts), CASE(et_copy_index_fills_row_by_row),
      CASE(reading_a_number_off_memory_that_is_not_there_is_an_error));

}  // namespace rushlight
