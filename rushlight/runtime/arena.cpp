// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/backends/backend.h"
#include "rushlight/runtime/core/checked.h"

namespace rushlight {

// The base is 16-aligned by contract, and no more. A coarser alignment therefore always takes its worst-case padding:
// the count must not depend on where the memory happens to be, or a need could not be stated before load.
void* Arena::allocate(size_t nbytes, size_t alignment) {
  constexpr size_t kBase = 16;
  const size_t padding = alignment > kBase ? alignment - kBase : 0;
  size_t start = 0, end = 0;
  if (failed_ || !checked_align(used_, alignment < kBase ? alignment : kBase, &start) ||
      !checked_add(start, nbytes, &end) || !checked_add(end, padding, &end)) {
    return fail();
  }
  if (counting_) {
    used_ = end;
    return nullptr;
  }
  if (end > memory_.count()) return fail();
  used_ = end;
  const auto address = reinterpret_cast<uintptr_t>(memory_.data() + start);
  return reinterpret_cast<void*>((address + padding) & ~static_cast<uintptr_t>(padding ? alignment - 1 : 0));
}

}  // namespace rushlight
