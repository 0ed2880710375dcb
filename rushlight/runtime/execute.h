// SPDX-License-Identifier: BSD-3-Clause
// One run of a method: its chains, instruction by instruction.

#pragma once

#include "rushlight/runtime/layout.h"

namespace rushlight {

/// Lives on the stack for the time of one Method::execute().
class Executor {
 public:
  Executor(MethodState& state, uint64_t instruction_limit, Message& message, Trace* trace)
      : state_(state), budget_(instruction_limit), message_(message), trace_(trace) {}

  Error run();

 private:
  Error check_inputs();
  void bind_interface();
  Error copy_outputs();
  Error run_chain(schema::ChainView chain);
  Error run_instruction(schema::InstructionBoxView box);
  Error kernel_call(schema::KernelCallView call);
  Error delegate_call(schema::DelegateCallView call);
  Error count_destinations(KernelContext& ctx, Args destinations, size_t* count);
  Error resize_destinations(KernelContext& ctx, const OpEntry& op, Args args);
  Error resize_destination(KernelContext& ctx, const OpEntry& op, Args args, Tensor& tensor, const Shape& shape);
  Error check_written(KernelContext& ctx, const OpEntry& op, Args args);
  Error check_apart(KernelContext& ctx, const OpEntry& op, Args args, const Tensor& written);
  Error jump_if_false(schema::JumpFalseView jump);
  Error free(schema::FreeView free);
  void append_place(schema::ChainView chain);
  EValue& value(int32_t i) const { return state_.values[static_cast<size_t>(i)]; }
  Args collect(Span<const int32_t> indices);
  void before(const char* name);
  void after(const char* name, Span<EValue* const> outputs);

  MethodState& state_;
  uint64_t budget_;
  Message& message_;
  Trace* trace_;
  uint32_t chain_ = 0;
  size_t instruction_ = 0;  // the one that runs
  size_t next_ = 0;         // the one after it, unless it jumps
};

}  // namespace rushlight
