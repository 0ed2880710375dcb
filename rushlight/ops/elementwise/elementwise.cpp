// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/elementwise/elementwise.h"

#include <cstring>

namespace rushlight::ops {
namespace {

constexpr size_t kBufferNbytes = 1024;  // per operand and for the result: 4 kB of stack
constexpr size_t kLongRow = 32;         // rows from here on are blocks of their own, so that operands are read in place

/// The loop nest over out's elements in memory order: dimensions of size 1 dropped, neighbours joined where every
/// operand lets them. strides[k] are operand k's, in elements, 0 where it is stretched.
struct Grid {
  size_t rank = 0;
  size_t extents[kMaxRank];
  ptrdiff_t strides[kMaxOperands][kMaxRank];

  bool joins(size_t operands, const ptrdiff_t* inner, size_t inner_extent) const {
    if (rank == 0) return false;
    for (size_t k = 0; k < operands; ++k) {
      if (strides[k][rank - 1] != inner[k] * static_cast<ptrdiff_t>(inner_extent)) return false;
    }
    return true;
  }
  void add(size_t operands, const ptrdiff_t* inner, size_t extent) {
    const bool joined = joins(operands, inner, extent);
    if (!joined) ++rank;
    extents[rank - 1] = joined ? extents[rank - 1] * extent : extent;
    for (size_t k = 0; k < operands; ++k) strides[k][rank - 1] = inner[k];
  }
  /// Operand k's elements lie in the order of out's.
  bool is_linear(size_t k) const { return rank == 0 || (rank == 1 && strides[k][0] == 1); }
};

Error stretch_strides(KernelContext& ctx, const Operand& operand, const Tensor& out, ptrdiff_t* strides) {
  const Span<const int32_t> sizes = operand.sizes();
  bool fits = sizes.count() <= out.rank();
  for (size_t d = 0; d < out.rank(); ++d) strides[d] = 0;
  for (size_t i = 1; fits && i <= sizes.count(); ++i) {
    const size_t from = sizes.count() - i, to = out.rank() - i;
    if (sizes[from] == 1) continue;
    fits = sizes[from] == out.size(to);
    strides[to] = operand.stride(from);
  }
  if (fits) return Error::Ok;
  return ctx.fail(Error::InvalidArgument, "shape {} does not stretch to out's {}", sizes, out.sizes());
}

Error make_grid(KernelContext& ctx, Span<const Operand> operands, const Tensor& out, Grid* grid) {
  ptrdiff_t strides[kMaxOperands][kMaxRank];
  for (size_t k = 0; k < operands.count(); ++k) RL_TRY(stretch_strides(ctx, operands[k], out, strides[k]));
  for (const uint8_t d : out.dim_order()) {
    if (out.size(d) == 1) continue;
    ptrdiff_t inner[kMaxOperands];
    for (size_t k = 0; k < operands.count(); ++k) inner[k] = strides[k][d];
    grid->add(operands.count(), inner, static_cast<size_t>(out.size(d)));
  }
  return Error::Ok;
}

/// A position in a Grid, and every operand's offset there.
class Cursor {
 public:
  Cursor(const Grid& grid, size_t operands) : grid_(grid), operands_(operands) {}
  ptrdiff_t offset(size_t k) const { return offsets_[k]; }
  /// Elements up to the end of the innermost row.
  size_t row_left() const { return grid_.rank ? grid_.extents[grid_.rank - 1] - index_[grid_.rank - 1] : 1; }
  /// Moves on by `count` elements, at most row_left().
  void advance(size_t count) {
    for (size_t d = grid_.rank; d-- > 0; count = 1) {
      index_[d] += count;
      for (size_t k = 0; k < operands_; ++k) offsets_[k] += static_cast<ptrdiff_t>(count) * grid_.strides[k][d];
      if (index_[d] < grid_.extents[d]) return;
      for (size_t k = 0; k < operands_; ++k) {
        offsets_[k] -= static_cast<ptrdiff_t>(grid_.extents[d]) * grid_.strides[k][d];
      }
      index_[d] = 0;
    }
  }

