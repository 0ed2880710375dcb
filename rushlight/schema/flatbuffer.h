// SPDX-License-Identifier: BSD-3-Clause
// Reading a verified flatbuffer in place. The generated views (views.h) are built on these two classes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rushlight/runtime/core/span.h"

namespace rushlight::schema {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "vectors are read in place, and files are little-endian");

/// The little-endian T at `at`, which need not be aligned.
template <class T>
inline T load_scalar(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// One table inside a flatbuffer that verify() accepted; nothing is checked here. Copy it freely: two words.
class TableView {
 public:
  TableView() = default;
  /// `base` is the flatbuffer's byte 0, `position` that of the table, or 0 for an absent one.
  TableView(const uint8_t* base, uint32_t position) : base_(base), position_(position) {}

  /// False for an absent table; no other call is allowed then.
  explicit operator bool() const { return position_ != 0; }
  /// Bytes from the flatbuffer's first byte (the file's) to this table.
  uint32_t position() const { return position_; }
  /// The same of anything that an accessor returned a pointer to, such as the data of a vector.
  uint32_t position_of(const void* data) const {
    return static_cast<uint32_t>(static_cast<const uint8_t*>(data) - base_);
  }

 protected:
  const uint8_t* base() const { return base_; }

  /// Where field `id` lies, or 0 if it is absent.
  uint32_t slot(unsigned id) const {
    const uint8_t* const table = base_ + position_;
    const uint8_t* const vtable = table - load_scalar<int32_t>(table);
    const unsigned entry = 4 + 2 * id;
    if (entry >= load_scalar<uint16_t>(vtable)) return 0;
    const uint16_t offset = load_scalar<uint16_t>(vtable + entry);
    return offset == 0 ? 0 : position_ + offset;
  }

  template <class T>
  T scalar(unsigned id, T otherwise) const {
    const uint32_t at = slot(id);
    return at == 0 ? otherwise : load_scalar<T>(base_ + at);
  }

  /// Where the string, vector or table that field `id` refers to lies, or 0 if it is absent.
  uint32_t target(unsigned id) const {
    const uint32_t at = slot(id);
    return at == 0 ? 0 : at + load_scalar<uint32_t>(base_ + at);
  }

  template <class T>
  Span<const T> vector(unsigned id) const {
    const uint32_t at = target(id);
    if (at == 0) return {};
    return {reinterpret_cast<const T*>(base_ + at + 4), load_scalar<uint32_t>(base_ + at)};
  }

  Span<const char> text(unsigned id) const {
    const Span<const char> found = vector<char>(id);
    return found.data() ? found : Span<const char>("", 0);
  }

 private:
  const uint8_t* base_ = nullptr;
  uint32_t position_ = 0;
};

/// A vector of tables: count() and operator[], unchecked as in Span.
template <class View>
class Tables {
 public:
  Tables() = default;
  /// `position` is that of the vector's count, or 0 for an absent vector.
  Tables(const uint8_t* base, uint32_t position) : base_(base), position_(position) {}

  size_t count() const { return position_ == 0 ? 0 : load_scalar<uint32_t>(base_ + position_); }
  bool empty() const { return count() == 0; }
  View operator[](size_t i) const {
    const uint32_t at = position_ + 4 + 4 * static_cast<uint32_t>(i);
    return {base_, at + load_scalar<uint32_t>(base_ + at)};
  }

 private:
  const uint8_t* base_ = nullptr;
  uint32_t position_ = 0;
};

}  // namespace rushlight::schema
