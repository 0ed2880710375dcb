// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/movement/convert.h"

#include "rushlight/ops/reduce/block.h"

namespace rushlight::ops {
namespace {

/// Converts the last dimension's row that starts at the two addresses, by way of V.
template <class V>
struct Row {
  LoadFn<V> load;
  StoreFn<V> store;
  size_t count;
  ptrdiff_t from_stride, to_stride, from_nbytes, to_nbytes;

  void run(const uint8_t* from, uint8_t* to) const {
    V values[kBlock];
    for (size_t i = 0; i < count; i += kBlock) {
      const size_t n = count - i < kBlock ? count - i : kBlock;
      load(from, from_stride, n, values);
      store(to, to_stride, n, values);
      from += static_cast<ptrdiff_t>(n) * from_stride * from_nbytes;
      to += static_cast<ptrdiff_t>(n) * to_stride * to_nbytes;
    }
  }
};

template <class V>
Error convert_rows(KernelContext& ctx, const Tensor& self, Tensor& out, const View& to) {
  const LoadFn<V> load = loader<V>(self.dtype());
  const StoreFn<V> store = storer<V>(out.dtype());
  if (!load || !store) {
    return ctx.fail(Error::InvalidType, "no conversion from {} to {}", to_string(self.dtype()), to_string(out.dtype()));
  }
  const bool is_scalar = self.rank() == 0;
  const size_t last = is_scalar ? 0 : self.rank() - 1;
  const size_t count = is_scalar ? 1 : static_cast<size_t>(self.size(last));
  const Row<V> row = {load,
                      store,
                      count,
                      is_scalar ? 0 : self.stride(last),
                      is_scalar ? 0 : to.strides[last],
                      static_cast<ptrdiff_t>(self.element_nbytes()),
                      static_cast<ptrdiff_t>(out.element_nbytes())};
  for (size_t i = 0; i < self.numel(); i += count) {
    ptrdiff_t from_offset = 0, to_offset = to.offset;
    size_t rest = i / count;
    for (size_t d = last; d-- > 0;) {
      const size_t size = static_cast<size_t>(self.size(d));
      from_offset += static_cast<ptrdiff_t>(rest % size) * self.stride(d);
      to_offset += static_cast<ptrdiff_t>(rest % size) * to.strides[d];
      rest /= size;
    }
    row.run(self.data<uint8_t>() + from_offset * row.from_nbytes,
            out.mutable_data<uint8_t>() + to_offset * row.to_nbytes);
  }
  return Error::Ok;
}

}  // namespace

Error convert_into(KernelContext& ctx, const Tensor& self, Tensor& out, const View& to) {
  if (self.dtype() == out.dtype()) return copy_into(ctx, self, out, to);
  RL_TRY(expect_sizes(ctx, "the source", self, to.span()));
  return is_floating(out.dtype()) || is_floating(self.dtype()) ? convert_rows<double>(ctx, self, out, to)
                                                               : convert_rows<int64_t>(ctx, self, out, to);
}

}  // namespace rushlight::ops
