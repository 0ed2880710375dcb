// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/bindings/kernel_call.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "rushlight/bindings/failure.h"
#include "rushlight/ops/registry.h"

namespace rushlight::bindings {
namespace {

namespace nb = nanobind;
using Bytes = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr size_t kGuardNbytes = 64;
constexpr uint8_t kGuard = 0xa5;

/// A tensor over a Python buffer, with the arrays that a Tensor points at.
struct HeldTensor {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  std::vector<ptrdiff_t> strides;
  Bytes bytes;
  Tensor tensor;
};

/// The values of one call. Deques, since values point at each other.
class Values {
 public:
  /// item: (tag, value); a tensor's value is (dtype number, sizes, dim order, uint8 array).
  // size: one line per tag
  EValue* add(nb::handle item) {
    const auto pair = nb::cast<nb::tuple>(item);
    const auto tag = nb::cast<std::string>(pair[0]);
    const nb::object value = nb::borrow(pair[1]);
    if (tag == "none") return keep(EValue());
    if (tag == "int") return keep(EValue::of_int(nb::cast<int64_t>(value)));
    if (tag == "bool") return keep(EValue::of_bool(nb::cast<bool>(value)));
    if (tag == "double") return keep(EValue::of_double(nb::cast<double>(value)));
    if (tag == "str") return add_text(nb::cast<std::string>(value));
    if (tag == "tensor") return add_tensor(nb::cast<nb::tuple>(value));
    if (tag == "doubles") return add_doubles(nb::cast<std::vector<double>>(value));
    if (tag == "bools") return add_bools(nb::cast<std::vector<bool>>(value));
    if (tag == "ints") return add_list(Tag::IntList, nb::cast<nb::list>(value));
    if (tag == "tensors") return add_list(Tag::TensorList, nb::cast<nb::list>(value));
    if (tag == "optional_tensors") return add_list(Tag::OptionalTensorList, nb::cast<nb::list>(value));
    throw std::invalid_argument("unknown tag " + tag);
  }

  EValue* keep(EValue value) {
    values_.push_back(value);
    return &values_.back();
  }
  EValue* keep_slots(Tag tag, std::vector<EValue*> items) {
    slots_.push_back(std::move(items));
    return keep(EValue::of_slots(tag, {slots_.back().data(), slots_.back().size()}));
  }

 private:
  EValue* add_text(std::string text) {
    texts_.push_back(std::move(text));
    return keep(EValue::of_string({texts_.back().c_str(), texts_.back().size()}));
  }
  EValue* add_doubles(std::vector<double> items) {
    doubles_.push_back(std::move(items));
    return keep(EValue::of_doubles({doubles_.back().data(), doubles_.back().size()}));
  }
  EValue* add_bools(const std::vector<bool>& items) {
    bools_.emplace_back(items.begin(), items.end());
    return keep(EValue::of_bools({bools_.back().data(), bools_.back().size()}));
  }
  EValue* add_list(Tag tag, const nb::list& items) {
    std::vector<EValue*> slots;
    for (nb::handle item : items) slots.push_back(add(item));
    return keep_slots(tag, std::move(slots));
  }
  EValue* add_tensor(const nb::tuple& parts) {
    HeldTensor& held = tensors_.emplace_back();
    const auto dtype = static_cast<DType>(nb::cast<int>(parts[0]));
    held.sizes = nb::cast<std::vector<int32_t>>(parts[1]);
    held.dim_order = nb::cast<std::vector<uint8_t>>(parts[2]);
    held.strides.resize(held.sizes.size());
    held.bytes = nb::cast<Bytes>(parts[3]);
    const Span<const int32_t> sizes(held.sizes.data(), held.sizes.size());
    held.tensor = Tensor(dtype, sizes, held.dim_order.data(), held.strides.data(), held.bytes.data());
    if (held.dim_order.size() != held.sizes.size() || held.tensor.nbytes() > held.bytes.size()) {
      throw std::invalid_argument("a tensor's sizes, dim order and bytes disagree");
    }
    return keep(EValue::of_tensor(&held.tensor));
  }

