// SPDX-License-Identifier: BSD-3-Clause
// Operators, a backend and a harness for the tests of Program and Method. The programs are made by cases.py.

#pragma once

#include "rushlight/ops/boxed.h"
#include "rushlight/runtime/method.h"
#include "tests/check.h"

namespace rushlight::check {

/// out = a + b in float32, where b may have one element. Wants scratch for a copy of a.
inline Error add(KernelContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  if (ctx.scratch().count() < a.nbytes()) return ctx.fail(Error::Internal, "scratch is short");
  if (b.numel() != 1 && b.numel() != a.numel()) return ctx.fail(Error::InvalidArgument, "sizes differ");
  auto* const copy = reinterpret_cast<float*>(ctx.scratch().data());
  for (size_t i = 0; i < a.numel(); ++i) copy[i] = a.data<float>()[i];
  for (size_t i = 0; i < a.numel(); ++i) {
    out.mutable_data<float>()[i] = copy[i] + b.data<float>()[b.numel() == 1 ? 0 : i];
  }
  return Error::Ok;
}
inline Error add_shape(KernelContext&, const Tensor& a, Span<Shape> out) { return out[0].assign(a.sizes()), Error::Ok; }
inline Error add_scratch(KernelContext&, const Tensor& a, const Tensor&, Tensor&, size_t* nbytes) {
  return *nbytes = a.nbytes(), Error::Ok;
}

/// self = other.
inline Error copy(KernelContext& ctx, Tensor& self, const Tensor& other, bool) {
  if (self.nbytes() != other.nbytes()) return ctx.fail(Error::InvalidArgument, "sizes differ");
  std::memmove(self.mutable_raw(), other.raw(), self.nbytes());
  return Error::Ok;
}

inline Error increment(KernelContext&, int64_t a, EValue& out) { return out = EValue::of_int(a + 1), Error::Ok; }
inline Error less(KernelContext&, int64_t a, int64_t b, EValue& out) { return out = EValue::of_bool(a < b), Error::Ok; }

/// out[i] = row i of x.
inline Error halves(KernelContext&, const Tensor& x, TensorList out) {
  for (size_t i = 0; i < out.count(); ++i) {
    std::memcpy(out[i].mutable_raw(), x.data<uint8_t>() + i * out[i].nbytes(), out[i].nbytes());
  }
  return Error::Ok;
}
inline Error halves_shape(KernelContext& ctx, const Tensor& x, Span<Shape> out) {
  if (out.count() != 2 || x.rank() != 2) return ctx.fail(Error::InvalidArgument, "not two rows");
  const int32_t sizes[] = {1, x.size(1)};
  out[0].assign(sizes);
  out[1].assign(sizes);
  return Error::Ok;
}

/// out becomes a view of x with the sizes `size`.
inline Error view(KernelContext& ctx, const Tensor& x, IntList size, Tensor& out) {
  const auto first = static_cast<int32_t>(size[0]);
  RL_TRY(out.resize(ctx.message(), {&first, 1}));
  return out.share(ctx.message(), x);
}

constexpr OpEntry kOps[] = {
    {"test::add.out", boxed<&add, Convention::Kernel>, shape_boxed<&add_shape, 4, 0>,
     scratch_boxed<&add_scratch, Convention::Kernel>, 2, 1, 4, 1u << 2, 0b11},
    {"test::copy_", boxed<&copy, Convention::Kernel>, nullptr, nullptr, 3, 0, 4, 1u << 0},
    {"test::halves.out", boxed<&halves, Convention::Kernel>, shape_boxed<&halves_shape, 3, 0>, nullptr, 1, 1, 3,
     1u << 1},
    {"test::increment", boxed<&increment, Convention::Prim>, nullptr, nullptr, 1, 0, 2, 0},
    {"test::less", boxed<&less, Convention::Prim>, nullptr, nullptr, 2, 0, 3, 0},
    {"test::view", boxed<&view, Convention::Prim>, nullptr, nullptr, 2, 1, 3, 0},
};
constexpr OpTable kTable = kOps;

/// What TestBackend did, in order: 'i' and the payload's last byte, 'x', 'd'. Reset it before each test.
struct BackendLog {
  char text[32];
  size_t count;
  void add(char c) {
    if (count + 1 < sizeof text) text[count++] = c, text[count] = 0;
  }
  void clear() { count = 0, text[0] = 0; }
};
inline BackendLog backend_log;

/// y = scale * x + bias: scale is a compile-time option, bias named data. Payloads must start with "good".
struct TestDelegate {
  float scale;
  const float* bias;
  uint8_t* state;
};

inline Error test_init(const DelegateInit& init, void** handle) {
  if (init.payload.count() < 5 || std::memcmp(init.payload.data(), "good", 4) != 0) {
    return init.message->fail(Error::DelegateInvalidCompatibility, "TestBackend: a payload that is not good");
  }
  if (init.specs.count() != 1 || !equal(init.specs[0].key, "scale")) return Error::Internal;
  Span<const uint8_t> bias;
  RL_TRY(init.named_data->find({"bias", 4}, &bias, *init.message));
  auto* const delegate = init.memory->allocate_array<TestDelegate>(1);
  auto* const state = static_cast<uint8_t*>(init.memory->allocate(3, 64));
  if (init.memory->is_counting() || init.memory->has_failed()) return Error::Ok;
  delegate->scale = init.specs[0].value[0];
  delegate->bias = reinterpret_cast<const float*>(bias.data());
  delegate->state = state;
  backend_log.add('i'), backend_log.add(static_cast<char>(init.payload[4]));
  *handle = delegate;
  return Error::Ok;
}

inline Error test_execute(void* handle, Message& message, Span<EValue* const> args) {
  const auto& delegate = *static_cast<TestDelegate*>(handle);
  backend_log.add('x');
  if (args.count() != 2 || !args[0]->is(Tag::Tensor) || !args[1]->is(Tag::Tensor)) {
    return message.fail(Error::InvalidProgram, "TestBackend: expected two tensors");
  }
  const Tensor& x = *args[0]->as_tensor();
  const Tensor& y = *args[1]->as_tensor();
  if (y.is_read_only()) return message.fail(Error::InvalidProgram, "TestBackend: its output is read-only");
  for (size_t i = 0; i < x.numel(); ++i) {
    y.mutable_data<float>()[i] = delegate.scale * x.data<float>()[i] + *delegate.bias;
  }
  return Error::Ok;
}

inline void test_destroy(void*) { backend_log.add('d'); }

inline constexpr Backend kTestBackend = {"TestBackend", test_init, test_execute, test_destroy};
inline constexpr const Backend* kTestBackends[] = {&kTestBackend};
inline constexpr Environment kEnvironment = {{&kTable, 1}, kTestBackends};

/// One program and one method of it, in memory on the stack.
struct Harness {
  explicit Harness(Span<const uint8_t> bytes) : loader(bytes) {}

