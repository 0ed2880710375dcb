// SPDX-License-Identifier: BSD-3-Clause
// Scalar types, with the numbers the file format gives them, and PyTorch's promotion rules.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rushlight {

/// Element type of a tensor. The numbers are PyTorch's ScalarType and appear in files.
enum class DType : int8_t {
  UInt8 = 0,
  Int8 = 1,
  Int16 = 2,
  Int32 = 3,
  Int64 = 4,
  Float16 = 5,
  Float32 = 6,
  Float64 = 7,
  Complex32 = 8,
  Complex64 = 9,
  Complex128 = 10,
  Bool = 11,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  BFloat16 = 15,
  QUInt4x2 = 16,
  QUInt2x4 = 17,
  Bits1x8 = 18,
  Bits2x4 = 19,
  Bits4x2 = 20,
  Bits8 = 21,
  Bits16 = 22,
  Float8E5M2 = 23,
  Float8E4M3FN = 24,
  Float8E5M2FNUZ = 25,
  Float8E4M3FNUZ = 26,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29,
};
constexpr int kDTypeCount = 30;

/// IEEE binary16 bits. Arithmetic is done in float32.
struct Half {
  uint16_t bits;
  Half() = default;
  explicit Half(float value);
  operator float() const;
};

/// bfloat16 bits: the upper half of a float32. Arithmetic is done in float32, rounded to nearest even on store.
struct BFloat16 {
  uint16_t bits;
  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t u;
    std::memcpy(&u, &value, 4);
    const bool is_nan = (u & 0x7fffffffu) > 0x7f800000u;
    bits = is_nan ? 0x7fc0u : static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  operator float() const {
    const uint32_t u = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &u, 4);
    return value;
  }
};

/// The C++ type of a DType and back: CppType<DType::Int8> is int8_t, dtype_of<float> is DType::Float32.
template <DType>
struct CppTypeOf;
template <class T>
struct DTypeOf;
#define RL_FOR_EACH_DTYPE(X) \
  X(UInt8, uint8_t)          \
  X(Int8, int8_t)            \
  X(Int16, int16_t)          \
  X(Int32, int32_t)          \
  X(Int64, int64_t)          \
  X(Float16, Half)           \
  X(Float32, float)          \
  X(Float64, double)         \
  X(Bool, bool)              \
  X(BFloat16, BFloat16)      \
  X(UInt16, uint16_t)        \
  X(UInt32, uint32_t)        \
  X(UInt64, uint64_t)
#define RL_DTYPE(name, type)                    \
  template <>                                   \
  struct CppTypeOf<DType::name> {               \
    using Type = type;                          \
  };                                            \
  template <>                                   \
  struct DTypeOf<type> {                        \
    static constexpr DType value = DType::name; \
  };
RL_FOR_EACH_DTYPE(RL_DTYPE)
#undef RL_DTYPE
template <DType d>
using CppType = typename CppTypeOf<d>::Type;
template <class T>
constexpr DType dtype_of = DTypeOf<T>::value;

/// Bytes per element; 0 for a number outside the enumeration.
size_t element_nbytes(DType dtype);
/// PyTorch's name without the `torch.`: `float32`. `unknown` outside the enumeration.
const char* to_string(DType dtype);

bool is_floating(DType dtype);
/// int8…int64, uint8…uint64; not bool.
bool is_integral(DType dtype);
bool is_complex(DType dtype);
/// torch.promote_types(a, b). Where torch refuses (quantised, float8, bits): a. Wide unsigned with signed: the signed
/// type that holds both, int64 at most.
DType promote(DType a, DType b);

}  // namespace rushlight
