// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/backends/backend.h"
#include "tests/check.h"

namespace rushlight {
namespace {

size_t take_some(Arena& arena) {
  (void)arena.allocate(3, 1);
  (void)arena.allocate_array<uint64_t>(2);
  (void)arena.allocate(1, 64);
  (void)arena.allocate(5);
  return arena.used();
}

}  // namespace

TEST(counting_and_giving_out_agree_to_the_byte) {
  Arena counter;
  const size_t needed = take_some(counter);
  alignas(16) uint8_t memory[512];
  for (size_t shift = 0; shift < 64; shift += 16) {
    Arena exact({memory + shift, needed});
    CHECK_EQ(take_some(exact), needed);
    CHECK(!exact.has_failed());
    Arena short_by_one({memory + shift, needed - 1});
    (void)take_some(short_by_one);
    CHECK(short_by_one.has_failed());
  }
}

TEST(coarse_alignment_holds_wherever_the_memory_is) {
  alignas(64) uint8_t memory[512];
  for (size_t shift = 0; shift < 64; shift += 16) {
    Arena arena({memory + shift, 256});
    CHECK_EQ(reinterpret_cast<uintptr_t>(arena.allocate(8, 64)) % 64, uintptr_t{0});
    CHECK(arena.allocate(1, 32) != nullptr);
  }
}

TEST(a_request_that_wraps_fails_even_when_counting) {
  Arena counter;
  CHECK(counter.allocate(16) == nullptr && !counter.has_failed());
  (void)counter.allocate(SIZE_MAX - 8);
  CHECK(counter.has_failed());
  Arena other;
  (void)other.allocate_array<uint64_t>(SIZE_MAX / 4);
  CHECK(other.has_failed());
}

TEST(after_a_failure_nothing_more_is_given) {
  alignas(16) uint8_t memory[64];
  Arena arena({memory, 64});
  CHECK(arena.allocate(65) == nullptr);
  CHECK(arena.allocate(1) == nullptr);
}

SUITE(arena, CASE(counting_and_giving_out_agree_to_the_byte), CASE(coarse_alignment_holds_wherever_the_memory_is),
      CASE(a_request_that_wraps_fails_even_when_counting), CASE(after_a_failure_nothing_more_is_given));

}  // namespace rushlight
