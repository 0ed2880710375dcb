# SPDX-License-Identifier: BSD-3-Clause
"""Writes ``.pte`` and ``.ptd`` files from Records.

    program = Record("Program", methods=[...], constants=Record("SubOffsets", offsets=[0]))
    data = write_program(program, [Segment(weights), Segment(blob, alignment=16)])

A Record names a table of ``layouts.py`` and its fields by keyword. What the writer does
by itself: the header, ``Program.segments`` (from the segments given, in that order),
alignment, and unions: ``Method.values`` and ``Chain.instructions`` take the member
Records directly, ``values=[Record("Int", value=3), Record("Null")]``.

An empty list is written as a present, empty vector; None or a field left out is absent.
A field marked ``!`` in the layouts must be given. Equal Records give equal bytes.

Tables go first, each before what it refers to, since references only lead forward;
strings and vectors of scalars follow, equal ones stored once (long ones excepted). This is written by hand,
not with the ``flatbuffers`` package: that builds back to front one scalar at a time,
which is several times slower and cannot share what comes earlier in the file.
"""

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rushlight.errors import InvalidRecordError
from rushlight.schema.header import LEAST_FILE_NBYTES
from rushlight.schema.layouts import ROOTS, SCALAR_NBYTES, TABLES, UNIONS, Field
from rushlight.schema.record import BOXES, FIELDS, Record

Buffer = bytes | bytearray | memoryview

SEGMENT_ALIGNMENT = 128
# Longer vectors are not shared: a reader pays for each reference to one, and its work is
# bounded by the file's length (reader.py).
MOST_SHARED_NBYTES = 32
CODES = {
    "u8": "B",
    "i8": "b",
    "bool": "?",
    "u32": "I",
    "i32": "i",
    "u64": "Q",
    "i64": "q",
    "f64": "d",
}
_U32 = struct.Struct("<I")


@dataclass(frozen=True)
class Segment:
    """A byte range after the flatbuffer, loadable alone.

    ``data`` is one buffer, or several that follow each other without a gap; ``alignment``
    in bytes, on top of the file's own.
    """

    data: Buffer | Sequence[Buffer]
    alignment: int = 1

    @property
    def chunks(self) -> Sequence[Buffer]:
        """The buffers that make up the segment."""
        is_one = isinstance(self.data, bytes | bytearray | memoryview)
        return [self.data] if is_one else self.data  # type: ignore[list-item,return-value]

    @property
    def nbytes(self) -> int:
        """Length in bytes."""
        return sum(memoryview(chunk).nbytes for chunk in self.chunks)


def write_program(
    program: Record,
    segments: Sequence[Segment] = (),
    *,
    segment_alignment: int = SEGMENT_ALIGNMENT,
) -> bytes:
    """The bytes of a ``.pte`` file. Raises InvalidRecordError."""
    chunks = program_chunks(program, segments, segment_alignment=segment_alignment)
    return b"".join(chunks)


def program_chunks(
    program: Record,
    segments: Sequence[Segment] = (),
    *,
    segment_alignment: int = SEGMENT_ALIGNMENT,
) -> list[Buffer]:
    """The same in pieces, for writing a file without a second copy of the weights."""
    table, data = _place(segments, segment_alignment)
    rooted = Record("Program", **{**_fields(program), "segments": table})
    total = sum(memoryview(chunk).nbytes for chunk in data)
    if total == 0:  # stock leaves the header out, and then the file is the flatbuffer
        out = _flatbuffer(rooted, "ET12", 8)
        return [bytes(out).ljust(LEAST_FILE_NBYTES, b"\0")]
    out = _flatbuffer(rooted, "ET12", 8 + 32)
    base = _align(len(out), segment_alignment)
    struct.pack_into("<4sIQQQ", out, 8, b"eh00", 32, len(out), base, total)
    return [out, bytes(base - len(out)), *data]


