// SPDX-License-Identifier: BSD-3-Clause
// The elements over which a norm takes its statistics, as runs along memory; and their moments.

#pragma once

#include "rushlight/ops/matmul/panel.h"

namespace rushlight::ops::norm {

/// Nested loops over elements of `in`, `out` and per-element parameters, outermost first.
///
/// Dimensions are added in any order, then sorted by `in`'s strides and merged where all three operands allow it.
struct Runs {
  struct Dimension {
    int64_t size;
    ptrdiff_t in, out, parameter;  ///< strides in elements
  };
  size_t rank = 0;
  Dimension dimension[kMaxRank];

  void add(int64_t size, ptrdiff_t in, ptrdiff_t out, ptrdiff_t parameter);
  int64_t numel() const;
};

/// Reads and writes of one call. Parameters may have another dtype than the input.
template <class Acc>
struct Operands {
  panel::Access<Acc> in, parameter;
  size_t in_nbytes = 0, parameter_nbytes = 0;
  const char* input = nullptr;
  char* out = nullptr;
  const char* weight = nullptr;  ///< null: 1
  const char* bias = nullptr;    ///< null: 0
};

template <class Acc>
struct Moments {
  Acc mean = 0;
  double variance = 0;  ///< of the population
};
/// Mean and variance of the elements of `runs`, two passes, sums in float64. Of no elements: 0 and NaN, as in eager.
template <class Acc>
Moments<Acc> moments(const Operands<Acc>& operands, const Runs& runs);

/// out = (input - mean) * scale * weight + bias.
template <class Acc>
void normalize(const Operands<Acc>& operands, const Runs& runs, Acc mean, Acc scale);

/// Checks weight and bias, both `shape` or null, and gives the dtype of parameters and statistics: theirs if there are
/// any, the input's otherwise. They are the input's dtype, or float32 beside a 16-bit input.
Error check_parameters(KernelContext& ctx, const Tensor& input, const Tensor* weight, const Tensor* bias, DType* dtype);
/// Accesses of input, out, weight and bias.
template <class Acc>
Operands<Acc> operands_of(const Tensor& input, const Tensor* weight, const Tensor* bias, DType parameter,
                          const Tensor& out);
/// Writes one statistic into a vector of the parameters' dtype.
template <class Acc>
void put(const Operands<Acc>& operands, const Tensor& to, size_t at, Acc value);

}  // namespace rushlight::ops::norm