 private:
  const Grid& grid_;
  const size_t operands_;
  size_t index_[kMaxRank] = {};
  ptrdiff_t offsets_[kMaxOperands] = {};
};

/// Rounds or wraps `count` values of a compute type to what `dtype` holds. Nothing if it holds all of them.
void round_to(DType dtype, Compute compute, void* values, size_t count) {
  if (dtype == dtype_of_compute(compute)) return;
  uint64_t stored[kBufferNbytes / sizeof(uint64_t)];
  const size_t step = kBufferNbytes / element_nbytes(dtype);
  const size_t nbytes = compute_nbytes(compute);
  auto* at = static_cast<uint8_t*>(values);
  for (size_t done = 0; done < count; done += step) {
    const size_t n = count - done < step ? count - done : step;
    find_store(compute, dtype)(at + done * nbytes, stored, n);
    find_load(dtype, compute)(stored, 1, at + done * nbytes, n);
  }
}

/// How one operand reaches the loop: where it lies, or through a buffer.
struct Source {
  const uint8_t* data = nullptr;
  size_t nbytes = 0;  // of an element where it lies
  Load load = nullptr;
  bool is_constant = false, is_direct = false, is_rounded = false;
  alignas(16) uint8_t buffer[kBufferNbytes];
};

/// A call under way: sources filled block by block, the loop run, the result stored.
class Driver {
 public:
  Driver(const Elementwise& call, const Grid& grid, Loop loop, Compute compute, Tensor& out)
      : call_(call), grid_(grid), loop_(loop), compute_(compute), out_(out), cursor_(grid, call.operands.count()) {
    nbytes_ = compute_nbytes(compute);
    is_stored_ = loop && call.result == out.dtype() && out.dtype() == dtype_of_compute(call.loop_result);
    store_ = find_store(call.loop_result, out.dtype());
    by_rows_ = grid.rank <= 1 || grid.extents[grid.rank - 1] >= kLongRow;
    is_bounded_ = !is_stored_;
    capacity_ = kBufferNbytes / nbytes_;
    for (size_t k = 0; k < call.operands.count(); ++k) prepare(call.operands[k], k, sources_[k]);
  }

  void run() {
    const size_t total = out_.numel();
    for (size_t done = 0, count; done < total; done += count) {
      count = total - done;
      if (by_rows_ && count > cursor_.row_left()) count = cursor_.row_left();
      if (is_bounded_ && count > capacity_) count = capacity_;
      const void* in[kMaxOperands] = {};
      for (size_t k = 0; k < call_.operands.count(); ++k) in[k] = sources_[k].is_direct ? here(k) : sources_[k].buffer;
      gather(count);
      run_block(in, done, count);
    }
  }

 private:
  ptrdiff_t row_stride(size_t k) const { return grid_.rank ? grid_.strides[k][grid_.rank - 1] : 1; }
  const uint8_t* here(size_t k) const {
    return sources_[k].data + cursor_.offset(k) * static_cast<ptrdiff_t>(sources_[k].nbytes);
  }

  void prepare(const Operand& operand, size_t k, Source& source) {
    source.data = static_cast<const uint8_t*>(operand.data());
    source.nbytes = element_nbytes(operand.dtype());
    source.load = find_load(operand.dtype(), compute_);
    source.is_rounded = is_rounded(operand, k);
    const bool as_it_lies = operand.dtype() == dtype_of_compute(compute_) && !source.is_rounded;
    source.is_direct = as_it_lies && by_rows_ && row_stride(k) == 1;
    source.is_constant = operand.numel() == 1 && !source.is_direct;
    if (source.is_constant) fill(source);
    is_bounded_ |= !source.is_direct;
  }

  bool is_rounded(const Operand& operand, size_t k) const {
    if (!loop_ || operand.dtype() == call_.promoted || call_.promoted == dtype_of_compute(compute_)) return false;
    const bool is_kept = call_.keeps_scalar && k == 1 && operand.numel() == 1;
    return !is_kept || !is_floating(call_.promoted);
  }

  void fill(Source& source) {
    const size_t count = out_.numel() < capacity_ ? out_.numel() : capacity_;
    source.load(source.data, 0, source.buffer, count);
    if (source.is_rounded) round_to(call_.promoted, compute_, source.buffer, count);
  }

  /// Loads `count` elements of the sources that need it, and moves on.
  void gather(size_t count) {
    for (size_t at = 0; at < count;) {
      const size_t row = cursor_.row_left(), n = count - at < row ? count - at : row;
      for (size_t k = 0; k < call_.operands.count(); ++k) {
        Source& source = sources_[k];
        if (!source.is_constant && !source.is_direct) {
          source.load(here(k), row_stride(k), source.buffer + at * nbytes_, n);
        }
      }
      cursor_.advance(n);
      at += n;
    }
    for (size_t k = 0; k < call_.operands.count(); ++k) {
      Source& source = sources_[k];
      if (source.is_rounded && !source.is_constant) round_to(call_.promoted, compute_, source.buffer, count);
    }
  }

  void run_block(const void* const* in, size_t done, size_t count) {
    alignas(16) uint8_t buffer[kBufferNbytes];
    uint8_t* const to = out_.mutable_data<uint8_t>() + done * out_.element_nbytes();
    if (is_stored_) return loop_(call_.f, in, to, count);
    if (!loop_) return store_(in[0], to, count);
    loop_(call_.f, in, buffer, count);
    if (out_.dtype() != call_.result && call_.loop_result != Compute::Bool) {
      round_to(call_.result, call_.loop_result, buffer, count);
    }
    store_(buffer, to, count);
  }

