// SPDX-License-Identifier: BSD-3-Clause
// MethodBuilder's second half: operators, what their calls need, and delegates.

#include <cstring>

#include "rushlight/runtime/core/checked.h"
#include "rushlight/runtime/layout.h"
#include "rushlight/runtime/scratch.h"
#include "rushlight/runtime/verify.h"

namespace rushlight {

using namespace schema;

namespace {

constexpr size_t kMaxOperatorName = 99;  // verify_program refuses longer ones
constexpr size_t kMaxSpecs = 16;         // compile-time options of one delegate: they are decoded on the stack

using FullName = char[kMaxOperatorName + 1];

// `aten::add` and `out` are `aten::add.out`; an empty overload adds nothing.
void write_full_name(OperatorNameView view, FullName& out) {
  const Text name = view.name(), overload = view.overload();
  std::memcpy(out, name.data(), name.count());
  size_t count = name.count();
  if (!overload.empty()) {
    out[count++] = '.';
    std::memcpy(out + count, overload.data(), overload.count());
    count += overload.count();
  }
  out[count] = 0;
}

const OpEntry* find_in(OpTable table, const char* name) {
  size_t low = 0, high = table.count();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = std::strcmp(table[middle].name, name);
    if (order == 0) return &table[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return nullptr;
}

// The values that argument `value` stands for where tensors are wanted: itself, or the items of a list.
Span<const int32_t> values_of(MethodView method, const int32_t& value) {
  const ValueBoxView box = method.values()[static_cast<size_t>(value)];
  return box.value_member() == ValueMember::TensorList ? box.as_TensorList().items() : Span<const int32_t>(&value, 1);
}

bool has_constant(MethodView method, int32_t argument) {
  for (const int32_t value : values_of(method, argument)) {
    const ValueBoxView box = method.values()[static_cast<size_t>(value)];
    if (box.value_member() == ValueMember::Tensor && is_constant(box.as_Tensor())) return true;
  }
  return false;
}

struct ProgramNamedData final : NamedDataSource {
  explicit ProgramNamedData(const Program& program) : program(program) {}
  Error find(Text key, Span<const uint8_t>* bytes, Message& message) const override {
    return program.named_data(key, bytes, message);
  }
  const Program& program;
};

const Backend* find_backend(Span<const Backend* const> backends, Text id) {
  for (const Backend* backend : backends) {
    if (equal(id, backend->id)) return backend;
  }
  return nullptr;
}

}  // namespace

const OpEntry* MethodBuilder::find_op(OperatorNameView name) const {
  FullName full_name;
  write_full_name(name, full_name);
  for (const OpTable& table : environment_.ops) {
    if (const OpEntry* const found = find_in(table, full_name)) return found;
  }
  return nullptr;
}

Error MethodBuilder::resolve() {
  for (const ChainView chain : state_->file.chains()) {
    size_t i = 0;
    for (const InstructionBoxView box : chain.instructions()) {
      const Error error = resolve(box);
      if (error != Error::Ok) {
        message_.append(" (method {}, instruction {})", state_->file.name(), i);
        return error;
      }
      ++i;
    }
  }
  return missing_count_ == 0 ? Error::Ok : Error::OperatorMissing;
}

Error MethodBuilder::resolve(InstructionBoxView box) {
  size_t arg_count = 0;
  Error error = Error::Ok;
  switch (box.call_member()) {
    case InstructionMember::KernelCall:
      arg_count = box.as_KernelCall().args().count();
      error = resolve_call(box.as_KernelCall());
      break;
    case InstructionMember::DelegateCall:
      arg_count = box.as_DelegateCall().args().count();
      break;
    case InstructionMember::Move:
      error = check_replaced(box, box.as_Move().target());
      break;
    case InstructionMember::Free:
      state_->has_rebinding = true;
      break;
    case InstructionMember::JumpFalse:
      break;
  }
  if (arg_count > most_args_) most_args_ = arg_count;
  return error;
}

// A value that an instruction replaces as a whole must be one that restore_values() can make anew.
Error MethodBuilder::check_replaced(TableView where, int32_t value) {
  state_->has_rebinding = true;
  const ValueMember member = state_->file.values()[static_cast<size_t>(value)].value_member();
  if (member < ValueMember::IntList) return Error::Ok;
  (void)message_.fail(Error::InvalidProgram, "value {} is a list and would be replaced", value);
  return program_.fault_at(where, message_);
}

Error MethodBuilder::resolve_call(KernelCallView call) {
  const auto index = static_cast<size_t>(call.operator_());
  const OpEntry* op = is_building() ? state_->ops[index] : nullptr;
  if (!op) op = find_op(state_->file.operators()[index]);
  if (!op) return add_missing(state_->file.operators()[index]);
  if (is_building()) state_->ops[index] = op;
  RL_TRY(check_call(*op, call));
  return measure_call(*op, call);
}

// All missing operators are listed in one message, as far as it reaches.
Error MethodBuilder::add_missing(OperatorNameView name) {
  FullName full_name;
  write_full_name(name, full_name);
  if (missing_count_++ == 0) {
    (void)message_.fail(Error::OperatorMissing, "method {}: this build has no kernel for {}", state_->file.name(),
                        full_name);
  } else if (!std::strstr(message_.text(), full_name)) {
    message_.append(", {}", full_name);
  }
  return Error::Ok;
}

Error MethodBuilder::check_call(const OpEntry& op, KernelCallView call) {
  const Span<const int32_t> args = call.args();
  if (args.count() != op.slots) {
    (void)message_.fail(Error::InvalidProgram, "{}: {} argument slots, expected {}", op.name, args.count(), op.slots);
    return program_.fault_at(call, message_);
  }
  for (size_t i = 0; i < args.count() && i < 32; ++i) {
    if (!(op.writes >> i & 1) || !has_constant(state_->file, args[i])) continue;
    (void)message_.fail(Error::InvalidProgram, "{}: would write to argument {}, which is a constant of the file",
                        op.name, i);
    return program_.fault_at(call, message_);
  }
  // Numbers, in-place results and views; a view's destination is written by nobody.
  if (op.shape == nullptr || op.writes == 0) state_->has_rebinding = true;
  if (op.outputs > 0 || op.writes != 0) return Error::Ok;
  return check_replaced(call, args[args.count() - 1]);
}

Error MethodBuilder::measure_call(const OpEntry& op, KernelCallView call) {
  if (op.shape) {
    size_t count = 0;
    for (size_t i = 0; i < op.outputs; ++i) {
      count += values_of(state_->file, call.args()[op.inputs + i]).count();
    }
    // A shape function fills one shape for each destination of the schema, whatever the slots turn out to hold.
    if (count < op.outputs) count = op.outputs;
    if (count > most_shapes_) most_shapes_ = count;
  }
  if (!op.scratch) return Error::Ok;
  size_t nbytes = 0;
  RL_TRY(measure_scratch(op, state_->file, call.args(), message_, &nbytes));
  if (nbytes > most_scratch_) most_scratch_ = nbytes;
  return Error::Ok;
}

// ---- Delegates.

Error MethodBuilder::init_delegates() {
  for (size_t i = 0; i < state_->file.delegates().count(); ++i) {
    const Error error = init_delegate(i);
    if (error == Error::Ok) continue;
    message_.append(" (method {}, delegate {})", state_->file.name(), i);
    return error;
  }
  return Error::Ok;
}

Error MethodBuilder::init_delegate(size_t i) {
  const DelegateView view = state_->file.delegates()[i];
  const Backend* const backend = find_backend(environment_.backends, view.backend());
  if (!backend) {
    (void)message_.fail(Error::NotFound, "backend {}: not in this build, which has:", view.backend());
    for (const Backend* other : environment_.backends) message_.append(" {}", other->id);
    return Error::NotFound;
  }
  DelegateSpec specs[kMaxSpecs];
  size_t spec_count = 0;
  for (const SpecView spec : view.specs()) {
    if (spec_count == kMaxSpecs) {
      return message_.fail(Error::NotSupported, "{}: more than {} compile options", backend->id, kMaxSpecs);
    }
    specs[spec_count++] = {spec.key(), spec.value()};
  }
  Span<const uint8_t> payload;
  RL_TRY(program_.payload(view.blob().kind(), view.blob().index(), &payload, message_));

  const ProgramNamedData named_data(program_);
  void* handle = nullptr;
  const DelegateInit init{payload, {specs, spec_count}, &named_data, &arena_, &message_};
  const Error error = backend->init(init, &handle);
  if (error == Error::Ok && is_building()) {
    state_->delegates[i] = {backend, handle};
    state_->delegate_count = i + 1;
  }
  return arena_.has_failed() ? check_memory() : error;
}

}  // namespace rushlight
