// SPDX-License-Identifier: BSD-3-Clause
// From a value of the file to an EValue, wherever its tensors and lists are kept.

#pragma once

#include "rushlight/runtime/core/evalue.h"
#include "rushlight/schema/views.h"

namespace rushlight {

/// `store` supplies the memory:
///   Tensor* tensor(TensorView)      a tensor with the file's dtype, sizes and dim order;
///   EValue** slots(size_t count)    pointers of a list;
///   EValue* item(int64_t value)     the list item that is value number `value`.
/// Any of them may return null when it has run out; the caller asks the store afterwards.
template <class Item, class Store>
EValue make_list(Tag tag, Span<const Item> items, Store& store) {
  EValue** const slots = store.slots(items.count());
  if (!slots) return EValue();
  for (size_t i = 0; i < items.count(); ++i) slots[i] = items[i] < 0 ? nullptr : store.item(items[i]);
  return EValue::of_slots(tag, {slots, items.count()});
}

template <class Store>
EValue make_value(schema::ValueBoxView box, Store& store) {
  using schema::ValueMember;
  switch (box.value_member()) {
    case ValueMember::Null:
      return EValue();
    case ValueMember::Int:
      return EValue::of_int(box.as_Int().value());
    case ValueMember::Bool:
      return EValue::of_bool(box.as_Bool().value());
    case ValueMember::Double:
      return EValue::of_double(box.as_Double().value());
    case ValueMember::Tensor:
      return EValue::of_tensor(store.tensor(box.as_Tensor()));
    case ValueMember::String:
      return EValue::of_string(box.as_String().value());
    case ValueMember::DoubleList:
      return EValue::of_doubles(box.as_DoubleList().items());
    case ValueMember::BoolList:
      return EValue::of_bools(box.as_BoolList().items());
    case ValueMember::IntList:
      return make_list(Tag::IntList, box.as_IntList().items(), store);
    case ValueMember::TensorList:
      return make_list(Tag::TensorList, box.as_TensorList().items(), store);
    case ValueMember::OptionalTensorList:
      return make_list(Tag::OptionalTensorList, box.as_OptionalTensorList().items(), store);
  }
  return EValue();
}

}  // namespace rushlight