def write_ptd(
    ptd: Record,
    segments: Sequence[Segment] = (),
    *,
    segment_alignment: int = SEGMENT_ALIGNMENT,
) -> bytes:
    """The bytes of a ``.ptd`` file. Raises InvalidRecordError."""
    table, data = _place(segments, segment_alignment)
    block = 48  # the 40 header bytes, up to a multiple of 16
    rooted = Record("Ptd", **{**_fields(ptd), "segments": table})
    out = _flatbuffer(rooted, "FT01", 8 + block)
    base = _align(len(out), segment_alignment)
    total = sum(memoryview(chunk).nbytes for chunk in data)
    numbers = (block, len(out) - block, base, total)
    struct.pack_into("<4sIQQQQ", out, 8, b"FH01", 40, *numbers)
    return b"".join([out, bytes(base - len(out)), *data])


def _fields(record: Record) -> dict[str, Any]:
    return {k: v for k, v in record.__dict__.items() if k != "type_name"}


def _align(position: int, alignment: int) -> int:
    return -(-position // alignment) * alignment


def _place(
    segments: Sequence[Segment], alignment: int
) -> tuple[list[Record], list[Buffer]]:
    """The segment table, and the segments' bytes with their padding, from the base."""
    table: list[Record] = []
    data: list[Buffer] = []
    end = 0
    for segment in segments:
        nbytes = segment.nbytes
        offset = _align(end, math.lcm(alignment, segment.alignment)) if nbytes else end
        table.append(Record("Segment", offset=offset if nbytes else 0, nbytes=nbytes))
        if nbytes:
            data += [bytes(offset - end), *segment.chunks]
            end = offset + nbytes
    return table, data


def _flatbuffer(root: Record, identifier: str, start: int) -> bytearray:
    """Bytes 0 to the end of the flatbuffer; those from 8 to `start` are left zero."""
    assert root.type_name == ROOTS[identifier]
    builder = _Builder(start)
    position = builder.table(root)
    builder.leaves()
    struct.pack_into("<I4s", builder.out, 0, position, identifier.encode())
    return builder.out


@dataclass(frozen=True)
class _Shape:
    """How a table with a given set of present fields lies: the same for all of them."""

    vtable: bytes
    body: struct.Struct  # the distance to the vtable, then the fields in `order`
    order: tuple[int, ...]  # indices into the present fields, largest first
    offsets: tuple[int, ...]  # of the present fields, in their own order
    is_wide: bool  # has an 8-byte field: starts 4 bytes before a multiple of 8


@cache
def _shape(slots: tuple[int, ...], codes: str) -> _Shape:
    """`slots` are the vtable slots of the present fields, `codes` their struct codes."""
    nbytes = [struct.calcsize("<" + code) for code in codes]
    order = tuple(sorted(range(len(slots)), key=lambda i: -nbytes[i]))
    offsets = [0] * len(slots)
    end = 4
    for i in order:
        offsets[i] = end
        end += nbytes[i]
    entries = [0] * (max(slots, default=-1) + 1)
    for slot, offset in zip(slots, offsets, strict=True):
        entries[slot] = offset
    head = (4 + 2 * len(entries), end)
    return _Shape(
        vtable=struct.pack(f"<{2 + len(entries)}H", *head, *entries),
        body=struct.Struct("<i" + "".join(codes[i] for i in order)),
        order=order,
        offsets=tuple(offsets),
        is_wide=8 in nbytes,
    )


class _Builder:
    """The flatbuffer under construction, front to back."""

    def __init__(self, start: int) -> None:
        self.out = bytearray(start)
        self.vtables: dict[bytes, int] = {}
        # Content of a string or scalar vector -> positions of the references to it.
        self.pending: dict[tuple[Any, ...], list[int]] = {}

    def table(self, record: Record) -> int:
        """Appends the table and all tables under it; returns its position."""
        values = record.__dict__
        slots: list[int] = []
        present: list[Any] = []
        references: list[tuple[int, Field, Any]] = []
        codes = ""
        for name, field in FIELDS[record.type_name].items():
            value = values.get(name)
            if value is None:
                if field.required:
                    raise _fault(record, field, "absent; it must be given, if empty")
                continue
            code = CODES.get(field.kind)
            if code is None:
                references.append((len(slots), field, value))
                slots.append(field.id)
                present.append(0)
                codes += "I"
            elif value != field.default or code == "d":  # -0.0 equals 0 and is not it
                slots.append(field.id)
                present.append(value)
                codes += code
        position, offsets = self.place(record.type_name, tuple(slots), codes, present)
        for i, field, value in references:
            self.refer(record, field, position + offsets[i], value)
        return position

    def place(
        self, name: str, slots: tuple[int, ...], codes: str, values: Sequence[Any]
    ) -> tuple[int, tuple[int, ...]]:
        """Appends one table without its targets: its position, its fields' offsets."""
        shape = _shape(slots, codes)
        out = self.out
        vtable = self.vtables.get(shape.vtable)
        if vtable is None:
            out += bytes(-len(out) % 4)
            vtable = self.vtables[shape.vtable] = len(out)
            out += shape.vtable
        out += bytes((4 - len(out)) % 8 if shape.is_wide else -len(out) % 4)
        position = len(out)
        try:
            out += shape.body.pack(position - vtable, *(values[i] for i in shape.order))
        except struct.error as error:
            raise InvalidRecordError(f"{name}: {error}, got {list(values)}") from None
        return position, shape.offsets

    def refer(self, record: Record, field: Field, at: int, value: Any) -> None:
        """Makes the reference at byte `at` lead to `value`, which is appended, or later."""
        if field.kind == "table":
            self.check_type(record, field, value, (field.item,))
            self.point(at, self.table(value))
        elif field.kind == "tables":
            self.tables(record, field, at, value)
        else:
            self.pending.setdefault(_leaf(record, field, at, value), []).append(at)

    def point(self, at: int, target: int) -> None:
        _U32.pack_into(self.out, at, target - at)

    def check_type(
        self, record: Record, field: Field, value: Any, expected: Iterable[str]
    ) -> None:
        got = getattr(value, "type_name", type(value).__name__)
        if got not in expected:
            raise _fault(record, field, f"expected {' or '.join(expected)}, got {got}")

    def tables(
        self, record: Record, field: Field, at: int, records: Sequence[Record]
    ) -> None:
        out = self.out
        out += bytes(-len(out) % 4)
        first = len(out) + 4
        self.point(at, len(out))
        out += struct.pack("<I", len(records)) + bytes(4 * len(records))
        members = BOXES.get(field.item)
        expected = members or (field.item,)
        for i, one in enumerate(records):
            self.check_type(record, field, one, expected)
            write = self.box if members else self.table
            self.point(first + 4 * i, write(one))

    def box(self, member: Record) -> int:
        """Appends a table that holds `member` as its union."""
        tag, slot = _TAGS[member.type_name]
        position, offsets = self.place("union", (slot - 1, slot), "BI", (tag, 0))
        self.point(position + offsets[1], self.table(member))
        return position

    def leaves(self) -> None:
        """Appends the strings and scalar vectors, and the references to them."""
        out = self.out
        for (alignment, count, content, *_), references in self.pending.items():
            while (len(out) + 4) % alignment:
                out += b"\0"
            for at in references:
                self.point(at, len(out))
            out += _U32.pack(count) + content


# Member name -> its number, and the slot of the reference, in the box that takes it.
_TAGS = {
    member: (number, TABLES[box].fields[0].id)
    for box, members in BOXES.items()
    for number, member in enumerate(members, 1)
}
assert len(_TAGS) == sum(map(len, UNIONS.values()))


def _leaf(record: Record, field: Field, at: int, value: Any) -> tuple[Any, ...]:
    """(alignment of the first element, count, bytes): equal leaves are stored once."""
    if field.kind == "string":
        content = str(value).encode()
        return 4, len(content), content + b"\0"
    alignment = max(4, SCALAR_NBYTES[field.item], field.alignment)
    if field.item == "u8":
        is_raw = isinstance(value, bytes | bytearray | memoryview)
        content = bytes(value if is_raw else list(value))
        return alignment, len(content), content
    items = value.tolist() if hasattr(value, "tolist") else value
    try:
        content = struct.pack(f"<{len(items)}{CODES[field.item]}", *items)
    except struct.error as error:
        raise _fault(record, field, f"{error}, got {items}") from None
    if field.item == "bool" or len(content) > MOST_SHARED_NBYTES:
        return alignment, len(items), content, at
    return alignment, len(items), content


def _fault(record: Record, field: Field, what: str) -> InvalidRecordError:
    return InvalidRecordError(f"{record.type_name}.{field.name}: {what}")
