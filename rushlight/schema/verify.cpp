// SPDX-License-Identifier: BSD-3-Clause
// The verifier: one interpreter over the rows that generate.py makes of layouts.py.

#include "rushlight/schema/verify.h"

#include "rushlight/schema/flatbuffer.h"
#include "rushlight/schema/rows.h"

namespace rushlight::schema {
namespace {

// What one visit costs, in bytes of the budget. A file that shares no target pays at most its own length: each table
// is reached through a word of its own, and each element of a bool vector is a byte.
constexpr uint32_t kTableCost = 4;
// Room for writers that share equal tables.
constexpr uint64_t kBudgetPerByte = 4;

struct TableAt {
  const TableRow* row;
  uint32_t position;
  uint32_t nbytes;
  uint32_t vtable;
  uint32_t vtable_nbytes;
};

class Verifier {
 public:
  Verifier(Span<const uint8_t> flatbuffer, Error code, Message& message)
      : base_(flatbuffer.data()),
        end_(static_cast<uint32_t>(flatbuffer.count())),
        budget_(kBudgetPerByte * flatbuffer.count()),
        code_(code),
        message_(message) {}

  Error root(unsigned table_row) {
    const FieldRow row{"root", 0, Kind::Table, static_cast<uint8_t>(table_row), kRequired};
    const TableAt file{&kTables[table_row], 0, end_, 0, 0};
    return referenced_table(file, row, 0, table_row);
  }

 private:
  /// `Method.values: <what> <got>, expected <wanted> <limit>`, at the byte where the bad number stands.
  Error fault(const TableAt& table, const FieldRow& field, uint32_t position, const char* what, uint32_t got,
              const char* wanted, uint32_t limit) {
    return message_.fail_at(position, code_, "{}.{}: {} {}, expected {} {}", table.row->name, field.name, what, got,
                            wanted, limit);
  }

  Error spend(const TableAt& table, const FieldRow& field, uint32_t position, uint32_t cost) {
    if (cost > budget_) {
      return message_.fail_at(position, code_, "{}.{}: too many references share their targets, {} bytes in all",
                              table.row->name, field.name, end_);
    }
    budget_ -= cost;
    return Error::Ok;
  }

  /// *position = where a field of `nbytes` (a power of two) lies, 0 if absent.
  Error slot(const TableAt& table, const FieldRow& field, unsigned id, uint32_t nbytes, uint32_t* position) {
    *position = 0;
    const uint32_t entry = 4 + 2 * id;
    if (entry >= table.vtable_nbytes) return Error::Ok;
    const uint32_t offset = load_scalar<uint16_t>(base_ + table.vtable + entry);
    if (offset == 0) return Error::Ok;
    if (offset < 4 || offset + nbytes > table.nbytes) {
      return fault(table, field, table.vtable + entry, "field ends at byte", offset + nbytes, "at most", table.nbytes);
    }
    *position = table.position + offset;
    if (*position % nbytes != 0) {
      return fault(table, field, *position, "field at byte", *position, "a multiple of", nbytes);
    }
    return Error::Ok;
  }

  /// *target = where the reference at `position` leads; four aligned bytes are there.
  Error reference(const TableAt& table, const FieldRow& field, uint32_t position, uint32_t* target) {
    const uint32_t distance = load_scalar<uint32_t>(base_ + position);
    const uint32_t most = end_ - 4 - position;
    if (distance < 4 || distance > most) {
      return fault(table, field, position, "reference leads", distance, "from 4 to at most", most);
    }
    *target = position + distance;
    if (*target % 4 != 0) return fault(table, field, position, "reference to byte", *target, "a multiple of", 4);
    return Error::Ok;
  }

  /// *count = the elements of the vector at `target`, all of them in bounds and aligned.
  Error vector(const TableAt& table, const FieldRow& field, uint32_t target, unsigned log2_nbytes, uint32_t* count) {
    *count = load_scalar<uint32_t>(base_ + target);
    const uint32_t most = (end_ - 4 - target) >> log2_nbytes;
    if (*count > most) return fault(table, field, target, "element count", *count, "at most", most);
    const unsigned log2_forced = field.flags & ~kRequired;
    const uint32_t alignment = 1u << (log2_forced > log2_nbytes ? log2_forced : log2_nbytes);
    if (*count != 0 && (target + 4) % alignment != 0) {
      return fault(table, field, target, "first element at byte", target + 4, "a multiple of", alignment);
    }
    return Error::Ok;
  }

  Error check_bool(const TableAt& table, const FieldRow& field, uint32_t position) {
    if (base_[position] > 1) return fault(table, field, position, "bool is", base_[position], "at most", 1);
    return Error::Ok;
  }

  Error string(const TableAt& table, const FieldRow& field, uint32_t target) {
    uint32_t count = 0;
    RL_TRY(vector(table, field, target, 0, &count));
    const uint32_t terminator = target + 4 + count;
    if (terminator >= end_) return fault(table, field, target, "terminator at byte", terminator, "at most", end_ - 1);
    if (base_[terminator] != 0)
      return fault(table, field, terminator, "terminator is", base_[terminator], "exactly", 0);
    return Error::Ok;
  }

  Error bools(const TableAt& table, const FieldRow& field, uint32_t target) {
    uint32_t count = 0;
    RL_TRY(vector(table, field, target, 0, &count));
    RL_TRY(spend(table, field, target, count));
    for (uint32_t i = 0; i < count; ++i) RL_TRY(check_bool(table, field, target + 4 + i));
    return Error::Ok;
  }

