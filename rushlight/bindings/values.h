// SPDX-License-Identifier: BSD-3-Clause
// Crossing the border: runtime values to Python objects, foreign arrays to the runtime's terms.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

#include "rushlight/runtime/core/evalue.h"

namespace rushlight::bindings {

namespace nb = nanobind;
using ArrayIn = nb::ndarray<nb::ro, nb::device::cpu>;

/// `nbytes` bytes on the heap, 64-aligned and zero, exactly as many as asked for.
class Block {
 public:
  explicit Block(size_t nbytes);
  Span<uint8_t> span() const { return {data_, nbytes_}; }
  bool holds(const void* p) const;

 private:
  std::unique_ptr<void, void (*)(void*)> memory_;
  uint8_t* data_;
  size_t nbytes_;
};

/// A value taken out of a method: for tensors and lists of them, with the bytes copied.
///
/// Needs no Python, so that a trace can take it while the interpreter lock is released.
struct Snapshot {
  Tag tag = Tag::None;
  int64_t integer = 0;  // Int, Bool
  double real = 0;
  Span<const char> text;  // String: bytes of the file
  DType dtype = DType::Float32;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  std::shared_ptr<Block> bytes;  // null: not copied, `view` points into the method
  Span<uint8_t> view;
  std::vector<Snapshot> items;  // lists

  /// copy: whether tensors' bytes are copied, else they are pointed at.
  static Snapshot take(const EValue& value, bool copy);
  /// None, int, bool, float, str, a list, or for a tensor (dtype, sizes, dim_order, memoryview of its bytes).
  /// owner: what keeps an uncopied view alive; is_writable: whether Python may write through it.
  nb::object to_python(nb::handle owner, bool is_writable) const;

 private:
  void take_tensor(const Tensor& tensor, bool copy);
  void take_list(const EValue& value, bool copy);
};

/// *out = the DType of a DLPack type; false if the runtime has none.
bool from_dlpack(nb::dlpack::dtype type, DType* out);

/// Whether `array`, of `dim_order`'s rank, is dense and aligned in that order: its bytes can be taken as they are.
bool is_dense(const ArrayIn& array, Span<const uint8_t> dim_order);

/// A str of file text, which need not be UTF-8: other bytes appear as \\xff.
nb::object to_str(Text text);

/// A tuple of the span's integers.
template <class T>
nb::tuple to_tuple(const T* data, size_t count) {
  nb::list items;
  for (size_t i = 0; i < count; ++i) items.append(static_cast<int64_t>(data[i]));
  return nb::tuple(items);
}

}  // namespace rushlight::bindings
