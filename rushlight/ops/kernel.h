// SPDX-License-Identifier: BSD-3-Clause
// What a kernel may use: its context, typed dispatch on dtypes, and nothing that allocates.

#pragma once

#include <cmath>

#include "rushlight/runtime/core/checked.h"
#include "rushlight/runtime/core/evalue.h"
#include "rushlight/runtime/core/message.h"

namespace rushlight {

/// One kernel call. Lives on the executor's stack for the time of the call.
class KernelContext {
 public:
  KernelContext(const char* op, Message& message, Span<uint8_t> scratch)
      : op_(op), message_(message), scratch_(scratch) {}

  /// The operator's name as the file spells it: `aten::add.out`.
  const char* op() const { return op_; }
  Message& message() { return message_; }
  /// The bytes that this op's row declares with `scratch`, 16-aligned. Contents are arbitrary.
  Span<uint8_t> scratch() const { return scratch_; }

  /// Reports a failure: "<op>: <format>". The executor appends method, instruction and source line.
  template <class... Args>
  Error fail(Error code, const char* format, const Args&... args) {
    message_.fail(code, "{}: ", op_);
    message_.append(format, args...);
    return code;
  }

  /// *out = value as float32; InvalidArgument naming `name` if a finite value does not fit.
  Error to_float32(const char* name, Scalar value, float* out);
  /// InvalidType naming `name` unless the tensor has `dtype`. Kernels check destinations: a file may say anything.
  Error check_dtype(const char* name, const Tensor& tensor, DType dtype);
  /// InvalidArgument naming `name` unless the tensor has `shape`. For kernels whose bounds rest on the shape function:
  /// an out that is also an input may have changed that input's sizes when it was resized.
  Error check_sizes(const char* name, const Tensor& tensor, const Shape& shape);
  /// NotSupported naming `name` unless the tensor is row-major (for rows with layout "contiguous", and "dense"
  /// results).
  Error check_row_major(const char* name, const Tensor& tensor);

 private:
  const char* op_;
  Message& message_;
  Span<uint8_t> scratch_;
};

/// A row's dtypes, as the generator writes them: `types::add` is DTypeList<DType::Float32, …>.
template <DType... list>
struct DTypeList {
  static constexpr bool contains(DType dtype) { return ((dtype == list) || ...); }
};

/// Calls body(static_cast<const T*>(nullptr)) with the C++ type of `dtype`, if Types has it.
/// @return body's Error (or Ok if body returns void); NotSupported, naming op and dtype, otherwise.
template <class Types>
struct Visit;
template <DType... list>
struct Visit<DTypeList<list...>> {
  template <class Body>
  static Error call(KernelContext& ctx, DType dtype, Body&& body) {
    Error result = Error::Ok;
    const bool found = ((dtype == list && (result = invoke<list>(body), true)) || ...);
    if (found) return result;
    return ctx.fail(Error::NotSupported, "no kernel for dtype {} in this build", to_string(dtype));
  }

 private:
  template <DType d, class Body>
  static Error invoke(Body& body) {
    if constexpr (std::is_void_v<decltype(body(static_cast<const CppType<d>*>(nullptr)))>) {
      body(static_cast<const CppType<d>*>(nullptr));
      return Error::Ok;
    } else {
      return body(static_cast<const CppType<d>*>(nullptr));
    }
  }
};
template <class Types, class Body>
Error visit_dtype(KernelContext& ctx, DType dtype, Body&& body) {
  return Visit<Types>::call(ctx, dtype, body);
}
/// The same on x's dtype and data: body(const T* data).
template <class Types, class Body>
Error visit(KernelContext& ctx, const Tensor& x, Body&& body) {
  return visit_dtype<Types>(ctx, x.dtype(), [&](auto* tag) { return body(x.data<std::decay_t<decltype(*tag)>>()); });
}

/// Arguments of one call: the operator's schema arguments in order, destinations last, then the return slot.
using Args = Span<EValue* const>;

/// What the op table stores of a kernel. Checks tags and counts, then calls the typed function.
using KernelFn = Error (*)(KernelContext& ctx, Args args);
/// Computes the sizes of every destination, in order. `shapes` has one entry per destination tensor.
using ShapeFn = Error (*)(KernelContext& ctx, Args args, Span<Shape> shapes);
/// *nbytes = scratch wanted for these arguments at their present sizes.
using ScratchFn = Error (*)(KernelContext& ctx, Args args, size_t* nbytes);

/// One entry of the generated, sorted operator table.
struct OpEntry {
  const char* name;  ///< full name in files, `aten::add.out`
  KernelFn kernel;
  ShapeFn shape;      ///< null: the kernel has no tensor destination to size (prims, in-place ops)
  ScratchFn scratch;  ///< null: none
  uint8_t inputs;     ///< number of schema arguments before the destinations
  uint8_t outputs;    ///< number of destination arguments (a destination list counts once)
  uint8_t slots;      ///< exact length of a call's argument vector, the return slot included
  uint32_t writes;    ///< bit i: the kernel writes to the tensor (or the tensors of the list) in slot i
  /// Bit i: the argument in slot i may be a destination's memory, element for element. Any other overlap is refused.
  uint32_t aliases = 0;
};
/// Entries sorted by name (strcmp order).
using OpTable = Span<const OpEntry>;

}  // namespace rushlight

// The declarations and dtypes of the family's own ops: the build names the file for each kernel.
#ifdef RL_FAMILY_DECLARATIONS
#include RL_FAMILY_DECLARATIONS
#endif
