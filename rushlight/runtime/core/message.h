// SPDX-License-Identifier: BSD-3-Clause
// The text of a failure: formatted once, where it happens, into memory the caller owns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rushlight/runtime/core/error.h"
#include "rushlight/runtime/core/span.h"

/// 0 drops all message text from the build and keeps the codes.
#ifndef RL_MESSAGES
#define RL_MESSAGES 1
#endif

namespace rushlight {

/// One value of a message: an integer, a double, a text, or a list of int32 (printed as [1, 2]).
struct Argument {
  enum class Kind : uint8_t { Int, UInt, Double, Text, List } kind;
  union {
    int64_t i;
    uint64_t u;
    double d;
    struct {
      const char* data;
      size_t count;
    } text;
    struct {
      const int32_t* data;
      size_t count;
    } list;
  };

  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Argument(T value) : kind(Kind::Int), i(0) {
    if constexpr (std::is_floating_point_v<T>) {
      kind = Kind::Double;
      d = static_cast<double>(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      kind = Kind::UInt;
      u = value;
    } else {
      i = value;
    }
  }
  Argument(const char* value);
  Argument(Span<const char> value) : kind(Kind::Text), text{value.data(), value.count()} {}
  Argument(Span<const int32_t> value) : kind(Kind::List), list{value.data(), value.count()} {}
};

/// The last failure's text, always zero-terminated, cut at kCapacity. Owned by the caller, reused from call to call.
class Message {
 public:
  static constexpr size_t kCapacity = 320;
  static constexpr int64_t kNoOffset = -1;

  /// Replaces the text by `format` with each `{}` replaced by the next argument, and returns `code`.
  template <class... Args>
  Error fail(Error code, const char* format, const Args&... args) {
    byte_offset_ = kNoOffset;
    return append_formatted(code, format, args...);
  }

  /// The same for a fault in a file: `byte_offset` counts from the file's first byte.
  template <class... Args>
  Error fail_at(int64_t byte_offset, Error code, const char* format, const Args&... args) {
    byte_offset_ = byte_offset;
    return append_formatted(code, format, args...);
  }

  /// Adds to the text, e.g. where it happened: ` (method forward, instruction 12)`.
  template <class... Args>
  void append(const char* format, const Args&... args) {
#if RL_MESSAGES
    const Argument list[sizeof...(args) + 1] = {Argument(args)..., Argument(0)};
    write(format, {list, sizeof...(args)});
#else
    (void)format, ((void)args, ...);
#endif
  }

  const char* text() const { return text_; }
  int64_t byte_offset() const { return byte_offset_; }
  Error code() const { return code_; }
  void clear();

 private:
  template <class... Args>
  Error append_formatted(Error code, const char* format, const Args&... args) {
    code_ = code;
    count_ = 0;
    text_[0] = 0;
    append(format, args...);
    return code;
  }
  void write(const char* format, Span<const Argument> args);
  void put(char c);
  void put_text(const char* data, size_t count);
  void put_unsigned(uint64_t value);
  void put_double(double value);
  void put_argument(const Argument& argument);

#if RL_MESSAGES
  char text_[kCapacity] = {};
#else
  char text_[1] = {};
#endif
  size_t count_ = 0;
  int64_t byte_offset_ = kNoOffset;
  Error code_ = Error::Ok;
};

}  // namespace rushlight
