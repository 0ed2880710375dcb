// SPDX-License-Identifier: BSD-3-Clause
// One destination of a reduction.

#pragma once

#include "rushlight/ops/reduce/block.h"

namespace rushlight::ops {

/// Writes single values, converted to a tensor's dtype.
template <class V>
struct Result {
  StoreFn<V> store = nullptr;
  uint8_t* data = nullptr;
  ptrdiff_t nbytes = 0;

  explicit Result(Tensor& out)
      : store(storer<V>(out.dtype())),
        data(out.mutable_data<uint8_t>()),
        nbytes(static_cast<ptrdiff_t>(out.element_nbytes())) {}
  void write(ptrdiff_t offset, V value) const { store(data + offset * nbytes, 0, 1, &value); }
};

}  // namespace rushlight::ops
