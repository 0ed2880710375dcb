// SPDX-License-Identifier: BSD-3-Clause
// From a file's argument vector to a kernel's typed parameters: boxed<&ops::add> deduces everything from the function.

#pragma once

#include <tuple>
#include <utility>

#include "rushlight/ops/kernel.h"

namespace rushlight {

/// What follows the parameters of a kernel in a call's argument vector.
enum class Convention : uint8_t {
  /// One more slot, repeating the result: ignored. Tensors with elements must have memory.
  Kernel,
  /// Nothing: the last parameter is the slot to write. The kernel checks that tensors have memory.
  Prim,
};

namespace detail {

/// Each unbox checks the tag of argument `position` and stores the value in the form that a kernel takes.
/// @return InvalidType naming the position, what was expected and what is there.
Error unbox(KernelContext& ctx, size_t position, EValue& slot, Tensor** out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, int64_t* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, double* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, bool* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, Scalar* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, Text* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, IntList* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, Span<const double>* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, Span<const uint8_t>* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, TensorList* out);
Error unbox(KernelContext& ctx, size_t position, EValue& slot, OptionalTensorList* out);
inline Error unbox(KernelContext&, size_t, EValue& slot, EValue** out) { return *out = &slot, Error::Ok; }
template <class T>
Error unbox(KernelContext& ctx, size_t position, EValue& slot, Optional<T>* out) {
  out->has_value = !slot.is_none();
  return out->has_value ? unbox(ctx, position, slot, &out->value) : Error::Ok;
}

/// InvalidProgram if a tensor with elements among the arguments, or in their lists, has no memory.
Error check_memory(KernelContext& ctx, Args args);
/// InvalidProgram if the argument vector has not `expected` slots.
Error check_count(KernelContext& ctx, Args args, size_t expected);

/// A parameter while its value is under way: held by pointer if the kernel takes a reference or a pointer.
template <class P>
struct Held {
  P value{};
  Error fill(KernelContext& ctx, size_t i, EValue& slot) { return unbox(ctx, i, slot, &value); }
  P get() const { return value; }
};
template <>
struct Held<Scalar> {
  Scalar value{int64_t{0}};
  Error fill(KernelContext& ctx, size_t i, EValue& slot) { return unbox(ctx, i, slot, &value); }
  Scalar get() const { return value; }
};
template <class P>
struct Held<P&> {
  std::remove_const_t<P>* value = nullptr;
  Error fill(KernelContext& ctx, size_t i, EValue& slot) { return unbox(ctx, i, slot, &value); }
  P& get() const { return *value; }
};
template <>
struct Held<const Tensor*> {
  Tensor* value = nullptr;
  Error fill(KernelContext& ctx, size_t i, EValue& slot) {
    return slot.is_none() ? Error::Ok : unbox(ctx, i, slot, &value);
  }
  const Tensor* get() const { return value; }
};

/// The parameters of a function after its context, filled from slots, then passed.
template <class Fn>
struct Call;
template <class... P>
struct Call<Error (*)(KernelContext&, P...)> {
  static constexpr size_t kCount = sizeof...(P);
  using All = std::index_sequence_for<P...>;
  using AllButLast = std::make_index_sequence<kCount - 1>;
  std::tuple<Held<P>...> held;

  /// Parameter param[i] takes args[slot[i]].
  template <size_t... param, size_t... slot>
  Error fill(KernelContext& ctx, [[maybe_unused]] Args args, std::index_sequence<param...>,
             std::index_sequence<slot...>) {
    Error error = Error::Ok;
    (void)((error = std::get<param>(held).fill(ctx, slot, *args[slot]), error == Error::Ok) && ...);
    return error;
  }
  template <size_t... param>
  Error run(KernelContext& ctx, Error (*fn)(KernelContext&, P...), std::index_sequence<param...>) const {
    return fn(ctx, std::get<param>(held).get()...);
  }
};

}  // namespace detail

/// The table's KernelFn for `fn`: Error fn(KernelContext&, schema arguments…, destinations…).
template <auto fn, Convention convention>
Error boxed(KernelContext& ctx, Args args) {
  using Call = detail::Call<decltype(fn)>;
  constexpr bool is_kernel = convention == Convention::Kernel;
  RL_TRY(detail::check_count(ctx, args, Call::kCount + (is_kernel ? 1 : 0)));
  if (is_kernel) RL_TRY(detail::check_memory(ctx, args));
  Call call;
  RL_TRY(call.fill(ctx, args, typename Call::All(), typename Call::All()));
  return call.run(ctx, fn, typename Call::All());
}

/// The table's ShapeFn for `fn`: Error fn(KernelContext&, some arguments…, Span<Shape> out), which takes the arguments
/// at `slot…` of a call whose argument vector has `count` slots.
template <auto fn, size_t count, size_t... slot>
Error shape_boxed(KernelContext& ctx, Args args, Span<Shape> shapes) {
  using Call = detail::Call<decltype(fn)>;
  static_assert(sizeof...(slot) + 1 == Call::kCount, "the row passes a different number of arguments");
  RL_TRY(detail::check_count(ctx, args, count));
  Call call;
  RL_TRY(call.fill(ctx, args, typename Call::AllButLast(), std::index_sequence<slot...>()));
  std::get<Call::kCount - 1>(call.held).value = shapes;
  return call.run(ctx, fn, typename Call::All());
}

/// The table's ScratchFn for `fn`: Error fn(KernelContext&, the kernel's own parameters…, size_t* nbytes).
template <auto fn, Convention convention>
Error scratch_boxed(KernelContext& ctx, Args args, size_t* nbytes) {
  using Call = detail::Call<decltype(fn)>;
  RL_TRY(detail::check_count(ctx, args, Call::kCount - (convention == Convention::Kernel ? 0 : 1)));
  Call call;
  RL_TRY(call.fill(ctx, args, typename Call::AllButLast(), typename Call::AllButLast()));
  std::get<Call::kCount - 1>(call.held).value = nbytes;
  return call.run(ctx, fn, typename Call::All());
}

}  // namespace rushlight
