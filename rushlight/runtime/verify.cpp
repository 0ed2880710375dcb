// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/verify.h"

#include "rushlight/runtime/core/checked.h"
#include "rushlight/runtime/core/tensor.h"

namespace rushlight {

using namespace schema;

namespace {

constexpr size_t kMaxOperatorName = 99;

bool lies_in(const FileLayout& layout, SegmentView segment) {
  const uint64_t nbytes = segment.nbytes();
  uint64_t position = 0;
  return layout.locate(segment.offset(), nbytes, &position) && nbytes <= SIZE_MAX / 2;
}

class Checker {
 public:
  Checker(Span<const uint8_t> flatbuffer, const FileLayout& layout, Message& message)
      : base_(flatbuffer.data()),
        program_(root<ProgramView>(flatbuffer.data())),
        layout_(layout),
        message_(message),
        // Every item that is looked at has bytes of its own in the file, unless the writer shared it.
        budget_(static_cast<uint32_t>(flatbuffer.count())) {}

  Error program() {
    RL_TRY(segments());
    RL_TRY(blobs());
    for (const MethodView one : program_.methods()) {
      const Error error = method(one);
      if (error != Error::Ok) {
        message_.append(" (method {})", one.name());
        return error;
      }
    }
    return Error::Ok;
  }

 private:
  template <class... Args>
  [[gnu::always_inline]] Error fail(TableView where, const char* format, const Args&... args) {
    (void)message_.fail(Error::InvalidProgram, format, args...);
    return at(where);
  }
  Error at(TableView where) { return message_.at(where.position(base_)); }

  Error spend(TableView where, size_t count) {
    if (count > budget_) return fail(where, "list of {} items: the lists of this file are longer than the file", count);
    budget_ -= static_cast<uint32_t>(count);
    return Error::Ok;
  }

  /// Negative numbers come as large ones.
  Error index(TableView where, Named what, uint32_t value, size_t count) {
    if (value < count) return Error::Ok;
    return fail(where, "{} {}: expected 0 or more and less than {}", what.name, static_cast<int32_t>(value), count);
  }
  Error index(TableView where, Named what, int32_t value, size_t count) {
    return index(where, what, static_cast<uint32_t>(value), count);
  }

  Error value_index(TableView where, int32_t value) { return index(where, "value", value, method_.values().count()); }

  // ---- The program's own tables.

  Error segments() {
    for (const SegmentView segment : program_.segments()) {
      if (lies_in(layout_, segment)) continue;
      return fail(segment, "segment of {} bytes from {}: leaves the {} bytes of segment data", segment.nbytes(),
                  segment.offset(), layout_.segment_nbytes);
    }
    return Error::Ok;
  }

  Error offsets(Named what, SubOffsetsView list) {
    RL_TRY(index(list, what, list.segment(), program_.segments().count()));
    const uint64_t nbytes = program_.segments()[list.segment()].nbytes();
    RL_TRY(spend(list, list.offsets().count()));
    for (const uint64_t offset : list.offsets()) {
      if (offset > nbytes) {
        return fail(list, "{} {}: offset {} is beyond its {} bytes", what.name, list.segment(), offset, nbytes);
      }
    }
    return Error::Ok;
  }

  Error blobs() {
    // A list that holds the dummy entry alone names no segment.
    const SubOffsetsView constants = program_.constants();
    if (constants && constants.offsets().count() > 1) {
      if (!program_.inline_constants().empty()) {
        return fail(constants, "constants: both in a segment and inside the flatbuffer");
      }
      RL_TRY(offsets("constants segment", constants));
    }
    if (!program_.mutable_data().empty()) RL_TRY(offsets("mutable data segment", program_.mutable_data()[0]));
    for (const NamedBlobView blob : program_.named_data()) {
      RL_TRY(index(blob, "named data segment", blob.segment(), program_.segments().count()));
    }
    return Error::Ok;
  }

  // ---- A method.

