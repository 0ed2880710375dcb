// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/make_value.h"

namespace rushlight {

using namespace schema;

namespace {

template <class Item>
EValue make_list(Tag tag, Span<const Item> items, ValueStore& store) {
  EValue** const slots = store.slots(items.count());
  if (!slots) return EValue();
  for (size_t i = 0; i < items.count(); ++i)
    slots[i] = items[i] < 0 ? nullptr : store.item(static_cast<size_t>(items[i]));
  return EValue::of_slots(tag, {slots, items.count()});
}

EValue make_list(ValueBoxView box, ValueStore& store) {
  switch (box.value_member()) {
    case ValueMember::DoubleList:
      return EValue::of_doubles(box.as_DoubleList().items());
    case ValueMember::BoolList:
      return EValue::of_bools(box.as_BoolList().items());
    case ValueMember::IntList:
      return make_list(Tag::IntList, box.as_IntList().items(), store);
    case ValueMember::TensorList:
      return make_list(Tag::TensorList, box.as_TensorList().items(), store);
    default:
      return make_list(Tag::OptionalTensorList, box.as_OptionalTensorList().items(), store);
  }
}

}  // namespace

EValue make_value(ValueBoxView box, ValueStore& store) {
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
    default:
      return make_list(box, store);
  }
}

}  // namespace rushlight
