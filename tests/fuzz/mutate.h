// SPDX-License-Identifier: BSD-3-Clause
// Changes to a file that keep most of it valid, so that they reach past the verifier.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rushlight::fuzz {

/// Changes one to four numbers of the file in place, chosen by `seed`. False if the file does not pass the verifier;
/// then nothing was changed.
bool mutate_numbers(uint8_t* file, size_t nbytes, uint32_t seed);

}  // namespace rushlight::fuzz
