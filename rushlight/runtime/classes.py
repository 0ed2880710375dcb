# SPDX-License-Identifier: BSD-3-Clause
"""Which classes a result may be made of: those the caller's program has loaded itself."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from typing import Any

from rushlight.schema.structure import Structure


def loaded_classes(structure: Structure) -> dict[str, type]:
    """The dataclasses and named tuples that structure names, by that name.

    Only classes of modules that are loaded already: a file makes us import nothing.
    A class whose fields no longer fit is left out.
    """
    return {
        node.type_name: cls
        for node in _classes(structure)
        if (cls := _find(node.type_name)) is not None and _fits(cls, node)
    }


def _classes(structure: Structure) -> Iterator[Structure]:
    if structure.kind in ("namedtuple", "custom"):
        yield structure
    for child in structure.children:
        yield from _classes(child)


def _find(name: str) -> type | None:
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:cut]))
        if module is None:
            continue
        found: Any = module
        for part in parts[cut:]:
            found = vars(found).get(part) if hasattr(found, "__dict__") else None
        return found if isinstance(found, type) else None
    return None


def _fits(cls: type, node: Structure) -> bool:
    if node.kind == "namedtuple":
        fields = getattr(cls, "_fields", ())
        return issubclass(cls, tuple) and len(fields) == len(node.children)
    if not dataclasses.is_dataclass(cls):
        return False
    given = {*map(str, node.keys), *node.absent}
    own = [f for f in dataclasses.fields(cls) if f.init]
    needed = {f.name for f in own if not _has_default(f)}
    return needed <= given <= {f.name for f in own}


def _has_default(f: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return f.default is not missing or f.default_factory is not missing
