// SPDX-License-Identifier: BSD-3-Clause
// PyTorch's promotion of dtypes. Declared with the dtypes; here, because only kernels promote.

#include "rushlight/runtime/core/dtype.h"

namespace rushlight {
namespace {

// 16-bit and wider standard floats, the ones that take part in promotion.
bool is_standard_float(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16 || dtype == DType::Float32 || dtype == DType::Float64;
}

bool is_unsigned(DType dtype) {
  return dtype == DType::UInt8 || dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64;
}

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  const size_t wide = element_nbytes(a) > element_nbytes(b) ? element_nbytes(a) : element_nbytes(b);
  // float16 with bfloat16 has no common 16-bit type.
  return wide == 8 ? DType::Float64 : DType::Float32;
}

DType promote_integers(DType a, DType b) {
  const size_t na = element_nbytes(a), nb = element_nbytes(b);
  if (is_unsigned(a) == is_unsigned(b)) return na >= nb ? a : b;
  const DType with_sign = is_unsigned(a) ? b : a;
  const size_t unsigned_nbytes = is_unsigned(a) ? na : nb;
  if (element_nbytes(with_sign) > unsigned_nbytes) return with_sign;
  switch (unsigned_nbytes) {
    case 1:
      return DType::Int16;
    case 2:
      return DType::Int32;
    default:
      return DType::Int64;
  }
}

DType promote_complex(DType a, DType b) {
  // Half the bytes of a complex type are its real part's; bfloat16 needs float32 to hold it.
  const auto part = [](DType d) -> size_t {
    if (is_complex(d)) return element_nbytes(d) / 2;
    if (d == DType::BFloat16) return 4;
    return is_standard_float(d) ? element_nbytes(d) : 0;
  };
  const size_t wide = part(a) > part(b) ? part(a) : part(b);
  return wide == 8 ? DType::Complex128 : wide == 4 ? DType::Complex64 : DType::Complex32;
}

bool joins(DType d) { return is_standard_float(d) || is_integral(d) || is_complex(d); }

DType promote_reals(DType a, DType b) {
  if (!is_standard_float(a) && !is_standard_float(b)) return promote_integers(a, b);
  if (is_standard_float(a) && is_standard_float(b)) return promote_floats(a, b);
  return is_standard_float(a) ? a : b;
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b || b == DType::Bool) return a;
  if (a == DType::Bool) return b;
  if (!joins(a) || !joins(b)) return a;  // torch refuses these; the caller's dtype check does too
  return is_complex(a) || is_complex(b) ? promote_complex(a, b) : promote_reals(a, b);
}

}  // namespace rushlight
