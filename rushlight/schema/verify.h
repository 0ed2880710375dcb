// SPDX-License-Identifier: BSD-3-Clause
// The structural check of a whole flatbuffer, once, before any view of it is used.

#pragma once

#include "rushlight/runtime/core/message.h"

namespace rushlight::schema {

/// Checks every table, vtable, reference, vector, string, union tag and bool that can be reached from the root:
/// in bounds, aligned, terminated, of a known member, and present where layouts.py says `!`. Values that fit their
/// type are not judged: an index, a size or a dtype is the caller's to check.
///
/// Time is linear in the flatbuffer's length, also when many references share one target; the stack is bounded by the
/// depth of the schema.
///
/// @param flatbuffer  From byte 0 of the file to the flatbuffer's end, 16-aligned; an inserted header is part of it.
/// @param identifier  "ET12" (root Program) or "FT01" (root Ptd).
/// @return Ok; InvalidArgument if the bytes are not 16-aligned; InvalidProgram (ET12) or InvalidExternalData (FT01)
/// with
///         the byte offset of the fault.
[[nodiscard]] Error verify(Span<const uint8_t> flatbuffer, const char (&identifier)[5], Message& message);

}  // namespace rushlight::schema
