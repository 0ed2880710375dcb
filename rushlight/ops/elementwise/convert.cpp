// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/elementwise/convert.h"

#include <cfloat>
#include <cstring>

namespace rushlight::ops {
namespace {

// How an element lies in memory: bool as its byte, for a file may hold other bytes than 0 and 1.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

uint32_t to_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
float from_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

int64_t to_int64(double x) { return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : INT64_MIN; }

// float16 to and from float32 without branches, so that loops over them vectorise.
float widen_half(Half x) {
  const uint32_t magnitude = static_cast<uint32_t>(x.bits & 0x7fffu) << 13;
  const float scaled = from_bits(magnitude) * 0x1p112f;  // subnormals too
  const uint32_t bits = magnitude >= 0x0f800000u ? to_bits(scaled) | 0x7f800000u : to_bits(scaled);
  return from_bits(bits | static_cast<uint32_t>(x.bits & 0x8000u) << 16);
}

Half narrow_half(float x) {
  const uint32_t bits = to_bits(x), magnitude = bits & 0x7fffffffu;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t tiny = to_bits(from_bits(magnitude) + 0.5f) - 0x3f000000u;  // the sum rounds at 2^-24
  uint32_t half = magnitude < 0x38800000u ? tiny : normal;
  half = magnitude >= 0x47800000u ? 0x7c00u : half;
  half = magnitude > 0x7f800000u ? 0x7e00u : half;
  Half result;
  result.bits = static_cast<uint16_t>(half | (bits >> 16 & 0x8000u));
  return result;
}

template <class T, class To>
To widen(Stored<T> x) {
  if constexpr (std::is_same_v<T, bool>) {
    return static_cast<To>(x != 0);
  } else if constexpr (std::is_same_v<T, Half>) {
    return widen<float, To>(widen_half(x));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return widen<float, To>(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<T> && std::is_same_v<To, int64_t>) {
    return to_int64(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class T>
Stored<T> narrow(From x) {
  if constexpr (std::is_same_v<T, bool>) {
    return static_cast<uint8_t>(x != 0);
  } else if constexpr (std::is_same_v<T, Half>) {
    return narrow_half(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<T>) {
    return static_cast<T>(to_int64(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class T, class To>
void load(const void* src, ptrdiff_t stride, void* dst, size_t count) {
  const auto* const from = static_cast<const Stored<T>*>(src);
  To* const to = static_cast<To*>(dst);
  if (stride == 1) {
    RL_INDEPENDENT
    for (size_t i = 0; i < count; ++i) to[i] = widen<T, To>(from[i]);
  } else if (stride == 0 && count > 0) {
    const To value = widen<T, To>(from[0]);
    for (size_t i = 0; i < count; ++i) to[i] = value;
  } else {
    for (size_t i = 0; i < count; ++i) to[i] = widen<T, To>(from[static_cast<ptrdiff_t>(i) * stride]);
  }
}

template <class From, class T>
void store(const void* src, void* dst, size_t count) {
  const From* const from = static_cast<const From*>(src);
  auto* const to = static_cast<Stored<T>*>(dst);
  RL_INDEPENDENT
  for (size_t i = 0; i < count; ++i) to[i] = narrow<From, T>(from[i]);
}

template <class To>
Load find_load_to(DType from) {
  switch (from) {
#define RL_CASE(name, type) \
  case DType::name:         \
    return &load<type, To>;
    RL_FOR_EACH_DTYPE(RL_CASE)
#undef RL_CASE
    default:
      return nullptr;
  }
}

template <class From>
Store find_store_from(DType to) {
  switch (to) {
#define RL_CASE(name, type) \
  case DType::name:         \
    return &store<From, type>;
    RL_FOR_EACH_DTYPE(RL_CASE)
#undef RL_CASE
    default:
      return nullptr;
  }
}

// Whether an integer dtype takes the value, its fraction cut off.
bool fits_integer(Scalar value, DType dtype) {
  const bool has_sign = dtype >= DType::Int8 && dtype <= DType::Int64;
  const int bits = static_cast<int>(element_nbytes(dtype)) * 8 - (has_sign ? 1 : 0);
  const double top = std::ldexp(1.0, bits), bottom = has_sign ? -top : 1 - top;  // top is too large already
  if (value.is_floating()) return value.to_double() >= bottom && value.to_double() < top;
  if (bits >= 63) return true;
  const int64_t limit = int64_t{1} << bits, low = has_sign ? -limit : 1 - limit;
  return value.to_int() < limit && value.to_int() >= low;
}

// Largest finite value of a floating dtype.
double largest(DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return 65504;
    case DType::BFloat16:
      return 0x1.fep127;
    case DType::Float32:
      return FLT_MAX;
    default:
      return DBL_MAX;
  }
}

bool fits_dtype(Scalar value, DType dtype) {
  if (dtype == DType::Bool) return true;
  if (is_integral(dtype)) return fits_integer(value, dtype);
  const double d = value.to_double();
  return d - d != 0 || (d <= largest(dtype) && d >= -largest(dtype));  // d - d: 0 unless infinite or NaN
}

}  // namespace

Compute compute_of(DType dtype) {
  if (!is_floating(dtype)) return Compute::Int;
  return dtype == DType::Float64 ? Compute::Double : Compute::Float;
}

DType dtype_of_compute(Compute compute) {
  constexpr DType kDTypes[] = {DType::Float32, DType::Float64, DType::Int64, DType::Bool};
  return kDTypes[static_cast<size_t>(compute)];
}

bool is_computable(DType dtype) { return find_load_to<float>(dtype) != nullptr; }

size_t compute_nbytes(Compute compute) {
  return compute == Compute::Bool ? 1 : compute == Compute::Float ? sizeof(float) : sizeof(double);
}

Load find_load(DType from, Compute to) {
  switch (to) {
    case Compute::Float:
      return find_load_to<float>(from);
    case Compute::Double:
      return find_load_to<double>(from);
    default:
      return find_load_to<int64_t>(from);
  }
}

Store find_store(Compute from, DType to) {
  switch (from) {
    case Compute::Float:
      return find_store_from<float>(to);
    case Compute::Double:
      return find_store_from<double>(to);
    case Compute::Int:
      return find_store_from<int64_t>(to);
    default:
      return find_store_from<uint8_t>(to);
  }
}

Error store_scalar(KernelContext& ctx, const char* name, Scalar value, DType dtype, void* bytes) {
  if (!is_computable(dtype)) return ctx.fail(Error::NotSupported, "{} has no values here", to_string(dtype));
  if (!fits_dtype(value, dtype)) {
    return ctx.fail(Error::InvalidArgument, "{} = {} does not fit {}", name, value.to_double(), to_string(dtype));
  }
  const int64_t i = value.to_int();
  const double d = value.to_double();
  if (value.is_floating()) find_store(Compute::Double, dtype)(&d, bytes, 1);
  else find_store(Compute::Int, dtype)(&i, bytes, 1);
  return Error::Ok;
}

}  // namespace rushlight::ops
