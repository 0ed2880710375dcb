# SPDX-License-Identifier: BSD-3-Clause
"""Reads ``.pte`` and ``.ptd`` files into Records, with every check of the C++ verifier.

    file = read_program(path.read_bytes())
    file.program.methods[0].values[3].type_name  # "Tensor"
    file.segments[0]                             # memoryview of the constants

Any bytes are a valid argument: they give Records, or InvalidProgramError with the reason
and the byte offset. Time is linear in the file's length. Values that fit their type are
not judged: an index, a size or a dtype may still be out of range.
"""

import struct
from dataclasses import dataclass
from typing import Any

from rushlight.errors import InvalidProgramError
from rushlight.schema.header import (
    FileLayout,
    parse_program_header,
    parse_ptd_header,
)
from rushlight.schema.layouts import ROOTS, SCALAR_NBYTES, TABLES, UNIONS, Field
from rushlight.schema.record import BOXES, Record
from rushlight.schema.writer import CODES

# Of the work budget, as in verify.cpp.
TABLE_COST = 4
BUDGET_PER_BYTE = 4
_U32 = struct.Struct("<I")


@dataclass(frozen=True)
class ProgramFile:
    """A read ``.pte`` file. ``segments`` are views of the bytes that were given."""

    program: Record
    layout: FileLayout
    segments: list[memoryview]


@dataclass(frozen=True)
class PtdFile:
    """A read ``.ptd`` file. ``segments`` are views of the bytes that were given."""

    ptd: Record
    layout: FileLayout
    segments: list[memoryview]


def read_program(data: bytes | bytearray | memoryview) -> ProgramFile:
    """The Records and segments of a ``.pte`` file. Raises InvalidProgramError."""
    view = memoryview(data).cast("B")
    layout = parse_program_header(view)
    program = read_flatbuffer(view[: layout.flatbuffer_nbytes], "ET12")
    return ProgramFile(program, layout, _cut(view, layout, program))


def read_ptd(data: bytes | bytearray | memoryview) -> PtdFile:
    """The Records and segments of a ``.ptd`` file. Raises InvalidProgramError."""
    view = memoryview(data).cast("B")
    layout = parse_ptd_header(view)
    ptd = read_flatbuffer(view[: layout.flatbuffer_nbytes], "FT01")
    return PtdFile(ptd, layout, _cut(view, layout, ptd))


def read_flatbuffer(view: memoryview, identifier: str) -> Record:
    """The Record of the root table. `view` starts at byte 0 of the file."""
    if len(view) < 12:
        raise InvalidProgramError(f"flatbuffer: {len(view)} bytes, expected 12 or more")
    if bytes(view[4:8]) != identifier.encode():
        raise InvalidProgramError(f"file identifier: not {identifier}", 4)
    root = Field("root", 0, "table", ROOTS[identifier], True)
    return _Reader(view).table(ROOTS[identifier], root, 0, ROOTS[identifier])


def _cut(view: memoryview, layout: FileLayout, root: Record) -> list[memoryview]:
    segments = []
    for i, segment in enumerate(root.segments or ()):
        if segment.offset + segment.nbytes > layout.segment_nbytes:
            raise InvalidProgramError(
                f"segment {i}: {segment.nbytes} bytes at offset {segment.offset}, but "
                f"the segments have {layout.segment_nbytes}",
                layout.segment_base,
            )
        start = layout.segment_base + segment.offset
        segments.append(view[start : start + segment.nbytes])
    return segments


@dataclass(frozen=True)
class _TableAt:
    name: str
    position: int
    nbytes: int
    offsets: tuple[int, ...]  # by vtable slot; 0 is absent
    vtable: int


