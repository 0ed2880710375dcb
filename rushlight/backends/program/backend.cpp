// SPDX-License-Identifier: BSD-3-Clause
// Runs a Program of one method as a delegate. README.md says what for.

#include <cstring>
#include <new>

#include "rushlight/backends/backend.h"
#include "rushlight/runtime/method.h"

namespace rushlight {
namespace {

constexpr size_t kMaxArenas = 4;

/// One delegate, in the outer method's memory.
struct Delegate {
  explicit Delegate(Span<const uint8_t> payload) : loader(payload) {}

  MemoryLoader loader;
  Program program;
  Method method;
};

/// The operators of this build and no backends: a payload inside a payload is refused, so calls nest twice at most.
Environment inner_environment() { return {default_environment().ops, {}}; }

/// Checks the payload as a file of one method, and states what that needs.
Error open(const DelegateInit& init, Loader& loader, Program* program, MemoryNeeds* needs) {
  RL_TRY(Program::load(loader, {}, *init.message, program));
  if (program->method_count() != 1) {
    return init.message->fail(Error::InvalidProgram, "RushlightProgram: a payload with {} methods, expected 1",
                              program->method_count());
  }
  RL_TRY(program->needs(0, inner_environment(), needs, *init.message));
  if (needs->arena_count > kMaxArenas) {
    return init.message->fail(Error::NotSupported, "RushlightProgram: a payload with {} arenas, at most {}",
                              needs->arena_count, kMaxArenas);
  }
  return Error::Ok;
}

Span<uint8_t> take(Arena& memory, size_t nbytes) {
  return {static_cast<uint8_t*>(memory.allocate(nbytes, 16)), nbytes};
}

Error init(const DelegateInit& init, void** handle) {
  *handle = nullptr;
  MemoryLoader loader(init.payload);
  Program probe;
  MemoryNeeds needs;
  RL_TRY(open(init, loader, &probe, &needs));

  void* place = init.memory->allocate(sizeof(Delegate), alignof(Delegate));
  MethodMemory memory;
  memory.method = take(*init.memory, needs.method_nbytes);
  Span<uint8_t> arenas[kMaxArenas];
  for (size_t i = 0; i < needs.arena_count; ++i) arenas[i] = take(*init.memory, probe.arena_nbytes(0, i));
  memory.arenas = {arenas, needs.arena_count};
  if (init.memory->is_counting()) return Error::Ok;
  if (init.memory->has_failed()) {
    return init.message->fail(Error::MemoryAllocationFailed, "RushlightProgram: the method's memory is too small");
  }

  auto* delegate = new (place) Delegate(init.payload);
  const Error error = [&] {
    RL_TRY(open(init, delegate->loader, &delegate->program, &needs));
    return delegate->method.load(delegate->program, 0, memory, inner_environment(), *init.message);
  }();
  if (error != Error::Ok) {
    delegate->~Delegate();
    return error;
  }
  *handle = delegate;
  return Error::Ok;
}

/// Results are computed in the payload's arenas, then copied: sizes are known only then.
Error give(const EValue& result, EValue& to, size_t i, Message& message) {
  if (!result.is(Tag::Tensor)) {
    if (!to.is_number() || !result.is_number()) {
      return message.fail(Error::InvalidType, "RushlightProgram: output {} has no place in the program", i);
    }
    to = result;
    return Error::Ok;
  }
  if (!to.is(Tag::Tensor)) {
    return message.fail(Error::InvalidType, "RushlightProgram: output {} is a tensor, its place is not", i);
  }
  const Tensor& from = *result.as_tensor();
  Tensor& out = *to.as_tensor();
  if (out.is_read_only() || out.dtype() != from.dtype() || out.rank() != from.rank()) {
    return message.fail(Error::InvalidType, "RushlightProgram: output {}: a {} of rank {} for a {} of rank {}", i,
                        to_string(from.dtype()), from.rank(), to_string(out.dtype()), out.rank());
  }
  RL_TRY(out.resize(message, from.sizes()));
  if (!out.same_layout(from)) {
    return message.fail(Error::InvalidType, "RushlightProgram: output {} has another dim order", i);
  }
  if (from.nbytes() > 0) memcpy(out.mutable_raw(), from.raw(), from.nbytes());
  return Error::Ok;
}

Error execute(void* handle, Message& message, Span<EValue* const> args) {
  Method& method = static_cast<Delegate*>(handle)->method;
  const size_t inputs = method.input_count();
  if (args.count() != inputs + method.output_count()) {
    return message.fail(Error::InvalidArgument, "RushlightProgram: {} arguments for {} inputs and {} outputs",
                        args.count(), inputs, method.output_count());
  }
  for (size_t i = 0; i < inputs; ++i) RL_TRY(method.set_input(i, *args[i], message));
  RL_TRY(method.execute(message));
  for (size_t i = 0; i < method.output_count(); ++i) RL_TRY(give(method.output(i), *args[inputs + i], i, message));
  return Error::Ok;
}

void destroy(void* handle) {
  if (handle) static_cast<Delegate*>(handle)->~Delegate();
}

}  // namespace

extern const Backend kProgramBackend;
const Backend kProgramBackend = {"RushlightProgram", init, execute, destroy};

}  // namespace rushlight
