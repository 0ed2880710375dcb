// SPDX-License-Identifier: BSD-3-Clause
// Every kind of fault that a flatbuffer can have, one broken number at a time.

#include "rushlight/schema/verify.h"

#include "rushlight/schema/views.h"
#include "tests/check.h"
#include "tests/schema/bytes.h"

namespace rushlight {
namespace {

using check::Bytes;
using schema::verify;

/// A Program with one Method, a String value, a Bool value, a BoolList and a kernel call, and where its parts lie.
struct Sample {
  Bytes bytes{"ET12"};
  uint32_t root, methods, method, name, values, box, string, flag_box, flag, list_box, list, bools, chain, steps, step;
  uint32_t call, inputs;

  uint32_t box_of(uint8_t tag) {
    const uint32_t at = bytes.table({1, 0});
    bytes.put(at + 8, tag);
    return at;
  }

  Sample() {
    root = bytes.table({1, 0});
    bytes.put(0, root);
    bytes.put(root + 8, uint32_t{7});
    methods = bytes.vector(1);
    bytes.link(root + 4, methods);
    method = bytes.table({0, 2, 3, 4, 5, 7, 8});
    bytes.link(methods + 4, method);
    name = bytes.string("forward");
    bytes.link(method + 4, name);
    values = bytes.vector(3);
    bytes.link(method + 8, values);
    inputs = bytes.vector(2);
    bytes.put(inputs + 4, int32_t{1});
    bytes.put(inputs + 8, int32_t{2});
    bytes.link(method + 12, inputs);
    bytes.link(method + 16, bytes.vector(0));
    add_chain();
    bytes.link(method + 24, bytes.vector(0));
    bytes.link(method + 28, bytes.vector(0));
    add_values();
  }

  void add_chain() {
    const uint32_t chains = bytes.vector(1);
    bytes.link(method + 20, chains);
    chain = bytes.table({2});
    bytes.link(chains + 4, chain);
    steps = bytes.vector(1);
    bytes.link(chain + 4, steps);
    step = box_of(1);
    bytes.link(steps + 4, step);
    call = bytes.table({0, 1});
    bytes.link(step + 4, call);
    bytes.link(call + 8, bytes.vector(4));
  }

  void add_values() {
    box = box_of(6);
    bytes.link(values + 4, box);
    const uint32_t text = bytes.table({0});
    bytes.link(box + 4, text);
    string = bytes.string("tanh");
    bytes.link(text + 4, string);
    flag_box = box_of(3);
    bytes.link(values + 8, flag_box);
    flag = bytes.table({0});
    bytes.link(flag_box + 4, flag);
    bytes.put(flag + 4, uint8_t{1});
    list_box = box_of(9);
    bytes.link(values + 12, list_box);
    list = bytes.table({0});
    bytes.link(list_box + 4, list);
    bools = bytes.vector(1);
    bytes.put(bools, uint32_t{3});
    bytes.put(bools + 4, uint32_t{0x00010001});
    bytes.link(list + 4, bools);
  }

  uint32_t vtable_of(uint32_t table) const { return table - static_cast<uint32_t>(bytes.get<int32_t>(table)); }

