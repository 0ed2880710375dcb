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

/// One table inside a flatbuffer that verify() accepted; nothing is checked here. Copy it freely: one pointer.
class TableView {
 public:
  TableView() = default;
  /// `table` is where the table lies, or null for an absent one.
  explicit TableView(const uint8_t* table) : table_(table) {}

  /// False for an absent table; no other call is allowed then.
  explicit operator bool() const { return table_ != nullptr; }
  /// Bytes from `flatbuffer`'s first byte (the file's) to this table.
  uint32_t position(const uint8_t* flatbuffer) const { return static_cast<uint32_t>(table_ - flatbuffer); }

 protected:
  /// Where field `id` lies, or null if it is absent.
  const uint8_t* slot(unsigned id) const {
    const uint8_t* const vtable = table_ - load_scalar<int32_t>(table_);
    const unsigned entry = 4 + 2 * id;
    if (entry >= load_scalar<uint16_t>(vtable)) return nullptr;
    const uint16_t offset = load_scalar<uint16_t>(vtable + entry);
    return offset == 0 ? nullptr : table_ + offset;
  }

  template <class T>
  T scalar(unsigned id, T otherwise) const {
    const uint8_t* const at = slot(id);
    return at ? load_scalar<T>(at) : otherwise;
  }

  /// Where the string, vector or table that field `id` refers to lies, or null if it is absent.
  const uint8_t* target(unsigned id) const {
    const uint8_t* const at = slot(id);
    return at ? at + load_scalar<uint32_t>(at) : nullptr;
  }

  template <class T>
  Span<const T> vector(unsigned id) const {
    const uint8_t* const at = target(id);
    if (!at) return {};
    return {reinterpret_cast<const T*>(at + 4), load_scalar<uint32_t>(at)};
  }

  Span<const char> text(unsigned id) const {
    const Span<const char> found = vector<char>(id);
    return found.data() ? found : Span<const char>("", 0);
  }

 private:
  const uint8_t* table_ = nullptr;
};

/// A vector of tables: count() and operator[], unchecked as in Span.
template <class View>
class Tables {
 public:
  Tables() = default;
  /// `vector` is where its count lies, or null for an absent vector.
  explicit Tables(const uint8_t* vector) : vector_(vector) {}

  size_t count() const { return vector_ ? load_scalar<uint32_t>(vector_) : 0; }
  bool empty() const { return count() == 0; }
  View operator[](size_t i) const {
    const uint8_t* const at = vector_ + 4 + 4 * i;
    return View(at + load_scalar<uint32_t>(at));
  }

 private:
  const uint8_t* vector_ = nullptr;
};

}  // namespace rushlight::schema