  Error method(MethodView method) {
    method_ = method;
    if (method.chains().empty()) return fail(method, "no chain of instructions");
    if (method.values().count() > INT32_MAX) return fail(method, "too many values");
    const Span<const int64_t> arenas = method.arena_nbytes();
    for (const int64_t nbytes : arenas) {
      if (nbytes < 0 || static_cast<uint64_t>(nbytes) > SIZE_MAX / 2) return fail(method, "arena of {} bytes", nbytes);
    }
    RL_TRY(spend(method, method.values().count()));
    size_t i = 0;
    for (const ValueBoxView box : method.values()) {
      const Error error = value(box);
      if (error != Error::Ok) {
        message_.append(", value {}", i);
        return error;
      }
      ++i;
    }
    RL_TRY(interface("input", method.inputs()));
    RL_TRY(interface("output", method.outputs()));
    for (const DelegateView one : method.delegates()) RL_TRY(delegate(one));
    for (const ChainView one : method.chains()) RL_TRY(chain(one));
    return Error::Ok;
  }

  Error interface(Named what, Span<const int32_t> indices) {
    RL_TRY(spend(method_, indices.count()));
    for (const int32_t i : indices) {
      RL_TRY(value_index(method_, i));
      const ValueMember member = method_.values()[static_cast<size_t>(i)].value_member();
      if (member >= ValueMember::IntList) return fail(method_, "{}: value {} is a list", what.name, i);
    }
    return Error::Ok;
  }

  Error value(ValueBoxView box) {
    switch (box.value_member()) {
      case ValueMember::Tensor:
        return tensor(box.as_Tensor());
      case ValueMember::IntList:
        return int_list(box.as_IntList());
      case ValueMember::TensorList:
        return tensor_list(box.as_TensorList(), box.as_TensorList().items(), false);
      case ValueMember::OptionalTensorList:
        return tensor_list(box.as_OptionalTensorList(), box.as_OptionalTensorList().items(), true);
      default:
        return Error::Ok;  // a number, a text or plain items: any will do
    }
  }

  Error int_list(IntListView list) {
    RL_TRY(spend(list, list.items().count()));
    for (const int64_t item : list.items()) {
      const bool fits = item == static_cast<int32_t>(item);
      RL_TRY(value_index(list, fits ? static_cast<int32_t>(item) : -1));
    }
    return Error::Ok;
  }

  Error tensor_list(TableView where, Span<const int32_t> items, bool may_be_absent) {
    RL_TRY(spend(where, items.count()));
    for (const int32_t item : items) {
      if (item == -1 && may_be_absent) continue;
      RL_TRY(value_index(where, item));
      const ValueMember member = method_.values()[static_cast<size_t>(item)].value_member();
      if (member == ValueMember::Tensor || (may_be_absent && member == ValueMember::Null)) continue;
      return fail(where, "list item {} is not a tensor", item);
    }
    return Error::Ok;
  }

  // ---- Tensors.

  Error tensor(TensorView tensor) {
    size_t nbytes = 0;
    if (check_shape(tensor.dtype(), tensor.sizes(), tensor.dim_order(), message_, &nbytes) != Error::Ok) {
      return at(tensor);
    }
    if (tensor.storage_offset() != 0) return fail(tensor, "storage offset {}, expected 0", tensor.storage_offset());
    if (tensor.dynamism() < 0 || tensor.dynamism() > 1) {
      return fail(tensor, "dynamism {}: expected 0 (static) or 1 (bounded)", tensor.dynamism());
    }
    if (tensor.has_extra()) RL_TRY(extra(tensor.extra()));
    if (tensor.has_placement()) RL_TRY(placement(tensor, nbytes));
    if (is_external(tensor) || tensor.buffer() == 0) return Error::Ok;
    return tensor.has_placement() ? initial_data(tensor, nbytes) : constant(tensor, nbytes);
  }

  Error extra(TensorExtraView extra) {
    const int location = extra.location();
    if (location < 0 || location > 1) return fail(extra, "location {}, expected 0 or 1", location);
    if (location == 1 && extra.name().empty()) return fail(extra, "external tensor without a name");
    if (extra.device() == 0) return Error::Ok;
    (void)message_.fail(Error::NotSupported, "device type {}: only the CPU (0) is supported", extra.device());
    return at(extra);
  }

