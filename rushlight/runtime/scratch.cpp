// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/scratch.h"

#include "rushlight/runtime/make_value.h"

namespace rushlight {

using namespace schema;

namespace {

/// A call's arguments and the items of their lists, on the stack.
class Frame final : public ValueStore {
 public:
  explicit Frame(MethodView method) : method_(method) {}

  /// Null when the frame is full.
  EValue* add(size_t value) {
    if (value_count_ == kValues) return full<EValue>();
    EValue* const slot = &values_[value_count_++];
    *slot = make_value(method_.values()[value], *this);
    return slot;
  }
  bool is_full() const { return is_full_; }

  Tensor* tensor(TensorView view) override {
    const size_t rank = view.sizes().count();
    if (tensor_count_ == kTensors || rank > kStrides - stride_count_) return full<Tensor>();
    Tensor* const made = &tensors_[tensor_count_++];
    *made = Tensor(static_cast<DType>(view.dtype()), view.sizes(), view.dim_order().data(), strides_ + stride_count_,
                   nullptr);
    stride_count_ += rank;
    return made;
  }
  EValue** slots(size_t count) override {
    if (count > kSlots - slot_count_) return full<EValue*>();
    EValue** const first = slots_ + slot_count_;
    slot_count_ += count;
    return first;
  }
  EValue* item(size_t value) override { return add(value); }

 private:
  template <class T>
  T* full() {
    is_full_ = true;
    return nullptr;
  }

  // Of the operators with scratch, convolution has the longest calls: 10 slots, 4 tensors, 4 lists of up to 3 items.
  static constexpr size_t kValues = 48, kTensors = 12, kStrides = 64, kSlots = 32;

  MethodView method_;
  EValue values_[kValues];
  Tensor tensors_[kTensors];
  ptrdiff_t strides_[kStrides];
  EValue* slots_[kSlots];
  size_t value_count_ = 0, tensor_count_ = 0, stride_count_ = 0, slot_count_ = 0;
  bool is_full_ = false;
};

}  // namespace

Error measure_scratch(const OpEntry& op, MethodView method, Span<const int32_t> args, Message& message,
                      size_t* nbytes) {
  constexpr size_t kMaxArgs = 24;
  Frame frame(method);
  EValue* slots[kMaxArgs];
  bool fits = args.count() <= kMaxArgs;
  for (size_t i = 0; fits && i < args.count(); ++i) {
    slots[i] = frame.add(static_cast<size_t>(args[i]));
    fits = !frame.is_full();
  }
  if (!fits) return message.fail(Error::NotSupported, "{}: too many arguments for an operator with scratch", op.name);
  Message ignored;
  KernelContext ctx(op.name, ignored, {});
  *nbytes = 0;
  if (op.scratch(ctx, {slots, args.count()}, nbytes) != Error::Ok) *nbytes = 0;
  return Error::Ok;
}

}  // namespace rushlight
