// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/conv/geometry.h"

#include <numeric>

namespace rushlight::ops::conv {

int64_t phase_count(const Axis& axis, bool transposed) {
  if (!transposed) return 1;
  return axis.stride < axis.out ? axis.stride : axis.out;
}

PhaseAxis phase_of(const Axis& axis, bool transposed, int64_t f) {
  PhaseAxis phase{};
  phase.in = axis.in;
  phase.in_stride = axis.in_stride;
  if (!transposed) {
    phase.count = axis.out;
    phase.taps = axis.kernel;
    phase.in_step = axis.stride;
    phase.in_offset = -axis.padding;
    phase.in_tap = axis.dilation;
    phase.out_step = axis.out_stride;
    phase.weight_step = axis.weight_stride;
    return phase;
  }
  phase.count = (axis.out - f + axis.stride - 1) / axis.stride;
  phase.in_step = 1;
  phase.out_first = f * axis.out_stride;
  phase.out_step = axis.stride * axis.out_stride;
  // Output o meets input i at tap k where o + padding = i * stride + k * dilation: every tap_step-th tap, from `first`.
  const int64_t tap_step = axis.stride / std::gcd(axis.stride, axis.dilation);
  const int64_t last_start = tap_step < axis.kernel ? tap_step : axis.kernel;
  int64_t first = 0;
  while (first < last_start && (f + axis.padding - first * axis.dilation) % axis.stride != 0) ++first;
  if (first == last_start) return phase;  // no tap: these outputs are the bias alone
  phase.taps = (axis.kernel - first + tap_step - 1) / tap_step;
  phase.in_offset = (f + axis.padding - first * axis.dilation) / axis.stride;
  phase.in_tap = -tap_step * axis.dilation / axis.stride;
  phase.weight_first = first * axis.weight_stride;
  phase.weight_step = tap_step * axis.weight_stride;
  return phase;
}

}  // namespace rushlight::ops::conv
