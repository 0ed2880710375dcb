// SPDX-License-Identifier: BSD-3-Clause
// Convolution where a panel would not pay: few output channels per group, depthwise above all.

#include "rushlight/ops/conv/direct.h"

namespace rushlight::ops::conv {
namespace {

// Outputs, or channels, whose sums are alive at once.
constexpr int64_t kChunk = 64;
// Weights of one row of taps that are read at a time.
constexpr int64_t kTapChunk = 16;

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Row by row: sums of a chunk of one output row, tap by tap over the part of the row where the tap is inside.
template <class Acc>
class Rows {
 public:
  explicit Rows(const Part<Acc>& part)
      : part_(part),
        g_(*part.geometry),
        axis_(part.phase.axis),
        access_(part.access),
        nbytes_(static_cast<ptrdiff_t>(element_nbytes(part.dtype))) {}

  void run() {
    for (int64_t channel = 0; channel < g_.out_channels; ++channel) {
      for (int64_t d = 0; d < axis_[0].count; ++d) {
        for (int64_t h = 0; h < axis_[1].count; ++h) {
          for (int64_t w = 0; w < axis_[2].count; w += kChunk) chunk(channel, d, h, w);
        }
      }
    }
  }

 private:
  void chunk(int64_t channel, int64_t d, int64_t h, int64_t w) {
    const int64_t count = least(axis_[2].count - w, kChunk);
    const Acc bias = part_.bias_of(channel);
    for (int64_t j = 0; j < count; ++j) acc_[j] = bias;
    for (int64_t c = 0; c < g_.in_channels; ++c) {
      const char* const weight = part_.weight + (channel * g_.weight_out + c * g_.weight_in) * nbytes_;
      for (int64_t td = 0; td < axis_[0].taps; ++td) {
        const int64_t i = d * axis_[0].in_step + axis_[0].in_offset + td * axis_[0].in_tap;
        if (i < 0 || i >= axis_[0].in) continue;
        const ptrdiff_t in = c * g_.in_channel + i * axis_[0].in_stride;
        const ptrdiff_t tap = axis_[0].weight_first + td * axis_[0].weight_step;
        plane(part_.input + in * nbytes_, weight + tap * nbytes_, h, w, count);
      }
    }
    const ptrdiff_t out = channel * g_.out_channel + axis_[0].out_first + d * axis_[0].out_step + axis_[1].out_first +
                          h * axis_[1].out_step + axis_[2].out_first + w * axis_[2].out_step;
    access_.store(acc_, static_cast<size_t>(count), part_.out + out * nbytes_, axis_[2].out_step);
  }

  // The taps of one plane of input.
  void plane(const char* input, const char* weight, int64_t h, int64_t w, int64_t count) {
    const PhaseAxis& a = axis_[1];
    for (int64_t t = 0; t < a.taps; ++t) {
      const int64_t i = h * a.in_step + a.in_offset + t * a.in_tap;
      if (i < 0 || i >= a.in) continue;
      const ptrdiff_t tap = a.weight_first + t * a.weight_step + axis_[2].weight_first;
      taps(input + i * a.in_stride * nbytes_, weight + tap * nbytes_, w, count);
    }
  }

  // One row of taps over one row of input.
  void taps(const char* row, const char* weight, int64_t w, int64_t count) {
    const PhaseAxis& a = axis_[2];
    Acc weights[kTapChunk];
    for (int64_t t = 0; t < a.taps; ++t) {
      const int64_t of_chunk = t % kTapChunk;
      if (of_chunk == 0) {
        const size_t loaded = static_cast<size_t>(least(a.taps - t, kTapChunk));
        access_.load(weight + t * a.weight_step * nbytes_, a.weight_step, loaded, weights);
      }
      const int64_t first = w * a.in_step + a.in_offset + t * a.in_tap;
      int64_t low = 0, high = count;
      if (first < 0) low = least((-first + a.in_step - 1) / a.in_step, count);
      if (first + (count - 1) * a.in_step >= a.in) high = first < a.in ? (a.in - 1 - first) / a.in_step + 1 : 0;
      if (low >= high) continue;
      const ptrdiff_t from = (first + low * a.in_step) * a.in_stride;
      access_.accumulate(row + from * nbytes_, a.in_step * a.in_stride, static_cast<size_t>(high - low),
                         weights[of_chunk], acc_ + low);
    }
  }

  const Part<Acc>& part_;
  const Geometry& g_;
  const PhaseAxis* axis_;
  const panel::Access<Acc> access_;
  const ptrdiff_t nbytes_;
  Acc acc_[kChunk];
};

// Channel chunk by channel chunk: weights of the chunk are laid out [tap, channel] once, then every output uses them.
template <class Acc>
class Channels {
 public:
  explicit Channels(const Part<Acc>& part)
      : part_(part),
        g_(*part.geometry),
        axis_(part.phase.axis),
        access_(part.access),
        nbytes_(static_cast<ptrdiff_t>(element_nbytes(part.dtype))),
        taps_(axis_[0].taps * axis_[1].taps * axis_[2].taps) {}

