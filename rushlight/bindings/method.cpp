// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/bindings/method.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "rushlight/bindings/failure.h"

namespace rushlight::bindings {

namespace {

constexpr size_t kSharedArena = 1;  // memory id 2: mutable state at equal offsets in every method

/// Takes the time, and if asked the outputs, of every instruction. Runs without the interpreter lock.
class Recorder final : public Trace {
 public:
  explicit Recorder(bool with_outputs) : with_outputs_(with_outputs) {}

  void before(uint32_t, uint32_t, const char*) override { start_ = Clock::now(); }
  void after(uint32_t chain, uint32_t instruction, const char* name, Span<EValue* const> outputs) override {
    const auto taken = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
    Event event{chain, instruction, name ? name : "", taken, {}};
    if (with_outputs_) {
      for (const EValue* value : outputs) event.outputs.push_back(Snapshot::take(*value, true));
    }
    events_.push_back(std::move(event));
  }

  nb::object to_python() const {
    nb::list list;
    for (const Event& e : events_) {
      nb::object outputs = nb::none();
      if (with_outputs_) {
        nb::list values;
        for (const Snapshot& s : e.outputs) values.append(s.to_python({}, true));
        outputs = values;
      }
      list.append(
          nb::make_tuple(e.chain, e.instruction, to_str({e.name.c_str(), e.name.size()}), e.nanoseconds, outputs));
    }
    return list;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Event {
    uint32_t chain, instruction;
    std::string name;
    int64_t nanoseconds;
    std::vector<Snapshot> outputs;
  };
  bool with_outputs_;
  Clock::time_point start_;
  std::vector<Event> events_;
};

DType dtype_of(const ArrayIn& array, int given) {
  DType type = static_cast<DType>(given);
  if (given < 0 && !from_dlpack(array.dtype(), &type)) {
    throw Failure(Error::InvalidType, "the array's element type is not one of the runtime's");
  }
  if (given >= kDTypeCount || element_nbytes(type) != array.itemsize()) {
    throw Failure(Error::InvalidType, "the dtype and the array's element size differ");
  }
  return type;
}

Shape shape_of(const ArrayIn& array) {
  if (array.ndim() > kMaxRank) throw Failure(Error::InvalidArgument, "rank above 16");
  Shape shape;
  shape.rank = static_cast<uint8_t>(array.ndim());
  for (size_t d = 0; d < array.ndim(); ++d) {
    if (array.shape(d) > INT32_MAX) throw Failure(Error::InvalidArgument, "a dimension above 2^31 - 1");
    shape.sizes[d] = static_cast<int32_t>(array.shape(d));
  }
  return shape;
}

/// Marks the method busy for a scope, or refuses.
class Running {
 public:
  explicit Running(std::atomic<bool>& flag) : flag_(flag) {
    if (flag_.exchange(true)) throw Failure(Error::InvalidState, "this method is running in another thread");
  }
  ~Running() { flag_ = false; }

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

PyMethod::PyMethod(std::shared_ptr<PyProgram> program, size_t index, std::shared_ptr<PyMethod> share,
                   std::optional<size_t> method_nbytes, std::optional<std::vector<size_t>> arena_nbytes)
    : program_(std::move(program)), index_(index) {
  program_->check_index(index);
  allocate(method_nbytes, arena_nbytes ? &*arena_nbytes : nullptr);
  if (share) share_state(*share);
  for (const auto& arena : arenas_) arena_spans_.push_back(arena->span());
  load(share != nullptr);
  borrowed_.resize(method_.input_count());
  is_set_.resize(method_.input_count());
  bind_outputs();
}

void PyMethod::allocate(std::optional<size_t> method_nbytes, const std::vector<size_t>* arena_nbytes) {
  const Program& program = program_->program();
  MemoryNeeds needs;
  Message message;
  check(program.needs(index_, default_environment(), &needs, message), message);
  method_block_ = std::make_unique<Block>(method_nbytes.value_or(needs.method_nbytes));
  const size_t count = arena_nbytes ? arena_nbytes->size() : needs.arena_count;
  for (size_t i = 0; i < count; ++i) {
    const size_t nbytes = arena_nbytes ? (*arena_nbytes)[i] : program.arena_nbytes(index_, i);
    arenas_.push_back(std::make_shared<Block>(nbytes));
  }
}

void PyMethod::share_state(const PyMethod& other) {
  const bool has_state = other.arenas_.size() > kSharedArena && arenas_.size() > kSharedArena;
  if (other.program_ != program_ || !has_state) {
    throw Failure(Error::InvalidArgument, "these methods have no shared state: no second arena in one program");
  }
  arenas_[kSharedArena] = other.arenas_[kSharedArena];
}

void PyMethod::load(bool has_shared_arena) {
  MethodMemory memory;
  memory.method = method_block_->span();
  memory.arenas = {arena_spans_.data(), arena_spans_.size()};
  memory.arenas_are_zero = true;
  std::vector<uint8_t> state;  // load() writes initial values; the sharing method's state must survive
  if (has_shared_arena) state.assign(arena_spans_[kSharedArena].begin(), arena_spans_[kSharedArena].end());
  Message message;
  const Error code = method_.load(program_->program(), index_, memory, default_environment(), message);
  if (has_shared_arena) std::copy(state.begin(), state.end(), arena_spans_[kSharedArena].data());
  check(code, message);
}

void PyMethod::bind_outputs() {
  for (size_t i = 0; i < method_.output_count(); ++i) {
    const EValue& value = method_.output(i);
    if (!value.is(Tag::Tensor) || value.as_tensor()->raw() || method_.output_info(i).is_planned) continue;
    output_blocks_.push_back(std::make_unique<Block>(value.as_tensor()->capacity_nbytes()));
    const Span<uint8_t> bytes = output_blocks_.back()->span();
    Message message;
    check(method_.set_output(i, bytes.data(), bytes.count(), message), message);
  }
}

void PyMethod::check_input(size_t i) const {
  if (i >= method_.input_count()) throw nb::index_error("no such input");
  if (is_running_) throw Failure(Error::InvalidState, "this method is running in another thread");
}

bool PyMethod::set_tensor(size_t i, const ArrayIn& array, int dtype) {
  check_input(i);
  const DType type = dtype_of(array, dtype);
  const Shape shape = shape_of(array);
  const ValueInfo info = method_.input_info(i);
  const bool is_same_rank = info.tag == Tag::Tensor && info.dim_order.count() == array.ndim();
  if (is_same_rank && !is_dense(array, info.dim_order)) return false;
  Message message;
  is_set_[i] = false;
  check(method_.set_input(i, type, shape.span(), array.data(), message), message);
  if (!info.is_planned) borrowed_[i] = array;
  is_set_[i] = true;
  return true;
}

void PyMethod::set_value(size_t i, nb::handle value) {
  check_input(i);
  EValue e;
  std::string text;
  if (nb::isinstance<nb::bool_>(value)) {
    e = EValue::of_bool(nb::cast<bool>(value));
  } else if (nb::isinstance<nb::int_>(value)) {
    int64_t number = 0;
    if (!nb::try_cast(value, number)) throw Failure(Error::InvalidArgument, "an int beyond 64 bits");
    e = EValue::of_int(number);
  } else if (nb::isinstance<nb::float_>(value)) {
    e = EValue::of_double(nb::cast<double>(value));
  } else if (nb::isinstance<nb::str>(value)) {
    text = nb::cast<std::string>(value);
    e = EValue::of_string({text.c_str(), text.size()});
  } else if (!value.is_none()) {
    throw Failure(Error::InvalidType, "a value must be None, bool, int, float or str");
  }
  Message message;
  is_set_[i] = false;
  check(method_.set_input(i, e, message), message);
  is_set_[i] = true;
}

nb::object PyMethod::execute(int trace) {
  for (size_t i = 0; i < is_set_.size(); ++i) {
    if (!is_set_[i]) throw Failure(Error::InvalidState, "input " + std::to_string(i) + " is not set");
  }
  const Running running(is_running_);
  Recorder recorder(trace > 1);
  Message message;
  Error code;
  {
    const nb::gil_scoped_release unlocked;
    code = method_.execute(message, trace > 0 ? &recorder : nullptr);
  }
  check(code, message);
  return trace > 0 ? recorder.to_python() : nb::none();
}

bool PyMethod::is_own(const void* p) const {
  for (const auto& block : arenas_) {
    if (block->holds(p)) return true;
  }
  for (const auto& block : output_blocks_) {
    if (block->holds(p)) return true;
  }
  return false;
}

nb::object PyMethod::output(nb::handle self, size_t i, bool copy) const {
  if (i >= method_.output_count()) throw nb::index_error("no such output");
  if (is_running_) throw Failure(Error::InvalidState, "this method is running in another thread");
  const EValue& value = method_.output(i);
  const void* const data = value.is(Tag::Tensor) ? value.as_tensor()->raw() : nullptr;
  bool is_writable = is_own(data);
  for (const ArrayIn& array : borrowed_) {
    // An input handed straight through: the bytes are the caller's, and a view could not keep them alive.
    if (data && array.is_valid() && array.data() == data) copy = true;
  }
  return Snapshot::take(value, copy).to_python(self, is_writable);
}

nb::object PyMethod::recorded(size_t i) const {
  if (i >= method_.input_count()) throw nb::index_error("no such input");
  const EValue& value = method_.input(i);
  return value.is(Tag::Tensor) ? nb::none() : Snapshot::take(value, false).to_python({}, false);
}

void PyMethod::reset() {
  const Running running(is_running_);
  Message message;
  check(method_.reset(message), message);
}

void bind_method(nb::module_& module) {
  nb::class_<PyMethod>(module, "Method", "A loaded entry point and its memory. One thread at a time.")
      .def(nb::init<std::shared_ptr<PyProgram>, size_t, std::shared_ptr<PyMethod>, std::optional<size_t>,
                    std::optional<std::vector<size_t>>>(),
           nb::arg("program"), nb::arg("index"), nb::arg("share").none() = nb::none(),
           nb::arg("method_nbytes").none() = nb::none(), nb::arg("arena_nbytes").none() = nb::none(),
           "Load in exactly the memory it needs, or in the given numbers of bytes.")
      .def("set_tensor", &PyMethod::set_tensor, nb::arg("input"), nb::arg("array"), nb::arg("dtype") = -1,
           "Give an input its array; False if it must be copied to the slot's layout first.")
      .def("set_value", &PyMethod::set_value, nb::arg("input"), nb::arg("value").none(),
           "Give an input a None, bool, int, float or str.")
      .def("execute", &PyMethod::execute, nb::arg("trace") = 0,
           "Run. trace 1 or 2: a list of (chain, instruction, name, nanoseconds, outputs).")
      .def(
          "output",
          [](nb::handle self, size_t i, bool copy) { return nb::cast<const PyMethod&>(self).output(self, i, copy); },
          nb::arg("output"), nb::arg("copy") = true, "A value, or (dtype, sizes, dim_order, memoryview) of a tensor.")
      .def("recorded", &PyMethod::recorded, nb::arg("input"), "The value an input had at export; None for tensors.")
      .def("reset", &PyMethod::reset, "Mutable state back to what load left.");
}

}  // namespace rushlight::bindings
