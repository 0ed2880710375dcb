# SPDX-License-Identifier: BSD-3-Clause
"""Structure: one node of how a nested Python value nests, as plain data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rushlight.errors import StructureError

Kind = Literal["leaf", "list", "tuple", "dict", "namedtuple", "custom"]
Key = str | int | float | bool | None

TYPE_NAMES: dict[Kind, str] = {
    "list": "builtins.list",
    "tuple": "builtins.tuple",
    "dict": "builtins.dict",
}


@dataclass(frozen=True)
class Structure:
    """One node of a nested Python value.

    ``keys`` are a dict's keys in order, or the field names of a named tuple or custom
    class, () if the text does not tell them. ``type_name`` is what the text calls the
    class; ``absent`` are a dataclass's fields that are None and have no leaves.
    """

    kind: Kind = "leaf"
    children: tuple["Structure", ...] = ()
    keys: tuple[Key, ...] = ()
    type_name: str = ""
    absent: tuple[str, ...] = ()
    context: Any = None  # of a class with a meaning of its own, as in the JSON text
    leaf_count: int = field(init=False)

    def __post_init__(self) -> None:
        is_leaf = self.kind == "leaf"
        count = 1 if is_leaf else sum(child.leaf_count for child in self.children)
        object.__setattr__(self, "leaf_count", count)
        if self.kind == "dict" and len(self.keys) != len(self.children):
            raise StructureError(
                f"container text: {len(self.keys)} keys for {len(self.children)} values"
            )

    def names(self) -> Iterator[str]:
        """One name per leaf, by its way through the containers: ``x``, ``boxes.0``."""
        if self.kind == "leaf":
            yield ""
        labels = self.keys or range(len(self.children))
        for label, child in zip(labels, self.children, strict=True):
            for name in child.names():
                yield f"{label}.{name}" if name else str(label)


LEAF = Structure()


def list_of(*children: Structure) -> Structure:
    """The structure of a list."""
    return Structure("list", children, type_name=TYPE_NAMES["list"])


def tuple_of(*children: Structure) -> Structure:
    """The structure of a tuple."""
    return Structure("tuple", children, type_name=TYPE_NAMES["tuple"])


def dict_of(children: Mapping[Key, Structure]) -> Structure:
    """The structure of a dict."""
    values = tuple(children.values())
    return Structure("dict", values, tuple(children), TYPE_NAMES["dict"])
