// SPDX-License-Identifier: BSD-3-Clause
// Runs every suite, or those named on the command line. Exit status: 0 if every check held.

#include <cstdio>

#include "tests/check.h"

namespace rushlight {
#define SUITE_ENTRY(name) extern const check::Suite name##_suite;
#include "tests/suites.inc"
#undef SUITE_ENTRY
}  // namespace rushlight

void rushlight::check::print_line(const char* text) { std::puts(text); }

int main(int argc, char** argv) {
#define SUITE_ENTRY(name) &rushlight::name##_suite,
  const rushlight::check::Suite* const suites[] = {
#include "tests/suites.inc"
  };
  int failed = 0, total = 0;
  for (const auto* suite : suites) {
    bool is_wanted = argc < 2;
    for (int i = 1; i < argc; ++i) is_wanted |= std::strcmp(argv[i], suite->name) == 0;
    for (const auto& test : suite->tests) {
      if (!is_wanted) continue;
      rushlight::check::Context context(test.name);
      test.run(context);
      failed += context.failures() > 0;
      ++total;
    }
  }
  std::printf("%d tests, %d failed\n", total, failed);
  return failed > 0;
}
