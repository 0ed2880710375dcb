// SPDX-License-Identifier: BSD-3-Clause
// Method: one entry point of a Program, ready to run in the caller's memory.

#pragma once

#include "rushlight/runtime/program.h"
#include "rushlight/runtime/trace.h"

namespace rushlight {

struct MethodState;

/// The memory of one Method, all of it owned by the caller and outliving the Method.
struct MethodMemory {
  Span<uint8_t> method;              ///< at least MemoryNeeds::method_nbytes, 16-aligned
  Span<const Span<uint8_t>> arenas;  ///< arena i holds at least Program::arena_nbytes(method, i), 16-aligned
  /// The arenas hold zeros already (fresh pages): load() need not touch them.
  bool arenas_are_zero = false;
};

/// A loaded entry point: value table, resolved kernels, initialised delegates, bound constants.
///
/// Not thread-safe; several Methods of one Program may run at once, each with its own memory.
/// Not copyable or movable after load(): values point into it. destroy() releases the delegates.
class Method {
 public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  ~Method() { destroy(); }

  /// Builds the method in `memory`. Resolves every operator and initialises every delegate, in file order.
  /// @return MemoryAllocationFailed if any part of `memory` is too small; OperatorMissing listing all missing
  /// operators;
  ///         NotFound for an unknown backend; InvalidProgram.
  [[nodiscard]] Error load(const Program& program, size_t method, const MethodMemory& memory,
                           const Environment& environment, Message& message);
  void destroy();

  size_t input_count() const;
  size_t output_count() const;
  /// The slot itself, to read its tag, dtype, sizes (present) and dim order. i < input_count(), as everywhere here.
  const EValue& input(size_t i) const;
  /// After execute(): the result. Tensor data is valid until the next execute() or the end of the arenas.
  const EValue& output(size_t i) const;
  ValueInfo input_info(size_t i) const { return program_->input(index_, i); }
  ValueInfo output_info(size_t i) const { return program_->output(index_, i); }

  /// Gives input i a tensor of `sizes`, whose bytes are dense in the slot's dim order.
  /// A planned input is copied into its arena, whose bytes may serve other values once the input was read: set it
  /// again before each execute(). An unplanned one is read in place by every execute() until it is set again.
  /// is_writable: the program may write to an unplanned input's data (a model that mutates its argument); without it
  /// such a program fails cleanly.
  /// @return InvalidArgument/InvalidType naming the input, the dimension, expected and got: dtype, rank, each size
  ///         against the static size or its upper bound.
  [[nodiscard]] Error set_input(size_t i, DType dtype, Span<const int32_t> sizes, const void* data, Message& message,
                                bool is_writable = false);
  /// Gives input i a number, text or None. Int, Bool, String must equal the value recorded at export; Double within
  /// 1e-4 + 1e-5 |recorded|. A Tensor value must have the slot's dim order, and is taken as above.
  [[nodiscard]] Error set_input(size_t i, const EValue& value, Message& message);
  /// Where output i's bytes go: an unplanned one is computed there, any other is copied there when execute() ends.
  /// `data` must hold the upper bound of its sizes, be aligned for its dtype and live as long as outputs are asked for.
  [[nodiscard]] Error set_output(size_t i, void* data, size_t nbytes, Message& message);
  /// Input i's planned memory, for a caller who fills it directly and passes it to set_input(), which then copies
  /// nothing. Null if unplanned.
  void* input_data(size_t i) const;

  /// Runs every chain. All inputs must have been set.
  /// @return the first failing instruction's error, with method, instruction and source line appended;
  ///         EndOfMethod after `instruction_limit` instructions (loops in hostile files).
  [[nodiscard]] Error execute(Message& message, Trace* trace = nullptr);
  void set_instruction_limit(uint64_t limit) { instruction_limit_ = limit; }

  /// Mutable state back to its initial values, as load() left it; inputs are unset.
  [[nodiscard]] Error reset(Message& message);

 private:
  Error check_loaded(Message& message) const;
  Error check_input(size_t i, DType dtype, Span<const int32_t> sizes, Message& message) const;
  Error initialise(bool arenas_are_zero, Message& message);
  Error initialise(schema::TensorView view, Tensor& tensor, Message& message);

  const Program* program_ = nullptr;
  MethodState* state_ = nullptr;  // in the method memory; null: not loaded
  size_t index_ = 0;
  uint64_t instruction_limit_ = 10000000;  // as the ExecuTorch runtime's guard
};

}  // namespace rushlight