class _Reader:
    def __init__(self, view: memoryview) -> None:
        self.view = view
        self.end = len(view)
        self.budget = BUDGET_PER_BYTE * self.end
        # What was read of strings and byte vectors, which writers share, by position.
        self.seen: dict[tuple[str, int], str | bytes] = {}

    def fault(
        self, table: str, field: Field, at: int, what: str, expected: str
    ) -> InvalidProgramError:
        who = f"{table}.{field.name}"
        return InvalidProgramError(f"{who}: {what}, expected {expected}", at)

    def u32(self, at: int) -> int:
        return int(_U32.unpack_from(self.view, at)[0])

    def spend(self, table: str, field: Field, at: int, cost: int) -> None:
        self.budget -= cost
        if self.budget < 0:
            raise InvalidProgramError(
                f"{table}.{field.name}: too many references share their targets", at
            )

    def reference(self, table: str, field: Field, at: int) -> int:
        distance, most = self.u32(at), self.end - 4 - at
        if not 4 <= distance <= most:
            expected = f"from 4 to at most {most}"
            raise self.fault(table, field, at, f"reference leads {distance}", expected)
        target = at + distance
        if target % 4:
            raise self.fault(
                table, field, at, f"reference to byte {target}", "a multiple of 4"
            )
        return target

    def vtable(self, table: str, field: Field, name: str, at: int) -> _TableAt:
        distance = self.u32(at)  # signed in the format; wrapping does the same
        vtable = (at - distance) % 2**32
        if vtable > self.end - 4 or vtable % 2:
            expected = f"one to an even byte up to {self.end - 4}"
            raise self.fault(table, field, at, f"vtable distance {distance}", expected)
        vtable_nbytes, nbytes = struct.unpack_from("<HH", self.view, vtable)
        most = self.end - vtable
        if not 4 <= vtable_nbytes <= most or vtable_nbytes % 2:
            expected = f"an even number from 4 up to {most}"
            what = f"vtable bytes {vtable_nbytes}"
            raise self.fault(table, field, vtable, what, expected)
        if not 4 <= nbytes <= self.end - at:
            expected = f"from 4 up to {self.end - at}"
            raise self.fault(
                table, field, vtable + 2, f"table bytes {nbytes}", expected
            )
        count = (vtable_nbytes - 4) // 2
        offsets = struct.unpack_from(f"<{count}H", self.view, vtable + 4)
        return _TableAt(name, at, nbytes, offsets, vtable)

    def slot(self, table: _TableAt, field: Field, slot: int, nbytes: int) -> int:
        """Where the field lies, 0 if it is absent."""
        offset = table.offsets[slot] if slot < len(table.offsets) else 0
        if offset == 0:
            return 0
        if offset < 4 or offset + nbytes > table.nbytes:
            at = table.vtable + 4 + 2 * slot
            what = f"field ends at byte {offset + nbytes}"
            raise self.fault(table.name, field, at, what, f"at most {table.nbytes}")
        position = table.position + offset
        if position % nbytes:
            what = f"field at byte {position}"
            expected = f"a multiple of {nbytes}"
            raise self.fault(table.name, field, position, what, expected)
        return position

    def table(self, parent: str, field: Field, at: int, name: str) -> Record:
        self.spend(parent, field, at, TABLE_COST)
        position = self.reference(parent, field, at)
        table = self.vtable(parent, field, name, position)
        if name in BOXES:
            return self.union(table, TABLES[name].fields[0])
        values: dict[str, Any] = {}
        for one in TABLES[name].fields:
            nbytes = SCALAR_NBYTES.get(one.kind, 4)
            where = self.slot(table, one, one.id, nbytes)
            if where:
                values[one.name] = self.value(table, one, where)
            elif one.required:
                raise self.fault(name, one, position, "absent", "present")
        return Record(name, **values)

    def union(self, table: _TableAt, field: Field) -> Record:
        tag_at = self.slot(table, field, field.id - 1, 1)
        value_at = self.slot(table, field, field.id, 4)
        tag = self.view[tag_at] if tag_at else 0
        members = UNIONS[field.item]
        if not 1 <= tag <= len(members):
            at = tag_at or table.position
            expected = f"from 1 to {len(members)}"
            raise self.fault(table.name, field, at, f"union member {tag}", expected)
        member = members[tag - 1]
        if value_at:
            return self.table(table.name, field, value_at, member)
        if TABLES[member].fields:
            raise self.fault(table.name, field, table.position, "absent", "present")
        return Record(member)

    def value(self, table: _TableAt, field: Field, at: int) -> Any:
        """What the present field at byte `at` holds."""
        if field.kind == "bool":
            return self.bools(table.name, field, at, 1)[0]
        if field.kind in SCALAR_NBYTES:
            return struct.unpack_from("<" + CODES[field.kind], self.view, at)[0]
        if field.kind == "table":
            return self.table(table.name, field, at, field.item)
        target = self.reference(table.name, field, at)
        if field.kind == "tables":
            return self.tables(table.name, field, target)
        if field.kind == "string" or field.item == "u8":
            return self.text_or_bytes(table.name, field, target)
        return self.vector(table.name, field, target)

    def count(self, table: str, field: Field, target: int, nbytes: int) -> int:
        """Elements of the vector at `target`, which are in bounds and aligned."""
        count, most = self.u32(target), (self.end - 4 - target) // nbytes
        if count > most:
            what = f"element count {count}"
            raise self.fault(table, field, target, what, f"at most {most}")
        alignment = max(nbytes, field.alignment)
        if count and (target + 4) % alignment:
            what = f"first element at byte {target + 4}"
            raise self.fault(table, field, target, what, f"a multiple of {alignment}")
        return count

    def tables(self, table: str, field: Field, target: int) -> list[Record]:
        first = target + 4
        return [
            self.table(table, field, first + 4 * i, field.item)
            for i in range(self.count(table, field, target, 4))
        ]

    def text_or_bytes(self, table: str, field: Field, target: int) -> str | bytes:
        key = (field.kind, target)
        if key not in self.seen:
            read = self.string if field.kind == "string" else self.bytes_
            self.seen[key] = read(table, field, target)
        return self.seen[key]

    def bytes_(self, table: str, field: Field, target: int) -> bytes:
        count = self.count(table, field, target, 1)
        self.spend(table, field, target, count)
        return bytes(self.view[target + 4 : target + 4 + count])

    def string(self, table: str, field: Field, target: int) -> str:
        count = self.count(table, field, target, 1)
        end = target + 4 + count
        if end >= self.end:
            raise self.fault(
                table,
                field,
                target,
                f"terminator at byte {end}",
                f"at most {self.end - 1}",
            )
        if self.view[end]:
            what = f"terminator is {self.view[end]}"
            raise self.fault(table, field, end, what, "exactly 0")
        self.spend(table, field, target, count)
        try:
            return bytes(self.view[target + 4 : end]).decode()
        except UnicodeDecodeError as error:
            at = target + 4 + error.start
            raise self.fault(table, field, at, "not UTF-8", "UTF-8") from None

    def vector(self, table: str, field: Field, target: int) -> list[Any]:
        nbytes = SCALAR_NBYTES[field.item]
        count = self.count(table, field, target, nbytes)
        self.spend(table, field, target, count * nbytes)
        if field.item == "bool":
            return self.bools(table, field, target + 4, count)
        code = f"<{count}{CODES[field.item]}"
        return list(struct.unpack_from(code, self.view, target + 4))

    def bools(self, table: str, field: Field, at: int, count: int) -> list[bool]:
        items = bytes(self.view[at : at + count])
        for i, item in enumerate(items):
            if item > 1:
                raise self.fault(table, field, at + i, f"bool is {item}", "at most 1")
        return [item == 1 for item in items]
