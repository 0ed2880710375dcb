// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/registry.h"

#include "rushlight/ops/boxed.h"
#include "rushlight/ops/ops_decl.inc"
#include "rushlight/ops/ops_shapes.inc"

namespace rushlight {
namespace {

constexpr OpEntry kOps[] = {
#define RL_OP(name, kernel, shape, scratch, inputs, outputs, slots, writes, aliases) \
  {name, kernel, shape, scratch, inputs, outputs, slots, writes, aliases},
#include "rushlight/ops/ops.inc"
#undef RL_OP
    {nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0}};  // C++ has no empty arrays

}  // namespace

const OpTable kDefaultOps = {kOps, sizeof(kOps) / sizeof(kOps[0]) - 1};

OpTable default_ops() { return kDefaultOps; }

}  // namespace rushlight
