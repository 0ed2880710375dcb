// SPDX-License-Identifier: BSD-3-Clause
// Formatting without printf: a microcontroller's libc may lack it, and ours never allocates.

#include "rushlight/runtime/core/message.h"

#include <cstring>

namespace rushlight {

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

void Message::put_signed(int64_t value) {
  if (value < 0) put('-');
  put_unsigned(value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
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
  put_digits(digits, exponent);
}

// `digits` has six, the first of them worth 10^exponent.
void Message::put_digits(uint32_t digits, int exponent) {
  const bool is_scientific = exponent < -4 || exponent > 5;
  // How many digits stand before the decimal point.
  const int whole = is_scientific ? 1 : exponent + 1;
  if (whole <= 0) put_text("0.0000", static_cast<size_t>(2 - whole));
  int place = 0;
  // Stops behind the point when only zeros are left.
  for (uint32_t unit = 100000; place < whole || digits > 0; unit /= 10, ++place) {
    if (place == whole && whole > 0) put('.');
    put(static_cast<char>('0' + digits / unit));
    digits %= unit;
  }
  if (!is_scientific) return;
  put('e');
  if (exponent > 0) put('+');
  put_signed(exponent);
}

void Message::put_text(const char* text) { put_text(text, text ? std::strlen(text) : 0); }

void Message::put_list(Span<const int32_t> list) {
  put('[');
  for (size_t i = 0; i < list.count(); ++i) {
    if (i) put_text(", ", 2);
    put_signed(list[i]);
  }
  put(']');
}

void Message::put_value(detail::Kind kind, va_list* values) {
  using detail::Kind;
  switch (kind) {
    case Kind::Int:
      return put_signed(va_arg(*values, int));
    case Kind::UInt:
      return put_unsigned(va_arg(*values, unsigned));
    case Kind::Int64:
      return put_signed(va_arg(*values, long long));
    case Kind::UInt64:
      return put_unsigned(va_arg(*values, unsigned long long));
    case Kind::Double:
      return put_double(va_arg(*values, double));
    case Kind::CText:
      return put_text(va_arg(*values, const char*));
    case Kind::Text: {
      const auto* const text = static_cast<const Span<const char>*>(va_arg(*values, const void*));
      return put_text(text->data(), text->count());
    }
    case Kind::List:
      return put_list(*static_cast<const Span<const int32_t>*>(va_arg(*values, const void*)));
    case Kind::None:
      return put_text("{}", 2);
  }
}

void Message::write(const char* format, uint32_t kinds, va_list* values) {
  for (; *format; ++format) {
    if (format[0] == '{' && format[1] == '}') {
      put_value(static_cast<detail::Kind>(kinds & ((1u << detail::kKindBits) - 1)), values);
      kinds >>= detail::kKindBits;
      ++format;
    } else {
      put(*format);
    }
  }
}

Error Message::replace(Error code, const char* format, uint32_t kinds, ...) {
  clear();
  code_ = code;
  va_list values;
  va_start(values, kinds);
  write(format, kinds, &values);
  va_end(values);
  return code;
}

void Message::add(const char* format, uint32_t kinds, ...) {
  va_list values;
  va_start(values, kinds);
  write(format, kinds, &values);
  va_end(values);
}

#else

Error Message::replace(Error code) {
  clear();
  code_ = code;
  return code;
}

#endif

}  // namespace rushlight
