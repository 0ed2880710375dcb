// SPDX-License-Identifier: BSD-3-Clause
// What a Method keeps in the caller's memory, and the one function that lays it out: counting (Program::needs) and
// building (Method::load) are the same code, so they agree to the byte.

#pragma once

#include "rushlight/runtime/method.h"
#include "rushlight/schema/views.h"

namespace rushlight {

/// An input and what the caller gave for it.
struct InputSlot {
  Tensor* tensor;  ///< null: a number, text or None
  void* data;      ///< of an unplanned tensor, as given
  bool is_planned;
  bool is_writable;  ///< an unplanned tensor's data may be written
  bool is_set;
};

/// An output and where the caller wants it.
struct OutputSlot {
  Tensor* tensor;  ///< null: not a tensor
  void* data;      ///< as given, or null
  size_t nbytes;
  bool is_bindable;  ///< unplanned: kernels write to `data` directly
};

struct DelegateSlot {
  const Backend* backend;
  void* handle;
};

/// One loaded method. Everything it points to follows it in the method memory, or is the file.
struct MethodState {
  schema::MethodView file;
  Span<EValue> values;
  Span<Tensor> tensors;      ///< of the Tensor values, in value order
  Span<const OpEntry*> ops;  ///< by operator index; null if no instruction calls it
  Span<DelegateSlot> delegates;
  size_t delegate_count = 0;  ///< initialised so far
  Span<InputSlot> inputs;
  Span<OutputSlot> outputs;
  Span<Span<uint8_t>> arenas;
  Span<EValue*> args;          ///< room for the longest argument list
  Span<Shape> shapes;          ///< room for the most destinations
  Span<uint8_t> scratch;       ///< room for the hungriest kernel
  bool is_running = false;     ///< inside execute(): callbacks must leave the method alone
  bool has_rebinding = false;  ///< instructions may replace values or data pointers, to be undone before each run
};

/// Lays out and builds one method in an arena, or counts what that takes.
class MethodBuilder {
 public:
  MethodBuilder(const Program& program, size_t method, const Environment& environment, Arena& arena, Message& message)
      : program_(program), method_(method), environment_(environment), arena_(arena), message_(message) {}

  /// Fills *state. When counting, only what the arena hands out is of use afterwards.
  /// On failure, delegates [0, delegate_count) are initialised and the caller's to destroy.
  Error build(Span<const Span<uint8_t>> arenas, MethodState* state);

 private:
  Error layout_tables();
  Error fill(Span<const Span<uint8_t>> arenas);
  Error fill_interface();
  Error resolve();
  Error resolve(schema::InstructionBoxView box);
  Error resolve_call(schema::KernelCallView call);
  Error add_missing(schema::OperatorNameView name);
  Error check_call(const OpEntry& op, schema::KernelCallView call);
  Error check_replaced(schema::TableView where, int32_t value);
  Error measure_call(const OpEntry& op, schema::KernelCallView call);
  Error init_delegates();
  Error init_delegate(size_t i);
  Error layout_call_space();
  Error check_memory();
  bool is_building() const { return !arena_.is_counting(); }
  const OpEntry* find_op(schema::OperatorNameView name) const;

  const Program& program_;
  size_t method_;
  const Environment& environment_;
  Arena& arena_;
  Message& message_;
  MethodState* state_ = nullptr;
  size_t missing_count_ = 0;
  size_t most_args_ = 0;
  size_t most_shapes_ = 0;
  size_t most_scratch_ = 0;
};

/// InvalidProgram if stored elements are no values of the tensor's dtype: a C++ bool of 2 is undefined behaviour.
[[nodiscard]] Error check_stored(schema::TensorView view, Span<const uint8_t> data, Message& message);
/// Undoes what instructions did to values and data pointers: every value as in the file, every tensor on its memory.
void restore_values(MethodState& state);
/// Points `tensor` at its planned memory, or at nothing if it is unplanned. Constants keep theirs.
void bind_planned(const MethodState& state, schema::TensorView view, Tensor& tensor);

}  // namespace rushlight
