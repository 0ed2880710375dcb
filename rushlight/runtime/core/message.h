// SPDX-License-Identifier: BSD-3-Clause
// The text of a failure: formatted once, where it happens, into memory the caller owns.

#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rushlight/runtime/core/error.h"
#include "rushlight/runtime/core/span.h"

/// 0 drops all message text from the build and keeps the codes: 12 kB less on a Cortex-M, whose default it is.
#ifndef RL_MESSAGES
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define RL_MESSAGES 0
#else
#define RL_MESSAGES 1
#endif
#endif

namespace rushlight {

namespace detail {

/// How one value of a message travels: the templates below only choose this and cast, and C's variadic call does the
/// rest. A template per combination of types would double the size of the runtime.
enum class Kind : uint32_t { None, Int, UInt, Int64, UInt64, Double, CText, Text, List };
constexpr unsigned kKindBits = 4;

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_floating_point_v<T>) return Kind::Double;
  else if constexpr (std::is_same_v<std::decay_t<T>, const char*> || std::is_same_v<std::decay_t<T>, char*>)
    return Kind::CText;
  else if constexpr (std::is_convertible_v<T, Span<const char>>) return Kind::Text;
  else if constexpr (std::is_convertible_v<T, Span<const int32_t>>) return Kind::List;
  else if constexpr (std::is_signed_v<T>) return sizeof(T) > sizeof(int) ? Kind::Int64 : Kind::Int;
  else return sizeof(T) > sizeof(int) ? Kind::UInt64 : Kind::UInt;
}

template <class T>
[[gnu::always_inline]] inline auto pass(const T& value) {
  constexpr Kind kind = kind_of<T>();
  if constexpr (kind == Kind::Int) return static_cast<int>(value);
  else if constexpr (kind == Kind::UInt) return static_cast<unsigned>(value);
  else if constexpr (kind == Kind::Int64) return static_cast<long long>(value);
  else if constexpr (kind == Kind::UInt64) return static_cast<unsigned long long>(value);
  else if constexpr (kind == Kind::Double) return static_cast<double>(value);
  else if constexpr (kind == Kind::CText) return static_cast<const char*>(value);
  else return static_cast<const void*>(&value);  // a Span: by address
}

template <class... Args>
constexpr uint32_t kinds_of() {
  static_assert(sizeof...(Args) * kKindBits <= 32, "too many values in one message");
  uint32_t kinds = 0;
  unsigned shift = 0;
  ((kinds |= static_cast<uint32_t>(kind_of<Args>()) << shift, shift += kKindBits), ...);
  return kinds;
}

}  // namespace detail

/// The last failure's text, always zero-terminated, cut at kCapacity. Owned by the caller, reused from call to call.
///
/// Each `{}` of a format takes the next value: an integer, a double (six digits), a text, or a list of int32, which
/// prints as [1, 2].
class Message {
 public:
  static constexpr size_t kCapacity = 320;
  static constexpr int64_t kNoOffset = -1;

  /// Replaces the text and returns `code`.
  template <class... Args>
  [[gnu::always_inline]] Error fail(Error code, const char* format, const Args&... args) {
#if RL_MESSAGES
    return replace(code, format, detail::kinds_of<Args...>(), detail::pass(args)...);
#else
    (void)format, ((void)args, ...);
    return replace(code);
#endif
  }

  /// The same for a fault in a file: `byte_offset` counts from the file's first byte.
  template <class... Args>
  [[gnu::always_inline]] Error fail_at(int64_t byte_offset, Error code, const char* format, const Args&... args) {
    (void)fail(code, format, args...);
    byte_offset_ = byte_offset;
    return code;
  }

  /// Says where in the file the failure is that was just reported, and returns its code.
  Error at(int64_t byte_offset) {
    byte_offset_ = byte_offset;
    return code_;
  }

  /// Adds to the text, e.g. where it happened: ` (method forward, instruction 12)`.
  template <class... Args>
  [[gnu::always_inline]] void append(const char* format, const Args&... args) {
#if RL_MESSAGES
    add(format, detail::kinds_of<Args...>(), detail::pass(args)...);
#else
    (void)format, ((void)args, ...);
#endif
  }

  const char* text() const { return text_; }
  int64_t byte_offset() const { return byte_offset_; }
  Error code() const { return code_; }
  void clear();

 private:
#if RL_MESSAGES
  Error replace(Error code, const char* format, uint32_t kinds, ...);
  void add(const char* format, uint32_t kinds, ...);
  void write(const char* format, uint32_t kinds, va_list* values);
  void put(char c);
  void put_text(const char* data, size_t count);
  void put_text(const char* text);
  void put_unsigned(uint64_t value);
  void put_signed(int64_t value);
  void put_double(double value);
  void put_digits(uint32_t digits, int exponent);
  void put_list(Span<const int32_t> list);
  void put_value(detail::Kind kind, va_list* values);

  char text_[kCapacity] = {};
#else
  Error replace(Error code);

  char text_[1] = {};
#endif
  size_t count_ = 0;
  int64_t byte_offset_ = kNoOffset;
  Error code_ = Error::Ok;
};

/// A name that only messages use: it takes no room, in a table or as a parameter, in a build without message text.
struct Named {
#if RL_MESSAGES
  constexpr Named(const char* text) : name(text) {}
  const char* name;
#else
  constexpr Named(const char*) {}
  static constexpr const char* name = nullptr;
#endif
};

}  // namespace rushlight
