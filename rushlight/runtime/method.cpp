// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/method.h"

namespace rushlight {
Error Method::load(const Program&, size_t, const MethodMemory&, const Environment&, Message& message) {
  return message.fail(Error::NotImplemented, "Method");
}
void Method::destroy() {}
size_t Method::input_count() const { return 0; }
size_t Method::output_count() const { return 0; }
static const EValue kNone;
const EValue& Method::input(size_t) const { return kNone; }
const EValue& Method::output(size_t) const { return kNone; }
Error Method::set_input(size_t, DType, Span<const int32_t>, const void*, Message& message) {
  return message.fail(Error::NotImplemented, "Method");
}
Error Method::set_input(size_t, const EValue&, Message& message) {
  return message.fail(Error::NotImplemented, "Method");
}
Error Method::set_output(size_t, void*, size_t, Message& message) {
  return message.fail(Error::NotImplemented, "Method");
}
void* Method::input_data(size_t) const { return nullptr; }
Error Method::execute(Message& message, Trace*) { return message.fail(Error::NotImplemented, "Method"); }
Error Method::reset(Message& message) { return message.fail(Error::NotImplemented, "Method"); }
}  // namespace rushlight
