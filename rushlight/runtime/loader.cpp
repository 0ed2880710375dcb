// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/loader.h"

namespace rushlight {

Error MemoryLoader::load(uint64_t offset, size_t nbytes, Span<const uint8_t>* out, Message& message) {
  if (offset > bytes_.count() || nbytes > bytes_.count() - offset) {
    return message.fail(Error::AccessFailed, "loader: bytes {} + {} lie beyond the {} of the array", offset, nbytes,
                        bytes_.count());
  }
  *out = bytes_.drop(static_cast<size_t>(offset)).first(nbytes);
  return Error::Ok;
}

}  // namespace rushlight
