// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/boxed.h"

namespace rushlight::detail {
namespace {

Error wrong_tag(KernelContext& ctx, size_t position, const char* expected, const EValue& slot) {
  return ctx.fail(Error::InvalidType, "argument {} is {}, expected {}", position, to_string(slot.tag()), expected);
}

/// Checks that every item of a list of slots has `tag`, or is absent where that is allowed.
Error check_items(KernelContext& ctx, size_t position, const EValue& slot, Tag tag, bool may_be_absent) {
  const Span<EValue* const> items = slot.as_slots();
  for (size_t i = 0; i < items.count(); ++i) {
    const EValue* const item = items[i];
    if ((!item || item->is_none()) && may_be_absent) continue;
    if (!item || !item->is(tag)) {
      return ctx.fail(Error::InvalidType, "argument {}, item {} is {}, expected {}", position, i,
                      item ? to_string(item->tag()) : "absent", to_string(tag));
    }
  }
  return Error::Ok;
}

Error check_tensor(KernelContext& ctx, size_t position, const EValue& slot) {
  const Tensor* const tensor = slot.as_tensor();
  if (tensor->numel() == 0 || tensor->raw()) return Error::Ok;
  return ctx.fail(Error::InvalidProgram, "argument {} is a tensor without memory", position);
}

}  // namespace

Error unbox(KernelContext& ctx, size_t position, EValue& slot, Tensor** out) {
  if (!slot.is(Tag::Tensor)) return wrong_tag(ctx, position, "Tensor", slot);
  *out = slot.as_tensor();
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, int64_t* out) {
  if (!slot.is(Tag::Int)) return wrong_tag(ctx, position, "Int", slot);
  *out = slot.as_int();
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, double* out) {
  if (slot.is(Tag::Double)) {
    *out = slot.as_double();
  } else if (slot.is(Tag::Int)) {
    *out = static_cast<double>(slot.as_int());
  } else {
    return wrong_tag(ctx, position, "Double", slot);
  }
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, bool* out) {
  if (!slot.is(Tag::Bool)) return wrong_tag(ctx, position, "Bool", slot);
  *out = slot.as_bool();
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, Scalar* out) {
  if (slot.is(Tag::Int)) {
    *out = Scalar(slot.as_int());
  } else if (slot.is(Tag::Double)) {
    *out = Scalar(slot.as_double());
  } else if (slot.is(Tag::Bool)) {
    *out = Scalar(slot.as_bool());
  } else {
    return wrong_tag(ctx, position, "Int, Double or Bool", slot);
  }
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, Text* out) {
  if (!slot.is(Tag::String)) return wrong_tag(ctx, position, "String", slot);
  *out = slot.as_string();
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, IntList* out) {
  if (!slot.is(Tag::IntList)) return wrong_tag(ctx, position, "IntList", slot);
  RL_TRY(check_items(ctx, position, slot, Tag::Int, false));
  *out = IntList(slot.as_slots());
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, Span<const double>* out) {
  if (!slot.is(Tag::DoubleList)) return wrong_tag(ctx, position, "DoubleList", slot);
  *out = slot.as_doubles();
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, Span<const uint8_t>* out) {
  if (!slot.is(Tag::BoolList)) return wrong_tag(ctx, position, "BoolList", slot);
  *out = slot.as_bools();
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, TensorList* out) {
  if (!slot.is(Tag::TensorList)) return wrong_tag(ctx, position, "TensorList", slot);
  RL_TRY(check_items(ctx, position, slot, Tag::Tensor, false));
  *out = TensorList(slot.as_slots());
  return Error::Ok;
}

Error unbox(KernelContext& ctx, size_t position, EValue& slot, OptionalTensorList* out) {
  // A list without an absent item may come as a TensorList.
  if (!slot.is(Tag::OptionalTensorList) && !slot.is(Tag::TensorList)) {
    return wrong_tag(ctx, position, "OptionalTensorList", slot);
  }
  RL_TRY(check_items(ctx, position, slot, Tag::Tensor, true));
  *out = OptionalTensorList(slot.as_slots());
  return Error::Ok;
}

Error check_memory(KernelContext& ctx, Args args) {
  for (size_t i = 0; i < args.count(); ++i) {
    const EValue& slot = *args[i];
    if (slot.is(Tag::Tensor)) {
      RL_TRY(check_tensor(ctx, i, slot));
    } else if (slot.is(Tag::TensorList) || slot.is(Tag::OptionalTensorList)) {
      for (const EValue* item : slot.as_slots()) {
        if (item && item->is(Tag::Tensor)) RL_TRY(check_tensor(ctx, i, *item));
      }
    }
  }
  return Error::Ok;
}

Error check_count(KernelContext& ctx, Args args, size_t expected) {
  if (args.count() == expected) return Error::Ok;
  return ctx.fail(Error::InvalidProgram, "called with {} argument slots, expected {}", args.count(), expected);
}

}  // namespace rushlight::detail
