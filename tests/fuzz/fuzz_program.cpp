// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes as a program file, loaded, initialised and executed.

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/run_file.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t nbytes, size_t most);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t nbytes, size_t most, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  rushlight::fuzz::run_file({data, nbytes});
  return 0;
}

/// Three of four changes are to numbers with a meaning, the rest to any bytes.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t nbytes, size_t most, unsigned seed) {
  if (seed % 4 != 0) {
    const rushlight::fuzz::Files files = rushlight::fuzz::split({data, nbytes});
    const bool has_data = !files.data.empty() && seed % 3 == 0;
    const auto part = has_data ? files.data : files.program;
    uint8_t* const start = data + (part.data() - data);
    if (rushlight::fuzz::mutate_numbers(start, part.count(), seed >> 2)) return nbytes;
  }
  return LLVMFuzzerMutate(data, nbytes, most);
}
