// SPDX-License-Identifier: BSD-3-Clause
// The environment of this build: constant data, made of the tables that the generators wrote.

#include "rushlight/ops/registry.h"
#include "rushlight/runtime/program.h"

namespace rushlight {

#define RL_BACKEND(symbol) extern const Backend symbol;
#include "rushlight/backends/backends.inc"
#undef RL_BACKEND

namespace {

constexpr const Backend* kBackends[] = {
#define RL_BACKEND(symbol) &symbol,
#include "rushlight/backends/backends.inc"
#undef RL_BACKEND
    nullptr};  // C++ has no empty arrays

constexpr Environment kEnvironment = {{&kDefaultOps, 1}, {kBackends, sizeof(kBackends) / sizeof(kBackends[0]) - 1}};

}  // namespace

const Environment& default_environment() { return kEnvironment; }

}  // namespace rushlight
