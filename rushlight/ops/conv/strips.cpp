// SPDX-License-Identifier: BSD-3-Clause
// Convolution as a product over panels: the patches of sixteen outputs at a time are gathered into a panel.

#include "rushlight/ops/conv/strips.h"

namespace rushlight::ops::conv {
namespace {

using panel::kRows;
using panel::kStrip;

template <class T>
T least(T a, T b) {
  return a < b ? a : b;
}

// Neighbouring outputs of a strip that lie on one row of the last axis.
struct Segment {
  int64_t in[3];  // input index of the first output at tap 0; may be outside
  ptrdiff_t out;  // elements from the phase's first output
  size_t start, count;
};

// A position in the sum: an input channel and a tap.
struct Index {
  int64_t channel;
  int64_t tap[3];
};

template <class Acc>
class Strips {
 public:
  explicit Strips(const Part<Acc>& part)
      : part_(part), g_(*part.geometry), axis_(part_.phase.axis), access_(part.access) {
    flatten();
    nbytes_ = static_cast<ptrdiff_t>(element_nbytes(part.dtype));
    depth_ = g_.in_channels * axis_[0].taps * axis_[1].taps * axis_[2].taps;
    rows_in_place_ = are_rows_in_place();
    channel_innermost_ = !rows_in_place_;
    if (channel_innermost_) rows_in_place_ = are_rows_in_place();
  }

  void run() {
    const int64_t total = axis_[0].count * axis_[1].count * axis_[2].count;
    for (int64_t first = 0; first < total; first += kStrip) {
      split(first, static_cast<size_t>(least<int64_t>(total - first, kStrip)));
      for (int64_t row = 0; row < g_.out_channels; row += panel::kBlock<Acc>) {
        block(row, static_cast<size_t>(least<int64_t>(g_.out_channels - row, panel::kBlock<Acc>)));
      }
    }
  }

 private:
  // A pointwise convolution over dense rows is one over a single long row.
  void flatten() {
    const PhaseAxis& w = axis_[2];
    for (const PhaseAxis& a : part_.phase.axis) {
      if (a.taps != 1 || a.in_step != 1 || a.in_offset != 0 || a.count != a.in) return;
    }
    ptrdiff_t count = w.count;
    for (int d = 1; d >= 0; --d) {
      const PhaseAxis& a = axis_[d];
      if (a.count != 1 && (a.in_stride != w.in_stride * count || a.out_step != w.out_step * count)) return;
      count *= a.count;
    }
    axis_[2].in = axis_[2].count = count;
    axis_[0].in = axis_[0].count = axis_[1].in = axis_[1].count = 1;
  }

  // Whether each filter already is a row of Acc, in the order in which the sum runs.
  bool are_rows_in_place() const {
    if (part_.dtype != dtype_of<Acc>) return false;
    const int64_t sizes[4] = {axis_[2].taps, axis_[1].taps, axis_[0].taps, g_.in_channels};
    const ptrdiff_t strides[4] = {axis_[2].weight_step, axis_[1].weight_step, axis_[0].weight_step, g_.weight_in};
    int64_t expected = 1;
    for (int i = 0; i < 4; ++i) {
      const int at = channel_innermost_ ? (i + 3) % 4 : i;
      if (sizes[at] != 1 && strides[at] != expected) return false;
      expected *= sizes[at];
    }
    return true;
  }

  void split(int64_t first, size_t columns) {
    columns_ = columns;
    segments_ = 0;
    for (size_t start = 0; start < columns;) {
      const int64_t position = first + static_cast<int64_t>(start);
      const int64_t w = position % axis_[2].count, rest = position / axis_[2].count;
      const int64_t at[3] = {rest / axis_[1].count, rest % axis_[1].count, w};
      Segment& s = segment_[segments_++];
      s = {
          {}, 0, start, static_cast<size_t>(least<int64_t>(axis_[2].count - w, static_cast<int64_t>(columns - start)))};
      for (int d = 0; d < 3; ++d) {
        s.in[d] = at[d] * axis_[d].in_step + axis_[d].in_offset;
        s.out += axis_[d].out_first + at[d] * axis_[d].out_step;
      }
      start += s.count;
    }
  }

  Index index_of(int64_t k) const {
    Index index{};
    if (channel_innermost_) index.channel = k % g_.in_channels, k /= g_.in_channels;
    for (int d = 2; d >= 0; --d) index.tap[d] = k % axis_[d].taps, k /= axis_[d].taps;
    if (!channel_innermost_) index.channel = k;
    return index;
  }

  void advance(Index* index) const {
    if (channel_innermost_ && ++index->channel < g_.in_channels) return;
    if (channel_innermost_) index->channel = 0;
    for (int d = 2; d >= 0; --d) {
      if (++index->tap[d] < axis_[d].taps) return;
      index->tap[d] = 0;
    }
    ++index->channel;
  }

