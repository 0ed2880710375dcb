// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/layout.h"

#include <new>

#include "rushlight/runtime/make_value.h"
#include "rushlight/runtime/verify.h"

namespace rushlight {

using namespace schema;

namespace {

// Counts of what the values of a method consist of. 64 bits wide: a product of two 32-bit counts cannot wrap.
struct Counts {
  uint64_t tensors = 0;
  uint64_t strides = 0;
  uint64_t sizes = 0;  // of bounded tensors; static ones use the file's
  uint64_t slots = 0;
};

Counts count_values(MethodView method) {
  Counts counts;
  for (const ValueBoxView box : method.values()) {
    switch (box.value_member()) {
      case ValueMember::Tensor:
        ++counts.tensors;
        counts.strides += box.as_Tensor().sizes().count();
        if (box.as_Tensor().dynamism() != 0) counts.sizes += box.as_Tensor().sizes().count();
        break;
      case ValueMember::IntList:
        counts.slots += box.as_IntList().items().count();
        break;
      case ValueMember::TensorList:
        counts.slots += box.as_TensorList().items().count();
        break;
      case ValueMember::OptionalTensorList:
        counts.slots += box.as_OptionalTensorList().items().count();
        break;
      default:
        break;
    }
  }
  return counts;
}

// Not inline: called for a dozen types.
[[gnu::noinline]] void* take_bytes(Arena& arena, uint64_t count, size_t element_nbytes, size_t alignment) {
  const uint64_t nbytes = count * element_nbytes;  // count < 2^36, as the values have bytes in the file
  return arena.allocate(nbytes > SIZE_MAX ? SIZE_MAX : static_cast<size_t>(nbytes), alignment);
}

template <class T>
Span<T> take(Arena& arena, uint64_t count) {
  return {static_cast<T*>(take_bytes(arena, count, sizeof(T), alignof(T))), static_cast<size_t>(count)};
}

/// Hands out the arrays that layout_tables() counted, front to back.
struct TableStore final : ValueStore {
  Span<EValue> values;
  Tensor* next_tensor;
  ptrdiff_t* next_stride;
  int32_t* next_size;
  EValue** next_slot;

  Tensor* tensor(TensorView view) override {
    const auto dtype = static_cast<DType>(view.dtype());
    const size_t rank = view.sizes().count();
    ptrdiff_t* const strides = next_stride;
    next_stride += rank;
    if (view.dynamism() == 0) {
      return new (next_tensor++) Tensor(dtype, view.sizes(), view.dim_order().data(), strides, nullptr);
    }
    int32_t* const sizes = next_size;
    next_size += rank;
    for (size_t d = 0; d < rank; ++d) sizes[d] = view.sizes()[d];
    auto* const made =
        new (next_tensor++) Tensor(dtype, Span<int32_t>(sizes, rank), view.dim_order().data(), strides, nullptr, 0);
    made->bind(nullptr, made->nbytes(), false);
    return made;
  }
  EValue** slots(size_t count) override {
    EValue** const first = next_slot;
    next_slot += count;
    return first;
  }
  EValue* item(size_t value) override { return &values[value]; }
};

/// Finds the tensors that are there already, back on their own memory.
struct RestoringStore final : ValueStore {
  explicit RestoringStore(MethodState& state) : state(state), next_tensor(state.tensors.data()) {}
  Tensor* tensor(TensorView view) override {
    bind_planned(state, view, *next_tensor);
    return next_tensor++;
  }
  EValue** slots(size_t) override { return nullptr; }
  EValue* item(size_t) override { return nullptr; }

