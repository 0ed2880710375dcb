// SPDX-License-Identifier: BSD-3-Clause
// The C++ test frame: no heap, no exceptions, no static constructors, so that it runs on a bare Cortex-M unchanged.
//
//   TEST(arena_refuses_one_byte_too_many) { CHECK_EQ(arena.used(), 16u); }
//   SUITE(arena, CASE(arena_refuses_one_byte_too_many));
//
// A test left out of its SUITE does not compile (unused function). CMake lists the suites from the file names.

#pragma once

#include <cstring>

#include "rushlight/runtime/core/evalue.h"
#include "rushlight/runtime/core/message.h"

namespace rushlight::check {

/// Writes one line of the report. Supplied by the binary that runs the tests.
void print_line(const char* text);

/// One test while it runs: counts checks and reports the failing ones.
class Context {
 public:
  explicit Context(const char* test) : test_(test) {}
  int failures() const { return failures_; }

  bool that(bool is_true, const char* text, const char* file, int line) {
    if (!is_true) report("{}:{}: {}: not true: {}", file, line, test_, text);
    return is_true;
  }

  template <class A, class B>
  bool equal(const A& a, const B& b, const char* text, const char* file, int line) {
    const bool is_equal = same(a, b);
    if (!is_equal) report("{}:{}: {}: {}: {} is not {}", file, line, test_, text, shown(a), shown(b));
    return is_equal;
  }

  bool contains(const char* text, const char* part, const char* file, int line) {
    const bool found = std::strstr(text, part) != nullptr;
    if (!found) report("{}:{}: {}: '{}' is not in '{}'", file, line, test_, part, text);
    return found;
  }

 private:
  template <class... Args>
  void report(const char* format, const Args&... args) {
    Message message;
    (void)message.fail(Error::Internal, format, args...);
    print_line(message.text());
    ++failures_;
  }
  template <class A, class B>
  static bool same(const A& a, const B& b) {
    return a == b;
  }
  static bool same(const char* a, const char* b) { return std::strcmp(a, b) == 0; }
  template <class T>
  static auto shown(const T& value) {
    if constexpr (std::is_same_v<T, Error> || std::is_same_v<T, DType> || std::is_same_v<T, Tag>) {
      return to_string(value);
    } else if constexpr (std::is_pointer_v<T> && !std::is_same_v<std::remove_cv_t<std::remove_pointer_t<T>>, char>) {
      return reinterpret_cast<uintptr_t>(value);
    } else {
      return value;
    }
  }
  const char* test_;
  int failures_ = 0;
};

struct Test {
  const char* name;
  void (*run)(Context& check);
};
struct Suite {
  const char* name;
  Span<const Test> tests;
};

}  // namespace rushlight::check

#define TEST(name) static void name([[maybe_unused]] ::rushlight::check::Context& check)
#define CASE(name) \
  ::rushlight::check::Test { #name, name }
#define SUITE(name, ...)                                                    \
  static constexpr ::rushlight::check::Test name##_tests[] = {__VA_ARGS__}; \
  extern const ::rushlight::check::Suite name##_suite;                      \
  const ::rushlight::check::Suite name##_suite = {#name, name##_tests}
#define CHECK(condition) (void)check.that((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQ(a, b) (void)check.equal((a), (b), #a " == " #b, __FILE__, __LINE__)
#if RL_MESSAGES
#define CHECK_TEXT(text, part) (void)check.contains((text), (part), __FILE__, __LINE__)
#else
#define CHECK_TEXT(text, part) (void)(text), (void)(part)
#endif
/// Ends the test when it fails: for what the rest of the test stands on.
#define REQUIRE(condition) \
  if (!check.that((condition), #condition, __FILE__, __LINE__)) return
