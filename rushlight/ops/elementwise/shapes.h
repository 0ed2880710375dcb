// SPDX-License-Identifier: BSD-3-Clause
// Shape functions of the elementwise family. Twins of shapes.py here.

#pragma once

#include "rushlight/ops/shapes.h"

namespace rushlight::shapes {

/// out[0] = [the count of start, start + step, … before end]. step is not 0 and leads from start to end.
Error arange(KernelContext& ctx, Scalar start, Scalar end, Scalar step, Span<Shape> out);
/// The same from 0 in steps of 1.
Error arange_to(KernelContext& ctx, Scalar end, Span<Shape> out);

}  // namespace rushlight::shapes
