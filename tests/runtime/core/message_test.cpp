// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "tests/check.h"

namespace rushlight {

TEST(braces_take_the_arguments_in_order) {
  Message m;
  const int32_t sizes[] = {1, -2, 3};
  CHECK_EQ(m.fail(Error::InvalidArgument, "x: {} of {}, {}", Span<const int32_t>(sizes), "float32", true),
           Error::InvalidArgument);
  CHECK_EQ(m.text(), "x: [1, -2, 3] of float32, 1");
  CHECK_EQ(m.code(), Error::InvalidArgument);
  CHECK_EQ(m.byte_offset(), Message::kNoOffset);
  m.append(" (line {})", 12u);
  CHECK_EQ(m.text(), "x: [1, -2, 3] of float32, 1 (line 12)");
  m.clear();
  CHECK_EQ(m.text(), "");
}

TEST(a_fault_in_a_file_keeps_its_offset) {
  Message m;
  (void)m.fail_at(77, Error::InvalidProgram, "bad");
  CHECK_EQ(m.byte_offset(), int64_t{77});
}

TEST(doubles_have_six_digits) {
  const struct {
    double value;
    const char* text;
  } cases[] = {{0, "0"},
               {0.5, "0.5"},
               {-1, "-1"},
               {1e40, "1e+40"},
               {100000, "100000"},
               {1e6, "1e+6"},
               {3.14159265, "3.14159"},
               {0.0001, "0.0001"},
               {0.00001234, "1.234e-5"},
               {999999.9, "1e+6"},
               {123.25, "123.25"},
               {20, "20"},
               {0.02, "0.02"},
               {-1e-300, "-1e-300"}};
  for (const auto& c : cases) {
    Message m;
    (void)m.fail(Error::Internal, "{}", c.value);
    CHECK_EQ(m.text(), c.text);
  }
  Message m;
  (void)m.fail(Error::Internal, "{} {} {}", std::numeric_limits<double>::infinity(),
               -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());
  CHECK_EQ(m.text(), "inf -inf nan");
}

TEST(integers_print_to_their_limits) {
  Message m;
  (void)m.fail(Error::Internal, "{} {}", std::numeric_limits<int64_t>::min(), std::numeric_limits<uint64_t>::max());
  CHECK_EQ(m.text(), "-9223372036854775808 18446744073709551615");
}

TEST(text_is_cut_at_capacity_and_control_characters_are_masked) {
  Message m;
  (void)m.fail(Error::Internal, "{}", "a\x1b[2J\n");
  CHECK_EQ(m.text(), "a?[2J?");
  for (int i = 0; i < 100; ++i) m.append("{}", "0123456789");
  CHECK_EQ(std::strlen(m.text()), Message::kCapacity - 1);
}

SUITE(message, CASE(braces_take_the_arguments_in_order), CASE(a_fault_in_a_file_keeps_its_offset),
      CASE(doubles_have_six_digits), CASE(integers_print_to_their_limits),
      CASE(text_is_cut_at_capacity_and_control_characters_are_masked));

}  // namespace rushlight
