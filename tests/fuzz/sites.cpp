// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/sites.h"

#include <cstring>

#include "rushlight/schema/flatbuffer.h"
#include "rushlight/schema/header.h"
#include "rushlight/schema/rows.h"
#include "rushlight/schema/verify.h"

namespace rushlight::fuzz {
namespace {

using namespace schema;

constexpr size_t kMostSites = 20000;
constexpr uint8_t kNoTable = 255;

class Walker {
 public:
  explicit Walker(const uint8_t* base) : base_(base) {}

  void reference(Site::Kind kind, uint8_t table, uint32_t at) {
    add(kind, 4, at, table);
    if (table != kNoTable) visit(table, at + load_scalar<uint32_t>(base_ + at));
  }

  void add(Site::Kind kind, uint8_t nbytes, uint32_t at, uint8_t table = kNoTable) {
    if (sites_.size() < kMostSites) sites_.push_back({kind, nbytes, table, at});
  }

  std::vector<Site> take() { return std::move(sites_); }

 private:
  void visit(uint8_t row, uint32_t at) {
    const uint32_t vtable = at - load_scalar<uint32_t>(base_ + at);
    for (unsigned i = 0; i < kTables[row].field_count; ++i) field(kFields[kTables[row].first_field + i], at, vtable);
  }

  uint32_t slot(uint32_t at, uint32_t vtable, unsigned id) {
    const uint32_t entry = 4 + 2 * id;
    if (entry >= load_scalar<uint16_t>(base_ + vtable)) return 0;
    add(Site::Kind::Slot, 2, vtable + entry);
    const uint32_t offset = load_scalar<uint16_t>(base_ + vtable + entry);
    return offset == 0 ? 0 : at + offset;
  }

  void field(const FieldRow& field, uint32_t table, uint32_t vtable) {
    const uint32_t at = slot(table, vtable, field.id);
    if (field.kind == Kind::Union) {
      const uint32_t tag_at = slot(table, vtable, field.id - 1u);
      add(Site::Kind::Tag, 1, tag_at);
      const unsigned first = kUnions[field.detail].first_member - 1u;
      if (at != 0) reference(Site::Kind::Reference, kMembers[first + base_[tag_at]], at);
      return;
    }
    if (at == 0) return;
    if (field.kind == Kind::Scalar || field.kind == Kind::Bool) {
      add(Site::Kind::Scalar, static_cast<uint8_t>(1u << field.detail), at);
    } else if (field.kind == Kind::Table) {
      reference(Site::Kind::Reference, field.detail, at);
    } else {
      reference(Site::Kind::Reference, kNoTable, at);
      items(field, at + load_scalar<uint32_t>(base_ + at));
    }
  }

  void items(const FieldRow& field, uint32_t vector) {
    add(Site::Kind::Count, 4, vector);
    const uint32_t count = load_scalar<uint32_t>(base_ + vector);
    for (uint32_t i = 0; i < count && sites_.size() < kMostSites; ++i) {
      if (field.kind == Kind::Tables) {
        reference(Site::Kind::Reference, field.detail, vector + 4 + 4 * i);
      } else if (field.kind == Kind::String) {
        add(Site::Kind::Text, 1, vector + 4 + i);
      } else {
        add(Site::Kind::Scalar, static_cast<uint8_t>(1u << field.detail), vector + 4 + (i << field.detail));
      }
    }
  }

  const uint8_t* base_;
  std::vector<Site> sites_;
};

}  // namespace

std::vector<Site> find_sites(Span<const uint8_t> file) {
  Message message;
  FileLayout layout;
  if (file.count() < kHeadNbytes) return {};
  const bool is_program = std::memcmp(file.data() + 4, "ET12", 4) == 0;
  const auto parse = is_program ? parse_program_header : parse_ptd_header;
  if (parse(file, file.count(), message, &layout) != Error::Ok) return {};
  const Span<const uint8_t> flatbuffer = file.first(layout.flatbuffer_nbytes);
  const Error error = is_program ? verify(flatbuffer, "ET12", message) : verify(flatbuffer, "FT01", message);
  if (error != Error::Ok) return {};
  Walker walker(file.data());
  if (layout.has_header) {
    walker.add(Site::Kind::Header, 4, 12);
    for (uint32_t at = 16; at < 48; at += 8) walker.add(Site::Kind::Header, 8, at);
  }
  walker.reference(Site::Kind::Reference, is_program ? kRoots[0].table : kRoots[1].table, 0);
  return walker.take();
}

}  // namespace rushlight::fuzz
