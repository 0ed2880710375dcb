// SPDX-License-Identifier: BSD-3-Clause
// The driver of elementwise kernels: any dtypes, any dim orders, broadcasting; a loop per op and compute type.
//
//     Error maximum(KernelContext& ctx, const Tensor& self, const Tensor& other, Tensor& out) {
//       return arithmetic<types::maximum>(ctx, {self, other}, out, [](auto a, auto b) { return a > b ? a : b; });
//     }
//
// Operands are converted to the promoted dtype's compute type (convert.h), block by block on the stack, unless they lie
// in memory as the loop wants them. Operands of out's sizes and dim order may share out's memory.

#pragma once

#include "rushlight/ops/elementwise/convert.h"

namespace rushlight::ops {

/// An input: a tensor, or a number that takes part as a rank-0 tensor with the weaker promotion of numbers.
class Operand {
 public:
  Operand(const Tensor& tensor) : tensor_(&tensor), dtype_(tensor.dtype()) {}
  Operand(Scalar value) : tensor_(nullptr), dtype_(DType::Int64), int_(value.to_int()) {
    if (value.is_floating()) dtype_ = DType::Float64, double_ = value.to_double();
    if (value.tag() == Tag::Bool) dtype_ = DType::Bool, bool_ = value.to_int() != 0;
  }
  bool is_number() const { return !tensor_; }
  DType dtype() const { return dtype_; }
  size_t numel() const { return tensor_ ? tensor_->numel() : 1; }
  Span<const int32_t> sizes() const { return tensor_ ? tensor_->sizes() : Span<const int32_t>(); }
  ptrdiff_t stride(size_t d) const { return tensor_->stride(d); }
  const void* data() const { return tensor_ ? tensor_->raw() : &int_; }

