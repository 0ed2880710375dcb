// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/core/dtype.h"

#include "rushlight/runtime/core/message.h"

namespace rushlight {
namespace {

// Bytes per element, by number. Packed sub-byte types count one byte per stored group.
constexpr uint8_t kNbytes[kDTypeCount] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                                          2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  1, 2, 4, 8};

#if RL_MESSAGES
constexpr const char* kNames[kDTypeCount] = {
    "uint8",           "int8",
    "int16",           "int32",
    "int64",           "float16",
    "float32",         "float64",
    "complex32",       "complex64",
    "complex128",      "bool",
    "qint8",           "quint8",
    "qint32",          "bfloat16",
    "quint4x2",        "quint2x4",
    "bits1x8",         "bits2x4",
    "bits4x2",         "bits8",
    "bits16",          "float8_e5m2",
    "float8_e4m3fn",   "float8_e5m2fnuz",
    "float8_e4m3fnuz", "uint16",
    "uint32",          "uint64",
};
#endif

bool is_known(DType dtype) { return static_cast<int>(dtype) >= 0 && static_cast<int>(dtype) < kDTypeCount; }

// 16-bit and wider standard floats, the ones that take part in promotion.
bool is_standard_float(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16 || dtype == DType::Float32 || dtype == DType::Float64;
}

bool is_unsigned(DType dtype) {
  return dtype == DType::UInt8 || dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64;
}

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

}  // namespace

size_t element_nbytes(DType dtype) { return is_known(dtype) ? kNbytes[static_cast<int>(dtype)] : 0; }

#if RL_MESSAGES
const char* to_string(DType dtype) { return is_known(dtype) ? kNames[static_cast<int>(dtype)] : "unknown"; }
#else
const char* to_string(DType) { return ""; }
#endif

bool is_floating(DType dtype) {
  return is_standard_float(dtype) || (static_cast<int>(dtype) >= static_cast<int>(DType::Float8E5M2) &&
                                      static_cast<int>(dtype) <= static_cast<int>(DType::Float8E4M3FNUZ));
}

bool is_integral(DType dtype) {
  return is_unsigned(dtype) || dtype == DType::Int8 || dtype == DType::Int16 || dtype == DType::Int32 ||
         dtype == DType::Int64;
}

bool is_complex(DType dtype) {
  return dtype == DType::Complex32 || dtype == DType::Complex64 || dtype == DType::Complex128;
}

Half::Half(float value) {
  const uint32_t u = bits_of(value);
  const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
  const uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) {  // infinity, or NaN (made quiet)
    bits = sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u);
  } else if (magnitude >= 0x477ff000u) {  // 65520 and above round to infinity
    bits = sign | 0x7c00u;
  } else if (magnitude >= 0x38800000u) {  // normal in binary16: rebias the exponent, round to nearest even
    const uint32_t rounded = magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u);
    bits = static_cast<uint16_t>(sign | (rounded >> 13));
  } else {
    // Subnormal: adding 0.5 puts the unit of the last place at 2^-24, and the addition rounds to nearest even.
    float shifted;
    std::memcpy(&shifted, &magnitude, 4);
    shifted += 0.5f;
    bits = static_cast<uint16_t>(sign | (bits_of(shifted) - 0x3f000000u));
  }
}

Half::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  uint32_t u;
  if (exponent == 31) {
    u = sign | 0x7f800000u | (mantissa << 13);
  } else if (exponent != 0) {
    u = sign | ((exponent + 112) << 23) | (mantissa << 13);
  } else {
    const float value = static_cast<float>(mantissa) * 0x1p-24f;  // exact: zero and subnormals
    u = sign | bits_of(value);
  }
  float value;
  std::memcpy(&value, &u, 4);
  return value;
}

}  // namespace rushlight
