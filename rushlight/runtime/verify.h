// SPDX-License-Identifier: BSD-3-Clause
// The second check of a file: whether the numbers in its tables make sense. The first one (schema/verify.h) made the
// tables safe to read.

#pragma once

#include "rushlight/runtime/core/dtype.h"
#include "rushlight/schema/header.h"
#include "rushlight/schema/views.h"

namespace rushlight {

/// Checks every index, count, dtype, shape, offset and jump of a program against the program and its segments, so that
/// nothing that follows has to.
///
/// What cannot be known from the file alone is left to Method::load and the instructions: operators, backends, external
/// data, and the tags of values, which may change at run time.
///
/// Time is linear in the flatbuffer's length.
/// @return InvalidProgram with reason and byte offset; NotSupported for tensors on other devices than the CPU.
[[nodiscard]] Error verify_program(Span<const uint8_t> flatbuffer, const schema::FileLayout& layout, Message& message);

/// The same for an external data file. @return InvalidExternalData with reason and byte offset.
[[nodiscard]] Error verify_data_file(Span<const uint8_t> flatbuffer, const schema::FileLayout& layout,
                                     Message& message);

/// *nbytes = bytes of a dense tensor.
/// @return InvalidProgram with the reason unless dtype is known, rank at most kMaxRank, sizes not negative, their
///         product in range and dim_order a permutation.
[[nodiscard]] Error check_shape(int8_t dtype, Span<const int32_t> sizes, Span<const uint8_t> dim_order,
                                Message& message, size_t* nbytes);

/// Alignment in bytes that a kernel may assume of elements of `dtype`.
size_t element_alignment(DType dtype);

/// Placement::offset of a tensor, both halves.
inline uint64_t placement_offset(schema::PlacementView placement) {
  return uint64_t{placement.offset_high()} << 32 | placement.offset_low();
}

/// A tensor whose data (or initial value) is in an external file.
inline bool is_external(schema::TensorView tensor) { return tensor.has_extra() && tensor.extra().location() == 1; }

/// Data that nobody may write: stored in a file and not placed in an arena.
inline bool is_constant(schema::TensorView tensor) {
  return !tensor.has_placement() && (is_external(tensor) || tensor.buffer() > 0);
}

/// Whether constants are kept as the legacy list of blobs inside the flatbuffer.
inline bool has_inline_constants(schema::ProgramView program) {
  return !program.has_constants() || program.constants().offsets().empty();
}

}  // namespace rushlight
