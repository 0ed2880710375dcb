// SPDX-License-Identifier: BSD-3-Clause
// Runs nothing. Copy this folder to start a backend; README.md says what to replace.

#include "rushlight/backends/backend.h"

namespace rushlight {
namespace {

/// Checks the payload and takes what the delegate needs from `init.memory`: state, then scratch. Called once with a
/// counting arena (pointers are null: write nothing) and once with memory; both calls must allocate alike.
Error init(const DelegateInit& init, void** handle) {
  *handle = nullptr;
  return init.message->fail(Error::DelegateInvalidCompatibility,
                            "NullBackend: runs nothing, and got a payload of {} bytes", init.payload.count());
}

/// args: inputs, then outputs, as the payload says. Check tags, dtypes and sizes: they come from a file. Refuse an
/// output that is_read_only().
Error execute(void* handle, Message& message, Span<EValue* const> args) {
  return message.fail(Error::DelegateInvalidHandle, "NullBackend: runs nothing");
}

/// Releases what init() took from outside `init.memory`; the memory itself is the caller's.
void destroy(void* handle) {}

}  // namespace

extern const Backend kNullBackend;
const Backend kNullBackend = {"NullBackend", init, execute, destroy};

}  // namespace rushlight
