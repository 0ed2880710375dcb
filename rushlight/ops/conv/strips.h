// SPDX-License-Identifier: BSD-3-Clause
// Convolution as a product over panels.

#pragma once

#include "rushlight/ops/conv/geometry.h"

namespace rushlight::ops::conv {

/// Sixteen outputs at a time, over all output channels of the group. For groups with several of them.
template <class Acc>
void run_strips(const Part<Acc>& part);

}  // namespace rushlight::ops::conv
