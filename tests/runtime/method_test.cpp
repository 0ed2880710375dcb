// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/method.h"

#include "tests/runtime/cases.inc"
#include "tests/runtime/harness.h"

namespace rushlight {

using check::backend_log;
using check::Harness;

TEST(kernels_run_on_resized_tensors) {
  Harness h(k_add);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  CHECK_EQ(h.run(), Error::InvalidState);
  CHECK_TEXT(h.message.text(), "input 0: not set");
  CHECK_EQ(h.set(0, {1, 2, 3}), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(h.output(0).numel(), size_t{3});
  CHECK_EQ(h.at(0, 2), 13.f);
  CHECK_EQ(h.set(0, {4, 3, 2, 1}), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(h.output(0).numel(), size_t{4});
  CHECK_EQ(h.at(0, 3), 11.f);
}

TEST(inputs_are_refused_by_name) {
  Harness h(k_add);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  const int32_t one[] = {1}, two[] = {1, 1}, negative[] = {-1};
  const float x[8] = {};
  CHECK_EQ(h.set(0, {1, 2, 3, 4, 5}), Error::InvalidArgument);
  CHECK_TEXT(h.message.text(), "input 0: size 5 in dimension 0, expected at most 4");
  CHECK_EQ(h.method.set_input(0, DType::Float32, negative, x, h.message), Error::InvalidArgument);
  CHECK_EQ(h.method.set_input(0, DType::Int32, one, x, h.message), Error::InvalidType);
  CHECK_TEXT(h.message.text(), "input 0: int32, expected float32");
  CHECK_EQ(h.method.set_input(0, DType::Float32, two, x, h.message), Error::InvalidArgument);
  CHECK_TEXT(h.message.text(), "have rank 2, expected rank 1");
  CHECK_EQ(h.method.set_input(0, DType::Float32, one, nullptr, h.message), Error::InvalidArgument);
  CHECK_EQ(h.set(1, {1}), Error::InvalidArgument);
  CHECK_TEXT(h.message.text(), "input 1: the method has 1 inputs");
  CHECK_EQ(h.method.set_input(0, EValue::of_int(1), h.message), Error::InvalidType);
  CHECK_TEXT(h.message.text(), "input 0: Int, expected Tensor");
}

TEST(a_failure_says_where) {
  Harness h(k_state);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  CHECK_EQ(h.set(0, {1, 2, 3}), Error::InvalidArgument);
  CHECK_TEXT(h.message.text(), "input 0: size 3 in dimension 0, expected 2");
  Harness other(k_add);
  REQUIRE(other.open() == Error::Ok);
  REQUIRE(other.load() == Error::Ok);
  CHECK_EQ(other.set(0, {1, 2}), Error::Ok);
  other.method.set_instruction_limit(0);
  CHECK_EQ(other.run(), Error::EndOfMethod);
  CHECK_TEXT(other.message.text(), " (method forward, instruction 0, model.py:41)");
}

TEST(state_starts_with_its_stored_value_and_is_kept) {
  Harness h(k_state);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  for (int run = 1; run <= 3; ++run) {
    CHECK_EQ(h.set(0, {1, 10}), Error::Ok);
    CHECK_EQ(h.run(), Error::Ok);
    CHECK_EQ(h.at(0, 0), 5.f + static_cast<float>(run));
    CHECK_EQ(h.at(1, 1), 6.f + 10.f * static_cast<float>(run));  // an elided view of the same memory
    CHECK_EQ(h.at(2, 1), 10.f * static_cast<float>(run));
  }
  CHECK_EQ(h.method.reset(h.message), Error::Ok);
  CHECK_EQ(h.run(), Error::InvalidState);
  CHECK_EQ(h.set(0, {1, 10}), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(h.at(0, 0), 6.f);
  CHECK_EQ(h.at(2, 1), 10.f);
}

TEST(branches_move_their_result) {
  Harness h(k_branch);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  float out[2] = {};
  CHECK_EQ(h.method.set_output(0, out, 4, h.message), Error::InvalidArgument);
  CHECK_TEXT(h.message.text(), "output 0: 4 bytes given, 8 needed");
  CHECK_EQ(h.method.set_output(0, out, sizeof out, h.message), Error::Ok);
  for (const bool taken : {true, false, true}) {
    const uint8_t flag = taken;
    CHECK_EQ(h.method.set_input(0, DType::Bool, {}, &flag, h.message), Error::Ok);
    CHECK_EQ(h.set(1, {3, 4}), Error::Ok);
    CHECK_EQ(h.run(), Error::Ok);
    CHECK_EQ(out[1], taken ? 8.f : 4.f);
    CHECK_EQ(h.at(0, 0), taken ? 6.f : 3.f);
  }
}

TEST(loops_end_and_start_afresh) {
  Harness h(k_loop);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  for (int run = 1; run <= 2; ++run) {
    CHECK_EQ(h.set(0, {2}), Error::Ok);
    CHECK_EQ(h.run(), Error::Ok);
    CHECK_EQ(h.method.output(1).as_int(), int64_t{4});
    CHECK_EQ(h.at(0, 0), 8.f * static_cast<float>(run));
  }
  Harness forever(k_loop);
  REQUIRE(forever.open() == Error::Ok);
  REQUIRE(forever.load("forever") == Error::Ok);
  forever.method.set_instruction_limit(1000);
  CHECK_EQ(forever.run(), Error::EndOfMethod);
  CHECK_TEXT(forever.message.text(), "did not end within the instruction limit (method forever, instruction 0)");
}

TEST(lists_and_views) {
  Harness h(k_lists);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  const float x[] = {1, 2, 3, 4};
  const int32_t sizes[] = {2, 2};
  float out[4] = {};
  CHECK_EQ(h.method.set_output(3, out, sizeof out, h.message), Error::Ok);
  for (int run = 0; run < 2; ++run) {
    CHECK_EQ(h.method.set_input(0, DType::Float32, sizes, x, h.message), Error::Ok);
    CHECK_EQ(h.run(), Error::Ok);
    CHECK_EQ(h.at(0, 1), 2.f);
    CHECK_EQ(h.at(2, 0), 3.f);
    CHECK_EQ(h.output(3).rank(), size_t{1});
    CHECK_EQ(out[3], 4.f);
  }
}

TEST(inputs_that_are_no_tensors_must_equal_the_recorded_value) {
  Harness h(k_constants);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load("taking") == Error::Ok);
  Method& m = h.method;
  CHECK_EQ(m.set_input(0, EValue::of_int(8), h.message), Error::InvalidArgument);
  CHECK_TEXT(h.message.text(), "input 0: differs from the value recorded at export, 7");
  CHECK_EQ(m.set_input(0, EValue::of_int(7), h.message), Error::Ok);
  CHECK_EQ(m.set_input(1, EValue::of_bool(false), h.message), Error::InvalidArgument);
  CHECK_EQ(m.set_input(1, EValue::of_bool(true), h.message), Error::Ok);
  CHECK_EQ(m.set_input(2, EValue::of_double(0.51), h.message), Error::InvalidArgument);
  CHECK_EQ(m.set_input(2, EValue::of_double(0.50009), h.message), Error::Ok);
  CHECK_EQ(m.set_input(3, EValue::of_string({"eos", 3}), h.message), Error::InvalidArgument);
  CHECK_TEXT(h.message.text(), "'bos'");
  CHECK_EQ(m.set_input(3, EValue::of_string({"bos", 3}), h.message), Error::Ok);
  CHECK_EQ(h.run(), Error::InvalidState);
  CHECK_EQ(m.set_input(4, EValue(), h.message), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
}

TEST(constant_methods_return_every_kind_of_value) {
  Harness h(k_constants);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load("constant") == Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(h.method.output(0).as_int(), int64_t{7});
  CHECK(h.method.output(1).as_bool());
  CHECK_EQ(h.method.output(2).as_double(), 0.5);
  CHECK(equal(h.method.output(3).as_string(), "bos"));
  CHECK(h.method.output(4).is_none());
  CHECK_EQ(h.at(5, 1), 2.f);
  CHECK(h.output(5).is_read_only());
}

TEST(unplanned_inputs_are_read_in_place_and_outputs_written_in_place) {
  Harness h(k_unplanned);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load("read") == Error::Ok);
  float x[] = {1, 2}, y[2] = {};
  CHECK_EQ(h.set(0, x), Error::Ok);
  CHECK_EQ(h.run(), Error::InvalidProgram);
  CHECK_TEXT(h.message.text(), "a tensor without memory (method read, instruction 0)");
  CHECK_EQ(h.method.set_output(0, y, sizeof y, h.message), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(h.output(0).data<float>(), static_cast<const float*>(y));
  CHECK_EQ(y[1], 4.f);
  x[1] = 5;
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(y[1], 10.f);
}

TEST(a_callers_memory_is_written_only_with_leave) {
  Harness h(k_unplanned);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load("write") == Error::Ok);
  float x[] = {1, 2}, y[2] = {};
  const int32_t sizes[] = {2};
  CHECK_EQ(h.method.set_output(1, y, sizeof y, h.message), Error::Ok);
  CHECK_EQ(h.set(0, x), Error::Ok);
  CHECK_EQ(h.run(), Error::InvalidProgram);
  CHECK_TEXT(h.message.text(), "would write to argument 0, whose data is read-only");
  CHECK_EQ(x[0], 1.f);
  CHECK_EQ(h.method.set_input(0, DType::Float32, sizes, x, h.message, true), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(x[1], 4.f);
}

TEST(every_byte_of_the_stated_memory_is_needed) {
  const Span<const uint8_t> all[] = {k_add, k_state, k_branch, k_loop, k_lists, k_unplanned, k_delegates};
  const char* const names[] = {"forward", "forward", "forward", "forward", "forward", "read", "forward"};
  for (size_t i = 0; i < 7; ++i) {
    Harness h(all[i]);
    REQUIRE(h.open() == Error::Ok);
    CHECK_EQ(h.load(names[i]), Error::Ok);
    h.method.destroy();
    for (size_t shortage = 1; shortage <= h.method_nbytes; ++shortage) {
      if (h.load(names[i], shortage) == Error::MemoryAllocationFailed) continue;
      CHECK_EQ(h.message.code(), Error::MemoryAllocationFailed);
      break;
    }
  }
}

TEST(every_byte_of_an_arena_is_needed) {
  Harness h(k_add);
  REQUIRE(h.open() == Error::Ok);
  for (size_t arena = 0; arena < 2; ++arena) {
    Span<uint8_t> spans[] = {{h.arenas[0], 16}, {h.arenas[1], 32}};
    CHECK_EQ(h.method.load(h.program, 0, {h.memory, spans}, check::kEnvironment, h.message), Error::Ok);
    h.method.destroy();
    spans[arena] = spans[arena].first(spans[arena].count() - 1);
    CHECK_EQ(h.method.load(h.program, 0, {h.memory, spans}, check::kEnvironment, h.message),
             Error::MemoryAllocationFailed);
    CHECK_TEXT(h.message.text(), arena == 0 ? "arena 0: 15 bytes given, 16 needed" : "arena 1: 31 bytes given");
  }
  CHECK_EQ(h.method.load(h.program, 0, {h.memory, {}}, check::kEnvironment, h.message), Error::MemoryAllocationFailed);
  Span<uint8_t> crooked[] = {{h.arenas[0] + 1, 16}, {h.arenas[1], 32}};
  CHECK_EQ(h.method.load(h.program, 0, {h.memory, crooked}, check::kEnvironment, h.message), Error::InvalidArgument);
  CHECK_EQ(h.method.load(h.program, 0, {{h.memory + 8, 1024}, {}}, check::kEnvironment, h.message),
           Error::InvalidArgument);
}

TEST(arenas_start_as_zeros) {
  Harness h(k_state);
  std::memset(h.arenas, 0xff, sizeof h.arenas);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  CHECK_EQ(h.set(0, {1, 10}), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(h.at(2, 0), 1.f);
}

TEST(delegates_are_destroyed_in_reverse) {
  backend_log.clear();
  {
    Harness h(k_delegates);
    REQUIRE(h.open() == Error::Ok);
    REQUIRE(h.load() == Error::Ok);
    CHECK_EQ(h.set(0, {1, 2}), Error::Ok);
    CHECK_EQ(h.run(), Error::Ok);
    CHECK_EQ(h.at(0, 1), 3.f * 106.f + 100.f);
  }
  CHECK_EQ(static_cast<const char*>(backend_log.text), "i1i2xxdd");
}

TEST(delegates_of_a_failed_load_are_destroyed) {
  Harness h(k_delegates);
  REQUIRE(h.open() == Error::Ok);
  backend_log.clear();
  CHECK_EQ(h.load("refused"), Error::DelegateInvalidCompatibility);
  CHECK_TEXT(h.message.text(), "a payload that is not good (method refused, delegate 2)");
  const Span<uint8_t> arenas[] = {{h.arenas[0], 64}};
  CHECK_EQ(h.method.load(h.program, 1, {h.memory, arenas}, check::kEnvironment, h.message),
           Error::DelegateInvalidCompatibility);
  CHECK_EQ(static_cast<const char*>(backend_log.text), "i1i2dd");
  CHECK_EQ(h.load("unknown"), Error::NotFound);
  CHECK_TEXT(h.message.text(), "backend Nobody: not in this build, which has: TestBackend");
}

TEST(external_tensors_come_from_their_file) {
  MemoryLoader data(k_external_data);
  Loader* const files[] = {&data};
  Harness h(k_external);
  REQUIRE(h.open(files) == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  CHECK_EQ(h.set(0, {1, 2}), Error::Ok);
  CHECK_EQ(h.run(), Error::Ok);
  CHECK_EQ(h.at(0, 1), 202.f);
  CHECK_EQ(h.at(1, 0), 100.f);
  Harness without(k_external);
  REQUIRE(without.open() == Error::Ok);
  CHECK_EQ(without.load(), Error::InvalidState);
  CHECK_TEXT(without.message.text(), "w: stored in an external data file (.ptd), and none was given");
  MemoryLoader wrong(k_add);
  Loader* const wrong_files[] = {&wrong};
  CHECK_EQ(without.open(wrong_files), Error::InvalidExternalData);
  MemoryLoader swapped(k_external_data);
  CHECK_EQ(Program::load(swapped, {}, h.message, &without.program), Error::InvalidProgram);
  CHECK_TEXT(h.message.text(), "this is an external data file");
}

TEST(missing_operators_are_listed_once_each) {
  Harness h(k_missing);
  REQUIRE(h.open() == Error::Ok);
  CHECK_EQ(h.load(), Error::OperatorMissing);
  CHECK_TEXT(h.message.text(), "no kernel for test::a.x, test::b.x, test::c.x");
}

TEST(a_method_is_loaded_once_and_used_only_then) {
  Harness h(k_add);
  REQUIRE(h.open() == Error::Ok);
  CHECK_EQ(h.set(0, {1}), Error::InvalidState);
  CHECK_EQ(h.run(), Error::InvalidState);
  CHECK_EQ(h.method.reset(h.message), Error::InvalidState);
  CHECK_EQ(h.method.input_count(), size_t{0});
  REQUIRE(h.load() == Error::Ok);
  CHECK_EQ(h.load(), Error::InvalidState);
  CHECK_EQ(h.load("backward"), Error::NotFound);
}

namespace {

/// Calls the method that calls it.
class Meddler final : public Trace {
 public:
  explicit Meddler(Method& method) : method_(method) {}
  void before(uint32_t, uint32_t, const char*) override {
    Message message;
    first = method_.execute(message);
    second = method_.reset(message);
  }
  void after(uint32_t, uint32_t, const char*, Span<EValue* const> outputs) override { written += outputs.count(); }
  Error first = Error::Ok, second = Error::Ok;
  size_t written = 0;

 private:
  Method& method_;
};

}  // namespace

TEST(a_callback_cannot_call_the_method_that_calls_it) {
  Harness h(k_state);
  REQUIRE(h.open() == Error::Ok);
  REQUIRE(h.load() == Error::Ok);
  CHECK_EQ(h.set(0, {1, 10}), Error::Ok);
  Meddler meddler(h.method);
  CHECK_EQ(h.method.execute(h.message, &meddler), Error::Ok);
  CHECK_EQ(meddler.first, Error::InvalidState);
  CHECK_EQ(meddler.second, Error::InvalidState);
  CHECK_EQ(meddler.written, size_t{3});
  CHECK_EQ(h.at(0, 0), 6.f);
}

SUITE(method, CASE(a_callback_cannot_call_the_method_that_calls_it), CASE(kernels_run_on_resized_tensors),
      CASE(inputs_are_refused_by_name), CASE(a_failure_says_where),
      CASE(state_starts_with_its_stored_value_and_is_kept), CASE(branches_move_their_result),
      CASE(loops_end_and_start_afresh), CASE(lists_and_views),
      CASE(inputs_that_are_no_tensors_must_equal_the_recorded_value), CASE(constant_methods_return_every_kind_of_value),
      CASE(unplanned_inputs_are_read_in_place_and_outputs_written_in_place),
      CASE(a_callers_memory_is_written_only_with_leave), CASE(every_byte_of_the_stated_memory_is_needed),
      CASE(every_byte_of_an_arena_is_needed), CASE(arenas_start_as_zeros), CASE(delegates_are_destroyed_in_reverse),
      CASE(delegates_of_a_failed_load_are_destroyed), CASE(external_tensors_come_from_their_file),
      CASE(missing_operators_are_listed_once_each), CASE(a_method_is_loaded_once_and_used_only_then));

}  // namespace rushlight
