// SPDX-License-Identifier: BSD-3-Clause
// A Program together with everything it points into: mapped files, Python buffers, loaders.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rushlight/bindings/values.h"
#include "rushlight/runtime/program.h"

namespace rushlight::bindings {

/// One file: a path (mapped) or an object with the buffer protocol (bytes are used in place if they are 16-aligned,
/// anything else is copied). Both outlive the Program.
class Source {
 public:
  explicit Source(nb::handle path_or_buffer);
  Loader& loader() { return *loader_; }

 private:
  void open_buffer(nb::handle object);

  std::shared_ptr<void> keep_;  // the mapping, the exported buffer or the copy
  Loader* loader_ = nullptr;    // inside keep_ or memory_
  std::unique_ptr<MemoryLoader> memory_;
};

/// A loaded file and its external data. Immutable, so threads may share it.
class PyProgram {
 public:
  /// @throws Failure with reason and byte offset.
  PyProgram(nb::handle source, const nb::list& data);
  PyProgram(const PyProgram&) = delete;

  const Program& program() const { return program_; }
  nb::list method_names() const;
  /// Lists of (tag, dtype, sizes, dim_order, is_dynamic, is_planned), one per input and per output.
  nb::tuple slots(size_t method) const;
  /// (inputs text, outputs text), "" where absent.
  nb::tuple containers(size_t method) const;
  /// (method bytes, [bytes of each arena]): exactly what a Method takes.
  nb::tuple needs(size_t method) const;
  /// [bytes of each arena], from the file alone.
  nb::list arenas(size_t method) const;
  /// The bytes stored under `key`, or None.
  nb::object named_data(const std::string& key) const;
  /// @throws nb::index_error
  void check_index(size_t method) const;

 private:
  std::vector<std::unique_ptr<Source>> sources_;  // [0] is the program, then the external files
  std::vector<Loader*> external_;
  Program program_;
};

/// Adds Program to the module.
void bind_program(nb::module_& module);

}  // namespace rushlight::bindings
