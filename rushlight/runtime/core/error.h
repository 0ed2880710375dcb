// SPDX-License-Identifier: BSD-3-Clause
// Error codes of the runtime. The numbers are those of the ExecuTorch system, so that a caller can compare.

#pragma once

#include <cstdint>

namespace rushlight {

/// Why a call failed. The sentence with the facts is in the `Message` beside it.
enum class Error : uint8_t {
  Ok = 0,
  /// A bug of ours: an invariant did not hold. Never caused by a file or an argument.
  Internal = 0x01,
  /// The object is not in the state for this call (a Method that was not loaded). Not for wrong arguments.
  InvalidState = 0x02,
  /// The instruction budget ran out: a loop in the file did not end.
  EndOfMethod = 0x03,
  /// Legal, but this build or kernel does not do it (a dtype that was compiled out).
  NotSupported = 0x10,
  /// A part that no one has written yet. Prefer NotSupported for everything a user can meet.
  NotImplemented = 0x11,
  /// The caller's argument is wrong: count, shape, range, null.
  InvalidArgument = 0x12,
  /// The caller's argument has the wrong tag or dtype.
  InvalidType = 0x13,
  /// The Program names an operator that no op table has.
  OperatorMissing = 0x14,
  /// A name was looked up and is not there (method, backend, named data).
  NotFound = 0x20,
  /// The memory handed over is smaller than the method needs.
  MemoryAllocationFailed = 0x21,
  /// The loader could not deliver bytes (I/O).
  AccessFailed = 0x22,
  /// The Program's bytes break a rule of the format. `Message::byte_offset` says where.
  InvalidProgram = 0x23,
  /// The external data file's bytes break a rule, or disagree with the Program.
  InvalidExternalData = 0x24,
  /// A size computed from the input exceeds what was planned.
  OutOfResources = 0x25,
  /// A delegate's payload is not one that its backend can read.
  DelegateInvalidCompatibility = 0x30,
  /// A backend did not get the memory it declared.
  DelegateMemoryAllocationFailed = 0x31,
  /// A delegate was used before init or after destroy.
  DelegateInvalidHandle = 0x32,
};

/// The enumerator's name, for messages: `InvalidProgram`. Empty in a build without message text, like the other names.
const char* to_string(Error code);

}  // namespace rushlight

/// Returns from the enclosing function if `expression` is not Error::Ok.
#define RL_TRY(expression)                                     \
  do {                                                         \
    const ::rushlight::Error rl_error_ = (expression);         \
    if (rl_error_ != ::rushlight::Error::Ok) return rl_error_; \
  } while (0)
