# SPDX-License-Identifier: BSD-3-Clause
"""Record: one flatbuffer table as a plain Python object."""

import struct
from typing import Any

from rushlight.schema.layouts import SCALAR_NBYTES, TABLES, UNIONS, Field, Table

FIELDS: dict[str, dict[str, Field]] = {
    name: {field.name: field for field in table.fields}
    for name, table in TABLES.items()
}


def is_box(table: Table) -> bool:
    """True of a table whose only field is a union (ValueBox, InstructionBox).

    Records leave boxes out: a list of them is a list of the member Records.
    """
    return len(table.fields) == 1 and table.fields[0].kind == "union"


# Box name -> names of the tables that may stand in its place.
BOXES: dict[str, tuple[str, ...]] = {
    name: UNIONS[table.fields[0].item]
    for name, table in TABLES.items()
    if is_box(table)
}


class Record:
    """A table of the type ``type_name`` (a key of ``layouts.TABLES``).

    Fields are attributes; one that was not given reads as its default (scalars) or None
    (absent). A vector of u8 may be given as anything ``bytes()`` takes and reads back as
    bytes; other vectors read back as lists. Equality is that of the written content.

    >>> tensor = Record("Tensor", dtype=6, sizes=[2, 3], dim_order=[0, 1])
    >>> tensor.sizes, tensor.buffer, tensor.placement
    ([2, 3], 0, None)
    """

    type_name: str

    def __init__(self, type_name: str, /, **fields: Any) -> None:
        known = FIELDS[type_name]
        if not fields.keys() <= known.keys():
            unknown = ", ".join(sorted(fields.keys() - known.keys()))
            raise TypeError(f"{type_name} has no field {unknown}; it has {list(known)}")
        self.__dict__ = fields
        fields["type_name"] = type_name

    def __getattr__(self, name: str) -> Any:
        field = FIELDS.get(self.__dict__.get("type_name", ""), {}).get(name)
        if field is None:
            raise AttributeError(
                f"{self.__dict__.get('type_name')} has no field {name}"
            )
        return _default(field)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return self.type_name == other.type_name and all(
            _normal(field, getattr(self, name)) == _normal(field, getattr(other, name))
            for name, field in FIELDS[self.type_name].items()
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = FIELDS[self.type_name]
        given = [f"{n}={self.__dict__[n]!r}" for n in names if n in self.__dict__]
        return ", ".join([f"Record({self.type_name!r}", *given]) + ")"


def _default(field: Field) -> Any:
    if field.kind == "bool":
        return bool(field.default)
    if field.kind == "f64":
        return float(field.default)
    return field.default if field.kind in SCALAR_NBYTES else None


def _normal(field: Field, value: Any) -> Any:
    """`value` in a form where == means equal bytes: also for NaN and -0.0."""
    if value is None:
        return _default(field)
    if field.kind == "f64":
        return struct.pack("<d", value)
    if field.kind != "vector":
        return list(value) if field.kind == "tables" else value
    if field.item == "f64":
        return struct.pack(f"<{len(value)}d", *value)
    return bytes(value) if field.item == "u8" else list(value)
