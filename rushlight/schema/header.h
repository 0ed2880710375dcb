// SPDX-License-Identifier: BSD-3-Clause
// The header blocks at byte 8 of .pte and .ptd files: where the flatbuffer ends and the segments lie.

#pragma once

#include "rushlight/runtime/core/message.h"

namespace rushlight::schema {

/// Where the parts of a file are, all of them inside it.
struct FileLayout {
  bool has_header = false;
  uint32_t flatbuffer_nbytes = 0;  ///< from byte 0 of the file, an inserted header included
  uint64_t segment_base = 0;       ///< file position that segment offsets count from
  uint64_t segment_nbytes = 0;     ///< from the base to the end of the last segment; never past the end of the file

  /// *file_offset = where bytes [offset, offset + nbytes) of the segments lie. False if they leave the segments.
  [[nodiscard]] bool locate(uint64_t offset, uint64_t nbytes, uint64_t* file_offset) const {
    if (offset > segment_nbytes || nbytes > segment_nbytes - offset) return false;
    *file_offset = segment_base + offset;
    return true;
  }
};

/// Bytes of a file that the two functions below want to see; a file shorter than that is refused.
constexpr size_t kHeadNbytes = 64;

/// Reads the extended header `eh00` of a program; without one the whole file is the flatbuffer and has no segments.
///
/// @param head         The first kHeadNbytes bytes of the file, or all of it if it is shorter.
/// @param file_nbytes  The file's length.
/// @return InvalidProgram with the byte offset of the bad number.
[[nodiscard]] Error parse_program_header(Span<const uint8_t> head, uint64_t file_nbytes, Message& message,
                                         FileLayout* out);

/// Reads the header `FH01` of a data file, which always has one.
/// @return InvalidExternalData with the byte offset of the bad number.
[[nodiscard]] Error parse_ptd_header(Span<const uint8_t> head, uint64_t file_nbytes, Message& message, FileLayout* out);

}  // namespace rushlight::schema
