// SPDX-License-Identifier: BSD-3-Clause
// The header blocks: where the parts lie, and numbers that would put them outside the file.

#include "rushlight/schema/header.h"

#include "tests/check.h"

namespace rushlight {
namespace {

using schema::FileLayout;

constexpr uint64_t kMany = ~uint64_t{0};

/// The first 64 bytes of a file of 4096 bytes: flatbuffer to 600, segments 1024 to 3024.
struct Head {
  uint8_t bytes[64] = {};
  FileLayout layout;
  Message message;

  static Head program() {
    Head head;
    std::memcpy(head.bytes, "\x40\0\0\0ET12eh00\x20", 13);
    head.put(16, 600).put(24, 1024).put(32, 2000);
    return head;
  }
  static Head ptd() {
    Head head;
    std::memcpy(head.bytes, "\x40\0\0\0FT01FH01\x28", 13);
    head.put(16, 48).put(24, 552).put(32, 1024).put(40, 2000);
    return head;
  }
  Head& put(size_t at, uint64_t number) {
    std::memcpy(bytes + at, &number, 8);
    return *this;
  }
  Head& put_nbytes(uint32_t number) {
    std::memcpy(bytes + 12, &number, 4);
    return *this;
  }
  Error read(uint64_t file_nbytes = 4096) {
    const auto parse = bytes[4] == 'E' ? schema::parse_program_header : schema::parse_ptd_header;
    return parse({bytes, sizeof bytes}, file_nbytes, message, &layout);
  }
  /// The byte that the refusal points at, -2 if there is none.
  int64_t refused_at(uint64_t file_nbytes = 4096) {
    return read(file_nbytes) == Error::Ok ? -2 : message.byte_offset();
  }
};

}  // namespace

TEST(both_headers_say_where_the_parts_lie) {
  Head heads[] = {Head::program(), Head::ptd()};
  for (Head& head : heads) {
    REQUIRE(head.read() == Error::Ok);
    CHECK(head.layout.has_header);
    CHECK_EQ(head.layout.flatbuffer_nbytes, 600u);
    CHECK_EQ(head.layout.segment_base, uint64_t{1024});
    CHECK_EQ(head.layout.segment_nbytes, uint64_t{2000});
  }
}

TEST(a_program_without_header_is_all_flatbuffer) {
  Head head = Head::program();
  head.bytes[8] = 'x';
  REQUIRE(head.read() == Error::Ok);
  CHECK(!head.layout.has_header);
  CHECK_EQ(head.layout.flatbuffer_nbytes, 4096u);
  CHECK_EQ(head.layout.segment_nbytes, uint64_t{0});
  CHECK_EQ(head.refused_at(uint64_t{1} << 31), int64_t{0});
}

TEST(an_old_header_has_no_total) {
  Head head = Head::program().put_nbytes(24);
  head.put(32, kMany);
  REQUIRE(head.read() == Error::Ok);
  CHECK_EQ(head.layout.segment_nbytes, uint64_t{4096 - 1024});
  head.put(24, kMany);  // the base is not checked then, but nothing lies past the end of the file
  REQUIRE(head.read() == Error::Ok);
  CHECK_EQ(head.layout.segment_base, uint64_t{4096});
  CHECK_EQ(head.layout.segment_nbytes, uint64_t{0});
}

TEST(a_longer_header_is_accepted) { CHECK_EQ(Head::program().put_nbytes(1000).read(), Error::Ok); }

TEST(numbers_that_leave_the_file_are_refused) {
  CHECK_EQ(Head::program().refused_at(63), int64_t{0});
  CHECK_EQ(Head::program().put_nbytes(23).refused_at(), int64_t{12});
  CHECK_EQ(Head::program().put(16, 4097).refused_at(), int64_t{16});
  CHECK_EQ(Head::program().put(16, kMany).refused_at(), int64_t{16});
  CHECK_EQ(Head::program().put(16, uint64_t{1} << 31).refused_at(uint64_t{1} << 40), int64_t{16});
  CHECK_EQ(Head::program().put(24, 4000).refused_at(), int64_t{24});
  CHECK_EQ(Head::program().put(24, kMany).refused_at(), int64_t{24});
  CHECK_EQ(Head::program().put(32, kMany).refused_at(), int64_t{24});
  CHECK_EQ(Head::program().put(32, 3073).refused_at(), int64_t{24});
  CHECK_EQ(Head::program().refused_at(3023), int64_t{24});
  CHECK_EQ(Head::program().refused_at(3024), int64_t{-2});
}

TEST(the_same_of_a_data_file) {
  CHECK_EQ(Head::ptd().put_nbytes(39).refused_at(), int64_t{12});
  CHECK_EQ(Head::ptd().put(16, kMany).refused_at(), int64_t{16});
  CHECK_EQ(Head::ptd().put(24, 4049).refused_at(), int64_t{24});
  CHECK_EQ(Head::ptd().put(40, 3073).refused_at(), int64_t{32});
  Head head = Head::ptd();
  head.bytes[8] = 'x';
  CHECK_EQ(head.refused_at(), int64_t{8});
  CHECK_EQ(head.read(), Error::InvalidExternalData);
  head.bytes[4] = 'x';
  CHECK_EQ(head.refused_at(), int64_t{4});
}

TEST(ranges_of_the_segments_are_checked_without_wrapping) {
  Head head = Head::program();
  REQUIRE(head.read() == Error::Ok);
  uint64_t at = 0;
  CHECK(head.layout.locate(0, 2000, &at) && at == 1024);
  CHECK(head.layout.locate(2000, 0, &at) && at == 3024);
  CHECK(!head.layout.locate(2001, 0, &at));
  CHECK(!head.layout.locate(1, 2000, &at));
  CHECK(!head.layout.locate(1, kMany, &at));
  CHECK(!head.layout.locate(kMany, 2, &at));
}

SUITE(header, CASE(both_headers_say_where_the_parts_lie), CASE(a_program_without_header_is_all_flatbuffer),
      CASE(an_old_header_has_no_total), CASE(a_longer_header_is_accepted),
      CASE(numbers_that_leave_the_file_are_refused), CASE(the_same_of_a_data_file),
      CASE(ranges_of_the_segments_are_checked_without_wrapping));

}  // namespace rushlight
