// SPDX-License-Identifier: BSD-3-Clause
// From a value of the file to an EValue, wherever its tensors and lists are kept.

#pragma once

#include "rushlight/runtime/core/evalue.h"
#include "rushlight/schema/views.h"

namespace rushlight {

/// Supplies the memory of values. Each may return null when it has run out; the caller asks the store afterwards.
class ValueStore {
 public:
  /// A tensor with the file's dtype, sizes and dim order.
  virtual Tensor* tensor(schema::TensorView view) = 0;
  /// The pointers of a list.
  virtual EValue** slots(size_t count) = 0;
  /// The list item that is value number `value`.
  virtual EValue* item(size_t value) = 0;

 protected:
  ~ValueStore() = default;
};

/// The value in `box`. A list without slots is made None.
EValue make_value(schema::ValueBoxView box, ValueStore& store);

}  // namespace rushlight
