// SPDX-License-Identifier: BSD-3-Clause
// The strip loop over panels, and the dot products used where there are few rows.

#include "rushlight/ops/matmul/gemm.h"

#include "rushlight/ops/matmul/panel.h"

namespace rushlight::ops {
namespace {

using panel::kRows;
using panel::kStrip;

size_t least(size_t a, size_t b) { return a < b ? a : b; }

const void* at(const Matrix& matrix, size_t row, size_t column) {
  const ptrdiff_t offset = static_cast<ptrdiff_t>(row) * matrix.row + static_cast<ptrdiff_t>(column) * matrix.column;
  return static_cast<const char*>(matrix.data) + offset * static_cast<ptrdiff_t>(element_nbytes(matrix.dtype));
}

// Scales `count` sums of row `row`, columns from `column`, adds the addend and stores them.
template <class Acc>
void finish(const Product<Acc>& p, size_t row, size_t column, size_t count, Acc* sums) {
  if (p.alpha != Acc(1)) {
    for (size_t j = 0; j < count; ++j) sums[j] *= p.alpha;
  }
  if (p.addend.data) {
    Acc addend[kStrip];
    panel::access<Acc>(p.addend.dtype).load(at(p.addend, row, column), p.addend.column, count, addend);
    for (size_t j = 0; j < count; ++j) sums[j] += p.beta * addend[j];
  }
  const Matrix out = {p.out, p.out_dtype, p.out_row, p.out_column};
  panel::access<Acc>(p.out_dtype).store(sums, count, const_cast<void*>(at(out, row, column)), p.out_column);
}

// Rows [row, row + rows) of `a`, depth [k, k + depth): in place if they already are rows of Acc, else copied to `copy`.
template <class Acc>
const Acc* rows_of(const Matrix& a, size_t row, size_t rows, size_t k, size_t depth, Acc* copy, ptrdiff_t* stride) {
  if (a.column == 1 && a.dtype == dtype_of<Acc>) {
    *stride = a.row;
    return static_cast<const Acc*>(at(a, row, k));
  }
  const auto load = panel::access<Acc>(a.dtype).load;
  for (size_t r = 0; r < rows; ++r) load(at(a, row + r, k), a.column, depth, copy + r * panel::kDepth<Acc>);
  *stride = panel::kDepth<Acc>;
  return copy;
}
// Copies b [k, k + depth) x [column, column + columns) into panel rows, along whichever direction is contiguous.
template <class Acc>
void pack(const Matrix& b, size_t k, size_t depth, size_t column, size_t columns, Acc* to) {
  const auto load = panel::access<Acc>(b.dtype).load;
  if (b.row != 1 || b.column == 1) {
    for (size_t i = 0; i < depth; ++i) load(at(b, k + i, column), b.column, columns, to + i * kStrip);
    return;
  }
  for (size_t j = 0; j < columns; ++j) {
    Acc line[panel::kDepth<Acc>];
    load(at(b, k, column + j), 1, depth, line);
    for (size_t i = 0; i < depth; ++i) to[i * kStrip + j] = line[i];
  }
}

// One block of up to kBlock rows by one strip.
template <class Acc>
void block(const Product<Acc>& p, size_t row, size_t rows, size_t column, size_t columns) {
  Acc acc[panel::kBlock<Acc> * kStrip] = {};
  Acc strip[panel::kDepth<Acc> * kStrip] = {};
  Acc copy[kRows * panel::kDepth<Acc>];
  for (size_t k = 0; k < p.k; k += panel::kDepth<Acc>) {
    const size_t depth = least(p.k - k, panel::kDepth<Acc>);
    pack(p.b, k, depth, column, columns, strip);
    for (size_t r = 0; r < rows; r += kRows) {
      const size_t count = least(rows - r, kRows);
      ptrdiff_t stride = 0;
      const Acc* const a = rows_of<Acc>(p.a, row + r, count, k, depth, copy, &stride);
      panel::multiply(a, stride, count, strip, depth, columns, acc + r * kStrip);
    }
  }
  for (size_t r = 0; r < rows; ++r) finish(p, row + r, column, columns, acc + r * kStrip);
}

// sums[j] += x . y[j] over `depth` elements, in interleaved partial sums.
template <class Acc>
void dot4(const Acc* x, const Acc* const (&y)[4], size_t depth, Acc* sums) {
  constexpr size_t kLanes = 16 / sizeof(Acc);
  typedef Acc Vector __attribute__((vector_size(16)));
  Vector partial[4] = {};
  size_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    Vector a, b;
    __builtin_memcpy(&a, x + k, sizeof a);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      __builtin_memcpy(&b, y[j] + k, sizeof b);
      partial[j] += a * b;
    }
  }
  for (int j = 0; j < 4; ++j) {
    Acc sum = 0;
    for (size_t lane = 0; lane < kLanes; ++lane) sum += partial[j][lane];
    for (size_t i = k; i < depth; ++i) sum += x[i] * y[j][i];
    sums[j] += sum;
  }
}

// Few rows: packing b would cost more than the product, so rows of a meet columns of b where they lie.
template <class Acc>
void few_rows(const Product<Acc>& p) {
  constexpr size_t kDepth = 4 * panel::kDepth<Acc>;
  for (size_t row = 0; row < p.m; ++row) {
    const Acc* const x = static_cast<const Acc*>(at(p.a, row, 0));
    for (size_t column = 0; column < p.n; column += 4) {
      const size_t columns = least(p.n - column, 4);
      Acc sums[4] = {};
      for (size_t k = 0; k < p.k; k += kDepth) {
        const Acc* y[4];  // past the last column: the first again, and its sum is dropped
        for (size_t j = 0; j < 4; ++j) y[j] = static_cast<const Acc*>(at(p.b, k, column + (j < columns ? j : 0)));
        dot4(x + k, y, least(p.k - k, kDepth), sums);
      }
      finish(p, row, column, columns, sums);
    }
  }
}

// Whether rows of a and columns of b both are dense, in the accumulator's own dtype.
template <class Acc>
bool runs_along_k(const Product<Acc>& p) {
  return p.a.column == 1 && p.b.row == 1 && p.a.dtype == dtype_of<Acc> && p.b.dtype == dtype_of<Acc>;
}

Matrix transposed(const Matrix& a) { return {a.data, a.dtype, a.column, a.row}; }

// The same product, seen as out^T = b^T a^T.
template <class Acc>
Product<Acc> transposed(const Product<Acc>& p) {
  return {p.n,     p.m,    p.k,   transposed(p.b), transposed(p.a), transposed(p.addend),
          p.alpha, p.beta, p.out, p.out_dtype,     p.out_column,    p.out_row};
}

}  // namespace

template <class Acc>
void multiply(const Product<Acc>& p) {
  if constexpr (std::is_floating_point_v<Acc>) {
    if (runs_along_k(p)) {
      if (p.m <= kRows) return few_rows(p);
      if (p.n <= kRows) return few_rows(transposed(p));
    }
  }
  for (size_t column = 0; column < p.n; column += kStrip) {
    const size_t columns = least(p.n - column, kStrip);
    for (size_t row = 0; row < p.m; row += panel::kBlock<Acc>) {
      block(p, row, least(p.m - row, panel::kBlock<Acc>), column, columns);
    }
  }
}
template void multiply(const Product<float>&);
template void multiply(const Product<double>&);
template void multiply(const Product<uint64_t>&);

}  // namespace rushlight::ops
