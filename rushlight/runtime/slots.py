# SPDX-License-Identifier: BSD-3-Clause
"""What a method takes and gives: one Slot for each flat input and output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.runtime.arrays import DTYPE_NAMES, element_nbytes

# The format's numbers of value kinds that may be inputs or outputs.
NONE, INT, BOOL, DOUBLE, TENSOR, STRING = 1, 2, 3, 4, 5, 6
KINDS = {NONE: "None", INT: "int", BOOL: "bool", DOUBLE: "float", STRING: "str"}


@dataclass(frozen=True)
class Slot:
    """One flat input or output of a method, as the file declares it.

    ``sizes`` is the shape, or its upper bound if ``is_dynamic``; ``min_sizes`` the
    lower bound where the file states one. ``dim_order`` lists dimensions from outermost
    to innermost in memory. ``is_planned``: the data lives in an arena.
    """

    name: str
    tag: int
    dtype_number: int
    sizes: tuple[int, ...]
    dim_order: tuple[int, ...]
    is_dynamic: bool
    is_planned: bool
    min_sizes: tuple[int, ...] | None = None

    @property
    def is_tensor(self) -> bool:
        """Whether the slot holds a tensor."""
        return self.tag == TENSOR

    @property
    def dtype(self) -> str:
        """The tensor's dtype, ``float32``; for other kinds ``int``, ``None``, …."""
        if self.is_tensor:
            return DTYPE_NAMES[self.dtype_number]
        return KINDS.get(self.tag, "list")

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor at its upper bound; 0 for other kinds."""
        if not self.is_tensor:
            return 0
        count = element_nbytes(self.dtype_number)
        for extent in self.sizes:
            count *= extent
        return count

    def __str__(self) -> str:
        if not self.is_tensor:
            return self.dtype
        if not self.is_dynamic:
            return f"{self.dtype} {list(self.sizes)}"
        if self.min_sizes is None:
            return f"{self.dtype} of at most {list(self.sizes)}"
        pairs = zip(self.min_sizes, self.sizes, strict=True)
        spans = [str(high) if low == high else f"{low}..{high}" for low, high in pairs]
        return f"{self.dtype} [{', '.join(spans)}]"

    def is_below_minimum(self, sizes: Sequence[int]) -> bool:
        """Whether a tensor of these sizes is smaller than declared in some dimension."""
        minimum = self.min_sizes
        return minimum is not None and any(
            extent < low for extent, low in zip(sizes, minimum, strict=False)
        )


def slot_of(name: str, fields: tuple[Any, ...], minimum: Any = None) -> Slot:
    """A Slot from the bindings' tuple; ``minimum`` has an int or None for each size."""
    tag, dtype, sizes, dim_order, is_dynamic, is_planned = fields
    low = _lower_bounds(minimum, sizes)
    return Slot(name, tag, dtype, sizes, dim_order, is_dynamic, is_planned, low)


def _lower_bounds(minimum: Any, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    if not isinstance(minimum, list) or len(minimum) != len(sizes):
        return None
    if not all(low is None or isinstance(low, int) for low in minimum):
        return None
    pairs = zip(minimum, sizes, strict=True)
    return tuple(high if low is None else low for low, high in pairs)
