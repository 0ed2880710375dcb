// SPDX-License-Identifier: BSD-3-Clause
// EValue: one slot of a method's value table, and the views kernels take of its lists.

#pragma once

#include <cstddef>
#include <cstdint>

#include "rushlight/runtime/core/span.h"
#include "rushlight/runtime/core/tensor.h"

namespace rushlight {

/// A text in the file or the caller's memory: not owned; `data[count]` is zero.
using Text = Span<const char>;
bool equal(Text a, const char* b);

/// The number tags are the union member numbers of the format.
enum class Tag : uint8_t {
  None = 1,
  Int = 2,
  Bool = 3,
  Double = 4,
  Tensor = 5,
  String = 6,
  IntList = 7,
  DoubleList = 8,
  BoolList = 9,
  TensorList = 10,
  OptionalTensorList = 11,
};
/// `Int`, `TensorList`, …
const char* to_string(Tag tag);

/// A tagged value: 24 bytes or fewer, trivially copyable, owns nothing.
///
/// Lists of ints and tensors hold pointers to other slots of the same value table and are read when a kernel runs,
/// because an Int may be a run-time size. A null pointer in an OptionalTensorList is an absent element.
class EValue {
 public:
  EValue() : EValue(Tag::None) {}
  static EValue of_int(int64_t value);
  static EValue of_bool(bool value);
  static EValue of_double(double value);
  static EValue of_tensor(Tensor* tensor);
  static EValue of_string(Text text);
  static EValue of_doubles(Span<const double> items);
  static EValue of_bools(Span<const uint8_t> items);
  /// tag: IntList, TensorList or OptionalTensorList.
  static EValue of_slots(Tag tag, Span<EValue* const> items);

  Tag tag() const { return tag_; }
  bool is(Tag tag) const { return tag_ == tag; }
  bool is_none() const { return tag_ == Tag::None; }
  bool is_number() const { return tag_ == Tag::Int || tag_ == Tag::Bool || tag_ == Tag::Double; }

  // Unchecked: the tag must match.
  int64_t as_int() const { return payload_.i; }
  bool as_bool() const { return payload_.b; }
  double as_double() const { return payload_.d; }
  Tensor* as_tensor() const { return payload_.tensor; }
  Text as_string() const { return {static_cast<const char*>(payload_.list.data), payload_.list.count}; }
  Span<const double> as_doubles() const {
    return {static_cast<const double*>(payload_.list.data), payload_.list.count};
  }
  Span<const uint8_t> as_bools() const {
    return {static_cast<const uint8_t*>(payload_.list.data), payload_.list.count};
  }
  Span<EValue* const> as_slots() const {
    return {static_cast<EValue* const*>(payload_.list.data), payload_.list.count};
  }

 private:
  explicit EValue(Tag tag) : tag_(tag), payload_{} {}
  static EValue of_list(Tag tag, const void* data, size_t count);

  Tag tag_;
  union {
    int64_t i;
    bool b;
    double d;
    Tensor* tensor;
    struct {
      const void* data;
      size_t count;
    } list;
  } payload_;
};

/// A number argument (aten Scalar): Int, Bool or Double.
class Scalar {
 public:
  explicit Scalar(int64_t value) : tag_(Tag::Int), i_(value), d_(static_cast<double>(value)) {}
  explicit Scalar(bool value) : tag_(Tag::Bool), i_(value), d_(value) {}
  explicit Scalar(double value) : tag_(Tag::Double), i_(0), d_(value) {}
  Tag tag() const { return tag_; }
  bool is_floating() const { return tag_ == Tag::Double; }
  /// The value as a double (an Int beyond 2^53 rounds).
  double to_double() const { return d_; }
  /// The value as an int64; 0 for a Double (check is_floating() first).
  int64_t to_int() const { return i_; }

 private:
  Tag tag_;
  int64_t i_;
  double d_;
};

/// An aten int[]: Int slots read at run time. Items are checked to be Ints before the kernel is called.
class IntList {
 public:
  IntList() = default;
  explicit IntList(Span<EValue* const> slots) : slots_(slots) {}
  size_t count() const { return slots_.count(); }
  bool empty() const { return slots_.empty(); }
  int64_t operator[](size_t i) const { return slots_[i]->as_int(); }

 private:
  Span<EValue* const> slots_;
};

/// An aten Tensor[]: every item is a tensor.
class TensorList {
 public:
  TensorList() = default;
  explicit TensorList(Span<EValue* const> slots) : slots_(slots) {}
  size_t count() const { return slots_.count(); }
  Tensor& operator[](size_t i) const { return *slots_[i]->as_tensor(); }

 private:
  Span<EValue* const> slots_;
};

/// An aten Tensor?[]: an item may be absent (null).
class OptionalTensorList {
 public:
  OptionalTensorList() = default;
  explicit OptionalTensorList(Span<EValue* const> slots) : slots_(slots) {}
  size_t count() const { return slots_.count(); }
  const Tensor* operator[](size_t i) const {
    return slots_[i] && !slots_[i]->is_none() ? slots_[i]->as_tensor() : nullptr;
  }

 private:
  Span<EValue* const> slots_;
};

/// A value or nothing, for optional arguments (int?, float?, Scalar?, int[]?, str?).
template <class T>
struct Optional {
  bool has_value = false;
  T value{};
  const T& operator*() const { return value; }
  explicit operator bool() const { return has_value; }
};
template <>
struct Optional<Scalar> {
  bool has_value = false;
  Scalar value{int64_t{0}};
  const Scalar& operator*() const { return value; }
  explicit operator bool() const { return has_value; }
};

}  // namespace rushlight