  Error open(Span<Loader* const> external = {}) { return Program::load(loader, external, message, &program); }
  /// Loads with exactly the memory that needs() states, less `shortage` bytes of method memory.
  Error load(const char* name = "forward", size_t shortage = 0) {
    size_t index = 0;
    RL_TRY(program.find_method(name, &index, message));
    MemoryNeeds needs;
    RL_TRY(program.needs(index, kEnvironment, &needs, message));
    if (needs.method_nbytes > sizeof memory || needs.arena_count > 2) return Error::Internal;
    method_nbytes = needs.method_nbytes;
    for (size_t i = 0; i < needs.arena_count; ++i) spans[i] = {arenas[i], program.arena_nbytes(index, i)};
    return method.load(program, index, {{memory, method_nbytes - shortage}, {spans, needs.arena_count}}, kEnvironment,
                       message);
  }
  template <size_t N>
  Error set(size_t i, const float (&data)[N]) {
    const int32_t sizes[] = {static_cast<int32_t>(N)};
    return method.set_input(i, DType::Float32, sizes, data, message);
  }
  Error run() { return method.execute(message); }
  const Tensor& output(size_t i) const { return *method.output(i).as_tensor(); }
  float at(size_t i, size_t element) const { return output(i).data<float>()[element]; }

  Message message;
  MemoryLoader loader;
  Program program;
  alignas(16) uint8_t memory[4096];
  alignas(16) uint8_t arenas[2][256];
  Span<uint8_t> spans[2];
  size_t method_nbytes = 0;
  Method method;  // last: destroyed before its memory
};

}  // namespace rushlight::check
