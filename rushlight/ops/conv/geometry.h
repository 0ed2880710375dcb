// SPDX-License-Identifier: BSD-3-Clause
// A convolution as loops: sizes and strides, and the split of a transposed one into dense phases.

#pragma once

#include "rushlight/ops/kernel.h"
#include "rushlight/ops/matmul/panel.h"

namespace rushlight::ops::conv {

/// One spatial axis as the caller gives it. 1-d and 2-d convolutions have leading axes of size 1.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1;
  int64_t stride = 1, padding = 0, dilation = 1;
  ptrdiff_t in_stride = 0, out_stride = 0, weight_stride = 0;
};

/// Sizes per group and strides in elements of input, weight and out, whatever their dim orders.
struct Geometry {
  int64_t batch, groups, in_channels, out_channels;  // channels per group
  ptrdiff_t in_batch, in_channel, out_batch, out_channel;
  ptrdiff_t weight_group, weight_in, weight_out;
  Axis axis[3];
  bool transposed;
};

/// One axis within a phase: output j reads input j * in_step + in_offset + t * in_tap for tap t.
///
/// An ordinary convolution has one phase, whose in_step is its stride. In a transposed one, the outputs whose index is
/// f modulo the stride meet the same taps: they form phase f, where consecutive outputs read consecutive inputs.
struct PhaseAxis {
  int64_t in, count, taps;
  int64_t in_step, in_offset, in_tap;
  ptrdiff_t in_stride;
  ptrdiff_t out_first, out_step;        ///< elements of out: the first output, and from one to the next
  ptrdiff_t weight_first, weight_step;  ///< elements of weight: the first tap, and from one to the next
};
struct Phase {
  PhaseAxis axis[3];
};

/// Number of phases of `axis`: 1, or the stride (at most the outputs) if transposed.
int64_t phase_count(const Axis& axis, bool transposed);
/// The phase of index f < phase_count(axis, transposed).
PhaseAxis phase_of(const Axis& axis, bool transposed, int64_t f);

/// A phase, one batch item and one group: what the loops of this family compute.
template <class Acc>
struct Part {
  const Geometry* geometry;
  Phase phase;
  const char* input;   ///< the group's first channel
  const char* weight;  ///< the group's first filter
  char* out;
  const char* bias;  ///< of the group's first output channel; null: none
  DType dtype;
  panel::Access<Acc> access;  ///< of dtype

  Acc bias_of(int64_t channel) const {
    Acc value = 0;
    if (bias) access.load(bias + channel * static_cast<int64_t>(element_nbytes(dtype)), 1, 1, &value);
    return value;
  }
};

}  // namespace rushlight::ops::conv
