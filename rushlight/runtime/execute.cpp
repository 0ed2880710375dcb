// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/execute.h"

#include <cstring>

namespace rushlight {

using namespace schema;

namespace {

// The slots that `slot` stands for where tensors are wanted: itself, or the items of a list. Some may be null or of
// another tag: those are the kernel's to refuse.
Span<EValue* const> slots_of(EValue* const& slot) {
  if (slot->is(Tag::TensorList) || slot->is(Tag::OptionalTensorList)) return slot->as_slots();
  return {&slot, 1};
}

bool overlaps(const Tensor& a, const Tensor& b) {
  const auto a_first = reinterpret_cast<uintptr_t>(a.raw()), b_first = reinterpret_cast<uintptr_t>(b.raw());
  return a_first < b_first + b.nbytes() && b_first < a_first + a.nbytes();
}

/// Whether the two lie in the same bytes, element for element.
bool is_one_memory(const Tensor& a, const Tensor& b) {
  return a.raw() == b.raw() && a.numel() == b.numel() && a.element_nbytes() == b.element_nbytes();
}

Tensor* tensor_in(const EValue* slot) { return slot && slot->is(Tag::Tensor) ? slot->as_tensor() : nullptr; }

#if RL_MESSAGES
bool contains(Text text, const char* part) {
  const size_t count = std::strlen(part);
  for (size_t i = 0; i + count <= text.count(); ++i) {
    if (std::memcmp(text.data() + i, part, count) == 0) return true;
  }
  return false;
}

Text base_name(Text path) {
  size_t start = 0;
  for (size_t i = 0; i < path.count(); ++i) {
    if (path[i] == '/' || path[i] == '\\') start = i + 1;
  }
  return path.drop(start);
}

// The innermost frame that is not PyTorch's own.
FrameView user_frame(FrameListView list) {
  const Tables<FrameView> frames = list.frames();
  for (size_t i = frames.count(); i-- > 0;) {
    if (!contains(frames[i].file(), "/torch/")) return frames[i];
  }
  return frames.empty() ? FrameView() : frames[frames.count() - 1];
}
#endif

}  // namespace

Error Executor::run() {
  RL_TRY(check_inputs());
  if (state_.has_rebinding) restore_values(state_);
  bind_interface();
  for (const ChainView chain : state_.file.chains()) {
    RL_TRY(run_chain(chain));
    ++chain_;
  }
  return copy_outputs();
}

Error Executor::check_inputs() {
  for (size_t i = 0; i < state_.inputs.count(); ++i) {
    if (!state_.inputs[i].is_set) {
      return message_.fail(Error::InvalidState, "input {}: not set (method {})", i, state_.file.name());
    }
  }
  return Error::Ok;
}

// Memory of the caller's. Outputs first: a tensor that is also an input keeps the input's.
void Executor::bind_interface() {
  for (OutputSlot& output : state_.outputs) {
    if (output.is_bindable && output.data) output.tensor->bind(output.data, output.nbytes, false);
  }
  for (InputSlot& input : state_.inputs) {
    if (input.tensor && !input.is_planned) {
      input.tensor->bind(input.data, input.tensor->nbytes(), !input.is_writable);
    }
  }
}

// What was not computed in the place that the caller named: planned outputs, moves and views.
Error Executor::copy_outputs() {
  for (size_t i = 0; i < state_.outputs.count(); ++i) {
    const OutputSlot& output = state_.outputs[i];
    const EValue& result = value(state_.file.outputs()[i]);
    if (!result.is(Tag::Tensor) || result.as_tensor()->numel() == 0) continue;
    const Tensor& tensor = *result.as_tensor();
    // Freed, or an unplanned one without set_output(): the caller would read it.
    if (!tensor.raw()) return message_.fail(Error::InvalidProgram, "output {}: a tensor without memory", i);
    if (!output.data || tensor.raw() == output.data) continue;
    if (tensor.nbytes() > output.nbytes) {
      return message_.fail(Error::InvalidProgram, "output {}: {} bytes computed for {}", i, tensor.nbytes(),
                           output.nbytes);
    }
    std::memmove(output.data, tensor.raw(), tensor.nbytes());
  }
  return Error::Ok;
}

Error Executor::run_chain(ChainView chain) {
  const Tables<InstructionBoxView> instructions = chain.instructions();
  const size_t count = instructions.count();
  for (instruction_ = 0; instruction_ < count; instruction_ = next_) {
    if (budget_-- == 0) {
      budget_ = 0;
      (void)message_.fail(Error::EndOfMethod, "a loop did not end within the instruction limit");
      append_place(chain);
      return Error::EndOfMethod;
    }
    next_ = instruction_ + 1;
    const Error error = run_instruction(instructions[instruction_]);
    if (error != Error::Ok) {
      append_place(chain);
      return error;
    }
  }
  return Error::Ok;
}

// ` (method forward, instruction 12, model.py:41)`
void Executor::append_place([[maybe_unused]] ChainView chain) {
#if RL_MESSAGES
  message_.append(" (method {}, ", state_.file.name());
  if (chain_ > 0) message_.append("chain {}, ", chain_);
  message_.append("instruction {}", instruction_);
  const FrameView frame =
      instruction_ < chain.traces().count() ? user_frame(chain.traces()[instruction_]) : FrameView();
  if (frame) message_.append(", {}:{}", base_name(frame.file()), frame.line());
  message_.append(")");
#endif
}

Error Executor::run_instruction(InstructionBoxView box) {
  switch (box.call_member()) {
    case InstructionMember::KernelCall:
      return kernel_call(box.as_KernelCall());
    case InstructionMember::DelegateCall:
      return delegate_call(box.as_DelegateCall());
    case InstructionMember::Move: {
      before("move");
      EValue* target = &value(box.as_Move().target());
      *target = value(box.as_Move().source());
      after("move", {&target, 1});
      return Error::Ok;
    }
    case InstructionMember::JumpFalse:
      return jump_if_false(box.as_JumpFalse());
    case InstructionMember::Free:
      return free(box.as_Free());
  }
  return message_.fail(Error::Internal, "unknown instruction");
}

Args Executor::collect(Span<const int32_t> indices) {
  for (size_t i = 0; i < indices.count(); ++i) state_.args[i] = &value(indices[i]);
  return {state_.args.data(), indices.count()};
}

void Executor::before(const char* name) {
  if (trace_) trace_->before(chain_, static_cast<uint32_t>(instruction_), name);
}

void Executor::after(const char* name, Span<EValue* const> outputs) {
  if (trace_) trace_->after(chain_, static_cast<uint32_t>(instruction_), name, outputs);
}

// ---- Kernels.

Error Executor::kernel_call(KernelCallView call) {
  const OpEntry& op = *state_.ops[static_cast<size_t>(call.operator_())];
  const Args args = collect(call.args());
  before(op.name);
  KernelContext sizing(op.name, message_, {});
  if (op.shape) RL_TRY(resize_destinations(sizing, op, args));
  RL_TRY(check_written(sizing, op, args));
  Span<uint8_t> scratch;
  if (op.scratch) {
    size_t nbytes = 0;
    RL_TRY(op.scratch(sizing, args, &nbytes));
    if (nbytes > state_.scratch.count()) {
      return sizing.fail(Error::OutOfResources, "{} bytes of scratch wanted, {} planned", nbytes,
                         state_.scratch.count());
    }
    scratch = state_.scratch.first(nbytes);
  }
  KernelContext ctx(op.name, message_, scratch);
  RL_TRY(op.kernel(ctx, args));
  if (trace_) {
    const bool has_destinations = op.outputs > 0;
    const size_t first = has_destinations ? op.inputs : op.writes & 1 ? 0 : args.count() - 1;
    after(op.name, args.drop(first).first(has_destinations ? op.outputs : 1));
  }
  return Error::Ok;
}

Error Executor::count_destinations(KernelContext& ctx, Args destinations, size_t* count) {
  for (EValue* const& slot : destinations) {
    for (const EValue* const item : slots_of(slot)) {
      if (!tensor_in(item)) return ctx.fail(Error::InvalidType, "a destination is no tensor");
      ++*count;
    }
  }
  return Error::Ok;
}

Error Executor::resize_destinations(KernelContext& ctx, const OpEntry& op, Args args) {
  if (args.count() < size_t{op.inputs} + op.outputs) return ctx.fail(Error::InvalidProgram, "too few argument slots");
  const Args destinations = args.drop(op.inputs).first(op.outputs);
  size_t count = 0;
  RL_TRY(count_destinations(ctx, destinations, &count));
  if (count > state_.shapes.count()) return ctx.fail(Error::InvalidProgram, "{} destinations, unplanned", count);
  for (Shape& shape : state_.shapes) shape.rank = 0;  // shape functions append
  const Span<Shape> shapes = state_.shapes.first(count);
  RL_TRY(op.shape(ctx, args, shapes));
  const Shape* next = shapes.data();
  for (EValue* const& slot : destinations) {
    for (const EValue* const item : slots_of(slot)) {
      RL_TRY(resize_destination(ctx, op, args, *tensor_in(item), *next++));
    }
  }
  next = shapes.data();
  for (EValue* const& slot : destinations) {
    for (const EValue* const item : slots_of(slot)) {
      if (equal(tensor_in(item)->sizes(), (next++)->span())) continue;
      return ctx.fail(Error::InvalidProgram, "two destinations of different sizes are one tensor");
    }
  }
  return Error::Ok;
}

// A tensor that is argument and destination at once must not change its sizes: the kernel reads the argument by them.
Error Executor::resize_destination(KernelContext& ctx, const OpEntry& op, Args args, Tensor& tensor,
                                   const Shape& shape) {
  if (equal(tensor.sizes(), shape.span())) return Error::Ok;
  for (size_t i = 0; i < op.inputs; ++i) {
    for (const EValue* const item : slots_of(args[i])) {
      if (tensor_in(item) != &tensor) continue;
      return ctx.fail(Error::InvalidProgram, "an argument is also the destination and would change its sizes");
    }
  }
  const Error error = tensor.resize(message_, shape.span());
  if (error != Error::Ok) message_.append(" (destination of {})", op.name);
  return error;
}

Error Executor::check_written(KernelContext& ctx, const OpEntry& op, Args args) {
  for (size_t i = 0; i < args.count() && i < 32; ++i) {
    if (!(op.writes >> i & 1)) continue;
    for (const EValue* const item : slots_of(args[i])) {
      const Tensor* const tensor = tensor_in(item);
      if (!tensor) continue;
      if (tensor->is_read_only()) {
        return ctx.fail(Error::InvalidProgram, "would write to argument {}, whose data is read-only", i);
      }
      RL_TRY(check_apart(ctx, op, args, *tensor));
    }
  }
  return Error::Ok;
}

// A kernel checks its indices before it writes. A destination that lay over them would change them in between.
Error Executor::check_apart(KernelContext& ctx, const OpEntry& op, Args args, const Tensor& written) {
  for (size_t i = 0; i < op.inputs && i < 32; ++i) {
    if (op.writes >> i & 1) continue;
    for (const EValue* const item : slots_of(args[i])) {
      const Tensor* const tensor = tensor_in(item);
      if (!tensor || !overlaps(*tensor, written)) continue;
      if ((op.aliases >> i & 1) && is_one_memory(*tensor, written)) continue;
      return ctx.fail(Error::InvalidProgram, "argument {} and a destination share memory", i);
    }
  }
  return Error::Ok;
}

// ---- The other instructions.

Error Executor::delegate_call(DelegateCallView call) {
  const DelegateSlot& slot = state_.delegates[static_cast<size_t>(call.delegate())];
  const Args args = collect(call.args());
  before(slot.backend->id);
  for (size_t i = 0; i < args.count(); ++i) {
    for (const EValue* const item : slots_of(args[i])) {
      const Tensor* const tensor = tensor_in(item);
      if (!tensor || tensor->raw() || tensor->numel() == 0) continue;
      return message_.fail(Error::InvalidProgram, "{}: argument {} is a tensor without memory", slot.backend->id, i);
    }
  }
  RL_TRY(slot.backend->execute(slot.handle, message_, args));
  after(slot.backend->id, args);
  return Error::Ok;
}

Error Executor::jump_if_false(JumpFalseView jump) {
  before("jump_false");
  const EValue& condition = value(jump.condition());
  bool is_true = true;
  if (condition.is(Tag::Bool)) {
    is_true = condition.as_bool();
  } else if (condition.is(Tag::Tensor) && condition.as_tensor()->dtype() == DType::Bool) {
    const Tensor& tensor = *condition.as_tensor();
    if (!tensor.raw() && tensor.numel() > 0) {
      return message_.fail(Error::InvalidProgram, "jump: its condition is a tensor without memory");
    }
    const auto* const flags = tensor.data<uint8_t>();
    for (size_t i = 0; i < tensor.numel(); ++i) is_true &= flags[i] != 0;
  } else {
    return message_.fail(Error::InvalidType, "jump: its condition is {}, expected Bool or a bool tensor",
                         to_string(condition.tag()));
  }
  if (!is_true) next_ = static_cast<size_t>(jump.target());
  after("jump_false", {});
  return Error::Ok;
}

Error Executor::free(FreeView free) {
  before("free");
  EValue& slot = value(free.value());
  if (!slot.is(Tag::Tensor))
    return message_.fail(Error::InvalidType, "free: {}, expected Tensor", to_string(slot.tag()));
  if (!slot.as_tensor()->is_pinned()) slot.as_tensor()->bind(nullptr);
  after("free", {});
  return Error::Ok;
}

}  // namespace rushlight