  // The inputs that one segment meets at one position of the sum; zero where they lie outside.
  void gather(const Segment& s, const Index& index, Acc* to) const {
    const PhaseAxis& row = axis_[2];
    ptrdiff_t offset = index.channel * g_.in_channel;
    for (int d = 0; d < 2; ++d) {
      const int64_t i = s.in[d] + index.tap[d] * axis_[d].in_tap;
      if (i < 0 || i >= axis_[d].in) return clear(to, s.count);
      offset += i * axis_[d].in_stride;
    }
    const int64_t first = s.in[2] + index.tap[2] * row.in_tap;
    const int64_t count = static_cast<int64_t>(s.count);
    int64_t low = 0, high = count;
    if (first < 0) low = least((-first + row.in_step - 1) / row.in_step, count);
    if (first + (count - 1) * row.in_step >= row.in) {
      high = first < row.in ? (row.in - 1 - first) / row.in_step + 1 : 0;
    }
    if (low >= high) return clear(to, s.count);
    clear(to, static_cast<size_t>(low));
    clear(to + high, static_cast<size_t>(count - high));
    offset += (first + low * row.in_step) * row.in_stride;
    access_.load(part_.input + offset * nbytes_, row.in_step * row.in_stride, static_cast<size_t>(high - low),
                 to + low);
  }

  static void clear(Acc* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = 0;
  }

  void pack(int64_t k, size_t depth) {
    Index index = index_of(k);
    for (size_t i = 0; i < depth; ++i) {
      for (size_t s = 0; s < segments_; ++s) gather(segment_[s], index, strip_ + i * kStrip + segment_[s].start);
      advance(&index);
    }
  }

  // Filters [row, row + rows), positions [k, k + depth) of the sum. Copied channel by channel where not in place.
  const Acc* filters(int64_t row, size_t rows, int64_t k, size_t depth, ptrdiff_t* stride) {
    const char* const first = part_.weight + row * g_.weight_out * nbytes_;
    if (rows_in_place_) {
      *stride = g_.weight_out;
      return reinterpret_cast<const Acc*>(first) + axis_[0].weight_first + axis_[1].weight_first +
             axis_[2].weight_first + k;
    }
    Index index = index_of(k);
    for (size_t i = 0; i < depth;) {
      const size_t run = least(depth - i, static_cast<size_t>(g_.in_channels - index.channel));
      ptrdiff_t offset = index.channel * g_.weight_in;
      for (int d = 0; d < 3; ++d) offset += axis_[d].weight_first + index.tap[d] * axis_[d].weight_step;
      for (size_t r = 0; r < rows; ++r) {
        const ptrdiff_t at = offset + static_cast<ptrdiff_t>(r) * g_.weight_out;
        access_.load(first + at * nbytes_, g_.weight_in, run, filters_ + r * panel::kDepth<Acc> + i);
      }
      i += run;
      index.channel = g_.in_channels - 1;
      advance(&index);
    }
    *stride = panel::kDepth<Acc>;
    return filters_;
  }

  void block(int64_t row, size_t rows) {
    for (size_t r = 0; r < rows; ++r) {
      const Acc bias = part_.bias_of(row + static_cast<int64_t>(r));
      for (size_t j = 0; j < kStrip; ++j) acc_[r * kStrip + j] = bias;
    }
    for (int64_t k = 0; k < depth_; k += panel::kDepth<Acc>) {
      const size_t depth = static_cast<size_t>(least<int64_t>(depth_ - k, panel::kDepth<Acc>));
      pack(k, depth);
      for (size_t r = 0; r < rows; r += kRows) {
        const size_t count = least(rows - r, kRows);
        ptrdiff_t stride = 0;
        const Acc* const a = filters(row + static_cast<int64_t>(r), count, k, depth, &stride);
        panel::multiply(a, stride, count, strip_, depth, columns_, acc_ + r * kStrip);
      }
    }
    for (size_t r = 0; r < rows; ++r) {
      char* const channel = part_.out + (row + static_cast<int64_t>(r)) * g_.out_channel * nbytes_;
      for (size_t s = 0; s < segments_; ++s) {
        const Segment& to = segment_[s];
        access_.store(acc_ + r * kStrip + to.start, to.count, channel + to.out * nbytes_, axis_[2].out_step);
      }
    }
  }

  Part<Acc> part_;
  const Geometry& g_;
  PhaseAxis* axis_;
  const panel::Access<Acc> access_;
  ptrdiff_t nbytes_ = 0;
  int64_t depth_ = 0;
  bool rows_in_place_ = false;
  bool channel_innermost_ = false;
  size_t columns_ = 0;
  size_t segments_ = 0;
  Segment segment_[kStrip];
  Acc strip_[panel::kDepth<Acc> * kStrip] = {};
  Acc filters_[kRows * panel::kDepth<Acc>];
  Acc acc_[panel::kBlock<Acc> * kStrip];
};

}  // namespace

template <class Acc>
void run_strips(const Part<Acc>& part) {
  Strips<Acc>(part).run();
}
template void run_strips(const Part<float>&);
template void run_strips(const Part<double>&);
template void run_strips(const Part<uint64_t>&);

}  // namespace rushlight::ops::conv