  Error placement(TensorView tensor, size_t nbytes) {
    const PlacementView placement = tensor.placement();
    const Span<const int64_t> arenas = method_.arena_nbytes();
    if (placement.memory_id() == 0 || placement.memory_id() >= arenas.count()) {
      return fail(placement, "memory id {}: expected 1 or more and less than {}", placement.memory_id(),
                  arenas.count());
    }
    const auto arena = static_cast<uint64_t>(arenas[placement.memory_id()]);
    const uint64_t offset = placement_offset(placement);
    uint64_t end = 0;
    if (!checked_add(offset, uint64_t{nbytes}, &end) || end > arena) {
      return fail(placement, "{} bytes at offset {} leave the {} bytes of arena {}", nbytes, offset, arena,
                  placement.memory_id());
    }
    if (offset % element_alignment(static_cast<DType>(tensor.dtype())) != 0) {
      return fail(placement, "offset {} is not aligned for {}", offset, to_string(static_cast<DType>(tensor.dtype())));
    }
    return Error::Ok;
  }

  /// The tensor's bytes lie in segment `list.segment()` at offsets()[buffer].
  Error stored(TensorView tensor, Named what, SubOffsetsView list, size_t nbytes) {
    RL_TRY(index(tensor, what, tensor.buffer(), list.offsets().count()));
    const uint64_t offset = list.offsets()[tensor.buffer()];
    const uint64_t available = program_.segments()[list.segment()].nbytes();
    if (nbytes > available - offset) {
      return fail(tensor, "{} {}: {} bytes at offset {} leave the {} bytes of its segment", what.name, tensor.buffer(),
                  nbytes, offset, available);
    }
    return Error::Ok;
  }

  Error constant(TensorView tensor, size_t nbytes) {
    if (!has_inline_constants(program_)) return stored(tensor, "constant", program_.constants(), nbytes);
    RL_TRY(index(tensor, "constant", tensor.buffer(), program_.inline_constants().count()));
    const size_t available = program_.inline_constants()[tensor.buffer()].bytes().count();
    if (nbytes <= available) return Error::Ok;
    return fail(tensor, "constant {}: {} bytes long, expected {}", tensor.buffer(), available, nbytes);
  }

  Error initial_data(TensorView tensor, size_t nbytes) {
    if (program_.mutable_data().empty()) return fail(tensor, "initial value {}: there are none", tensor.buffer());
    return stored(tensor, "initial value", program_.mutable_data()[0], nbytes);
  }

  // ---- Delegates and instructions.

  Error delegate(DelegateView delegate) {
    const BlobRefView blob = delegate.blob();
    if (blob.kind() != 0 && blob.kind() != 1) return fail(blob, "blob kind {}, expected 0 or 1", blob.kind());
    const size_t count = blob.kind() == 0 ? program_.inline_delegates().count() : program_.segments().count();
    RL_TRY(index(blob, "delegate blob", blob.index(), count));
    return spend(delegate, delegate.specs().count());
  }

  Error chain(ChainView chain) {
    const Tables<InstructionBoxView> instructions = chain.instructions();
    RL_TRY(spend(chain, instructions.count()));
    for (size_t i = 0; i < instructions.count(); ++i) {
      const Error error = instruction(instructions[i], instructions.count());
      if (error != Error::Ok) {
        message_.append(", instruction {}", i);
        return error;
      }
    }
    return Error::Ok;
  }

  Error instruction(InstructionBoxView box, size_t count) {
    switch (box.call_member()) {
      case InstructionMember::KernelCall:
        return kernel_call(box.as_KernelCall());
      case InstructionMember::DelegateCall: {
        const DelegateCallView call = box.as_DelegateCall();
        RL_TRY(index(box, "delegate", call.delegate(), method_.delegates().count()));
        return arguments(call, call.args());
      }
      case InstructionMember::Move:
        RL_TRY(value_index(box, box.as_Move().source()));
        return value_index(box, box.as_Move().target());
      case InstructionMember::JumpFalse:
        RL_TRY(value_index(box, box.as_JumpFalse().condition()));
        return index(box, "jump target", box.as_JumpFalse().target(), count + 1);
      case InstructionMember::Free:
        return value_index(box, box.as_Free().value());
    }
    return fail(box, "unknown instruction");
  }

  Error kernel_call(KernelCallView call) {
    RL_TRY(index(call, "operator", call.operator_(), method_.operators().count()));
    const OperatorNameView name = method_.operators()[static_cast<size_t>(call.operator_())];
    size_t nbytes = 0;
    if (!checked_add(name.name().count(), name.overload().count(), &nbytes) || nbytes >= kMaxOperatorName) {
      return fail(name, "operator name of {} characters, expected at most {}", nbytes + 1, kMaxOperatorName);
    }
    return arguments(call, call.args());
  }

