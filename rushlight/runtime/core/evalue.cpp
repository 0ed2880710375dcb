// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/core/evalue.h"

#include <cstring>

namespace rushlight {

bool equal(Text a, const char* b) {
  const size_t count = std::strlen(b);
  return a.count() == count && (count == 0 || std::memcmp(a.data(), b, count) == 0);
}

#if !RL_MESSAGES
const char* to_string(Tag) { return ""; }
#else
const char* to_string(Tag tag) {
  // In the order of the tags, which start at 1.
  constexpr const char* kNames[] = {"None",
                                    "Int",
                                    "Bool",
                                    "Double",
                                    "Tensor",
                                    "String",
                                    "IntList",
                                    "DoubleList",
                                    "BoolList",
                                    "TensorList",
                                    "OptionalTensorList"};
  const size_t i = static_cast<size_t>(tag) - 1;
  return i < sizeof(kNames) / sizeof(kNames[0]) ? kNames[i] : "unknown";
}
#endif

EValue EValue::of_int(int64_t value) {
  EValue result(Tag::Int);
  result.payload_.i = value;
  return result;
}

EValue EValue::of_bool(bool value) {
  EValue result(Tag::Bool);
  result.payload_.b = value;
  return result;
}

EValue EValue::of_double(double value) {
  EValue result(Tag::Double);
  result.payload_.d = value;
  return result;
}

EValue EValue::of_tensor(Tensor* tensor) {
  EValue result(Tag::Tensor);
  result.payload_.tensor = tensor;
  return result;
}

EValue EValue::of_list(Tag tag, const void* data, size_t count) {
  EValue result(tag);
  result.payload_.list = {data, count};
  return result;
}

EValue EValue::of_string(Text text) { return of_list(Tag::String, text.data(), text.count()); }
EValue EValue::of_doubles(Span<const double> items) { return of_list(Tag::DoubleList, items.data(), items.count()); }
EValue EValue::of_bools(Span<const uint8_t> items) { return of_list(Tag::BoolList, items.data(), items.count()); }
EValue EValue::of_slots(Tag tag, Span<EValue* const> items) { return of_list(tag, items.data(), items.count()); }

}  // namespace rushlight