 private:
  const Tensor* tensor_;
  DType dtype_;
  union {
    int64_t int_;
    double double_;
    uint8_t bool_;
  };
};
constexpr size_t kMaxOperands = 3;

/// torch.result_type: tensors with dimensions outrank rank-0 tensors, which outrank numbers, within a category
/// (bool < integer < floating); the higher category wins. A lone float number is float32.
DType result_type(Span<const Operand> operands);

/// out[i] = f(in[0][i], …) over `count` elements, dense, of one Compute.
using Loop = void (*)(const void* f, const void* const* in, void* out, size_t count);

/// One elementwise call, for run().
struct Elementwise {
  Span<const Operand> operands;
  DType promoted;             ///< operands are rounded or wrapped to it
  DType result;               ///< of the op, before a cast to out's dtype: `promoted`, or Bool
  Compute loop_result;        ///< what the loop writes
  bool keeps_scalar = false;  ///< a second operand of one element keeps float32's precision beside 16-bit floats
  Loop loops[3] = {};         ///< by Compute of `promoted`; null: this build leaves it out
  const void* f = nullptr;
};

/// @return InvalidType if an operand or out has no computable dtype, or out's dtype cannot take the result (a fraction
/// in
///         an integer, a number in a bool); InvalidArgument if an operand does not stretch to out's sizes; NotSupported
///         if the build has no loop for the promoted dtype.
Error run(KernelContext& ctx, const Elementwise& call, Tensor& out);

namespace detail {

template <class T, class R, class F, size_t n>
void loop(const void* f, const void* const* in, void* out, size_t count) {
  const F& op = *static_cast<const F*>(f);
  const T* const a = static_cast<const T*>(in[0]);
  R* const to = static_cast<R*>(out);
  if constexpr (n == 1) {
    RL_INDEPENDENT
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<R>(op(a[i]));
  } else if constexpr (n == 2) {
    const T* const b = static_cast<const T*>(in[1]);
    RL_INDEPENDENT
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<R>(op(a[i], b[i]));
  } else {
    const T* const b = static_cast<const T*>(in[1]);
    const T* const c = static_cast<const T*>(in[2]);
    RL_INDEPENDENT
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<R>(op(a[i], b[i], c[i]));
  }
}

template <class Types>
constexpr bool has_integers =
    Types::contains(DType::Int64) || Types::contains(DType::Int32) || Types::contains(DType::Int16) ||
    Types::contains(DType::Int8) || Types::contains(DType::UInt8) || Types::contains(DType::Bool) ||
    Types::contains(DType::UInt16) || Types::contains(DType::UInt32) || Types::contains(DType::UInt64);
template <class Types>
constexpr bool has_doubles = Types::contains(DType::Float64);
template <class Types>
constexpr bool has_floats =
    Types::contains(DType::Float32) || Types::contains(DType::Float16) || Types::contains(DType::BFloat16);

}  // namespace detail

/// Fills the loops of `call` with f's, for the dtypes in the row, and runs it. R: bool, or void for the computed type.
template <class Types, class R, bool with_integers, size_t n, class F>
Error run_loops(KernelContext& ctx, Elementwise& call, Tensor& out, const F& f) {
  using namespace detail;
  constexpr bool same = std::is_void_v<R>;
  constexpr bool ints_become_floats = !with_integers && has_integers<Types>;
  if constexpr (has_floats<Types> || ints_become_floats) {
    call.loops[0] = &loop<float, std::conditional_t<same, float, R>, F, n>;
  }
  if constexpr (has_doubles<Types>) call.loops[1] = &loop<double, std::conditional_t<same, double, R>, F, n>;
  if constexpr (with_integers && has_integers<Types>) {
    call.loops[2] = &loop<int64_t, std::conditional_t<same, int64_t, R>, F, n>;
  }
  call.f = &f;
  return run(ctx, call, out);
}

/// out = f(in…) in the promoted dtype; f is called with float, double or int64_t.
template <class Types, size_t n, class F>
Error arithmetic(KernelContext& ctx, const Operand (&in)[n], Tensor& out, const F& f, bool keeps_scalar = false) {
  const DType promoted = result_type(in);
  Elementwise call{in, promoted, promoted, compute_of(promoted), keeps_scalar};
  return run_loops<Types, void, true, n>(ctx, call, out, f);
}

/// The same for functions of real numbers: integers and bools become float32; f is called with float or double.
template <class Types, size_t n, class F>
Error floating(KernelContext& ctx, const Operand (&in)[n], Tensor& out, const F& f, bool keeps_scalar = false) {
  DType promoted = result_type(in);
  if (!is_floating(promoted)) promoted = DType::Float32;
  Elementwise call{in, promoted, promoted, compute_of(promoted), keeps_scalar};
  return run_loops<Types, void, false, n>(ctx, call, out, f);
}

/// out = f(in…), a bool, from operands in the promoted dtype.
template <class Types, size_t n, class F>
Error predicate(KernelContext& ctx, const Operand (&in)[n], Tensor& out, const F& f) {
  Elementwise call{in, result_type(in), DType::Bool, Compute::Bool};
  return run_loops<Types, bool, true, n>(ctx, call, out, f);
}

/// out = f(in…) where everything is in `dtype`, whatever the operands would promote to.
template <class Types, size_t n, class F>
Error in_dtype(KernelContext& ctx, DType dtype, const Operand (&in)[n], Tensor& out, const F& f) {
  Elementwise call{in, dtype, dtype, compute_of(dtype)};
  return run_loops<Types, void, true, n>(ctx, call, out, f);
}

/// out = self, converted to out's dtype and laid out in its dim order. Same dtype: any, by bytes.
Error copy_elements(KernelContext& ctx, const Tensor& self, Tensor& out);

/// Integer arithmetic that wraps; floats as they are.
template <class T>
T wrap_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}
template <class T>
T wrap_sub(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else return a - b;
}
template <class T>
T wrap_mul(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else return a * b;
}

}  // namespace rushlight::ops