  Error arguments(TableView where, Span<const int32_t> args) {
    RL_TRY(spend(where, args.count()));
    for (const int32_t arg : args) RL_TRY(value_index(where, arg));
    return Error::Ok;
  }

  const uint8_t* base_;
  ProgramView program_;
  MethodView method_;
  const FileLayout& layout_;
  Message& message_;
  uint32_t budget_;
};

Error check_dim_order(size_t rank, Span<const uint8_t> dim_order, Message& message) {
  uint32_t seen = 0;
  for (const uint8_t d : dim_order) {
    if (d >= rank || (seen & (1u << d))) {
      return message.fail(Error::InvalidProgram,
                          "dim order: {} is out of range or repeated, expected a permutation of {}", d, rank);
    }
    seen |= 1u << d;
  }
  return Error::Ok;
}

/// Says `where` the failure is, in a data file.
Error data_fault(TableView where, Span<const uint8_t> flatbuffer, Message& message) {
  (void)message.at(where.position(flatbuffer.data()));
  return Error::InvalidExternalData;
}

Error check_entry(PtdView file, PtdEntryView entry, Message& message) {
  if (entry.segment() >= file.segments().count()) {
    return message.fail(Error::InvalidExternalData, "segment {}, expected less than {}", entry.segment(),
                        file.segments().count());
  }
  const PtdLayoutView shape = entry.layout();
  if (!shape) return Error::Ok;
  size_t nbytes = 0;
  RL_TRY(check_shape(shape.dtype(), shape.sizes(), shape.dim_order(), message, &nbytes));
  const uint64_t stored = file.segments()[entry.segment()].nbytes();
  if (nbytes <= stored) return Error::Ok;
  return message.fail(Error::InvalidExternalData, "{} bytes stored, expected {}", stored, nbytes);
}

}  // namespace

size_t element_alignment(DType dtype) {
  const size_t nbytes = element_nbytes(dtype);
  return nbytes > 8 ? 8 : nbytes;  // complex128 is two doubles
}

Error check_shape(int8_t dtype, Span<const int32_t> sizes, Span<const uint8_t> dim_order, Message& message,
                  size_t* nbytes) {
  constexpr Error kCode = Error::InvalidProgram;
  const size_t one = element_nbytes(static_cast<DType>(dtype));
  if (one == 0) return message.fail(kCode, "scalar type {}: expected 0 to {}", dtype, kDTypeCount - 1);
  if (sizes.count() > kMaxRank) return message.fail(kCode, "rank {}, expected at most {}", sizes.count(), kMaxRank);
  if (dim_order.count() != sizes.count()) {
    return message.fail(kCode, "dim order of {} dimensions for {} sizes", dim_order.count(), sizes.count());
  }
  RL_TRY(check_dim_order(sizes.count(), dim_order, message));
  size_t numel = 0;
  if (count_elements(sizes, one, &numel, nbytes)) return Error::Ok;
  return message.fail(kCode, "sizes {} are negative or too large", sizes);
}

Error verify_program(Span<const uint8_t> flatbuffer, const FileLayout& layout, Message& message) {
  RL_TRY(verify(flatbuffer, "ET12", message));
  return Checker(flatbuffer, layout, message).program();
}

Error verify_data_file(Span<const uint8_t> flatbuffer, const FileLayout& layout, Message& message) {
  RL_TRY(verify(flatbuffer, "FT01", message));
  const auto file = root<PtdView>(flatbuffer.data());
  for (const SegmentView segment : file.segments()) {
    if (lies_in(layout, segment)) continue;
    (void)message.fail(Error::InvalidExternalData, "segment of {} bytes from {}: leaves the file", segment.nbytes(),
                       segment.offset());
    return data_fault(segment, flatbuffer, message);
  }
  for (const PtdEntryView entry : file.entries()) {
    if (check_entry(file, entry, message) == Error::Ok) continue;
    message.append(", entry {}", entry.key());
    return data_fault(entry, flatbuffer, message);
  }
  return Error::Ok;
}

}  // namespace rushlight
