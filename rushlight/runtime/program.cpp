// SPDX-License-Identifier: BSD-3-Clause
#include "rushlight/runtime/program.h"

namespace rushlight {
Error Program::load(Loader&, Span<Loader* const>, Message& message, Program*) {
  return message.fail(Error::NotImplemented, "Program");
}
size_t Program::method_count() const { return 0; }
Text Program::method_name(size_t) const { return {}; }
Error Program::find_method(const char*, size_t*, Message& message) const {
  return message.fail(Error::NotImplemented, "Program");
}
size_t Program::input_count(size_t) const { return 0; }
size_t Program::output_count(size_t) const { return 0; }
ValueInfo Program::input(size_t, size_t) const { return {}; }
ValueInfo Program::output(size_t, size_t) const { return {}; }
Text Program::inputs_text(size_t) const { return {}; }
Text Program::outputs_text(size_t) const { return {}; }
size_t Program::arena_count(size_t) const { return 0; }
size_t Program::arena_nbytes(size_t, size_t) const { return 0; }
Error Program::needs(size_t, const Environment&, MemoryNeeds*, Message& message) const {
  return message.fail(Error::NotImplemented, "Program");
}
Error Program::named_data(Text, Span<const uint8_t>*, Message& message) const {
  return message.fail(Error::NotImplemented, "Program");
}
}  // namespace rushlight