  const Elementwise& call_;
  const Grid& grid_;
  const Loop loop_;
  const Compute compute_;
  Tensor& out_;
  Cursor cursor_;
  Store store_;
  size_t nbytes_;
  size_t capacity_;  // elements in a buffer
  bool is_stored_;   // the loop writes out itself
  bool is_bounded_;  // something goes through a buffer
  bool by_rows_;     // a block ends where a row ends
  Source sources_[kMaxOperands];
};

int category(DType dtype) { return is_floating(dtype) ? 2 : dtype == DType::Bool ? 0 : 1; }

/// Rank of an operand's claim: numbers 0, rank-0 tensors 1, the rest 2.
int claim(const Operand& operand) { return operand.is_number() ? 0 : operand.sizes().empty() ? 1 : 2; }

/// *result = the promoted dtype of the operands of one claim. False if there are none.
bool type_at(Span<const Operand> operands, int rank, DType* result) {
  bool is_found = false;
  for (const Operand& operand : operands) {
    if (claim(operand) != rank) continue;
    const bool is_real_number = rank == 0 && operand.dtype() == DType::Float64;
    const DType dtype = is_real_number ? DType::Float32 : operand.dtype();
    *result = is_found ? promote(*result, dtype) : dtype;
    is_found = true;
  }
  return is_found;
}

Error check_dtypes(KernelContext& ctx, const Elementwise& call, const Tensor& out) {
  for (const Operand& operand : call.operands) {
    if (!is_computable(operand.dtype())) {
      return ctx.fail(Error::InvalidType, "{} is not a dtype to compute with", to_string(operand.dtype()));
    }
  }
  if (!is_computable(out.dtype()) || category(out.dtype()) < category(call.result)) {
    return ctx.fail(Error::InvalidType, "out is {}, which cannot take a result in {}", to_string(out.dtype()),
                    to_string(call.result));
  }
  return Error::Ok;
}

template <class Unit>
void copy_row(const uint8_t* from, ptrdiff_t stride, uint8_t* to, size_t count) {
  const auto* const src = reinterpret_cast<const Unit*>(from);
  auto* const dst = reinterpret_cast<Unit*>(to);
  for (size_t i = 0; i < count; ++i) dst[i] = src[static_cast<ptrdiff_t>(i) * stride];
}

void copy_bytes(const uint8_t* from, ptrdiff_t stride, uint8_t* to, size_t count, size_t nbytes) {
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * nbytes, from + static_cast<ptrdiff_t>(i * nbytes) * stride, nbytes);
  }
}

/// Elements of equal dtype, moved as bytes.
void move_elements(const Tensor& self, const Grid& grid, Tensor& out) {
  const size_t nbytes = out.element_nbytes();
  const auto* const from = self.data<uint8_t>();
  auto* to = out.mutable_data<uint8_t>();
  if (grid.is_linear(0) && self.numel() == out.numel()) {
    std::memmove(to, from, out.nbytes());
    return;
  }
  Cursor cursor(grid, 1);
  const ptrdiff_t stride = grid.rank ? grid.strides[0][grid.rank - 1] : 0;
  for (size_t left = out.numel(); left > 0;) {
    const size_t row = cursor.row_left();
    const uint8_t* const at = from + cursor.offset(0) * static_cast<ptrdiff_t>(nbytes);
    if (stride == 1) std::memmove(to, at, row * nbytes);
    else if (nbytes == 1) copy_row<uint8_t>(at, stride, to, row);
    else if (nbytes == 2) copy_row<uint16_t>(at, stride, to, row);
    else if (nbytes == 4) copy_row<uint32_t>(at, stride, to, row);
    else if (nbytes == 8) copy_row<uint64_t>(at, stride, to, row);
    else copy_bytes(at, stride, to, row, nbytes);
    cursor.advance(row);
    to += row * nbytes;
    left -= row;
  }
}

}  // namespace

DType result_type(Span<const Operand> operands) {
  bool is_known = false;
  DType result = DType::Bool;
  for (int rank = 2; rank >= 0; --rank) {
    DType level;
    if (!type_at(operands, rank, &level)) continue;
    if (!is_known) result = level;
    else if (category(level) > category(result)) result = promote(result, level);
    is_known = true;
  }
  return result;
}

Error run(KernelContext& ctx, const Elementwise& call, Tensor& out) {
  RL_TRY(check_dtypes(ctx, call, out));
  Grid grid;
  RL_TRY(make_grid(ctx, call.operands, out, &grid));
  const Compute compute = compute_of(call.promoted);
  const Loop loop = call.loops[static_cast<size_t>(compute)];
  if (!loop) return ctx.fail(Error::NotSupported, "no kernel for {} in this build", to_string(call.promoted));
  if (out.numel() > 0) Driver(call, grid, loop, compute, out).run();
  return Error::Ok;
}

Error copy_elements(KernelContext& ctx, const Tensor& self, Tensor& out) {
  const Operand operands[] = {self};
  Grid grid;
  RL_TRY(make_grid(ctx, operands, out, &grid));
  if (out.numel() == 0) return Error::Ok;
  if (self.dtype() == out.dtype()) return move_elements(self, grid, out), Error::Ok;
  if (!is_computable(self.dtype()) || !is_computable(out.dtype())) {
    return ctx.fail(Error::InvalidType, "{} does not convert to {}", to_string(self.dtype()), to_string(out.dtype()));
  }
  const Compute compute = compute_of(is_floating(out.dtype()) ? out.dtype() : self.dtype());
  const Elementwise call{operands, dtype_of_compute(compute), out.dtype(), compute};
  Driver(call, grid, nullptr, compute, out).run();
  return Error::Ok;
}

}  // namespace rushlight::ops
