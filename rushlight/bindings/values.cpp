// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/bindings/values.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace rushlight::bindings {

constexpr size_t kAlignment = 64;  // a cache line, and the widest vector register

Block::Block(size_t nbytes) : memory_(nullptr, std::free), nbytes_(nbytes) {
  size_t padded = 0;
  if (__builtin_add_overflow(nbytes, kAlignment, &padded)) throw std::bad_alloc();
  memory_.reset(std::calloc(padded, 1));  // calloc: large blocks are fresh pages, zero without being touched
  if (!memory_) throw std::bad_alloc();
  const auto address = reinterpret_cast<uintptr_t>(memory_.get());
  data_ = reinterpret_cast<uint8_t*>((address + kAlignment - 1) / kAlignment * kAlignment);
}

bool Block::holds(const void* p) const {
  const auto address = reinterpret_cast<uintptr_t>(p), start = reinterpret_cast<uintptr_t>(data_);
  return address >= start && address < start + nbytes_;
}

void Snapshot::take_tensor(const Tensor& tensor, bool copy) {
  dtype = tensor.dtype();
  sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  dim_order.assign(tensor.dim_order().begin(), tensor.dim_order().end());
  const size_t nbytes = tensor.raw() ? tensor.nbytes() : 0;
  view = {static_cast<uint8_t*>(tensor.mutable_raw()), nbytes};
  if (!copy) return;
  bytes = std::make_shared<Block>(nbytes);
  if (nbytes) std::memcpy(bytes->span().data(), view.data(), nbytes);
  view = bytes->span();
}

Snapshot Snapshot::take(const EValue& value, bool copy) {
  Snapshot s;
  s.tag = value.tag();
  switch (value.tag()) {
    case Tag::None:
      break;
    case Tag::Int:
      s.integer = value.as_int();
      break;
    case Tag::Bool:
      s.integer = value.as_bool();
      break;
    case Tag::Double:
      s.real = value.as_double();
      break;
    case Tag::String:
      s.text = value.as_string();
      break;
    case Tag::Tensor:
      s.take_tensor(*value.as_tensor(), copy);
      break;
    default:
      s.take_list(value, copy);
  }
  return s;
}

void Snapshot::take_list(const EValue& value, bool copy) {
  if (value.is(Tag::DoubleList)) {
    for (double d : value.as_doubles()) items.push_back(take(EValue::of_double(d), copy));
  } else if (value.is(Tag::BoolList)) {
    for (uint8_t b : value.as_bools()) items.push_back(take(EValue::of_bool(b != 0), copy));
  } else {
    for (const EValue* item : value.as_slots()) items.push_back(take(item ? *item : EValue(), copy));
  }
}

namespace {

template <class Access>
nb::object bytes_view(Span<uint8_t> view, nb::handle owner) {
  static uint8_t nothing = 0;  // a memoryview of no bytes still wants an address
  const size_t shape[1] = {view.count()};
  void* const data = view.empty() ? &nothing : view.data();
  return nb::cast(nb::ndarray<Access, nb::memview, nb::device::cpu>(data, 1, shape, owner));
}

nb::object tensor_tuple(const Snapshot& s, nb::object bytes) {
  return nb::make_tuple(static_cast<int>(s.dtype), to_tuple(s.sizes.data(), s.sizes.size()),
                        to_tuple(s.dim_order.data(), s.dim_order.size()), bytes);
}

}  // namespace

nb::object Snapshot::to_python(nb::handle owner, bool is_writable) const {
  switch (tag) {
    case Tag::None:
      return nb::none();
    case Tag::Int:
      return nb::int_(integer);
    case Tag::Bool:
      return nb::bool_(integer != 0);
    case Tag::Double:
      return nb::float_(real);
    case Tag::String:
      return to_str(text);
    case Tag::Tensor:
      break;
    default: {
      nb::list list;
      for (const Snapshot& item : items) list.append(item.to_python(owner, is_writable));
      return list;
    }
  }
  if (bytes) {
    auto* const keep = new std::shared_ptr<Block>(bytes);
    const nb::capsule holder(keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<Block>*>(p); });
    return tensor_tuple(*this, bytes_view<uint8_t>(view, holder));
  }
  return tensor_tuple(*this, is_writable ? bytes_view<uint8_t>(view, owner) : bytes_view<const uint8_t>(view, owner));
}

nb::object to_str(Text text) {
  const auto count = static_cast<Py_ssize_t>(text.count());
  return nb::steal(PyUnicode_DecodeUTF8(text.count() ? text.data() : "", count, "backslashreplace"));
}

bool from_dlpack(nb::dlpack::dtype type, DType* out) {
  using Code = nb::dlpack::dtype_code;
  static constexpr struct {
    Code code;
    uint8_t bits;
    DType dtype;
  } kTypes[] = {
      {Code::Float, 32, DType::Float32},
      {Code::Float, 64, DType::Float64},
      {Code::Float, 16, DType::Float16},
      {Code::Bfloat, 16, DType::BFloat16},
      {Code::Int, 64, DType::Int64},
      {Code::Int, 32, DType::Int32},
      {Code::Int, 16, DType::Int16},
      {Code::Int, 8, DType::Int8},
      {Code::UInt, 8, DType::UInt8},
      {Code::UInt, 16, DType::UInt16},
      {Code::UInt, 32, DType::UInt32},
      {Code::UInt, 64, DType::UInt64},
      {Code::Bool, 8, DType::Bool},
      {Code::Complex, 32, DType::Complex32},
      {Code::Complex, 64, DType::Complex64},
      {Code::Complex, 128, DType::Complex128},
      {Code::Float8_E5M2, 8, DType::Float8E5M2},
      {Code::Float8_E4M3FN, 8, DType::Float8E4M3FN},
      {Code::Float8_E5M2FNUZ, 8, DType::Float8E5M2FNUZ},
      {Code::Float8_E4M3FNUZ, 8, DType::Float8E4M3FNUZ},
  };
  for (const auto& entry : kTypes) {
    if (static_cast<uint8_t>(entry.code) == type.code && entry.bits == type.bits && type.lanes == 1) {
      *out = entry.dtype;
      return true;
    }
  }
  return false;
}

bool is_dense(const ArrayIn& array, Span<const uint8_t> dim_order) {
  if (array.size() == 0) return true;
  const size_t alignment = std::min<size_t>(array.itemsize(), 8);  // complex128 is two doubles
  if (alignment && reinterpret_cast<uintptr_t>(array.data()) % alignment) return false;
  int64_t expected = 1;
  for (size_t i = dim_order.count(); i-- > 0;) {
    const size_t d = dim_order[i];
    const auto extent = static_cast<int64_t>(array.shape(d));
    if (extent != 1 && array.stride(d) != expected) return false;
    expected *= extent;
  }
  return true;
}

}  // namespace rushlight::bindings