  void run() {
    const int64_t step = taps_ * kChunk <= kWeights ? kChunk : kWeights / taps_;
    for (int64_t channel = 0; channel < g_.groups; channel += step) {
      const int64_t count = least(g_.groups - channel, step);
      load_weights(channel, count);
      for (int64_t d = 0; d < axis_[0].count; ++d) {
        for (int64_t h = 0; h < axis_[1].count; ++h) {
          for (int64_t w = 0; w < axis_[2].count; ++w) output(channel, count, d, h, w);
        }
      }
    }
  }

 private:
  static constexpr int64_t kWeights = 4096 / sizeof(Acc);
  static_assert(kMostTaps <= kWeights, "a chunk has a channel at least");

  void load_weights(int64_t channel, int64_t count) {
    Acc* to = weights_;
    for (int64_t td = 0; td < axis_[0].taps; ++td) {
      for (int64_t th = 0; th < axis_[1].taps; ++th) {
        for (int64_t tw = 0; tw < axis_[2].taps; ++tw, to += count) {
          ptrdiff_t from = channel * g_.weight_group;
          const int64_t tap[3] = {td, th, tw};
          for (int a = 0; a < 3; ++a) from += axis_[a].weight_first + tap[a] * axis_[a].weight_step;
          access_.load(part_.weight + from * nbytes_, g_.weight_group, static_cast<size_t>(count), to);
        }
      }
    }
  }

  void output(int64_t channel, int64_t count, int64_t d, int64_t h, int64_t w) {
    for (int64_t c = 0; c < count; ++c) acc_[c] = 0;
    if (part_.bias) access_.load(part_.bias + channel * nbytes_, 1, static_cast<size_t>(count), acc_);
    const Acc* weights = weights_;
    for (int64_t td = 0; td < axis_[0].taps; ++td) {
      const int64_t i = d * axis_[0].in_step + axis_[0].in_offset + td * axis_[0].in_tap;
      for (int64_t th = 0; th < axis_[1].taps; ++th, weights += axis_[2].taps * count) {
        const int64_t j = h * axis_[1].in_step + axis_[1].in_offset + th * axis_[1].in_tap;
        if (i < 0 || i >= axis_[0].in || j < 0 || j >= axis_[1].in) continue;
        row_of_taps(channel + i * axis_[0].in_stride + j * axis_[1].in_stride, w, weights, count);
      }
    }
    ptrdiff_t out = channel;
    const int64_t at[3] = {d, h, w};
    for (int a = 0; a < 3; ++a) out += axis_[a].out_first + at[a] * axis_[a].out_step;
    access_.store(acc_, static_cast<size_t>(count), part_.out + out * nbytes_, 1);
  }

  void row_of_taps(ptrdiff_t from, int64_t w, const Acc* weights, int64_t count) {
    const PhaseAxis& a = axis_[2];
    for (int64_t t = 0; t < a.taps; ++t) {
      const int64_t i = w * a.in_step + a.in_offset + t * a.in_tap;
      if (i >= 0 && i < a.in) multiply(part_.input + (from + i * a.in_stride) * nbytes_, weights + t * count, count);
    }
  }

  // acc[c] += in[c] * weights[c]
  void multiply(const char* in, const Acc* weights, int64_t count) {
    const Acc* values = reinterpret_cast<const Acc*>(in);
    Acc converted[kChunk];
    if (part_.dtype != dtype_of<Acc>) {
      access_.load(in, 1, static_cast<size_t>(count), converted);
      values = converted;
    }
    for (int64_t c = 0; c < count; ++c) acc_[c] += values[c] * weights[c];
  }

  const Part<Acc>& part_;
  const Geometry& g_;
  const PhaseAxis* axis_;
  const panel::Access<Acc> access_;
  const ptrdiff_t nbytes_;
  const int64_t taps_;
  Acc weights_[kWeights];
  Acc acc_[kChunk];
};

}  // namespace

template <class Acc>
void run_rows(const Part<Acc>& part) {
  Rows<Acc>(part).run();
}
template void run_rows(const Part<float>&);
template void run_rows(const Part<double>&);
template void run_rows(const Part<uint64_t>&);

template <class Acc>
void run_channels(const Part<Acc>& part) {
  Channels<Acc>(part).run();
}
template void run_channels(const Part<float>&);
template void run_channels(const Part<double>&);
template void run_channels(const Part<uint64_t>&);

}  // namespace rushlight::ops::conv
