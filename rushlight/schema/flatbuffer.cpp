// SPDX-License-Identifier: BSD-3-Clause
#define RL_READER_BODIES
#include "rushlight/schema/flatbuffer.h"

namespace rushlight::schema::detail {

const uint32_t kNothing[2] = {0, 0};

}  // namespace rushlight::schema::detail
