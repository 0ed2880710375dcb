// SPDX-License-Identifier: BSD-3-Clause
// The operators of this build.

#pragma once

#include "rushlight/ops/kernel.h"

namespace rushlight {

/// Every operator that the build selected, sorted by name. Constant data: nothing runs at start-up.
OpTable default_ops();
/// The same as an object with an address, for tables of tables that are constants themselves.
extern const OpTable kDefaultOps;

}  // namespace rushlight
