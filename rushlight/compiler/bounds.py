# SPDX-License-Identifier: BSD-3-Clause
"""Dynamic dimensions without an upper bound, found before anything is lowered."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from rushlight.errors import UnboundedDimError

LARGEST = 2**31 - 1
"""A size in a file is an int32."""


def check_bounds(program: ExportedProgram) -> None:
    """Raise UnboundedDimError for an input dimension whose size has no upper bound."""
    user = {
        spec.arg.name
        for spec in program.graph_signature.input_specs
        if spec.kind == InputKind.USER_INPUT
    }
    for node in program.graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        if node.name in user and isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt):
                    _check(program, f"dimension {dim} of input {node.name}", size)


def _check(program: ExportedProgram, dim: str, size: torch.SymInt) -> None:
    expression: Any = size.node.expr
    if expression.is_number:
        return
    for symbol in sorted(expression.free_symbols, key=str):
        bounds = program.range_constraints.get(symbol)
        upper = None if bounds is None else bounds.upper
        if upper is None or not upper.is_number or not _fits(upper):
            raise UnboundedDimError(
                dim, f'say Dim("{symbol}", max=…) for it in dynamic_shapes'
            )


def _fits(upper: Any) -> bool:
    return bool(upper.is_Integer) and int(upper) <= LARGEST
