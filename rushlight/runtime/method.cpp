// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/method.h"

#include <cstring>
#include <new>

#include "rushlight/runtime/execute.h"
#include "rushlight/runtime/layout.h"
#include "rushlight/runtime/verify.h"

namespace rushlight {

using namespace schema;

// ---- Loading.

Error Method::load(const Program& program, size_t method, const MethodMemory& memory, const Environment& environment,
                   Message& message) {
  if (state_) return message.fail(Error::InvalidState, "method: loaded already");
  if (method >= program.method_count()) {
    return message.fail(Error::InvalidArgument, "method {}: the program has {}", method, program.method_count());
  }
  if (reinterpret_cast<uintptr_t>(memory.method.data()) % 16 != 0) {
    return message.fail(Error::InvalidArgument, "method memory: not aligned to 16 bytes");
  }
  Arena arena(memory.method);
  auto* const state = arena.allocate_array<MethodState>(1);
  Error error = Error::MemoryAllocationFailed;
  if (state) {
    new (state) MethodState();
    error = MethodBuilder(program, method, environment, arena, message).build(memory.arenas, state);
    program_ = &program;
    index_ = method;
    state_ = state;
    if (error == Error::Ok) error = initialise(memory.arenas_are_zero, message);
    if (error != Error::Ok) destroy();
  }
  if (arena.has_failed()) {
    return message.fail(Error::MemoryAllocationFailed,
                        "method {}: {} bytes of method memory are too few; Program::needs() states how many",
                        program.method_name(method), memory.method.count());
  }
  return error;
}

void Method::destroy() {
  if (!state_) return;
  for (size_t i = state_->delegate_count; i-- > 0;) {
    const DelegateSlot& slot = state_->delegates[i];
    if (slot.backend->destroy) slot.backend->destroy(slot.handle);
  }
  state_ = nullptr;
  program_ = nullptr;
}

// Arenas zero, then initial values over them.
Error Method::initialise(bool arenas_are_zero, Message& message) {
  for (const Span<uint8_t>& arena : state_->arenas) {
    if (!arenas_are_zero && !arena.empty()) std::memset(arena.data(), 0, arena.count());
  }
  Tensor* next_tensor = state_->tensors.data();
  for (const ValueBoxView box : state_->file.values()) {
    if (box.value_member() == ValueMember::Tensor) RL_TRY(initialise(box.as_Tensor(), *next_tensor++, message));
  }
  for (InputSlot& input : state_->inputs) input.is_set = false;
  return Error::Ok;
}

Error Method::initialise(TensorView view, Tensor& tensor, Message& message) {
  const bool is_stored = view.buffer() > 0 || is_external(view);
  if (!view.has_placement() || !is_stored) return Error::Ok;
  bind_planned(*state_, view, tensor);
  Span<const uint8_t> data;
  RL_TRY(program_->stored_data(view, tensor.capacity_nbytes(), &data, message));
  RL_TRY(check_stored(view, data, message));
  if (!data.empty()) std::memcpy(tensor.mutable_raw(), data.data(), data.count());
  return Error::Ok;
}

Error Method::reset(Message& message) {
  RL_TRY(check_loaded(message));
  restore_values(*state_);
  return initialise(false, message);
}

Error Method::check_loaded(Message& message) const {
  if (!state_) return message.fail(Error::InvalidState, "method: not loaded");
  if (state_->is_running) return message.fail(Error::InvalidState, "method: called from inside its own execute()");
  return Error::Ok;
}

// ---- Inputs and outputs.

size_t Method::input_count() const { return state_ ? state_->inputs.count() : 0; }
size_t Method::output_count() const { return state_ ? state_->outputs.count() : 0; }

const EValue& Method::input(size_t i) const { return state_->values[static_cast<size_t>(state_->file.inputs()[i])]; }
const EValue& Method::output(size_t i) const { return state_->values[static_cast<size_t>(state_->file.outputs()[i])]; }

Error Method::check_input(size_t i, DType dtype, Span<const int32_t> sizes, Message& message) const {
  RL_TRY(check_loaded(message));
  if (i >= input_count()) {
    return message.fail(Error::InvalidArgument, "input {}: the method has {} inputs", i, input_count());
  }
  const ValueInfo info = input_info(i);
  if (info.tag != Tag::Tensor) {
    return message.fail(Error::InvalidType, "input {}: a tensor, expected {}", i, to_string(info.tag));
  }
  if (dtype != info.dtype) {
    return message.fail(Error::InvalidType, "input {}: {}, expected {}", i, to_string(dtype), to_string(info.dtype));
  }
  if (sizes.count() != info.sizes.count()) {
    return message.fail(Error::InvalidArgument, "input {}: sizes {} have rank {}, expected rank {}", i, sizes,
                        sizes.count(), info.sizes.count());
  }
  for (size_t d = 0; d < sizes.count(); ++d) {
    const bool fits = info.is_dynamic ? sizes[d] >= 0 && sizes[d] <= info.sizes[d] : sizes[d] == info.sizes[d];
    if (fits) continue;
    return message.fail(Error::InvalidArgument, "input {}: size {} in dimension {}, expected {}{}", i, sizes[d], d,
                        info.is_dynamic ? "at most " : "", info.sizes[d]);
  }
  return Error::Ok;
}

Error Method::set_input(size_t i, DType dtype, Span<const int32_t> sizes, const void* data, Message& message,
                        bool is_writable) {
  RL_TRY(check_input(i, dtype, sizes, message));
  InputSlot& slot = state_->inputs[i];
  size_t numel = 0, nbytes = 0;
  (void)count_elements(sizes, element_nbytes(dtype), &numel, &nbytes);  // within the bound, which was verified
  if (nbytes > 0 && !data) return message.fail(Error::InvalidArgument, "input {}: no data", i);
  if (!slot.is_planned && reinterpret_cast<uintptr_t>(data) % element_alignment(dtype) != 0) {
    return message.fail(Error::InvalidArgument, "input {}: its data is not aligned for {}", i, to_string(dtype));
  }
  Tensor& tensor = *slot.tensor;
  // Instructions may have made it a view of less memory.
  bind_planned(*state_, state_->file.values()[static_cast<size_t>(state_->file.inputs()[i])].as_Tensor(), tensor);
  RL_TRY(tensor.resize(message, sizes));
  if (slot.is_planned) {
    if (nbytes > 0 && data != tensor.raw()) std::memmove(tensor.mutable_raw(), data, nbytes);
  } else {
    slot.data = const_cast<void*>(data);
    slot.is_writable = is_writable;
  }
  slot.is_set = true;
  return Error::Ok;
}

namespace {

bool is_close(double value, double recorded) {
  const auto magnitude = [](double x) { return x < 0 ? -x : x; };
  if (value == recorded || (value != value && recorded != recorded)) return true;
  return magnitude(value - recorded) <= 1e-4 + 1e-5 * magnitude(recorded);
}

bool equals_recorded(const EValue& value, ValueBoxView recorded) {
  switch (value.tag()) {
    case Tag::None:
      return true;
    case Tag::Int:
      return value.as_int() == recorded.as_Int().value();
    case Tag::Bool:
      return value.as_bool() == recorded.as_Bool().value();
    case Tag::Double:
      return is_close(value.as_double(), recorded.as_Double().value());
    case Tag::String:
      return equal(value.as_string(), recorded.as_String().value());
    default:
      return false;
  }
}

Error wrong_value(Message& message, size_t i, [[maybe_unused]] ValueBoxView recorded) {
  (void)message.fail(Error::InvalidArgument, "input {}: differs from the value recorded at export, ", i);
#if RL_MESSAGES
  switch (recorded.value_member()) {
    case ValueMember::Int:
      message.append("{}", recorded.as_Int().value());
      break;
    case ValueMember::Bool:
      message.append("{}", recorded.as_Bool().value() ? "true" : "false");
      break;
    case ValueMember::Double:
      message.append("{}", recorded.as_Double().value());
      break;
    case ValueMember::String:
      message.append("'{}'", recorded.as_String().value());
      break;
    default:
      break;
  }
#endif
  return Error::InvalidArgument;
}

}  // namespace

Error Method::set_input(size_t i, const EValue& value, Message& message) {
  if (value.is(Tag::Tensor)) {
    const Tensor& tensor = *value.as_tensor();
    RL_TRY(check_input(i, tensor.dtype(), tensor.sizes(), message));
    const ValueInfo info = input_info(i);
    for (size_t d = 0; d < tensor.rank(); ++d) {
      if (tensor.dim_order()[d] == info.dim_order[d]) continue;
      return message.fail(Error::InvalidArgument, "input {}: its dim order differs from the program's", i);
    }
    return set_input(i, tensor.dtype(), tensor.sizes(), tensor.raw(), message, !tensor.is_read_only());
  }
  RL_TRY(check_loaded(message));
  if (i >= input_count()) {
    return message.fail(Error::InvalidArgument, "input {}: the method has {} inputs", i, input_count());
  }
  const ValueBoxView recorded = state_->file.values()[static_cast<size_t>(state_->file.inputs()[i])];
  if (value.tag() != static_cast<Tag>(recorded.value_member())) {
    return message.fail(Error::InvalidType, "input {}: {}, expected {}", i, to_string(value.tag()),
                        to_string(static_cast<Tag>(recorded.value_member())));
  }
  if (!equals_recorded(value, recorded)) return wrong_value(message, i, recorded);
  state_->inputs[i].is_set = true;
  return Error::Ok;
}

Error Method::set_output(size_t i, void* data, size_t nbytes, Message& message) {
  RL_TRY(check_loaded(message));
  if (i >= output_count()) {
    return message.fail(Error::InvalidArgument, "output {}: the method has {} outputs", i, output_count());
  }
  OutputSlot& slot = state_->outputs[i];
  const ValueInfo info = output_info(i);
  if (!slot.tensor) return message.fail(Error::InvalidType, "output {}: {}, not a tensor", i, to_string(info.tag));
  size_t numel = 0, needed = 0;
  (void)count_elements(info.sizes, element_nbytes(info.dtype), &numel, &needed);
  if (nbytes < needed || (needed > 0 && !data)) {
    return message.fail(Error::InvalidArgument, "output {}: {} bytes given, {} needed", i, data ? nbytes : 0, needed);
  }
  if (reinterpret_cast<uintptr_t>(data) % element_alignment(info.dtype) != 0) {
    return message.fail(Error::InvalidArgument, "output {}: its memory is not aligned for {}", i,
                        to_string(info.dtype));
  }
  slot.data = data;
  slot.nbytes = nbytes;
  return Error::Ok;
}

void* Method::input_data(size_t i) const {
  const ValueBoxView box = state_->file.values()[static_cast<size_t>(state_->file.inputs()[i])];
  if (box.value_member() != ValueMember::Tensor || !box.as_Tensor().has_placement()) return nullptr;
  const PlacementView placement = box.as_Tensor().placement();
  return state_->arenas[placement.memory_id() - 1].data() + static_cast<size_t>(placement_offset(placement));
}

// ---- Running.

Error Method::execute(Message& message, Trace* trace) {
  RL_TRY(check_loaded(message));
  state_->is_running = true;
  const Error error = Executor(*state_, instruction_limit_, message, trace).run();
  state_->is_running = false;
  return error;
}

}  // namespace rushlight
