// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/run_file.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "rushlight/runtime/method.h"

namespace rushlight::fuzz {
namespace {

constexpr size_t kMostNbytes = size_t{1} << 22;
constexpr size_t kMostMethods = 8;
constexpr uint64_t kInstructionLimit = 2000;

/// Blocks of exactly the bytes asked for, 16-aligned, so that a sanitizer sees one byte too many.
class Blocks {
 public:
  Blocks() = default;
  Blocks(const Blocks&) = delete;
  ~Blocks() {
    for (void* block : blocks_) std::free(block);
  }
  Span<uint8_t> take(size_t nbytes, int fill) {
    void* block = nullptr;
    if (posix_memalign(&block, 16, nbytes == 0 ? 1 : nbytes) != 0) std::abort();
    std::memset(block, fill, nbytes);
    blocks_.push_back(block);
    return {static_cast<uint8_t*>(block), nbytes};
  }
  Span<uint8_t> copy(Span<const uint8_t> bytes) {
    const Span<uint8_t> block = take(bytes.count(), 0);
    if (!bytes.empty()) std::memcpy(block.data(), bytes.data(), bytes.count());
    return block;
  }

 private:
  std::vector<void*> blocks_;
};

class MethodRun {
 public:
  MethodRun(const Program& program, size_t index) : program_(program), index_(index) {}

  void run() {
    if (!load()) return;
    method_.set_instruction_limit(kInstructionLimit);
    if (!set_outputs()) return;
    for (int call = 0; call < 3; ++call) {
      if (!set_inputs(call)) return;
      if (method_.execute(message_) == Error::Ok) read_outputs();
      if (call == 1) (void)method_.reset(message_);
    }
  }

 private:
  bool load() {
    MemoryNeeds needs;
    if (program_.needs(index_, default_environment(), &needs, message_) != Error::Ok) return false;
    size_t total = needs.method_nbytes;
    for (size_t i = 0; i < needs.arena_count; ++i) {
      const size_t nbytes = program_.arena_nbytes(index_, i);
      if (nbytes > kMostNbytes || total > kMostNbytes) return false;
      total += nbytes;
    }
    if (total > kMostNbytes) return false;
    for (size_t i = 0; i < needs.arena_count; ++i) {
      arenas_.push_back(blocks_.take(program_.arena_nbytes(index_, i), 0xaa));
    }
    const MethodMemory memory{blocks_.take(needs.method_nbytes, 0xaa), {arenas_.data(), arenas_.size()}, false};
    return method_.load(program_, index_, memory, default_environment(), message_) == Error::Ok;
  }

  static bool nbytes_of(const ValueInfo& info, Span<const int32_t> sizes, size_t* nbytes) {
    size_t numel = 0;
    return count_elements(sizes, element_nbytes(info.dtype), &numel, nbytes) && *nbytes <= kMostNbytes;
  }

  bool set_outputs() {
    for (size_t i = 0; i < method_.output_count(); ++i) {
      const ValueInfo info = method_.output_info(i);
      size_t nbytes = 0;
      if (info.tag != Tag::Tensor || info.is_planned) continue;
      if (!nbytes_of(info, info.sizes, &nbytes)) return false;
      (void)method_.set_output(i, blocks_.take(nbytes, 0x55).data(), nbytes, message_);
    }
    return true;
  }

  bool set_inputs(int call) {
    for (size_t i = 0; i < method_.input_count(); ++i) {
      const ValueInfo info = method_.input_info(i);
      if (info.tag != Tag::Tensor) {
        (void)method_.set_input(i, method_.input(i), message_);
        continue;
      }
      Shape shape;
      shape.assign(info.sizes);
      if (info.is_dynamic && call > 0) {
        for (size_t d = 0; d < shape.rank; ++d) shape.sizes[d] = shape.sizes[d] / (call + 1);
      }
      size_t nbytes = 0;
      if (!nbytes_of(info, shape.span(), &nbytes)) return false;
      const Span<uint8_t> data = blocks_.take(nbytes, 0);
      if (info.dtype != DType::Bool) fill(data, call);
      (void)method_.set_input(i, info.dtype, shape.span(), data.data(), message_, true);
    }
    return true;
  }

  /// Small numbers, then negative ones and NaNs, then zeros.
  static void fill(Span<uint8_t> data, int call) {
    for (size_t i = 0; i < data.count() && call < 2; ++i) {
      data[i] = call == 0 ? static_cast<uint8_t>(i % 8 == 0) : static_cast<uint8_t>(0xff - i % 3);
    }
  }

  void read_outputs() {
    uint8_t sum = 0;
    for (size_t i = 0; i < method_.output_count(); ++i) {
      const EValue& value = method_.output(i);
      if (!value.is(Tag::Tensor)) continue;
      const Tensor& tensor = *value.as_tensor();
      for (size_t k = 0; k < tensor.nbytes(); ++k) sum ^= tensor.data<uint8_t>()[k];
    }
    sink_ = sum;
  }

  const Program& program_;
  size_t index_;
  Message message_;
  Blocks blocks_;
  std::vector<Span<uint8_t>> arenas_;
  Method method_;  // after the memory that it lives in
  volatile uint8_t sink_ = 0;
};

}  // namespace

Files split(Span<const uint8_t> bytes) {
  const size_t count = bytes.count();
  if (count < 16 || std::memcmp(bytes.data() + count - 4, "PTD!", 4) != 0) return {bytes, {}};
  uint32_t nbytes = 0;
  std::memcpy(&nbytes, bytes.data() + count - 8, 4);
  if (nbytes > count - 8) return {bytes, {}};
  const size_t program_nbytes = count - 8 - nbytes;
  return {bytes.first(program_nbytes), bytes.first(count - 8).drop(program_nbytes)};
}

void run_file(Span<const uint8_t> bytes) {
  const Files files = split(bytes);
  Blocks blocks;
  MemoryLoader loader(blocks.copy(files.program)), data_loader(blocks.copy(files.data));
  Loader* const external[] = {&data_loader};
  Message message;
  Program program;
  const Span<Loader* const> data_files(external, files.data.empty() ? 0 : 1);
  if (Program::load(loader, data_files, message, &program) != Error::Ok) return;
  for (size_t i = 0; i < program.method_count() && i < kMostMethods; ++i) MethodRun(program, i).run();
}

}  // namespace rushlight::fuzz
