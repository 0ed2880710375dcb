// SPDX-License-Identifier: BSD-3-Clause
// One operator called on its own, as an instruction would call it: for tests and comparisons.

#pragma once

#include <nanobind/nanobind.h>

namespace rushlight::bindings {

/// Adds kernel_shapes and call_kernel to the module.
void bind_kernel_call(nanobind::module_& module);

}  // namespace rushlight::bindings