  MethodState& state;
  Tensor* next_tensor;
};

size_t bound_nbytes(TensorView view) {
  size_t numel = 0, nbytes = 0;
  // Cannot fail: the file was verified.
  (void)count_elements(view.sizes(), element_nbytes(static_cast<DType>(view.dtype())), &numel, &nbytes);
  return nbytes;
}

}  // namespace

void bind_planned(const MethodState& state, TensorView view, Tensor& tensor) {
  if (tensor.is_pinned()) return;
  void* data = nullptr;
  if (view.has_placement()) {
    const PlacementView placement = view.placement();
    data = state.arenas[placement.memory_id() - 1].data() + static_cast<size_t>(placement_offset(placement));
  }
  tensor.bind(data, bound_nbytes(view), false);
}

Error check_stored(TensorView view, Span<const uint8_t> data, Message& message) {
  if (static_cast<DType>(view.dtype()) != DType::Bool) return Error::Ok;
  for (const uint8_t byte : data) {
    if (byte > 1) {
      return message.fail(Error::InvalidProgram, "stored bool is {}, expected 0 or 1", byte);
    }
  }
  return Error::Ok;
}

void restore_values(MethodState& state) {
  RestoringStore store(state);
  EValue* next = state.values.data();
  for (const ValueBoxView box : state.file.values()) {
    const EValue value = make_value(box, store);
    // Lists cannot be replaced, so they need no restoring.
    if (box.value_member() < ValueMember::IntList) *next = value;
    ++next;
  }
}

// The order of the steps is the order in memory. Each step allocates alike whether it counts or builds.
Error MethodBuilder::build(Span<const Span<uint8_t>> arenas, MethodState* state) {
  state_ = state;
  state->file = program_.method_view(method_);
  RL_TRY(layout_tables());
  if (is_building()) RL_TRY(fill(arenas));
  RL_TRY(resolve());
  RL_TRY(init_delegates());
  return layout_call_space();
}

Error MethodBuilder::check_memory() {
  if (!arena_.has_failed()) return Error::Ok;
  return message_.fail(Error::MemoryAllocationFailed, "method memory: too small");
}

Error MethodBuilder::layout_tables() {
  const MethodView file = state_->file;
  const Counts counts = count_values(file);
  state_->values = take<EValue>(arena_, file.values().count());
  state_->tensors = take<Tensor>(arena_, counts.tensors);
  const auto strides = take<ptrdiff_t>(arena_, counts.strides);
  const auto slots = take<EValue*>(arena_, counts.slots);
  state_->ops = take<const OpEntry*>(arena_, file.operators().count());
  state_->delegates = take<DelegateSlot>(arena_, file.delegates().count());
  state_->inputs = take<InputSlot>(arena_, file.inputs().count());
  state_->outputs = take<OutputSlot>(arena_, file.outputs().count());
  state_->arenas = take<Span<uint8_t>>(arena_, program_.arena_count(method_));
  const auto sizes = take<int32_t>(arena_, counts.sizes);
  RL_TRY(check_memory());
  if (!is_building()) return Error::Ok;
  TableStore store;
  store.values = state_->values;
  store.next_tensor = state_->tensors.data();
  store.next_stride = strides.data();
  store.next_size = sizes.data();
  store.next_slot = slots.data();
  EValue* next = state_->values.data();
  for (const ValueBoxView box : file.values()) new (next++) EValue(make_value(box, store));
  for (const OpEntry*& op : state_->ops) op = nullptr;
  return Error::Ok;
}

Error MethodBuilder::fill(Span<const Span<uint8_t>> arenas) {
  for (size_t i = 0; i < state_->arenas.count(); ++i) {
    const size_t needed = program_.arena_nbytes(method_, i);
    const Span<uint8_t> given = i < arenas.count() ? arenas[i] : Span<uint8_t>();
    if (given.count() < needed) {
      return message_.fail(Error::MemoryAllocationFailed, "arena {}: {} bytes given, {} needed", i, given.count(),
                           needed);
    }
    if (needed > 0 && reinterpret_cast<uintptr_t>(given.data()) % 16 != 0) {
      return message_.fail(Error::InvalidArgument, "arena {}: its memory is not aligned to 16 bytes", i);
    }
    new (&state_->arenas[i]) Span<uint8_t>(given);
  }
  for (size_t i = 0; i < state_->values.count(); ++i) {
    if (!state_->values[i].is(Tag::Tensor)) continue;
    Tensor& tensor = *state_->values[i].as_tensor();
    const TensorView view = state_->file.values()[i].as_Tensor();
    bind_planned(*state_, view, tensor);
    if (!is_constant(view)) continue;
    Span<const uint8_t> data;
    RL_TRY(program_.stored_data(view, tensor.nbytes(), &data, message_));
    RL_TRY(check_stored(view, data, message_));
    tensor.bind(const_cast<uint8_t*>(data.data()), data.count(), true);
    tensor.pin();
  }
  return fill_interface();
}

Error MethodBuilder::fill_interface() {
  const auto tensor_at = [&](int32_t value, bool* is_planned) -> Tensor* {
    const ValueBoxView box = state_->file.values()[static_cast<size_t>(value)];
    if (box.value_member() != ValueMember::Tensor) return nullptr;
    *is_planned = box.as_Tensor().has_placement();
    return state_->values[static_cast<size_t>(value)].as_tensor();
  };
  for (size_t i = 0; i < state_->inputs.count(); ++i) {
    bool is_planned = false;
    Tensor* const tensor = tensor_at(state_->file.inputs()[i], &is_planned);
    new (&state_->inputs[i]) InputSlot{tensor, nullptr, is_planned, false, false};
    if (tensor && tensor->is_pinned()) {
      return message_.fail(Error::InvalidProgram, "input {}: its value is a constant of the file", i);
    }
  }
  for (size_t i = 0; i < state_->outputs.count(); ++i) {
    bool is_planned = false;
    Tensor* const tensor = tensor_at(state_->file.outputs()[i], &is_planned);
    const bool is_bindable = tensor && !is_planned && !tensor->is_pinned();
    new (&state_->outputs[i]) OutputSlot{tensor, nullptr, 0, is_bindable};
  }
  return Error::Ok;
}

Error MethodBuilder::layout_call_space() {
  state_->args = take<EValue*>(arena_, most_args_);
  state_->shapes = take<Shape>(arena_, most_shapes_);
  state_->scratch = {static_cast<uint8_t*>(arena_.allocate(most_scratch_, 16)), most_scratch_};
  return check_memory();
}

}  // namespace rushlight
