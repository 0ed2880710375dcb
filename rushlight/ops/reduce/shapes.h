// SPDX-License-Identifier: BSD-3-Clause
// Shape functions of the reduce family. Twins of shapes.py; see ops/shapes.h for the rules.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight::shapes {

/// Each result: self's sizes without the dimensions listed (all, if the list is absent or empty); with keepdim they
/// stay as 1.
Error reduce_dims(KernelContext& ctx, const Tensor& self, Optional<IntList> dims, bool keepdim, Span<Shape> out);
/// The same for an op with two results.
Error reduce_dims_twice(KernelContext& ctx, const Tensor& self, Optional<IntList> dims, bool keepdim, Span<Shape> out);
/// The same, but an empty list reduces nothing.
Error reduce_listed(KernelContext& ctx, const Tensor& self, Optional<IntList> dims, bool keepdim, Span<Shape> out);
/// The same for one dimension, or all if absent.
Error reduce_dim(KernelContext& ctx, const Tensor& self, Optional<int64_t> dim, bool keepdim, Span<Shape> out);
/// The same for an op with two results.
Error reduce_dim_twice(KernelContext& ctx, const Tensor& self, Optional<int64_t> dim, bool keepdim, Span<Shape> out);
/// out[0] = self's sizes; `dim` is one of self's.
Error along(KernelContext& ctx, const Tensor& self, int64_t dim, Span<Shape> out);

}  // namespace rushlight::shapes
