// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "tests/check.h"

namespace rushlight {

TEST(every_binary16_survives_a_trip_through_float32) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half h;
    h.bits = static_cast<uint16_t>(bits);
    const float value = h;
    const Half back(value);
    if (std::isnan(value)) CHECK((back.bits & 0x7e00) == 0x7e00);
    else if (back.bits != h.bits) CHECK_EQ(back.bits, h.bits);
  }
}

TEST(float32_to_binary16_rounds_to_nearest_even) {
  const struct {
    float value;
    uint16_t bits;
  } cases[] = {{65504.f, 0x7bff},      {65519.996f, 0x7bff}, {65520.f, 0x7c00},     {1e30f, 0x7c00},
               {1.f, 0x3c00},          {0x1.002p0f, 0x3c00}, {0x1.006p0f, 0x3c02},  {0x1p-24f, 0x0001},
               {0x1p-25f, 0x0000},     {0x1.8p-25f, 0x0001}, {-0x1.8p-24f, 0x8002}, {0x1.ff8p-15f, 0x03ff},
               {0x1.ffep-15f, 0x0400}, {-0.f, 0x8000}};
  for (const auto& c : cases) CHECK_EQ(Half(c.value).bits, c.bits);
}

TEST(bfloat16_rounds_to_nearest_even_and_keeps_nan) {
  CHECK_EQ(BFloat16(1.f).bits, uint16_t{0x3f80});
  CHECK_EQ(BFloat16(0x1.01p0f).bits, uint16_t{0x3f80});
  CHECK_EQ(BFloat16(0x1.03p0f).bits, uint16_t{0x3f82});
  CHECK(std::isnan(static_cast<float>(BFloat16(NAN))));
}

TEST(promotion_follows_torch) {
  using D = DType;
  const struct {
    D a, b, result;
  } cases[] = {{D::UInt8, D::Int8, D::Int16},
               {D::Int64, D::Float16, D::Float16},
               {D::Float16, D::BFloat16, D::Float32},
               {D::Bool, D::UInt8, D::UInt8},
               {D::Float32, D::Float64, D::Float64},
               {D::Int32, D::UInt8, D::Int32},
               {D::BFloat16, D::Complex32, D::Complex64},
               {D::Float64, D::Complex64, D::Complex128},
               {D::Bool, D::Bool, D::Bool},
               {D::UInt16, D::Float32, D::Float32}};
  for (const auto& c : cases) {
    CHECK_EQ(promote(c.a, c.b), c.result);
    CHECK_EQ(promote(c.b, c.a), c.result);
  }
}

TEST(numbers_outside_the_enumeration_have_no_size) {
  CHECK_EQ(element_nbytes(static_cast<DType>(-1)), size_t{0});
  CHECK_EQ(element_nbytes(static_cast<DType>(30)), size_t{0});
  CHECK_EQ(to_string(static_cast<DType>(30)), "unknown");
}

SUITE(dtype, CASE(every_binary16_survives_a_trip_through_float32), CASE(float32_to_binary16_rounds_to_nearest_even),
      CASE(bfloat16_rounds_to_nearest_even_and_keeps_nan), CASE(promotion_follows_torch),
      CASE(numbers_outside_the_enumeration_have_no_size));

}  // namespace rushlight