  std::deque<EValue> values_;
  std::deque<HeldTensor> tensors_;
  std::deque<std::vector<EValue*>> slots_;
  std::deque<std::string> texts_;
  std::deque<std::vector<double>> doubles_;
  std::deque<std::vector<uint8_t>> bools_;
};

const OpEntry& find(const std::string& name) {
  for (const OpEntry& entry : default_ops()) {
    if (name == entry.name) return entry;
  }
  throw std::invalid_argument("no operator " + name);
}

/// One call's argument vector: inputs, destinations, and the return slot if the operator has one.
struct Call {
  const OpEntry& entry;
  Values values;
  std::vector<EValue*> slots;
  std::vector<EValue*> destinations;  // tensors, those of lists one by one

  Call(const std::string& name, const nb::list& inputs, const nb::list& outputs) : entry(find(name)) {
    for (nb::handle item : inputs) slots.push_back(values.add(item));
    for (nb::handle item : outputs) {
      slots.push_back(values.add(item));
      if (slots.back()->is(Tag::Tensor)) {
        destinations.push_back(slots.back());
      } else {
        for (EValue* inner : slots.back()->as_slots()) destinations.push_back(inner);
      }
    }
    if (slots.size() < entry.slots) add_return_slot();
  }
  Args args() const { return {slots.data(), slots.size()}; }

 private:
  void add_return_slot() {
    if (destinations.size() > 1) {
      slots.push_back(values.keep_slots(Tag::TensorList, destinations));
    } else if (destinations.size() == 1) {
      slots.push_back(destinations[0]);
    } else {
      slots.push_back(values.keep(EValue()));
    }
  }
};

std::vector<Shape> shapes_of(const Call& call, size_t count) {
  Message message;
  KernelContext ctx(call.entry.name, message, {});
  std::vector<Shape> shapes(std::max(count, size_t{call.entry.outputs}));
  if (call.entry.shape) check(call.entry.shape(ctx, call.args(), {shapes.data(), count}), message);
  shapes.resize(count);
  return shapes;
}

/// Sizes of `count` destinations, from the operator's shape function. outputs: placeholders that it does not read.
nb::list kernel_shapes(const std::string& name, const nb::list& inputs, const nb::list& outputs) {
  const Call call(name, inputs, outputs);
  nb::list result;
  for (const Shape& shape : shapes_of(call, call.destinations.size())) {
    nb::list sizes;
    for (int32_t n : shape.span()) sizes.append(n);
    result.append(nb::tuple(sizes));
  }
  return result;
}

void check_sizes(const Call& call) {
  if (!call.entry.shape) return;
  const std::vector<Shape> shapes = shapes_of(call, call.destinations.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    Message message;
    check(call.destinations[i]->as_tensor()->resize(message, shapes[i].span()), message);
  }
}

nb::object number(const EValue& value) {
  if (value.is(Tag::Int)) return nb::int_(value.as_int());
  if (value.is(Tag::Bool)) return nb::bool_(value.as_bool());
  if (value.is(Tag::Double)) return nb::float_(value.as_double());
  return nb::none();
}

/// Runs the kernel into `outputs`; returns the number that a symbolic operator writes, or None.
nb::object call_kernel(const std::string& name, const nb::list& inputs, const nb::list& outputs) {
  const Call call(name, inputs, outputs);
  check_sizes(call);
  Message message;
  size_t nbytes = 0;
  KernelContext sizing(call.entry.name, message, {});
  if (call.entry.scratch) check(call.entry.scratch(sizing, call.args(), &nbytes), message);
  std::vector<uint8_t> memory(nbytes + 2 * kGuardNbytes, kGuard);
  uint8_t* const scratch = memory.data() + kGuardNbytes - reinterpret_cast<uintptr_t>(memory.data()) % 16;
  KernelContext ctx(call.entry.name, message, {scratch, nbytes});
  check(call.entry.kernel(ctx, call.args()), message);
  for (uint8_t* p = memory.data(); p < memory.data() + memory.size(); ++p) {
    if ((p < scratch || p >= scratch + nbytes) && *p != kGuard) throw std::runtime_error("wrote beside its scratch");
  }
  return number(*call.slots.back());
}

}  // namespace

void bind_kernel_call(nb::module_& module) {
  module.def("kernel_shapes", &kernel_shapes, nb::arg("name"), nb::arg("inputs"), nb::arg("outputs"));
  module.def("call_kernel", &call_kernel, nb::arg("name"), nb::arg("inputs"), nb::arg("outputs"));
}

}  // namespace rushlight::bindings
