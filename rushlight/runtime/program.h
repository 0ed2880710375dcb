// SPDX-License-Identifier: BSD-3-Clause
// Program: a verified file. Everything that can be known of its methods without loading one.

#pragma once

#include "rushlight/backends/backend.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/runtime/loader.h"

namespace rushlight {

/// What a Program may call. Tables are searched in order; all must outlive the Methods loaded with them.
struct Environment {
  Span<const OpTable> ops;
  Span<const Backend* const> backends;
};
/// All operators and backends of this build.
const Environment& default_environment();

/// What one input or output slot looks like in the file, before load.
struct ValueInfo {
  Tag tag = Tag::None;
  DType dtype = DType::Float32;              ///< tensors only, as are the next three
  bool is_dynamic = false;                   ///< sizes are an upper bound
  bool is_planned = false;                   ///< data lives in an arena, else the caller binds it
  Span<const int32_t> sizes;
  Span<const uint8_t> dim_order;
};

/// Exactly the memory one method needs. method_nbytes is for this build and machine word.
struct MemoryNeeds {
  size_t method_nbytes = 0;   ///< values, tensors, delegates' state and kernel scratch; 16-aligned base
  size_t arena_count = 0;     ///< planned arenas; Program::arena_nbytes(method, i) for i < arena_count
};

/// A program file: header, tables and segments, checked as a whole by load() before anything is used.
///
/// Owns no memory; the Loaders must outlive it. Immutable after load(), so any number of threads may read it.
class Program {
 public:
  /// Checks every offset, length, index, count and type of the file. `external` supplies .ptd files and may be empty.
  /// @return InvalidProgram or InvalidExternalData with reason and byte offset; AccessFailed from the loader.
  [[nodiscard]] static Error load(Loader& loader, Span<Loader* const> external, Message& message, Program* out);

  size_t method_count() const;
  Text method_name(size_t method) const;
  /// NotFound if there is none of that name.
  [[nodiscard]] Error find_method(const char* name, size_t* method, Message& message) const;

  size_t input_count(size_t method) const;
  size_t output_count(size_t method) const;
  ValueInfo input(size_t method, size_t i) const;
  ValueInfo output(size_t method, size_t i) const;
  /// The container texts (formats/pte.md 12); empty if absent.
  Text inputs_text(size_t method) const;
  Text outputs_text(size_t method) const;
  size_t arena_count(size_t method) const;
  size_t arena_nbytes(size_t method, size_t arena) const;
  /// States what Method::load will take: that many bytes succeed, one fewer fails.
  [[nodiscard]] Error needs(size_t method, const Environment& environment, MemoryNeeds* out, Message& message) const;
  /// Bytes stored under `key` in the program, then in the external files. NotFound if nowhere.
  [[nodiscard]] Error named_data(Text key, Span<const uint8_t>* out, Message& message) const;
  /// JSON of the extension `rushlight/signature` (docs/extensions.md) is read with named_data().

 private:
  friend class Method;
  Loader* loader_ = nullptr;
  Span<Loader* const> external_;
  Span<const uint8_t> flatbuffer_;  // verified; 16-aligned; header included
  uint64_t segment_base_ = 0;
};

}  // namespace rushlight
