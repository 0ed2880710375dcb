// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/host/mmap_loader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "rushlight/schema/header.h"

namespace rushlight {

MmapLoader::~MmapLoader() {
  std::free(metadata_);
  if (mapping_) munmap(const_cast<uint8_t*>(mapping_), static_cast<size_t>(nbytes_));
  if (file_ >= 0) close(file_);
}

Error MmapLoader::open(const char* path, Message& message) {
  if (file_ >= 0) return message.fail(Error::InvalidState, "{}: this loader has a file already", path);
  path_ = path;
  // Non-blocking: opening a pipe must not wait for its writer.
  const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return message.fail(Error::AccessFailed, "{}: cannot be opened: {}", path, std::strerror(errno));
  file_ = file;
  RL_TRY(map(file, message));
  return copy_metadata(message);
}

Error MmapLoader::map(int file, Message& message) {
  struct stat status;
  if (fstat(file, &status) != 0) {
    return message.fail(Error::AccessFailed, "{}: {}", path_, std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    const char* const kind = S_ISDIR(status.st_mode) ? "a directory" : "a device, pipe or socket";
    return message.fail(Error::AccessFailed, "{}: is {}, expected a regular file", path_, kind);
  }
  if (status.st_size <= 0) return message.fail(Error::AccessFailed, "{}: is empty", path_);
  const auto nbytes = static_cast<uint64_t>(status.st_size);
  if (nbytes > SIZE_MAX / 2) return message.fail(Error::AccessFailed, "{}: {} bytes do not fit", path_, nbytes);
  void* const mapping = mmap(nullptr, static_cast<size_t>(nbytes), PROT_READ, MAP_PRIVATE, file, 0);
  if (mapping == MAP_FAILED) {
    return message.fail(Error::AccessFailed, "{}: cannot be mapped: {}", path_, std::strerror(errno));
  }
  mapping_ = static_cast<const uint8_t*>(mapping);
  nbytes_ = nbytes;
  return Error::Ok;
}

// How long the flatbuffer is stands in its first bytes. A file with a bad header gets its head alone copied; whoever
// loads it will find the same fault.
Error MmapLoader::copy_metadata(Message& message) {
  uint8_t head_bytes[schema::kHeadNbytes];
  const size_t head_nbytes = nbytes_ < sizeof head_bytes ? static_cast<size_t>(nbytes_) : sizeof head_bytes;
  std::memcpy(head_bytes, mapping_, head_nbytes);
  const Span<const uint8_t> head(head_bytes, head_nbytes);
  schema::FileLayout layout;
  Message ignored;
  if (schema::parse_program_header(head, nbytes_, ignored, &layout) != Error::Ok &&
      schema::parse_ptd_header(head, nbytes_, ignored, &layout) != Error::Ok) {
    layout.flatbuffer_nbytes = static_cast<uint32_t>(head_nbytes);
  }
  metadata_nbytes_ = layout.flatbuffer_nbytes;
  metadata_ = static_cast<uint8_t*>(std::aligned_alloc(64, (metadata_nbytes_ + 63) / 64 * 64 + 64));
  if (!metadata_) {
    return message.fail(Error::MemoryAllocationFailed, "{}: no memory for {} bytes", path_, metadata_nbytes_);
  }
  std::memcpy(metadata_, mapping_, metadata_nbytes_);
  // The head decided the length: it must be the one that gets verified.
  std::memcpy(metadata_, head_bytes, head_nbytes < metadata_nbytes_ ? head_nbytes : metadata_nbytes_);
  return Error::Ok;
}

Error MmapLoader::load(uint64_t offset, size_t nbytes, Span<const uint8_t>* out, Message& message) {
  struct stat status;
  if (offset > nbytes_ || nbytes > nbytes_ - offset) {
    return message.fail(Error::AccessFailed, "file: bytes {} + {} lie beyond its {}", offset, nbytes, nbytes_);
  }
  if (offset + nbytes <= metadata_nbytes_) {
    *out = {metadata_ + offset, nbytes};
    return Error::Ok;
  }
  if (fstat(file_, &status) != 0 || static_cast<uint64_t>(status.st_size) < offset + nbytes) {
    return message.fail(Error::AccessFailed, "file: cut to {} bytes since it was opened with {}", status.st_size,
                        nbytes_);
  }
  *out = {mapping_ + offset, nbytes};
  return Error::Ok;
}

}  // namespace rushlight
