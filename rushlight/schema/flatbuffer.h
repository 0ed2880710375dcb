// SPDX-License-Identifier: BSD-3-Clause
// Reading a verified flatbuffer in place. The generated views (views.h) are built on these two classes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rushlight/runtime/core/span.h"

// Fields are read in hundreds of places: inlined they are fast, as calls to one copy (flatbuffer.cpp) they are small.
#if !defined(__OPTIMIZE_SIZE__)
#define RL_READER inline
#elif defined(RL_READER_BODIES)
#define RL_READER
#endif

namespace rushlight::schema {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "vectors are read in place, and files are little-endian");

/// The little-endian T at `at`, which need not be aligned.
template <class T>
inline T load_scalar(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

namespace detail {

/// An absent vector: its count, and a terminator for absent strings.
extern const uint32_t kNothing[2];

/// Where field `id` of the table lies, or null if it is absent.
const uint8_t* slot(const uint8_t* table, unsigned id);
/// Where the table that field `id` refers to lies, or null if it is absent.
const uint8_t* target(const uint8_t* table, unsigned id);
/// Where the count of the vector that field `id` refers to lies; kNothing if it is absent.
const uint8_t* counted(const uint8_t* table, unsigned id);
/// Scalars of one and four bytes.
uint8_t byte(const uint8_t* table, unsigned id, uint8_t otherwise);
uint32_t word(const uint8_t* table, unsigned id, uint32_t otherwise);
/// Element `i` of a vector of tables.
const uint8_t* element(const uint8_t* vector, size_t i);

#ifdef RL_READER
RL_READER const uint8_t* slot(const uint8_t* table, unsigned id) {
  const uint8_t* const vtable = table - load_scalar<int32_t>(table);
  const unsigned entry = 4 + 2 * id;
  if (entry >= load_scalar<uint16_t>(vtable)) return nullptr;
  const uint16_t offset = load_scalar<uint16_t>(vtable + entry);
  return offset == 0 ? nullptr : table + offset;
}
RL_READER const uint8_t* target(const uint8_t* table, unsigned id) {
  const uint8_t* const at = slot(table, id);
  return at ? at + load_scalar<uint32_t>(at) : nullptr;
}
RL_READER const uint8_t* counted(const uint8_t* table, unsigned id) {
  const uint8_t* const at = target(table, id);
  return at ? at : reinterpret_cast<const uint8_t*>(kNothing);
}
RL_READER uint8_t byte(const uint8_t* table, unsigned id, uint8_t otherwise) {
  const uint8_t* const at = slot(table, id);
  return at ? *at : otherwise;
}
RL_READER uint32_t word(const uint8_t* table, unsigned id, uint32_t otherwise) {
  const uint8_t* const at = slot(table, id);
  return at ? load_scalar<uint32_t>(at) : otherwise;
}
RL_READER const uint8_t* element(const uint8_t* vector, size_t i) {
  const uint8_t* const at = vector + 4 + 4 * i;
  return at + load_scalar<uint32_t>(at);
}
#endif

}  // namespace detail

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
  bool has(unsigned id) const { return detail::slot(table_, id) != nullptr; }
  const uint8_t* target(unsigned id) const { return detail::target(table_, id); }
  const uint8_t* counted(unsigned id) const { return detail::counted(table_, id); }

  template <class T>
  T scalar(unsigned id, T otherwise) const {
    if constexpr (sizeof(T) == 1) {
      return static_cast<T>(detail::byte(table_, id, static_cast<uint8_t>(otherwise)));
    } else if constexpr (sizeof(T) == 4) {
      return static_cast<T>(detail::word(table_, id, static_cast<uint32_t>(otherwise)));
    } else {
      const uint8_t* const at = detail::slot(table_, id);
      return at ? load_scalar<T>(at) : otherwise;
    }
  }

  template <class T>
  Span<const T> vector(unsigned id) const {
    const uint8_t* const at = counted(id);
    return {reinterpret_cast<const T*>(at + 4), load_scalar<uint32_t>(at)};
  }

 private:
  const uint8_t* table_ = nullptr;
};

/// A vector of tables, to iterate or index; unchecked as Span is.
template <class View>
class Tables {
 public:
  class Iterator {
   public:
    explicit Iterator(const uint8_t* at) : at_(at) {}
    View operator*() const { return View(at_ + load_scalar<uint32_t>(at_)); }
    Iterator& operator++() { return at_ += 4, *this; }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const uint8_t* at_;
  };

  Tables() = default;
  /// `vector` is where its count lies.
  explicit Tables(const uint8_t* vector) : vector_(vector) {}

  size_t count() const { return load_scalar<uint32_t>(vector_); }
  bool empty() const { return count() == 0; }
  View operator[](size_t i) const { return View(detail::element(vector_, i)); }
  Iterator begin() const { return Iterator(vector_ + 4); }
  Iterator end() const { return Iterator(vector_ + 4 + 4 * count()); }

 private:
  const uint8_t* vector_ = reinterpret_cast<const uint8_t*>(detail::kNothing);
};

}  // namespace rushlight::schema