  Error tables(const TableAt& table, const FieldRow& field, uint32_t target) {
    uint32_t count = 0;
    RL_TRY(vector(table, field, target, 2, &count));
    for (uint32_t i = 0; i < count; ++i) {
      RL_TRY(referenced_table(table, field, target + 4 + 4 * i, field.detail));
    }
    return Error::Ok;
  }

  /// Finds the table at `at` and its vtable, both inside the flatbuffer.
  Error locate(const TableAt& parent, const FieldRow& field, uint32_t at, TableAt* table) {
    const uint32_t distance = load_scalar<uint32_t>(base_ + at);
    const uint32_t vtable = at - distance;  // wraps to a large number if it leaves the bytes
    if (vtable > end_ - 4 || vtable % 2 != 0) {
      return fault(parent, field, at, "vtable distance", distance, "one to an even byte up to", end_ - 4);
    }
    const uint32_t vtable_nbytes = load_scalar<uint16_t>(base_ + vtable);
    if (vtable_nbytes < 4 || vtable_nbytes % 2 != 0 || vtable_nbytes > end_ - vtable) {
      return fault(parent, field, vtable, "vtable bytes", vtable_nbytes, "an even number from 4 up to", end_ - vtable);
    }
    const uint32_t nbytes = load_scalar<uint16_t>(base_ + vtable + 2);
    if (nbytes < 4 || nbytes > end_ - at) {
      return fault(parent, field, vtable + 2, "table bytes", nbytes, "from 4 up to", end_ - at);
    }
    *table = {table->row, at, nbytes, vtable, vtable_nbytes};
    return Error::Ok;
  }

  Error referenced_table(const TableAt& parent, const FieldRow& field, uint32_t position, unsigned row) {
    RL_TRY(spend(parent, field, position, kTableCost));
    TableAt table{&kTables[row], 0, 0, 0, 0};
    uint32_t at = 0;
    RL_TRY(reference(parent, field, position, &at));
    RL_TRY(locate(parent, field, at, &table));
    for (unsigned i = 0; i < table.row->field_count; ++i) {
      RL_TRY(check_field(table, kFields[table.row->first_field + i]));
    }
    return Error::Ok;
  }

  Error check_union(const TableAt& table, const FieldRow& field) {
    uint32_t tag_at = 0, value_at = 0;
    RL_TRY(slot(table, field, field.id - 1u, 1, &tag_at));
    RL_TRY(slot(table, field, field.id, 4, &value_at));
    const unsigned tag = tag_at == 0 ? 0 : base_[tag_at];
    const UnionRow& row = kUnions[field.detail];
    if (tag == 0 || tag > row.member_count) {
      const uint32_t at = tag_at == 0 ? table.position : tag_at;
      return fault(table, field, at, "union member", tag, "from 1 to", row.member_count);
    }
    const unsigned member = kMembers[row.first_member + tag - 1];
    if (value_at != 0) return referenced_table(table, field, value_at, member);
    if (kTables[member].field_count == 0) return Error::Ok;  // nothing to read in it
    return missing(table, field);
  }

  Error missing(const TableAt& table, const FieldRow& field) {
    return message_.fail_at(table.position, code_, "{}.{}: absent, expected present", table.row->name, field.name);
  }

  Error check_field(const TableAt& table, const FieldRow& field) {
    if (field.kind == Kind::Union) return check_union(table, field);
    const bool is_scalar = field.kind == Kind::Scalar || field.kind == Kind::Bool;
    uint32_t at = 0;
    RL_TRY(slot(table, field, field.id, is_scalar ? 1u << field.detail : 4u, &at));
    if (at == 0) return field.flags & kRequired ? missing(table, field) : Error::Ok;
    if (field.kind == Kind::Bool) return check_bool(table, field, at);
    if (is_scalar) return Error::Ok;
    return check_reference(table, field, at);
  }

  Error check_reference(const TableAt& table, const FieldRow& field, uint32_t at) {
    if (field.kind == Kind::Table) return referenced_table(table, field, at, field.detail);
    uint32_t target = 0, count = 0;
    RL_TRY(reference(table, field, at, &target));
    switch (field.kind) {
      case Kind::String:
        return string(table, field, target);
      case Kind::BoolVector:
        return bools(table, field, target);
      case Kind::Tables:
        return tables(table, field, target);
      default:
        return vector(table, field, target, field.detail, &count);
    }
  }

  const uint8_t* base_;
  uint32_t end_;
  uint64_t budget_;
  Error code_;
  Message& message_;
};

}  // namespace

Error verify(Span<const uint8_t> flatbuffer, const char (&identifier)[5], Message& message) {
  const RootRow* root = kRoots;
  while (std::memcmp(root->identifier, identifier, 4) != 0) ++root;  // the callers' literals are all in the table
  const Error code = root->code;
  if (flatbuffer.count() < 12 || flatbuffer.count() > 0x7fffffff) {
    return message.fail_at(0, code, "flatbuffer: {} bytes, expected from 12 to 2147483647", flatbuffer.count());
  }
  if (reinterpret_cast<uintptr_t>(flatbuffer.data()) % 16 != 0) {
    return message.fail(Error::InvalidArgument, "flatbuffer: its memory must start at a multiple of 16 bytes");
  }
  if (std::memcmp(flatbuffer.data() + 4, identifier, 4) != 0) {
    return message.fail_at(4, code, "file identifier: not {}", identifier);
  }
  return Verifier(flatbuffer, code, message).root(root->table);
}

}  // namespace rushlight::schema
