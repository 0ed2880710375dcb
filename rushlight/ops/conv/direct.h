// SPDX-License-Identifier: BSD-3-Clause
// Convolution without a panel: few output channels per group, depthwise above all.

#pragma once

#include "rushlight/ops/conv/geometry.h"

namespace rushlight::ops::conv {

/// Row by row along the last axis. For groups with few output channels.
template <class Acc>
void run_rows(const Part<Acc>& part);

/// Most taps that run_channels takes.
constexpr int64_t kMostTaps = 128;

/// Every channel of a depthwise convolution whose channels are innermost in input and out. `part` is group 0.
template <class Acc>
void run_channels(const Part<Acc>& part);

}  // namespace rushlight::ops::conv
