// SPDX-License-Identifier: BSD-3-Clause
// Where a Program's bytes come from: a mapping, flash, a byte array.

#pragma once

#include "rushlight/runtime/core/message.h"
#include "rushlight/runtime/core/span.h"

namespace rushlight {

/// Gives out ranges of one file. Implementations own the bytes; every range stays valid until the Loader dies.
class Loader {
 public:
  /// File length in bytes.
  virtual uint64_t nbytes() const = 0;
  /// *out = bytes [offset, offset + nbytes). In range: the caller checked against nbytes().
  virtual Error load(uint64_t offset, size_t nbytes, Span<const uint8_t>* out, Message& message) = 0;

 protected:
  ~Loader() = default;
};

/// Bytes that are in memory already (an array, flash, a whole-file mapping). `bytes` must outlive it.
class MemoryLoader final : public Loader {
 public:
  explicit MemoryLoader(Span<const uint8_t> bytes) : bytes_(bytes) {}
  uint64_t nbytes() const override { return bytes_.count(); }
  Error load(uint64_t offset, size_t nbytes, Span<const uint8_t>* out, Message& message) override;

 private:
  Span<const uint8_t> bytes_;
};

}  // namespace rushlight
