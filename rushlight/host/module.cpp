// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/host/module.h"

#include <sys/mman.h>

#include <new>

namespace rushlight {

namespace {

// Of every block, so that vector loads never straddle a cache line at its start.
constexpr size_t kAlignment = 64;

}  // namespace

Error Module::open(const char* path, Message& message, Span<const char* const> data_paths) {
  if (data_paths.count() > Program::kMaxDataFiles) {
    return message.fail(Error::InvalidArgument, "{}: {} data files, expected at most {}", path, data_paths.count(),
                        Program::kMaxDataFiles);
  }
  RL_TRY(loader_.open(path, message));
  Loader* external[Program::kMaxDataFiles];
  for (size_t i = 0; i < data_paths.count(); ++i) {
    RL_TRY(data_loaders_[i].open(data_paths[i], message));
    external[i] = &data_loaders_[i];
  }
  const Error error = Program::load(loader_, {external, data_paths.count()}, message, &program_);
  if (error != Error::Ok) message.append(" ({})", path);
  return error;
}

Error Instance::load(const Module& module, const char* method, Message& message, const Environment& environment) {
  if (pages_) return message.fail(Error::InvalidState, "{}: this instance is loaded already", method);
  const Program& program = module.program();
  size_t index = 0;
  RL_TRY(program.find_method(method, &index, message));
  MemoryNeeds needs;
  RL_TRY(program.needs(index, environment, &needs, message));
  MethodMemory memory;
  RL_TRY(allocate(program, index, needs.method_nbytes, &memory, message));
  const Error error = method_.load(program, index, memory, environment, message);
  if (error != Error::Ok) unload();
  return error;
}

Error Instance::allocate(const Program& program, size_t method, size_t method_nbytes, MethodMemory* memory,
                         Message& message) {
  const size_t count = program.arena_count(method);
  Arena counter;
  for (size_t i = 0; i < count; ++i) (void)counter.allocate(program.arena_nbytes(method, i), kAlignment);
  (void)counter.allocate(method_nbytes, kAlignment);
  (void)counter.allocate_array<Span<uint8_t>>(count);
  void* pages = MAP_FAILED;
  if (!counter.has_failed() && counter.used() > 0) {
    pages = mmap(nullptr, counter.used(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (pages == MAP_FAILED) {
    return message.fail(Error::MemoryAllocationFailed, "method {}: no memory for its {} bytes",
                        program.method_name(method), counter.used());
  }
  pages_ = static_cast<uint8_t*>(pages);
  nbytes_ = counter.used();
  Arena arena({pages_, nbytes_});
  // The list comes last in memory and is needed first: its place follows from the total.
  auto* const list = reinterpret_cast<Span<uint8_t>*>(pages_ + nbytes_ - count * sizeof(Span<uint8_t>));
  for (size_t i = 0; i < count; ++i) {
    const size_t nbytes = program.arena_nbytes(method, i);
    new (&list[i]) Span<uint8_t>(static_cast<uint8_t*>(arena.allocate(nbytes, kAlignment)), nbytes);
  }
  memory->method = {static_cast<uint8_t*>(arena.allocate(method_nbytes, kAlignment)), method_nbytes};
  memory->arenas = {list, count};
  memory->arenas_are_zero = true;
  return Error::Ok;
}

void Instance::unload() {
  method_.destroy();
  if (pages_) munmap(pages_, nbytes_);
  pages_ = nullptr;
  nbytes_ = 0;
}

}  // namespace rushlight
