# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions that every family uses, and the look-up of all. Twins of shapes.h.

A function takes some of an op's arguments, tensors as tuples of sizes, and returns the
sizes of every result, or raises ValueError. Sizes may be symbolic (torch.SymInt): a
function compares and computes with them and never calls ``int``. A family's own
functions are in ``<family>/shapes.py``, their twins in ``<family>/shapes.h``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Sizes = tuple[int, ...]

MAX_RANK = 16


def stretch(a: Sizes, b: Sizes) -> Sizes:
    """Return the common shape: aligned at the last dimension, 1 stretches."""
    rank = max(len(a), len(b))
    padded = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    result = []
    for x, y in padded:
        if x != y and x != 1 and y != 1:
            raise ValueError(f"shapes {list(a)} and {list(b)} do not broadcast")
        result.append(y if x == 1 else x)
    return tuple(result)


def normalize_dim(dim: int, rank: int) -> int:
    """Return dim counted from 0; negative ones count from ``rank``."""
    count = max(rank, 1)
    if not -count <= dim < count:
        raise ValueError(f"dim {dim} is not in [{-count}, {count - 1}]")
    return dim % count


def same_as(self: Sizes) -> list[Sizes]:
    """One result with self's sizes."""
    return [self]


def broadcast(a: Sizes, b: Sizes) -> list[Sizes]:
    """One result with the sizes that both stretch to."""
    return [stretch(a, b)]


def broadcast3(a: Sizes, b: Sizes, c: Sizes) -> list[Sizes]:
    """One result with the sizes that all three stretch to."""
    return [stretch(stretch(a, b), c)]


def broadcast_optional(a: Sizes, b: Sizes | None, c: Sizes | None) -> list[Sizes]:
    """The same with operands that may be absent."""
    for other in (b, c):
        a = a if other is None else stretch(a, other)
    return [a]


def stretch_to(self: Sizes, other: Sizes) -> list[Sizes]:
    """One result with self's sizes, to which ``other`` must stretch."""
    if stretch(self, other) != self:
        raise ValueError(f"shape {list(other)} does not stretch to {list(self)}")
    return [self]


def from_list(size: Sequence[int]) -> list[Sizes]:
    """One result with the sizes given."""
    if len(size) > MAX_RANK or any(n < 0 for n in size):
        raise ValueError(f"sizes {list(size)} are out of range")
    return [tuple(size)]


def scalar() -> list[Sizes]:
    """One result of rank 0."""
    return [()]


@cache
def functions() -> Mapping[str, tuple[Callable[..., list[Sizes]], str]]:
    """Every shape function by name, with the C++ header of its twin."""
    found: dict[str, tuple[Callable[..., list[Sizes]], str]] = {}
    here = Path(__file__).parent
    families = sorted(file.parent.name for file in here.glob("*/shapes.py"))
    for family in ("", *(f"{name}." for name in families)):
        module = importlib.import_module(f"rushlight.ops.{family}shapes")
        header = f"rushlight/ops/{family.replace('.', '/')}shapes.h"
        for name, value in vars(module).items():
            is_own = getattr(value, "__module__", "") == module.__name__
            if callable(value) and is_own and not name.startswith("_"):
                if name in found:
                    raise ValueError(f"shape function {name} is defined twice")
                found[name] = (value, header)
    return found


def parse(expression: str) -> tuple[str, tuple[str, ...]]:
    """Split ``broadcast(self, other)`` into the function's and the parameters' names."""
    name, _, rest = expression.partition("(")
    names = rest.rstrip(") ").split(",")
    return name.strip(), tuple(n.strip() for n in names if n.strip())


def result_sizes(expression: str, arguments: Mapping[str, Any]) -> list[Sizes]:
    """Sizes of every result of a row whose ``shape`` is ``expression``.

    ``arguments`` by parameter name, defaults included: sizes for a tensor, a list of
    sizes for a Tensor[], the value itself for the rest.
    """
    name, parameters = parse(expression)
    function, _ = functions()[name]
    return function(*(arguments[p] for p in parameters))
