// SPDX-License-Identifier: BSD-3-Clause
// A loaded Method together with the memory it runs in.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "rushlight/bindings/program.h"
#include "rushlight/runtime/method.h"

namespace rushlight::bindings {

class PyMethod {
 public:
  /// Loads the method in memory of its own: exactly what Program::needs states, or the given numbers of bytes.
  /// share: a method of the same program whose second arena (the shared mutable state) this one uses too; its present
  /// contents are kept.
  PyMethod(std::shared_ptr<PyProgram> program, size_t index, std::shared_ptr<PyMethod> share,
           std::optional<size_t> method_nbytes, std::optional<std::vector<size_t>> arena_nbytes);
  PyMethod(const PyMethod&) = delete;

  /// Input i = the array. False if its memory is not dense in the slot's dim order: copy it and call again.
  /// dtype: what the elements are if the array cannot say (bfloat16 in uint16), else -1.
  bool set_tensor(size_t i, const ArrayIn& array, int dtype);
  /// Input i = None, bool, int, float or str.
  void set_value(size_t i, nb::handle value);
  /// Runs with the interpreter lock released. trace: 0 off, 1 times, 2 times and outputs.
  /// @return None, or a list of (chain, instruction, name, nanoseconds, [outputs] or None).
  nb::object execute(int trace);
  /// The value of output i; copy: its bytes belong to the caller, else they are a view until the next execute().
  nb::object output(nb::handle self, size_t i, bool copy) const;
  /// The value recorded in input slot i; None for tensors.
  nb::object recorded(size_t i) const;
  void reset();

 private:
  void allocate(std::optional<size_t> method_nbytes, const std::vector<size_t>* arena_nbytes);
  void share_state(const PyMethod& other);
  void load(bool has_shared_arena);
  void bind_outputs();
  void check_input(size_t i) const;
  bool is_own(const void* p) const;

  std::shared_ptr<PyProgram> program_;
  size_t index_;
  std::unique_ptr<Block> method_block_;
  std::vector<std::shared_ptr<Block>> arenas_;
  std::vector<Span<uint8_t>> arena_spans_;
  std::vector<std::unique_ptr<Block>> output_blocks_;  // of outputs that no arena holds
  std::vector<ArrayIn> borrowed_;                      // arrays read in place during execute(), by input
  std::vector<bool> is_set_;
  std::atomic<bool> is_running_{false};
  Method method_;  // last: destroyed before its memory
};

/// Adds Method to the module.
void bind_method(nb::module_& module);

}  // namespace rushlight::bindings
