// SPDX-License-Identifier: BSD-3-Clause
// Finds every number of a file that means something, so that a mutation can change one and leave the rest whole.

#pragma once

#include <cstdint>
#include <vector>

#include "rushlight/runtime/core/span.h"

namespace rushlight::fuzz {

/// One number of the file, little-endian.
struct Site {
  enum class Kind : uint8_t { Scalar, Tag, Count, Reference, Text, Header, Slot } kind;
  uint8_t nbytes;  // 1, 2, 4 or 8
  uint8_t table;   // Reference to a table: its row number, else 255
  uint32_t position;
};

/// Every site of a program file or data file; none if the file does not pass the verifier.
/// `file` is 16-aligned.
std::vector<Site> find_sites(Span<const uint8_t> file);

}  // namespace rushlight::fuzz
