// SPDX-License-Identifier: BSD-3-Clause
// The runtime's error codes as a C++ exception, which module.cpp turns into rushlight.errors.RuntimeFailure.

#pragma once

#include <stdexcept>
#include <string>

#include "rushlight/runtime/core/message.h"

namespace rushlight::bindings {

/// One failed call: code, sentence and, for a fault in a file, the byte offset (-1 otherwise).
class Failure : public std::runtime_error {
 public:
  Failure(Error code, const std::string& text, int64_t byte_offset = Message::kNoOffset)
      : std::runtime_error(text), code_(code), byte_offset_(byte_offset) {}
  Error code() const { return code_; }
  int64_t byte_offset() const { return byte_offset_; }

 private:
  Error code_;
  int64_t byte_offset_;
};

/// Throws Failure with `message`'s facts unless `code` is Ok.
inline void check(Error code, const Message& message) {
  if (code != Error::Ok) throw Failure(code, message.text(), message.byte_offset());
}

}  // namespace rushlight::bindings
