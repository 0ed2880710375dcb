# SPDX-License-Identifier: BSD-3-Clause
"""Container text: how a method's flat inputs and outputs nest (format notes, 12).

    structure = parse(method.containers.outputs)
    value = unflatten([1.5, 2], structure)  # {"sum": 1.5, "parts": [2]}
    flatten(value, structure)               # [1.5, 2]
    to_json(structure)                      # the text that goes into a file

A Structure is plain data and needs no torch. Nothing in a text is imported or evaluated:
a class that it names is used only if the caller hands that class over.
"""

import dataclasses
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from rushlight.errors import StructureError
from rushlight.schema.structure_node import LEAF, Structure, dict_of, list_of, tuple_of
from rushlight.schema.structure_text import parse, to_json

__all__ = [
    "LEAF",
    "FieldTuple",
    "Structure",
    "class_name",
    "describe",
    "dict_of",
    "flatten",
    "list_of",
    "parse",
    "to_json",
    "tuple_of",
    "unflatten",
]


def class_name(cls: type) -> str:
    """What `describe` calls a class, and a key of the ``types`` of `unflatten`."""
    return f"{cls.__module__}.{cls.__qualname__}"


def describe(value: Any) -> Structure:
    """The structure of a value: lists, tuples, dicts, named tuples and dataclasses.

    Anything else is a leaf, None included; a dataclass field that is None has no leaf.
    """
    name = class_name(type(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Structure(
            "namedtuple", tuple(map(describe, value)), tuple(value._fields), name
        )
    if isinstance(value, list | tuple):
        of = list_of if isinstance(value, list) else tuple_of
        return of(*map(describe, value))
    if isinstance(value, dict):
        return dict_of({key: describe(one) for key, one in value.items()})
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _describe_dataclass(value, name)
    return LEAF


def _describe_dataclass(value: Any, name: str) -> Structure:
    held = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    absent = tuple(key for key, one in held.items() if one is None)
    present = {k: describe(one) for k, one in held.items() if one is not None}
    return Structure("custom", tuple(present.values()), tuple(present), name, absent)


def flatten(value: Any, structure: Structure, where: str = "value") -> list[Any]:
    """The leaves of `value`, which must nest as `structure` does.

    Any sequence will do for a list or tuple, any mapping for a dict (keys in any order),
    a mapping or an object with the attributes for a class. Raises StructureError, which
    calls the place ``where[0]['key']``.
    """
    if structure.kind == "leaf":
        return [value]
    parts = _parts(value, structure, where)
    leaves: list[Any] = []
    for (label, part), child in zip(parts, structure.children, strict=True):
        leaves += flatten(part, child, where + label)
    return leaves


def _parts(value: Any, structure: Structure, where: str) -> list[tuple[str, Any]]:
    """The children of one container, each with its place in an error message."""
    _check_absent(value, structure, where)
    if isinstance(value, Mapping):
        return _mapping_parts(value, structure, where)
    if structure.kind == "custom" and structure.keys:
        return _attribute_parts(value, structure, where)
    is_sequence = isinstance(value, Sequence | deque)
    if structure.kind == "dict" or not is_sequence or isinstance(value, str | bytes):
        raise _mismatch(where, structure, _kind_of(value))
    if len(value) != len(structure.children):
        raise _mismatch(where, structure, f"{_kind_of(value)} of {len(value)}")
    return [(f"[{i}]", part) for i, part in enumerate(value)]


def _check_absent(value: Any, structure: Structure, where: str) -> None:
    is_mapping = isinstance(value, Mapping)
    for name in structure.absent:
        held = value.get(name) if is_mapping else getattr(value, name, None)
        if held is not None:
            got = _kind_of(held)
            raise StructureError(f"{where}.{name}: expected None, got {got}")


def _attribute_parts(
    value: Any, structure: Structure, where: str
) -> list[tuple[str, Any]]:
    keys = [str(key) for key in structure.keys]
    missing = [key for key in keys if not hasattr(value, key)]
    if missing:
        got = f"{_kind_of(value)} that has no {', '.join(missing)}"
        raise _mismatch(where, structure, got)
    return [(f".{key}", getattr(value, key)) for key in keys]


def _mapping_parts(
    value: Mapping[Any, Any], structure: Structure, where: str
) -> list[tuple[str, Any]]:
    keys = structure.keys
    if structure.kind in ("list", "tuple") or len(keys) != len(structure.children):
        raise _mismatch(where, structure, _kind_of(value))
    given = {key for key in value if key not in structure.absent}
    if given != set(keys):
        raise _mismatch(where, structure, f"keys {list(value)}")
    return [(f"[{key!r}]", value[key]) for key in keys]


def _kind_of(value: Any) -> str:
    return f"a {type(value).__name__}"


def _mismatch(where: str, structure: Structure, got: str) -> StructureError:
    count = len(structure.children)
    kind = structure.type_name if structure.kind == "custom" else structure.kind
    keys = f" with keys {list(structure.keys)}" if structure.keys else f" of {count}"
    return StructureError(f"{where}: expected a {kind}{keys}, got {got}")


def unflatten(
    leaves: Sequence[Any],
    structure: Structure,
    types: Mapping[str, type] | None = None,
) -> Any:
    """The nested value whose leaves are given, in order.

    `types` are the classes that may be made, by the name the text gives them. A named
    tuple or class that is not among them becomes a tuple with attributes (FieldTuple) or
    a SimpleNamespace. Raises StructureError if the number of leaves differs.
    """
    if len(leaves) != structure.leaf_count:
        raise StructureError(
            f"structure of {structure.leaf_count} leaves, got {len(leaves)} values"
        )
    return _build(iter(leaves), structure, types or {})


class FieldTuple(tuple[Any, ...]):
    """A named tuple whose class is not at hand: items by position and by attribute."""

    _fields: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str], items: Sequence[Any]) -> "FieldTuple":
        """The tuple of `items`, named in order."""
        made = cls(items)
        made._fields = tuple(names)
        return made

    def __getattr__(self, name: str) -> Any:
        if name != "_fields" and name in self._fields:
            return self[self._fields.index(name)]
        raise AttributeError(name)


def _build(
    leaves: Iterator[Any], structure: Structure, types: Mapping[str, type]
) -> Any:
    kind, name = structure.kind, structure.type_name
    if kind == "leaf":
        return next(leaves)
    parts = [_build(leaves, child, types) for child in structure.children]
    if kind == "list":
        return deque(parts) if name == "collections.deque" else parts
    if kind == "tuple":
        return tuple(parts)
    if kind == "dict":
        pairs = zip(structure.keys, parts, strict=True)
        return OrderedDict(pairs) if name == "collections.OrderedDict" else dict(pairs)
    return _build_class(structure, parts, types.get(name))


def _build_class(structure: Structure, parts: list[Any], cls: type | None) -> Any:
    keys = [str(key) for key in structure.keys]
    if not keys and parts:
        return cls(*parts) if cls and structure.kind == "namedtuple" else tuple(parts)
    if structure.kind == "namedtuple":
        return cls(*parts) if cls else FieldTuple.of(keys, parts)
    fields = {name: None for name in structure.absent}
    fields.update(zip(keys, parts, strict=True))
    return cls(**fields) if cls else SimpleNamespace(**fields)
