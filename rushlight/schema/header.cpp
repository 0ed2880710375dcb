// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/schema/header.h"

#include <cstring>

#include "rushlight/runtime/core/checked.h"
#include "rushlight/schema/flatbuffer.h"

namespace rushlight::schema {
namespace {

// The format's offsets are signed 32-bit numbers.
constexpr uint64_t kMaxFlatbufferNbytes = 0x7fffffff;

/// Bytes of the two segment numbers in a header: the base, then the total.
struct SegmentField {
  size_t base;
  size_t total;  // 0: the header is too old to have it
};

class HeaderReader {
 public:
  HeaderReader(Span<const uint8_t> head, uint64_t file_nbytes, Error code, Message& message, FileLayout* out)
      : head_(head), file_nbytes_(file_nbytes), code_(code), message_(message), out_(out) {}

  Error check_head(const char* identifier) {
    if (file_nbytes_ < kHeadNbytes || head_.count() < kHeadNbytes) {
      return message_.fail_at(0, code_, "file: {} bytes long, expected at least {}", file_nbytes_, kHeadNbytes);
    }
    if (std::memcmp(head_.data() + 4, identifier, 4) != 0) {
      return message_.fail_at(4, code_, "file identifier: not {}", identifier);
    }
    return Error::Ok;
  }

  bool has_magic(const char* magic) const { return std::memcmp(head_.data() + 8, magic, 4) == 0; }

  Error header_nbytes(uint32_t least, uint32_t* out) {
    *out = load_scalar<uint32_t>(head_.data() + 12);
    if (*out < least) {
      return message_.fail_at(12, code_, "header: {} bytes long, expected at least {}", *out, least);
    }
    return Error::Ok;
  }

  /// The flatbuffer must be inside the file, and long enough for the bytes that were read of it.
  Error set_flatbuffer(size_t field, uint64_t nbytes) {
    if (nbytes > file_nbytes_) {
      return message_.fail_at(static_cast<int64_t>(field), code_,
                              "header: flatbuffer ends at byte {}, expected at most {}, the file's length", nbytes,
                              file_nbytes_);
    }
    if (nbytes > kMaxFlatbufferNbytes) {
      return message_.fail_at(static_cast<int64_t>(field), code_, "flatbuffer: {} bytes, expected at most {}", nbytes,
                              kMaxFlatbufferNbytes);
    }
    out_->flatbuffer_nbytes = static_cast<uint32_t>(nbytes);
    return Error::Ok;
  }

  Error set_segments(const SegmentField& field) {
    out_->has_header = true;
    out_->segment_base = number(field.base);
    const uint64_t total = field.total == 0 ? 0 : number(field.total);
    if (total == 0) {
      // Old writers leave the total out: the segments may then reach to the end of the file.
      if (out_->segment_base > file_nbytes_) out_->segment_base = file_nbytes_;
      out_->segment_nbytes = out_->segment_base == 0 ? 0 : file_nbytes_ - out_->segment_base;
      return Error::Ok;
    }
    uint64_t end = 0;
    if (!checked_add(out_->segment_base, total, &end) || end > file_nbytes_) {
      return message_.fail_at(static_cast<int64_t>(field.base), code_,
                              "header: segments of {} bytes from byte {}, but the file ends at byte {}", total,
                              out_->segment_base, file_nbytes_);
    }
    out_->segment_nbytes = total;
    return Error::Ok;
  }

  uint64_t number(size_t at) const { return load_scalar<uint64_t>(head_.data() + at); }

 private:
  Span<const uint8_t> head_;
  uint64_t file_nbytes_;
  Error code_;
  Message& message_;
  FileLayout* out_;
};

}  // namespace

Error parse_program_header(Span<const uint8_t> head, uint64_t file_nbytes, Message& message, FileLayout* out) {
  *out = {};
  HeaderReader reader(head, file_nbytes, Error::InvalidProgram, message, out);
  RL_TRY(reader.check_head("ET12"));
  if (!reader.has_magic("eh00")) return reader.set_flatbuffer(0, file_nbytes);
  uint32_t header_nbytes = 0;
  RL_TRY(reader.header_nbytes(24, &header_nbytes));
  RL_TRY(reader.set_flatbuffer(16, reader.number(16)));
  return reader.set_segments({24, header_nbytes >= 32 ? size_t{32} : 0});
}

Error parse_ptd_header(Span<const uint8_t> head, uint64_t file_nbytes, Message& message, FileLayout* out) {
  *out = {};
  HeaderReader reader(head, file_nbytes, Error::InvalidExternalData, message, out);
  RL_TRY(reader.check_head("FT01"));
  if (!reader.has_magic("FH01")) {
    return message.fail_at(8, Error::InvalidExternalData, "header: not FH01");
  }
  uint32_t header_nbytes = 0;
  RL_TRY(reader.header_nbytes(40, &header_nbytes));
  uint64_t end = 0;
  if (!checked_add(reader.number(16), reader.number(24), &end)) {
    return message.fail_at(16, Error::InvalidExternalData, "header: flatbuffer offset {} + {} bytes does not fit",
                           reader.number(16), reader.number(24));
  }
  RL_TRY(reader.set_flatbuffer(24, end));
  return reader.set_segments({32, 40});
}

}  // namespace rushlight::schema
