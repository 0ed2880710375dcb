// SPDX-License-Identifier: BSD-3-Clause
// A program and its methods on a machine with files and virtual memory, in a few lines:
//
//   rushlight::Message message;
//   rushlight::Module module;
//   rushlight::Instance forward;
//   if (module.open("model.pte", message) != rushlight::Error::Ok) …message.text()…
//   if (forward.load(module, "forward", message) != rushlight::Error::Ok) …
//   forward->set_input(0, rushlight::DType::Float32, sizes, data, message);
//   forward->execute(message);
//   forward->output(0).as_tensor()->data<float>();

#pragma once

#include "rushlight/host/mmap_loader.h"
#include "rushlight/runtime/method.h"

namespace rushlight {

/// A mapped program file and its external data files. Instances share its weights; it must outlive them.
/// Immutable after open(), so threads may share it.
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Maps and checks the files. `data_paths`: external data (.ptd), at most Program::kMaxDataFiles.
  /// @return AccessFailed, InvalidProgram, InvalidExternalData, with the reason.
  [[nodiscard]] Error open(const char* path, Message& message, Span<const char* const> data_paths = {});
  const Program& program() const { return program_; }

 private:
  MmapLoader loader_;
  MmapLoader data_loaders_[Program::kMaxDataFiles];
  Program program_;
};

/// One loaded method in memory of its own. Not for two threads at once; make one for each.
class Instance {
 public:
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() { unload(); }

  /// Takes exactly what the method needs, in zero pages of which only those that are touched become real.
  /// @return what Method::load returns; MemoryAllocationFailed if the system has no more.
  [[nodiscard]] Error load(const Module& module, const char* method, Message& message,
                           const Environment& environment = default_environment());
  void unload();

  Method& operator*() { return method_; }
  Method* operator->() { return &method_; }
  /// Bytes of address space taken.
  size_t nbytes() const { return nbytes_; }

 private:
  Error allocate(const Program& program, size_t method, size_t method_nbytes, MethodMemory* memory, Message& message);

  uint8_t* pages_ = nullptr;  // arenas, method memory, then the list of arenas
  size_t nbytes_ = 0;
  Method method_;
};

}  // namespace rushlight
