// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/host/module.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "tests/runtime/cases.inc"
#include "tests/runtime/harness.h"

namespace rushlight {

namespace {

/// A file in the temporary folder that is gone when the test ends.
class TemporaryFile {
 public:
  explicit TemporaryFile(Span<const uint8_t> bytes) {
    const int file = mkstemp(path_);
    is_good_ = file >= 0 && write(file, bytes.data(), bytes.count()) == static_cast<ssize_t>(bytes.count());
    if (file >= 0) close(file);
  }
  ~TemporaryFile() { unlink(path_); }
  const char* path() const { return path_; }
  bool is_good() const { return is_good_; }

 private:
  char path_[32] = "/tmp/rushlight_test_XXXXXX";
  bool is_good_ = false;
};

}  // namespace

TEST(a_module_runs_from_files) {
  const TemporaryFile program(k_external), data(k_external_data);
  REQUIRE(program.is_good() && data.is_good());
  Message message;
  Module module;
  const char* const paths[] = {data.path()};
  REQUIRE(module.open(program.path(), message, paths) == Error::Ok);
  Instance one, other;
  REQUIRE(one.load(module, "forward", message, check::kEnvironment) == Error::Ok);
  REQUIRE(other.load(module, "forward", message, check::kEnvironment) == Error::Ok);
  CHECK_EQ(one.load(module, "forward", message, check::kEnvironment), Error::InvalidState);
  const float x[] = {1, 2}, y[] = {3, 4};
  const int32_t sizes[] = {2};
  CHECK_EQ(one->set_input(0, DType::Float32, sizes, x, message), Error::Ok);
  CHECK_EQ(other->set_input(0, DType::Float32, sizes, y, message), Error::Ok);
  CHECK_EQ(one->execute(message), Error::Ok);
  CHECK_EQ(other->execute(message), Error::Ok);
  CHECK_EQ(one->output(0).as_tensor()->data<float>()[1], 202.f);
  CHECK_EQ(other->output(0).as_tensor()->data<float>()[1], 204.f);
  other.unload();
  CHECK_EQ(one->execute(message), Error::Ok);
}

TEST(what_is_no_file_is_refused) {
  Message message;
  MmapLoader directory, device, nothing, empty;
  CHECK_EQ(directory.open("/tmp", message), Error::AccessFailed);
  CHECK_TEXT(message.text(), "/tmp: is a directory, expected a regular file");
  CHECK_EQ(device.open("/dev/null", message), Error::AccessFailed);
  CHECK_TEXT(message.text(), "is a device, pipe or socket");
  CHECK_EQ(nothing.open("/tmp/there/is/nothing/here", message), Error::AccessFailed);
  CHECK_TEXT(message.text(), "cannot be opened: ");
  const TemporaryFile file({});
  CHECK_EQ(empty.open(file.path(), message), Error::AccessFailed);
  CHECK_TEXT(message.text(), "is empty");
  CHECK_EQ(empty.open(file.path(), message), Error::InvalidState);
}

TEST(a_pipe_does_not_block) {
  char path[] = "/tmp/rushlight_pipe_XXXXXX";
  REQUIRE(mkdtemp(path) != nullptr);
  char pipe[48];
  std::snprintf(pipe, sizeof pipe, "%s/pipe", path);
  REQUIRE(mkfifo(pipe, 0600) == 0);
  Message message;
  MmapLoader loader;
  CHECK_EQ(loader.open(pipe, message), Error::AccessFailed);
  unlink(pipe);
  rmdir(path);
}

TEST(what_was_verified_does_not_change_with_the_file) {
  const TemporaryFile file(k_state);
  Message message;
  Module module;
  REQUIRE(module.open(file.path(), message) == Error::Ok);
  std::FILE* const stream = std::fopen(file.path(), "r+b");
  REQUIRE(stream != nullptr);
  for (int i = 0; i < 256; ++i) std::fputc(0xff, stream);
  std::fclose(stream);
  Instance instance;
  CHECK_EQ(instance.load(module, "forward", message, check::kEnvironment), Error::Ok);
}

TEST(a_file_cut_short_is_an_error_at_the_next_load) {
  const TemporaryFile file(k_state);
  Message message;
  MmapLoader loader;
  REQUIRE(loader.open(file.path(), message) == Error::Ok);
  REQUIRE(truncate(file.path(), 64) == 0);
  Span<const uint8_t> bytes;
  CHECK_EQ(loader.load(0, 64, &bytes, message), Error::Ok);
  CHECK_EQ(loader.load(loader.nbytes() - 1, 1, &bytes, message), Error::AccessFailed);
  CHECK_TEXT(message.text(), "cut to 64 bytes since it was opened");
  CHECK_EQ(loader.load(loader.nbytes(), 1, &bytes, message), Error::AccessFailed);
}

SUITE(module, CASE(a_module_runs_from_files), CASE(what_is_no_file_is_refused), CASE(a_pipe_does_not_block),
      CASE(what_was_verified_does_not_change_with_the_file), CASE(a_file_cut_short_is_an_error_at_the_next_load));

}  // namespace rushlight
