// SPDX-License-Identifier: BSD-3-Clause

#include "rushlight/ops/movement/strided.h"

#include <cstring>

namespace rushlight::ops {
namespace {

using Loop = StridedCopy::Loop;

ptrdiff_t magnitude(ptrdiff_t x) { return x < 0 ? -x : x; }

/// Copies outer.count × inner.count elements of N bytes. Tiles keep both sides' cache lines in use in a transposition.
template <size_t N>
void copy_plane(uint8_t* dst, const uint8_t* src, const Loop& outer, const Loop& inner, size_t) {
  constexpr size_t kTile = 32;
  struct Block {
    uint8_t bytes[N];
  } block;
  const size_t inner_step = outer.count > 1 ? kTile : inner.count;
  for (size_t j0 = 0; j0 < inner.count; j0 += inner_step) {
    const size_t j1 = j0 + inner_step < inner.count ? j0 + inner_step : inner.count;
    for (size_t i = 0; i < outer.count; ++i) {
      uint8_t* d = dst + static_cast<ptrdiff_t>(i) * outer.dst + static_cast<ptrdiff_t>(j0) * inner.dst;
      const uint8_t* s = src + static_cast<ptrdiff_t>(i) * outer.src + static_cast<ptrdiff_t>(j0) * inner.src;
      for (size_t j = j0; j < j1; ++j) {
        std::memcpy(&block, s, N);
        std::memcpy(d, &block, N);
        d += inner.dst;
        s += inner.src;
      }
    }
  }
}

/// The same with runs of any number of bytes, which may overlap.
void move_plane(uint8_t* dst, const uint8_t* src, const Loop& outer, const Loop& inner, size_t nbytes) {
  for (size_t i = 0; i < outer.count; ++i) {
    uint8_t* d = dst + static_cast<ptrdiff_t>(i) * outer.dst;
    const uint8_t* s = src + static_cast<ptrdiff_t>(i) * outer.src;
    for (size_t j = 0; j < inner.count; ++j) {
      std::memmove(d, s, nbytes);
      d += inner.dst;
      s += inner.src;
    }
  }
}

using PlaneFn = void (*)(uint8_t*, const uint8_t*, const Loop&, const Loop&, size_t);

PlaneFn plane_for(size_t nbytes) {
  switch (nbytes) {
    case 1:
      return copy_plane<1>;
    case 2:
      return copy_plane<2>;
    case 4:
      return copy_plane<4>;
    case 8:
      return copy_plane<8>;
    case 16:
      return copy_plane<16>;
    default:
      return move_plane;
  }
}

}  // namespace

void StridedCopy::add(size_t count, ptrdiff_t dst_stride, ptrdiff_t src_stride) {
  if (count == 0) is_empty_ = true;
  if (count <= 1 || is_empty_ || rank_ == kMaxDims) return;
  const ptrdiff_t n = static_cast<ptrdiff_t>(nbytes_);
  loops_[rank_++] = {count, dst_stride * n, src_stride * n};
}

void StridedCopy::sort() {
  const auto before = [](const Loop& a, const Loop& b) {
    const ptrdiff_t da = magnitude(a.dst), db = magnitude(b.dst);
    return da != db ? da > db : magnitude(a.src) > magnitude(b.src);
  };
  for (size_t i = 1; i < rank_; ++i) {
    const Loop loop = loops_[i];
    size_t j = i;
    for (; j > 0 && before(loop, loops_[j - 1]); --j) loops_[j] = loops_[j - 1];
    loops_[j] = loop;
  }
}

void StridedCopy::merge() {
  size_t kept = 0;  // loops_[0..kept] are merged
  for (size_t i = 1; i < rank_; ++i) {
    Loop& outer = loops_[kept];
    const Loop inner = loops_[i];
    const ptrdiff_t count = static_cast<ptrdiff_t>(inner.count);
    if (outer.dst == inner.dst * count && outer.src == inner.src * count) {
      outer = {outer.count * inner.count, inner.dst, inner.src};
    } else {
      loops_[++kept] = inner;
    }
  }
  if (rank_ != 0) rank_ = kept + 1;
}

/// Moves the loop in which the source is contiguous next to the innermost one, so that a plane's tiles transpose.
void StridedCopy::pull_source_runs() {
  for (size_t i = 0; i + 2 < rank_; ++i) {
    if (loops_[i].src != static_cast<ptrdiff_t>(nbytes_)) continue;
    const Loop loop = loops_[i];
    for (size_t j = i; j + 2 < rank_; ++j) loops_[j] = loops_[j + 1];
    loops_[rank_ - 2] = loop;
    return;
  }
}

void StridedCopy::finish() {
  if (is_empty_) return;
  sort();
  merge();
  const ptrdiff_t n = static_cast<ptrdiff_t>(nbytes_);
  if (rank_ > 0 && loops_[rank_ - 1].dst == n && loops_[rank_ - 1].src == n) {
    nbytes_ *= loops_[--rank_].count;
    is_run_ = nbytes_ > 16;
  } else {
    pull_source_runs();
  }
}

void StridedCopy::run(void* dst, const void* src) const {
  if (is_empty_) return;
  const Loop once = {1, 0, 0};
  const Loop& inner = rank_ > 0 ? loops_[rank_ - 1] : once;
  const Loop& outer = rank_ > 1 ? loops_[rank_ - 2] : once;
  const size_t around = rank_ > 2 ? rank_ - 2 : 0;
  const PlaneFn plane = is_run_ ? move_plane : plane_for(nbytes_);
  size_t at[kMaxDims] = {};
  uint8_t* d = static_cast<uint8_t*>(dst);
  const uint8_t* s = static_cast<const uint8_t*>(src);
  for (;;) {
    plane(d, s, outer, inner, nbytes_);
    size_t i = around;
    for (; i > 0; --i) {
      const Loop& loop = loops_[i - 1];
      d += loop.dst;
      s += loop.src;
      if (++at[i - 1] < loop.count) break;
      d -= loop.dst * static_cast<ptrdiff_t>(loop.count);
      s -= loop.src * static_cast<ptrdiff_t>(loop.count);
      at[i - 1] = 0;
    }
    if (i == 0) return;
  }
}

}  // namespace rushlight::ops
