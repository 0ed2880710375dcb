// SPDX-License-Identifier: BSD-3-Clause
// The layouts as data: what the verifier interprets, and a test that wants to find every field of a file.

#pragma once

#include <cstdint>

#include "rushlight/runtime/core/message.h"

namespace rushlight::schema {

enum class Kind : uint8_t { Scalar, Bool, String, Vector, BoolVector, Table, Tables, Union };

struct FieldRow : Named {
  uint8_t id;
  Kind kind;
  uint8_t detail;  // Scalar, Vector: log2 of the element's bytes; Table, Tables, Union: a row number
  uint8_t flags;   // kRequired, and log2 of a vector's forced alignment in the low bits
};
constexpr uint8_t kRequired = 0x80;

struct TableRow : Named {
  uint8_t first_field;
  uint8_t field_count;
};

struct UnionRow {
  uint8_t first_member;  // in kMembers, which holds row numbers of kTables
  uint8_t member_count;
};

struct RootRow {
  char identifier[5];
  uint8_t table;
  Error code;
};

#include "rushlight/schema/verify_rows.inc"

}  // namespace rushlight::schema
