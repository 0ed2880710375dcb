# SPDX-License-Identifier: BSD-3-Clause
"""Upper bounds of symbolic sizes, from the ranges that ``torch.export`` recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy  # type: ignore[import-untyped]
import torch
from torch.export import ExportedProgram
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from rushlight.errors import UnboundedDimError

LARGEST = 2**31 - 1
"""A size in a file is an int32."""


def expression(size: int | torch.SymInt) -> Any:
    """A plain int where the size is one, else its sympy expression."""
    if isinstance(size, int):
        return size
    expr = size.node.expr
    return int(expr) if expr.is_number else expr


class Bounds:
    """What the sizes of one ExportedProgram can be at most."""

    def __init__(self, program: ExportedProgram) -> None:
        self._ranges: dict[Any, Any] = dict(program.range_constraints)
        self._program = program

    def limit(self, size: int | torch.SymInt, most: int) -> None:
        """A data-dependent size (rows of ``nonzero``) is at most `most`."""
        expr = expression(size)
        if isinstance(expr, sympy.Symbol):
            known = self._ranges.get(expr, ValueRanges(0, most))
            self._ranges[expr] = known & ValueRanges(0, most)

    def upper(self, sizes: Sequence[int | torch.SymInt], node: str) -> tuple[int, ...]:
        """The largest value of each size.

        Raises: UnboundedDimError naming `node` and the input dimension that has no upper bound.
        """
        return tuple(
            size if isinstance(size, int) else self._upper(size, node) for size in sizes
        )

    def lower(self, size: int | torch.SymInt) -> int:
        """The smallest value of a size."""
        expr = expression(size)
        if isinstance(expr, int):
            return expr
        low = bound_sympy(expr, self._ranges).lower
        return max(0, int(low)) if low.is_Integer else 0

    def _upper(self, size: torch.SymInt, node: str) -> int:
        expr = expression(size)
        if isinstance(expr, int):
            return expr
        high = bound_sympy(expr, self._ranges).upper
        if _fits(high):
            return int(high)
        raise self._no_bound(expr, node)

    def _no_bound(self, expr: Any, node: str) -> UnboundedDimError:
        advice = f"{node} has a size of {expr}; "
        for symbol in sorted(expr.free_symbols, key=str):
            known = self._ranges.get(symbol)
            if known is None or not _fits(known.upper):
                advice += (
                    f'say Dim("{symbol}", max=...) in dynamic_shapes, or '
                    "torch._check(size <= ...) in the model"
                )
                return UnboundedDimError(self._owner(symbol), advice, node=node)
        advice += f"that can exceed {LARGEST}: lower the max= of its Dims"
        return UnboundedDimError(f"the product {expr}", advice, node=node)

    def _owner(self, symbol: Any) -> str:
        """The input dimension that a symbol stands for."""
        for node in self._program.graph.find_nodes(op="placeholder"):
            val = node.meta.get("val")
            if isinstance(val, torch.Tensor):
                for dim, size in enumerate(val.shape):
                    if expression(size) == symbol:
                        return f"dimension {dim} of input {node.name}"
        return f"the data-dependent size {symbol}"


def _fits(bound: Any) -> bool:
    """False for torch's integer infinity too, which is no number that int() takes."""
    return bool(bound.is_Integer) and int(bound) <= LARGEST
