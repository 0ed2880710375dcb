// SPDX-License-Identifier: BSD-3-Clause
// Copies between two strided blocks of memory, element by element or run by run: what all movement ops come down to.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rushlight::ops {

/// A loop nest that copies elements of one size. Add dimensions in any order, finish, then run as often as needed.
///
/// finish() drops dimensions of size 1, orders the rest by the destination's strides, merges neighbours and turns a
/// contiguous innermost dimension into one run of bytes. Source and destination may be the same memory or overlap: the
/// result is unspecified then, but nothing outside the two blocks is touched.
class StridedCopy {
 public:
  static constexpr size_t kMaxDims = 40;

  explicit StridedCopy(size_t element_nbytes) : nbytes_(element_nbytes) {}

  /// Adds a loop of `count` steps; strides count elements and may be 0 or negative. At most kMaxDims loops.
  void add(size_t count, ptrdiff_t dst_stride, ptrdiff_t src_stride);
  void finish();
  /// Copies from the first source element to the first destination element onwards. No-op if a loop had no steps.
  void run(void* dst, const void* src) const;

  /// One loop; strides in bytes.
  struct Loop {
    size_t count;
    ptrdiff_t dst;
    ptrdiff_t src;
  };

 private:
  void sort();
  void merge();
  void pull_source_runs();

  size_t nbytes_;  // of an element; of a run after finish()
  bool is_run_ = false;
  bool is_empty_ = false;
  size_t rank_ = 0;
  Loop loops_[kMaxDims];  // outermost first
};

}  // namespace rushlight::ops
