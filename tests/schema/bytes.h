// SPDX-License-Identifier: BSD-3-Clause
// A flatbuffer written by hand, field by field, so that a test can break any one of its numbers.

#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "rushlight/runtime/core/span.h"

namespace rushlight::check {

/// Appends to a fixed buffer that starts like a file: root position, identifier, then nothing.
class Bytes {
 public:
  explicit Bytes(const char* identifier) { std::memcpy(data_ + 4, identifier, 4); }

  uint8_t* data() { return data_; }
  uint32_t nbytes() const { return end_; }
  Span<const uint8_t> span() const { return {data_, end_}; }

  template <class T>
  void put(uint32_t at, T value) {
    std::memcpy(data_ + at, &value, sizeof(T));
  }
  template <class T>
  T get(uint32_t at) const {
    T value;
    std::memcpy(&value, data_ + at, sizeof(T));
    return value;
  }
  /// Appends `value` at its own alignment; returns where.
  template <class T>
  uint32_t add(T value) {
    while (end_ % sizeof(T) != 0) ++end_;
    put(end_, value);
    end_ += sizeof(T);
    return end_ - static_cast<uint32_t>(sizeof(T));
  }
  /// Appends a table whose fields of the listed ids are four bytes each and zero; returns where. The fields follow the
  /// table's first word in the order given. Ids may come in any order.
  uint32_t table(std::initializer_list<unsigned> ids) {
    unsigned slots = 0;
    for (const unsigned id : ids) slots = id + 1 > slots ? id + 1 : slots;
    const uint32_t vtable = add(static_cast<uint16_t>(4 + 2 * slots));
    add(static_cast<uint16_t>(4 + 4 * ids.size()));
    for (unsigned i = 0; i < slots; ++i) add(uint16_t{0});
    uint16_t offset = 4;
    for (const unsigned id : ids) {
      put(vtable + 4 + 2 * id, offset);
      offset = static_cast<uint16_t>(offset + 4);
    }
    const uint32_t at = add(int32_t{0});
    put(at, static_cast<int32_t>(at - vtable));
    for (size_t i = 0; i < ids.size(); ++i) add(uint32_t{0});
    return at;
  }
  /// Appends a vector of `count` words, all zero; returns where its count is.
  uint32_t vector(uint32_t count) {
    const uint32_t at = add(count);
    for (uint32_t i = 0; i < count; ++i) add(uint32_t{0});
    return at;
  }
  uint32_t string(const char* text) {
    const uint32_t at = add(static_cast<uint32_t>(std::strlen(text)));
    std::memcpy(data_ + end_, text, std::strlen(text) + 1);
    end_ += static_cast<uint32_t>(std::strlen(text)) + 1;
    while (end_ % 4 != 0) ++end_;
    return at;
  }
  /// Makes the reference at `at` lead to `target`.
  void link(uint32_t at, uint32_t target) { put(at, target - at); }

 private:
  alignas(16) uint8_t data_[512] = {};
  uint32_t end_ = 8;
};

}  // namespace rushlight::check
