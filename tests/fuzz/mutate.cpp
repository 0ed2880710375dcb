// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/mutate.h"

#include <cstring>
#include <random>
#include <vector>

#include "tests/fuzz/sites.h"

namespace rushlight::fuzz {
namespace {

// Ends of the ranges that a size, an index or a length could wrap at.
constexpr uint64_t kInteresting[] = {0,          1,          2,          3,          4,          5,
                                     7,          8,          11,         15,         16,         17,
                                     29,         30,         64,         127,        128,        255,
                                     256,        4096,       32767,      65535,      65536,      0x1000000,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0x40000000, 0x55555556, 0x7fffffffffffffff,
                                     ~0ull,      ~1ull,      1ull << 32, 1ull << 63, 1ull << 62, ~0ull - 15};

class Mutator {
 public:
  Mutator(uint8_t* file, const std::vector<Site>& sites, uint32_t seed) : file_(file), sites_(sites), random_(seed) {}

  void change_one() {
    const Site& site = pick();
    if (site.kind == Site::Kind::Reference && site.table != 255 && below(4) != 0) return retarget(site);
    write(site, changed(site, read(site)));
  }

 private:
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  /// Texts and vtable slots are many and tell little: they are taken less often.
  const Site& pick() {
    for (;;) {
      const Site& site = sites_[below(static_cast<uint32_t>(sites_.size()))];
      const bool is_rare = site.kind == Site::Kind::Text || site.kind == Site::Kind::Slot;
      if (!is_rare || below(8) == 0) return site;
    }
  }

  uint64_t read(const Site& site) const {
    uint64_t number = 0;
    std::memcpy(&number, file_ + site.position, site.nbytes);
    return number;
  }
  void write(const Site& site, uint64_t number) { std::memcpy(file_ + site.position, &number, site.nbytes); }

  uint64_t changed(const Site& site, uint64_t number) {
    switch (below(6)) {
      case 0:
        return number + 1;
      case 1:
        return number - 1;
      case 2:
        return number ^ (1ull << below(8 * site.nbytes));
      case 3:
        return number * 2 + below(2);
      case 4:
        return kInteresting[below(sizeof kInteresting / sizeof *kInteresting)];
      default:
        return read_alike(site);
    }
  }

  /// The number of another site of the same width.
  uint64_t read_alike(const Site& site) {
    for (int i = 0; i < 16; ++i) {
      const Site& other = sites_[below(static_cast<uint32_t>(sites_.size()))];
      if (other.nbytes == site.nbytes && other.kind == site.kind) return read(other);
    }
    return below(12);
  }

  /// Lets a reference lead to another table of the same type.
  void retarget(const Site& site) {
    for (int i = 0; i < 16; ++i) {
      const Site& other = sites_[below(static_cast<uint32_t>(sites_.size()))];
      if (other.kind != site.kind || other.table != site.table) continue;
      const uint32_t target = other.position + static_cast<uint32_t>(read(other));
      if (target > site.position) return write(site, target - site.position);
    }
  }

  uint8_t* file_;
  const std::vector<Site>& sites_;
  std::minstd_rand random_;
};

}  // namespace

bool mutate_numbers(uint8_t* file, size_t nbytes, uint32_t seed) {
  // A copy, since the file may lie anywhere and the views want 16-aligned memory.
  std::vector<uint64_t> aligned((nbytes + 23) / 8);
  auto* const copy = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(aligned.data()) + 15) & ~uintptr_t{15});
  std::memcpy(copy, file, nbytes);
  const std::vector<Site> sites = find_sites({copy, nbytes});
  if (sites.empty()) return false;
  Mutator mutator(file, sites, seed);
  for (uint32_t i = 0; i <= seed % 4; ++i) mutator.change_one();
  return true;
}

}  // namespace rushlight::fuzz