  /// Writes `value` at `at` and wants the refusal to say `says` and to point at byte `where`.
  template <class T>
  void broken(check::Context& check, uint32_t at, T value, const char* says, uint32_t where) {
    const T before = bytes.get<T>(at);
    bytes.put(at, value);
    Message message;
    CHECK_EQ(verify(bytes.span(), "ET12", message), Error::InvalidProgram);
#if RL_MESSAGES
    CHECK_TEXT(message.text(), says);
#endif
    CHECK_EQ(message.byte_offset(), int64_t{where});
    bytes.put(at, before);
    CHECK_EQ(verify(bytes.span(), "ET12", message), Error::Ok);
  }
};

TEST(verified_bytes_read_as_they_were_written) {
  Sample s;
  Message message;
  REQUIRE(verify(s.bytes.span(), "ET12", message) == Error::Ok);
  const auto program = schema::root<schema::ProgramView>(s.bytes.data());
  CHECK_EQ(program.version(), 7u);
  CHECK_EQ(program.position(s.bytes.data()), s.root);
  CHECK(!program.has_segments());
  CHECK(program.segments().empty());
  CHECK(!program.constants());
  const auto method = program.methods()[0];
  CHECK(equal(method.name(), "forward"));
  CHECK_EQ(method.inputs()[1], 2);
  CHECK_EQ(reinterpret_cast<const uint8_t*>(method.inputs().data()), s.bytes.data() + s.inputs + 4);
  CHECK(method.has_outputs() && method.outputs().empty());
  CHECK(!method.has_operators());
  CHECK(!method.containers());
  CHECK(method.values()[0].value_member() == schema::ValueMember::String);
  CHECK(equal(method.values()[0].as_String().value(), "tanh"));
  CHECK(method.values()[1].as_Bool().value());
  CHECK_EQ(method.values()[2].as_BoolList().items().count(), 3u);
  CHECK_EQ(method.chains()[0].instructions()[0].as_KernelCall().args().count(), 4u);
}

TEST(file_edges_are_checked) {
  Sample s;
  Message message;
  CHECK_EQ(verify({s.bytes.data(), 11}, "ET12", message), Error::InvalidProgram);
  CHECK_EQ(verify({s.bytes.data() + 4, 64}, "ET12", message), Error::InvalidArgument);
  CHECK_EQ(verify(s.bytes.span(), "FT01", message), Error::InvalidExternalData);
  s.broken(check, 7, '3', "file identifier: not ET12", 4);
  for (uint32_t nbytes = 12; nbytes + 4 < s.bytes.nbytes(); ++nbytes) {
    CHECK_EQ(verify({s.bytes.data(), nbytes}, "ET12", message), Error::InvalidProgram);
  }
}

TEST(references_are_checked) {
  Sample s;
  s.broken(check, 0, uint32_t{0}, "Program.root: reference leads 0", 0);
  s.broken(check, 0, uint32_t{0xffffffff}, "Program.root: reference leads 4294967295", 0);
  s.broken(check, 0, s.root + 2, "a multiple of 4", 0);
  s.broken(check, 0, s.bytes.nbytes() - 3, "reference leads", 0);
  s.broken(check, s.methods + 4, uint32_t{0}, "Program.methods: reference leads 0", s.methods + 4);
  s.broken(check, s.methods + 4, uint32_t{0x80000000}, "Program.methods", s.methods + 4);
}

TEST(vtables_are_checked) {
  Sample s;
  const uint32_t vtable = s.vtable_of(s.method);
  s.broken(check, s.method, int32_t(s.method + 2), "Program.methods: vtable distance", s.method);
  s.broken(check, s.method, int32_t(-0x7fffffff), "vtable distance", s.method);
  s.broken(check, s.method, int32_t(s.method - s.bytes.nbytes()), "vtable distance", s.method);
  s.broken(check, s.method, int32_t(s.method - vtable - 1), "one to an even byte", s.method);
  s.broken(check, vtable, uint16_t{2}, "vtable bytes 2", vtable);
  s.broken(check, vtable, uint16_t{5}, "vtable bytes 5", vtable);
  s.broken(check, vtable, uint16_t{0xfffe}, "vtable bytes 65534", vtable);
  s.broken(check, vtable + 2, uint16_t{3}, "table bytes 3", vtable + 2);
  s.broken(check, vtable + 2, uint16_t{0xffff}, "table bytes 65535", vtable + 2);
}

TEST(fields_are_checked) {
  Sample s;
  const uint32_t vtable = s.vtable_of(s.method);
  s.broken(check, vtable + 4, uint16_t{3}, "Method.name: field ends at byte 7", vtable + 4);
  s.broken(check, vtable + 4, uint16_t{30}, "Method.name: field ends at byte 34, expected at most 32", vtable + 4);
  s.broken(check, vtable + 4, uint16_t{6}, "a multiple of 4", s.method + 6);
  s.broken(check, vtable + 4, uint16_t{0}, "Method.name: absent, expected present", s.method);
  s.broken(check, s.vtable_of(s.flag) + 4, uint16_t{8}, "Bool.value: field ends", s.vtable_of(s.flag) + 4);
  s.broken(check, s.flag + 4, uint8_t{2}, "Bool.value: bool is 2, expected at most 1", s.flag + 4);
}

TEST(strings_and_vectors_are_checked) {
  Sample s;
  s.broken(check, s.inputs, uint32_t{0xffffffff}, "Method.inputs: element count 4294967295", s.inputs);
  s.broken(check, s.inputs, uint32_t{0x40000001}, "Method.inputs: element count", s.inputs);
  s.broken(check, s.name, uint32_t{6}, "Method.name: terminator is 100, expected exactly 0", s.name + 10);
  s.broken(check, s.name, s.bytes.nbytes() - s.name - 4, "Method.name: terminator at byte", s.name);
  s.broken(check, s.name, uint32_t{0xfffffffb}, "Method.name: element count", s.name);
  s.broken(check, s.bools + 5, uint8_t{0xff}, "BoolList.items: bool is 255", s.bools + 5);
  s.broken(check, s.values, uint32_t{4}, "Method.values: ", s.values + 16);
}

TEST(unions_are_checked) {
  Sample s;
  s.broken(check, s.box + 8, uint8_t{0}, "ValueBox.value: union member 0, expected from 1 to 11", s.box + 8);
  s.broken(check, s.box + 8, uint8_t{12}, "ValueBox.value: union member 12", s.box + 8);
  s.broken(check, s.step + 8, uint8_t{6}, "InstructionBox.call: union member 6, expected from 1 to 5", s.step + 8);
  // A String read as a Tensor.
  s.broken(check, s.box + 8, uint8_t{5}, "Tensor.sizes: absent", s.box + 4 + s.bytes.get<uint32_t>(s.box + 4));
}

TEST(a_null_value_needs_no_table) {
  Sample s;
  const uint32_t vtable = s.bytes.add(uint16_t{8});
  s.bytes.add(uint16_t{12});
  s.bytes.add(uint16_t{8});  // the tag
  s.bytes.add(uint16_t{0});  // no reference
  s.bytes.put(s.box, static_cast<int32_t>(s.box - vtable));
  Message message;
  s.bytes.put(s.box + 8, uint8_t{1});
  CHECK_EQ(verify(s.bytes.span(), "ET12", message), Error::Ok);
  s.bytes.put(s.box + 8, uint8_t{2});
  CHECK_EQ(verify(s.bytes.span(), "ET12", message), Error::InvalidProgram);
}

/// A vector of `count` references, all to a table that starts right behind it; returns where it is.
uint32_t same_table(Bytes& bytes, uint32_t count, std::initializer_list<unsigned> ids, uint32_t* table) {
  const uint32_t at = bytes.vector(count);
  *table = bytes.table(ids);
  for (uint32_t i = 0; i < count; ++i) bytes.link(at + 4 + 4 * i, *table);
  return at;
}

TEST(shared_targets_cost_no_more_than_linear_time) {
  // Chains share one chain, its traces one list, its frames one frame: the visits are the product of the three counts.
  const uint32_t counts[] = {2, 10};
  for (const uint32_t count : counts) {
    Bytes bytes("ET12");
    const uint32_t root = bytes.table({1});
    bytes.put(0, root);
    uint32_t method, chain, frames, frame;
    bytes.link(root + 4, same_table(bytes, 1, {0, 2, 3, 4, 5, 7, 8}, &method));
    bytes.link(method + 20, same_table(bytes, count, {2, 3}, &chain));
    bytes.link(chain + 8, same_table(bytes, count, {0}, &frames));
    bytes.link(frames + 4, same_table(bytes, count, {}, &frame));
    const uint32_t empty = bytes.string("");
    bytes.link(chain + 4, empty);
    const uint32_t fields[] = {4, 8, 12, 16, 24, 28};
    for (const uint32_t field : fields) bytes.link(method + field, empty);
    Message message;
    CHECK_EQ(verify(bytes.span(), "ET12", message), count == 2 ? Error::Ok : Error::InvalidProgram);
#if RL_MESSAGES
    if (count == 10) CHECK_TEXT(message.text(), "too many references share their targets");
#endif
  }
}

}  // namespace

SUITE(verify, CASE(verified_bytes_read_as_they_were_written), CASE(file_edges_are_checked),
      CASE(references_are_checked), CASE(vtables_are_checked), CASE(fields_are_checked),
      CASE(strings_and_vectors_are_checked), CASE(unions_are_checked), CASE(a_null_value_needs_no_table),
      CASE(shared_targets_cost_no_more_than_linear_time));

}  // namespace rushlight
