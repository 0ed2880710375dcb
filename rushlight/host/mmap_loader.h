// SPDX-License-Identifier: BSD-3-Clause
// A Loader over a mapped file.

#pragma once

#include "rushlight/runtime/loader.h"

namespace rushlight {

/// A file mapped read-only for as long as the loader lives: pages are clean and shared between processes.
///
/// The flatbuffer part is copied to memory of its own, because what was verified must not change when the file does.
/// Segments (weights, payloads) are read in place; a file cut short while it is mapped may end the process (SIGBUS).
class MmapLoader final : public Loader {
 public:
  MmapLoader() = default;
  MmapLoader(const MmapLoader&) = delete;
  MmapLoader& operator=(const MmapLoader&) = delete;
  ~MmapLoader();

  /// Maps `path`, which must be a regular file of at least one byte.
  /// @return AccessFailed with the system's reason; MemoryAllocationFailed if the copy does not fit.
  [[nodiscard]] Error open(const char* path, Message& message);

  uint64_t nbytes() const override { return nbytes_; }
  /// @return AccessFailed if the file is shorter now than when it was opened.
  Error load(uint64_t offset, size_t nbytes, Span<const uint8_t>* out, Message& message) override;

 private:
  Error map(int file, Message& message);
  Error copy_metadata(Message& message);

  int file_ = -1;
  uint64_t nbytes_ = 0;
  const uint8_t* mapping_ = nullptr;
  uint8_t* metadata_ = nullptr;  // bytes [0, metadata_nbytes_) of the file, 16-aligned
  size_t metadata_nbytes_ = 0;
  const char* path_ = "";  // only during open(), for messages
};

}  // namespace rushlight
