// SPDX-License-Identifier: BSD-3-Clause
// Program: a verified file. Everything that can be known of its methods without loading one.

#pragma once

#include "rushlight/backends/backend.h"
#include "rushlight/ops/kernel.h"
#include "rushlight/runtime/loader.h"

namespace rushlight {

namespace schema {
class MethodView;
class ProgramView;
class PtdEntryView;
class SegmentView;
class TableView;
class TensorView;
}  // namespace schema

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
  DType dtype = DType::Float32;  ///< tensors only, as are the next three
  bool is_dynamic = false;       ///< sizes are an upper bound
  bool is_planned = false;       ///< data lives in an arena or the file, else the caller binds it
  Span<const int32_t> sizes;
  Span<const uint8_t> dim_order;
};

/// Exactly the memory one method needs. method_nbytes is for this build and machine word.
struct MemoryNeeds {
  size_t method_nbytes = 0;  ///< values, tensors, delegates' state and kernel scratch; 16-aligned base
  size_t arena_count = 0;    ///< planned arenas; Program::arena_nbytes(method, i) for i < arena_count
};

/// A program file: header, tables and segments, checked as a whole by load() before anything is used.
///
/// Owns no memory; the Loaders must outlive it. Immutable after load(), so any number of threads may read it.
/// Methods and infos point into it: it must outlive them and stay where it is.
class Program {
 public:
  /// External data files that one Program can have.
  static constexpr size_t kMaxDataFiles = 8;

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
  /// Bytes stored under `key` in the external files, then in the program. NotFound if nowhere.
  [[nodiscard]] Error named_data(Text key, Span<const uint8_t>* out, Message& message) const;
  /// JSON of the extension `rushlight/signature` (docs/extensions.md) is read with named_data().

 private:
  friend class Method;
  friend class MethodBuilder;
  /// A checked file: its flatbuffer in memory, 16-aligned, and where its segments are.
  struct File {
    Loader* loader = nullptr;
    Span<const uint8_t> flatbuffer;
    uint64_t segment_base = 0;

    Error load(schema::SegmentView segment, Span<const uint8_t>* out, Message& message) const;
  };

  Error load_file(Loader& loader, Message& message, File* out);
  Error load_constants(Message& message);
  /// Adds to a failure where in the program it is; returns its code.
  Error fault_at(schema::TableView where, Message& message) const;
  schema::ProgramView view() const;
  schema::MethodView method_view(size_t method) const;
  ValueInfo value_info(size_t method, int32_t value) const;
  /// *out = segment i of the program. i is in range.
  Error segment(size_t i, Span<const uint8_t>* out, Message& message) const;
  /// *out = a delegate's payload: kind 0 inline, 1 a segment. Checked indices.
  Error payload(int8_t kind, uint32_t index, Span<const uint8_t>* out, Message& message) const;
  /// *out = the stored bytes of a tensor with data in a file: `nbytes` of them, aligned if it is a constant.
  Error stored_data(schema::TensorView tensor, size_t nbytes, Span<const uint8_t>* out, Message& message) const;
  Error external_data(schema::TensorView tensor, size_t nbytes, Span<const uint8_t>* out, Message& message) const;
  /// The entry of that key and its file; an absent entry if there is none.
  schema::PtdEntryView find_external(Text key, const File** file) const;
  Error load_external(const File& file, schema::PtdEntryView entry, Span<const uint8_t>* out, Message& message) const;

  File file_;
  File data_files_[kMaxDataFiles];
  size_t data_file_count_ = 0;
  Span<const uint8_t> constants_;  // the constants segment
  Span<const uint8_t> initial_;    // the segment of mutable tensors' initial values
};

}  // namespace rushlight
