// SPDX-License-Identifier: BSD-3-Clause
// The Python module rushlight._runtime: conversion and error mapping, no logic. Its face is rushlight/runtime.

#include <nanobind/nanobind.h>

#include "rushlight/bindings/failure.h"
#include "rushlight/bindings/kernel_call.h"
#include "rushlight/bindings/method.h"
#include "rushlight/bindings/program.h"

namespace rushlight::bindings {

namespace {

// Failure becomes rushlight.errors.RuntimeFailure, imported only when the first one happens.
void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Failure& failure) {
    const std::string text = failure.what();
    const nb::object type = nb::module_::import_("rushlight.errors").attr("RuntimeFailure");
    const nb::object error =
        type(to_str({text.c_str(), text.size()}), to_string(failure.code()), failure.byte_offset());
    PyErr_SetObject(type.ptr(), error.ptr());
  }
}

nb::list operator_names() {
  nb::list names;
  for (const OpTable& table : default_environment().ops) {
    for (const OpEntry& entry : table) names.append(entry.name);
  }
  return names;
}

nb::list backend_names() {
  nb::list names;
  for (const Backend* backend : default_environment().backends) names.append(backend->id);
  return names;
}

}  // namespace

}  // namespace rushlight::bindings

NB_MODULE(_runtime, module) {
  namespace rb = rushlight::bindings;
  // A traceback that torch still holds at exit keeps methods alive: no fault that a user could mend.
  rb::nb::set_leak_warnings(false);
  module.doc() = "The C++ runtime: Program, Method, and what this build can run.";
  rb::nb::register_exception_translator(rb::translate);
  rb::bind_program(module);
  rb::bind_method(module);
  rb::bind_kernel_call(module);
  module.def("operator_names", &rb::operator_names, "Full names of the operators in this build, sorted.");
  module.def("backend_names", &rb::backend_names, "Ids of the backends in this build.");
}
