// SPDX-License-Identifier: BSD-3-Clause
// Formatting without printf: a microcontroller's libc may lack it, and ours never allocates.

#include "rushlight/runtime/core/message.h"

#include <cstring>

namespace rushlight {

Argument::Argument(const char* value) : kind(Kind::Text), text{value, value ? std::strlen(value) : 0} {}

void Message::clear() {
  code_ = Error::Ok;
  byte_offset_ = kNoOffset;
  count_ = 0;
  text_[0] = 0;
}

#if RL_MESSAGES

void Message::put(char c) {
  if (count_ + 1 >= kCapacity) return;
  text_[count_++] = c;
  text_[count_] = 0;
}

void Message::put_text(const char* data, size_t count) {
  for (size_t i = 0; i < count && count_ + 1 < kCapacity; ++i) {
    const auto c = static_cast<unsigned char>(data[i]);
    // Names come from files: a control character must not reach a terminal.
    put(c < 0x20 || c == 0x7f ? '?' : data[i]);
  }
}

void Message::put_unsigned(uint64_t value) {
  char digits[20];
  size_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value);
  while (n) put(digits[--n]);
}

// Six significant digits, as printf's %g: 0.5, 1e+40, -3.14159.
void Message::put_double(double value) {
  if (value != value) return put_text("nan", 3);
  if (value < 0) put('-'), value = -value;
  if (value > 1.7976931348623157e308) return put_text("inf", 3);
  if (value == 0) return put('0');
  int exponent = 0;
  while (value >= 10) value /= 10, ++exponent;
  while (value < 1) value *= 10, --exponent;
  auto digits = static_cast<uint32_t>(value * 100000 + 0.5);
  if (digits >= 1000000) digits /= 10, ++exponent;
  int count = 6;
  while (count > 1 && digits % 10 == 0) digits /= 10, --count;
  char text[6];
  for (int i = count; i-- > 0; digits /= 10) text[i] = static_cast<char>('0' + digits % 10);

  const bool is_scientific = exponent < -4 || exponent > 5;
  const int point = is_scientific ? 0 : exponent;  // index of the last digit before the decimal point
  if (point < 0) put_text("0.0000", static_cast<size_t>(1 - point));
  for (int i = 0; i < count; ++i) {
    put(text[i]);
    if (i == point && i + 1 < count) put('.');
  }
  for (int i = count; i <= point; ++i) put('0');
  if (is_scientific) {
    put('e');
    put(exponent < 0 ? '-' : '+');
    put_unsigned(static_cast<uint64_t>(exponent < 0 ? -exponent : exponent));
  }
}

void Message::put_argument(const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::Int:
      if (argument.i < 0) put('-');
      return put_unsigned(argument.i < 0 ? uint64_t{0} - static_cast<uint64_t>(argument.i)
                                         : static_cast<uint64_t>(argument.i));
    case Argument::Kind::UInt:
      return put_unsigned(argument.u);
    case Argument::Kind::Double:
      return put_double(argument.d);
    case Argument::Kind::Text:
      return put_text(argument.text.data, argument.text.count);
    case Argument::Kind::List:
      put('[');
      for (size_t i = 0; i < argument.list.count; ++i) {
        if (i) put_text(", ", 2);
        put_argument(Argument(argument.list.data[i]));
      }
      return put(']');
  }
}

void Message::write(const char* format, Span<const Argument> args) {
  size_t next = 0;
  for (; *format; ++format) {
    if (format[0] == '{' && format[1] == '}' && next < args.count()) {
      put_argument(args[next++]);
      ++format;
    } else {
      put(*format);
    }
  }
}

#endif

}  // namespace rushlight
