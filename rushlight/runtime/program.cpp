// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/program.h"

#include <cstring>

#include "rushlight/runtime/layout.h"
#include "rushlight/runtime/verify.h"

namespace rushlight {

using namespace schema;

namespace {

bool is_aligned(const void* data, size_t alignment) { return reinterpret_cast<uintptr_t>(data) % alignment == 0; }

bool has_identifier(Span<const uint8_t> head, const char* identifier) {
  return head.count() >= 8 && std::memcmp(head.data() + 4, identifier, 4) == 0;
}

}  // namespace

// ---- Loading.

Error Program::load(Loader& loader, Span<Loader* const> external, Message& message, Program* out) {
  *out = Program();
  if (external.count() > kMaxDataFiles) {
    return message.fail(Error::InvalidArgument, "{} external data files, expected at most {}", external.count(),
                        kMaxDataFiles);
  }
  RL_TRY(out->load_file(loader, message, &out->file_));
  for (Loader* const one : external) {
    const Error error = out->load_file(*one, message, &out->data_files_[out->data_file_count_]);
    if (error != Error::Ok) {
      message.append(" (external data file {})", out->data_file_count_);
      return error;
    }
    ++out->data_file_count_;
  }
  return out->load_constants(message);
}

Error Program::load_file(Loader& loader, Message& message, File* out) {
  const bool is_program = out == &file_;
  Span<const uint8_t> head;
  const uint64_t nbytes = loader.nbytes();
  RL_TRY(loader.load(0, nbytes < kHeadNbytes ? static_cast<size_t>(nbytes) : kHeadNbytes, &head, message));
  FileLayout layout;
  if (RL_MESSAGES && is_program && has_identifier(head, "FT01")) {
    return message.fail_at(4, Error::InvalidProgram, "this is an external data file (.ptd), expected a program");
  }
  RL_TRY(is_program ? parse_program_header(head, nbytes, message, &layout)
                    : parse_ptd_header(head, nbytes, message, &layout));
  out->loader = &loader;
  out->segment_base = layout.segment_base;
  RL_TRY(loader.load(0, layout.flatbuffer_nbytes, &out->flatbuffer, message));
  return is_program ? verify_program(out->flatbuffer, layout, message)
                    : verify_data_file(out->flatbuffer, layout, message);
}

Error Program::load_constants(Message& message) {
  const ProgramView program = view();
  if (program.constants() && program.constants().offsets().count() > 1) {
    RL_TRY(segment(program.constants().segment(), &constants_, message));
  }
  if (program.mutable_data().empty()) return Error::Ok;
  return segment(program.mutable_data()[0].segment(), &initial_, message);
}

Error Program::fault_at(TableView where, Message& message) const {
  return message.at(where.position(file_.flatbuffer.data()));
}

ProgramView Program::view() const { return root<ProgramView>(file_.flatbuffer.data()); }
MethodView Program::method_view(size_t method) const { return view().methods()[method]; }

// ---- What there is.

size_t Program::method_count() const { return file_.flatbuffer.empty() ? 0 : view().methods().count(); }
Text Program::method_name(size_t method) const { return method_view(method).name(); }

Error Program::find_method(const char* name, size_t* method, Message& message) const {
  for (size_t i = 0; i < method_count(); ++i) {
    if (equal(method_name(i), name)) {
      *method = i;
      return Error::Ok;
    }
  }
  return message.fail(Error::NotFound, "method {}: the program has none of this name", name);
}

size_t Program::input_count(size_t method) const { return method_view(method).inputs().count(); }
size_t Program::output_count(size_t method) const { return method_view(method).outputs().count(); }

ValueInfo Program::input(size_t method, size_t i) const { return value_info(method, method_view(method).inputs()[i]); }
ValueInfo Program::output(size_t method, size_t i) const {
  return value_info(method, method_view(method).outputs()[i]);
}

ValueInfo Program::value_info(size_t method, int32_t value) const {
  const ValueBoxView box = method_view(method).values()[static_cast<size_t>(value)];
  ValueInfo info;
  info.tag = static_cast<Tag>(box.value_member());
  if (info.tag != Tag::Tensor) return info;
  const TensorView tensor = box.as_Tensor();
  info.dtype = static_cast<DType>(tensor.dtype());
  info.is_dynamic = tensor.dynamism() == 1;
  info.is_planned = tensor.has_placement() || is_constant(tensor);
  info.sizes = tensor.sizes();
  info.dim_order = tensor.dim_order();
  return info;
}

Text Program::inputs_text(size_t method) const {
  const MethodView view = method_view(method);
  return view.has_containers() ? view.containers().inputs() : Text("", 0);
}

Text Program::outputs_text(size_t method) const {
  const MethodView view = method_view(method);
  return view.has_containers() ? view.containers().outputs() : Text("", 0);
}

// Entry 0 of the file's list is reserved.
size_t Program::arena_count(size_t method) const {
  const size_t count = method_view(method).arena_nbytes().count();
  return count > 0 ? count - 1 : 0;
}

size_t Program::arena_nbytes(size_t method, size_t arena) const {
  return static_cast<size_t>(method_view(method).arena_nbytes()[arena + 1]);
}

Error Program::needs(size_t method, const Environment& environment, MemoryNeeds* out, Message& message) const {
  Arena counter;
  counter.allocate_array<MethodState>(1);  // load() takes it first
  MethodState state;
  RL_TRY(MethodBuilder(*this, method, environment, counter, message).build({}, &state));
  out->method_nbytes = counter.used();
  out->arena_count = arena_count(method);
  return Error::Ok;
}

// ---- Stored bytes.

Error Program::File::load(SegmentView segment, Span<const uint8_t>* out, Message& message) const {
  return loader->load(segment_base + segment.offset(), static_cast<size_t>(segment.nbytes()), out, message);
}

Error Program::segment(size_t i, Span<const uint8_t>* out, Message& message) const {
  return file_.load(view().segments()[i], out, message);
}

Error Program::payload(int8_t kind, uint32_t index, Span<const uint8_t>* out, Message& message) const {
  if (kind == 0) *out = view().inline_delegates()[index].bytes();
  else RL_TRY(segment(index, out, message));
  if (is_aligned(out->data(), 16) || out->empty()) return Error::Ok;
  return message.fail(Error::InvalidProgram, "delegate payload {}: not aligned to 16 bytes", index);
}

Error Program::stored_data(TensorView tensor, size_t nbytes, Span<const uint8_t>* out, Message& message) const {
  if (is_external(tensor)) {
    RL_TRY(external_data(tensor, nbytes, out, message));
  } else if (tensor.has_placement()) {
    const uint64_t offset = view().mutable_data()[0].offsets()[tensor.buffer()];
    *out = initial_.drop(static_cast<size_t>(offset)).first(nbytes);
  } else if (has_inline_constants(view())) {
    *out = view().inline_constants()[tensor.buffer()].bytes().first(nbytes);
  } else {
    const uint64_t offset = view().constants().offsets()[tensor.buffer()];
    *out = constants_.drop(static_cast<size_t>(offset)).first(nbytes);
  }
  const auto dtype = static_cast<DType>(tensor.dtype());
  if (tensor.has_placement() || nbytes == 0 || is_aligned(out->data(), element_alignment(dtype))) return Error::Ok;
  (void)message.fail(Error::InvalidProgram, "constant {}: its data is not aligned for {}", tensor.buffer(),
                     to_string(dtype));
  return fault_at(tensor, message);
}

PtdEntryView Program::find_external(Text key, const File** file) const {
  for (size_t f = 0; f < data_file_count_; ++f) {
    *file = &data_files_[f];
    for (const PtdEntryView entry : root<PtdView>(data_files_[f].flatbuffer.data()).entries()) {
      if (equal(entry.key(), key)) return entry;
    }
  }
  return PtdEntryView();
}

Error Program::load_external(const File& file, PtdEntryView entry, Span<const uint8_t>* out, Message& message) const {
  return file.load(root<PtdView>(file.flatbuffer.data()).segments()[entry.segment()], out, message);
}

Error Program::external_data(TensorView tensor, size_t nbytes, Span<const uint8_t>* out, Message& message) const {
  const Text name = tensor.extra().name();
  if (data_file_count_ == 0) {
    return message.fail(Error::InvalidState, "{}: stored in an external data file (.ptd), and none was given", name);
  }
  const File* file = nullptr;
  const PtdEntryView entry = find_external(name, &file);
  if (!entry) {
    return message.fail(Error::NotFound, "{}: in none of the {} external data files", name, data_file_count_);
  }
  const PtdLayoutView shape = entry.layout();
  if (!shape) return message.fail(Error::InvalidExternalData, "{}: an opaque blob, expected a tensor", name);
  if (shape.dtype() != tensor.dtype() || !equal(shape.sizes(), tensor.sizes())) {
    return message.fail(Error::InvalidExternalData, "{}: {} {}, expected {} {}", name,
                        to_string(static_cast<DType>(shape.dtype())), shape.sizes(),
                        to_string(static_cast<DType>(tensor.dtype())), tensor.sizes());
  }
  if (!equal(shape.dim_order(), tensor.dim_order())) {
    return message.fail(Error::InvalidExternalData, "{}: its dim order differs from the program's", name);
  }
  RL_TRY(load_external(*file, entry, out, message));
  *out = out->first(nbytes);  // verified to hold that shape's bytes
  return Error::Ok;
}

Error Program::named_data(Text key, Span<const uint8_t>* out, Message& message) const {
  const File* file = nullptr;
  if (const PtdEntryView entry = find_external(key, &file)) return load_external(*file, entry, out, message);
  for (const NamedBlobView blob : view().named_data()) {
    if (equal(blob.key(), key)) return segment(blob.segment(), out, message);
  }
  return message.fail(Error::NotFound, "named data {}: neither in the program nor in its {} external files", key,
                      data_file_count_);
}

}  // namespace rushlight
