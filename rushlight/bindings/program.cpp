// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/bindings/program.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "rushlight/bindings/failure.h"
#include "rushlight/host/mmap_loader.h"

namespace rushlight::bindings {

namespace {

constexpr size_t kFileAlignment = 16;  // what the format asks of a file in memory

// A file mapped for as long as it lives.
std::shared_ptr<MmapLoader> open_path(const std::string& path) {
  auto loader = std::make_shared<MmapLoader>();
  Message message;
  check(loader->open(path.c_str(), message), message);
  return loader;
}

// An exported buffer, released with the interpreter lock held.
struct Exported {
  Py_buffer buffer;
  ~Exported() {
    const nb::gil_scoped_acquire lock;
    PyBuffer_Release(&buffer);
  }
};

}  // namespace

Source::Source(nb::handle path_or_buffer) {
  if (nb::isinstance<nb::str>(path_or_buffer)) {
    const auto mapping = open_path(nb::cast<std::string>(path_or_buffer));
    loader_ = mapping.get();
    keep_ = mapping;
  } else {
    open_buffer(path_or_buffer);
  }
}

void Source::open_buffer(nb::handle object) {
  auto exported = std::make_shared<Exported>();
  if (PyObject_GetBuffer(object.ptr(), &exported->buffer, PyBUF_SIMPLE)) {
    exported->buffer = {};
    nb::raise_python_error();
  }
  const Py_buffer& b = exported->buffer;
  Span<const uint8_t> bytes(static_cast<const uint8_t*>(b.buf), static_cast<size_t>(b.len));
  keep_ = exported;
  // Only bytes never change. Others may after they were checked, even behind a read-only view.
  if (!PyBytes_CheckExact(object.ptr()) || reinterpret_cast<uintptr_t>(b.buf) % kFileAlignment) {
    auto copy = std::make_shared<Block>(bytes.count());
    std::copy(bytes.begin(), bytes.end(), copy->span().data());
    bytes = copy->span();
    keep_ = copy;
  }
  memory_ = std::make_unique<MemoryLoader>(bytes);
  loader_ = memory_.get();
}

PyProgram::PyProgram(nb::handle source, const nb::list& data) {
  sources_.push_back(std::make_unique<Source>(source));
  for (nb::handle item : data) {
    sources_.push_back(std::make_unique<Source>(item));
    external_.push_back(&sources_.back()->loader());
  }
  Loader& loader = sources_[0]->loader();
  Message message;
  Error code;
  {
    const nb::gil_scoped_release unlocked;
    code = Program::load(loader, {external_.data(), external_.size()}, message, &program_);
  }
  check(code, message);
}

void PyProgram::check_index(size_t method) const {
  if (method >= program_.method_count()) throw nb::index_error("no such method");
}

nb::list PyProgram::method_names() const {
  nb::list names;
  for (size_t i = 0; i < program_.method_count(); ++i) names.append(to_str(program_.method_name(i)));
  return names;
}

static nb::tuple slot(const ValueInfo& info) {
  return nb::make_tuple(static_cast<int>(info.tag), static_cast<int>(info.dtype),
                        to_tuple(info.sizes.data(), info.sizes.count()),
                        to_tuple(info.dim_order.data(), info.dim_order.count()), info.is_dynamic, info.is_planned);
}

nb::tuple PyProgram::slots(size_t method) const {
  check_index(method);
  nb::list inputs, outputs;
  for (size_t i = 0; i < program_.input_count(method); ++i) inputs.append(slot(program_.input(method, i)));
  for (size_t i = 0; i < program_.output_count(method); ++i) outputs.append(slot(program_.output(method, i)));
  return nb::make_tuple(inputs, outputs);
}

nb::tuple PyProgram::containers(size_t method) const {
  check_index(method);
  return nb::make_tuple(to_str(program_.inputs_text(method)), to_str(program_.outputs_text(method)));
}

nb::tuple PyProgram::needs(size_t method) const {
  check_index(method);
  MemoryNeeds needs;
  Message message;
  check(program_.needs(method, default_environment(), &needs, message), message);
  return nb::make_tuple(needs.method_nbytes, arenas(method));
}

nb::list PyProgram::arenas(size_t method) const {
  check_index(method);
  nb::list list;
  for (size_t i = 0; i < program_.arena_count(method); ++i) list.append(program_.arena_nbytes(method, i));
  return list;
}

nb::object PyProgram::named_data(const std::string& key) const {
  Span<const uint8_t> bytes;
  Message message;
  const Error code = program_.named_data(Text(key.c_str(), key.size()), &bytes, message);
  if (code == Error::NotFound) return nb::none();
  check(code, message);
  return nb::bytes(bytes.data(), bytes.count());
}

void bind_program(nb::module_& module) {
  nb::class_<PyProgram>(module, "Program", "A verified file and its external data. Threads may share it.")
      .def(nb::init<nb::handle, const nb::list&>(), nb::arg("source"), nb::arg("data"),
           "Map the path, or use the bytes; check all of it.")
      .def("method_names", &PyProgram::method_names, "Names in file order.")
      .def("slots", &PyProgram::slots, nb::arg("method"),
           "([input], [output]) with (tag, dtype, sizes, dim_order, is_dynamic, is_planned) each.")
      .def("containers", &PyProgram::containers, nb::arg("method"), "(inputs text, outputs text).")
      .def("needs", &PyProgram::needs, nb::arg("method"), "(method bytes, [bytes of each arena]).")
      .def("arenas", &PyProgram::arenas, nb::arg("method"), "[bytes of each arena].")
      .def("named_data", &PyProgram::named_data, nb::arg("key"), "The bytes stored under key, or None.");
}

}  // namespace rushlight::bindings
