// SPDX-License-Identifier: BSD-3-Clause
// The run-time half of the backend contract: what a delegate may do, and with which memory.

#pragma once

#include "rushlight/runtime/core/evalue.h"
#include "rushlight/runtime/core/message.h"

namespace rushlight {

/// One compile-time option stored beside a delegate.
struct DelegateSpec {
  Text key;
  Span<const uint8_t> value;
};

/// Finds a blob stored beside the program by key (weights). The bytes stay valid while the Program lives.
struct NamedDataSource {
  virtual Error find(Text key, Span<const uint8_t>* bytes, Message& message) const = 0;

 protected:
  ~NamedDataSource() = default;
};

/// A bump allocator over memory the caller owns, or a counter when it has none (to state a need before load).
class Arena {
 public:
  Arena() = default;  ///< counts only: allocate() returns null and never fails
  explicit Arena(Span<uint8_t> memory) : memory_(memory), counting_(false) {}
  /// `nbytes` bytes aligned to `alignment` (a power of two, at most 64). Null when counting, or when it does not fit.
  void* allocate(size_t nbytes, size_t alignment = 16);
  template <class T>
  T* allocate_array(size_t count) {
    size_t nbytes = 0;
    if (__builtin_mul_overflow(count, sizeof(T), &nbytes)) return fail();
    return static_cast<T*>(allocate(nbytes, alignof(T)));
  }
  bool is_counting() const { return counting_; }
  /// Bytes given out so far, padding included.
  size_t used() const { return used_; }
  /// A request did not fit, or wrapped.
  bool has_failed() const { return failed_; }

 private:
  std::nullptr_t fail() {
    failed_ = true;
    return nullptr;
  }
  Span<uint8_t> memory_;
  size_t used_ = 0;
  bool counting_ = true;
  bool failed_ = false;
};

/// What a delegate gets at load.
struct DelegateInit {
  Span<const uint8_t> payload;  ///< 16-aligned; valid while the Program lives
  Span<const DelegateSpec> specs;
  const NamedDataSource* named_data;  ///< null if there is none
  Arena* memory;                      ///< state that lives as long as the Method
  Message* message;
};

/// One backend: a table of functions, constant-initialised, listed in the generated backend table.
///
/// `init` is called by Program::needs() with a counting arena, to state the exact need (*handle is not used, and
/// nothing may be written through allocated pointers, which are null), and by Method::load() with memory. Both calls
/// must allocate alike. Nothing may allocate elsewhere, throw or abort; a bad payload is an Error with a sentence.
/// Whatever init got, other than memory, payload and named data, is gone when it returns.
struct Backend {
  const char* id;  ///< as files spell it: `XnnpackBackend`
  Error (*init)(const DelegateInit& init, void** handle);
  /// args: the partition's inputs, then its outputs, as many as the file says. Tensors with elements have memory;
  /// count, tags, dtypes and sizes are the backend's to check, and outputs that are is_read_only() its to refuse.
  /// May resize bounded outputs.
  Error (*execute)(void* handle, Message& message, Span<EValue* const> args);
  void (*destroy)(void* handle);
};

}  // namespace rushlight
