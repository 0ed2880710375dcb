// SPDX-License-Identifier: BSD-3-Clause
// The tracing hook: who wants to see each instruction supplies one of these.

#pragma once

#include "rushlight/runtime/core/evalue.h"

namespace rushlight {

/// Receives events from Method::execute on the calling thread. Timing is the receiver's own affair.
class Trace {
 public:
  virtual void before(uint32_t chain, uint32_t instruction, const char* name) = 0;
  /// `outputs` are the destinations just written, readable until the next instruction.
  virtual void after(uint32_t chain, uint32_t instruction, const char* name, Span<EValue* const> outputs) = 0;

 protected:
  ~Trace() = default;
};

}  // namespace rushlight
