// SPDX-License-Identifier: BSD-3-Clause
// How much scratch one kernel call needs, known from the file alone.

#pragma once

#include "rushlight/ops/kernel.h"
#include "rushlight/schema/views.h"

namespace rushlight {

/// *nbytes = what `op.scratch` asks for with these arguments at their upper bounds; 0 if the arguments are such that it
/// fails (they may be numbers that the program computes: the run then has the last word).
///
/// Works before there is any method memory: the arguments are made on the stack.
/// @return NotSupported if there are too many for that.
[[nodiscard]] Error measure_scratch(const OpEntry& op, schema::MethodView method, Span<const int32_t> args,
                                    Message& message, size_t* nbytes);

}  // namespace rushlight
