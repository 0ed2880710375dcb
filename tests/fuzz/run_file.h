// SPDX-License-Identifier: BSD-3-Clause
// Everything that a caller would do with a file, whatever its bytes are.

#pragma once

#include <cstdint>

#include "rushlight/runtime/core/span.h"

namespace rushlight::fuzz {

/// A program alone, or a program, a data file, and the data file's length as the last four bytes before "PTD!".
struct Files {
  Span<const uint8_t> program;
  Span<const uint8_t> data;
};
Files split(Span<const uint8_t> bytes);

/// Loads the file, initialises each of its methods and runs it a few times, with inputs at their bounds and below.
/// Methods that want more than a few megabytes are left out.
void run_file(Span<const uint8_t> bytes);

}  // namespace rushlight::fuzz
