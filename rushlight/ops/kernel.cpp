// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/kernel.h"

#include <cfloat>

namespace rushlight {

Error KernelContext::to_float32(const char* name, Scalar value, float* out) {
  const double d = value.to_double();
  if (d - d == 0 && (d > FLT_MAX || d < -FLT_MAX)) {  // d - d: 0 unless infinite or NaN
    return fail(Error::InvalidArgument, "{} = {} does not fit float32", name, d);
  }
  *out = static_cast<float>(d);
  return Error::Ok;
}

Error KernelContext::check_dtype(const char* name, const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return Error::Ok;
  return fail(Error::InvalidType, "{} is {}, expected {}", name, to_string(tensor.dtype()), to_string(dtype));
}

Error KernelContext::check_sizes(const char* name, const Tensor& tensor, const Shape& shape) {
  bool same = tensor.rank() == shape.rank;
  for (size_t d = 0; same && d < shape.rank; ++d) same = tensor.size(d) == shape.sizes[d];
  if (same) return Error::Ok;
  return fail(Error::InvalidArgument, "{} is {}, expected {}", name, tensor.sizes(), shape.span());
}

Error KernelContext::check_row_major(const char* name, const Tensor& tensor) {
  if (tensor.is_contiguous()) return Error::Ok;
  return fail(Error::NotSupported, "{} is not row-major", name);
}

}  // namespace rushlight
