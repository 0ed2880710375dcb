// SPDX-License-Identifier: BSD-3-Clause
// Copies of a tensor into a view of another of any dtype.

#pragma once

#include "rushlight/ops/movement/view.h"

namespace rushlight::ops {

/// to(out) = self converted to out's dtype; `self` must have the view's sizes. Equal dtypes are moved as bytes.
Error convert_into(KernelContext& ctx, const Tensor& self, Tensor& out, const View& to);

}  // namespace rushlight::ops
