# SPDX-License-Identifier: BSD-3-Clause
"""Selective builds: which rows, and which of their dtypes, a build keeps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rushlight.ops.table import Op

Selection = Mapping[str, tuple[str, ...]]
"""Wire or ATen names with the dtypes to keep (none: all). Empty keeps everything."""


def read_selection(file: str) -> Selection:
    """Names to keep, each with the dtypes to keep (none: all), from ``--select``."""
    lines = Path(file).read_text().splitlines() if file else []
    words = [line.partition("#")[0].split() for line in lines]
    return {w[0]: tuple(w[1:]) for w in words if w}


def select(table: Mapping[str, Op], selection: Selection) -> list[Op]:
    """Rows that ``selection`` names by wire or ATen name (empty: all), by wire name."""
    known = {n for op in table.values() for n in (op.name, op.wire_name)}
    if unknown := sorted(set(selection) - known):
        raise SystemExit(f"--select: no such operator: {', '.join(unknown)}")
    rows = [
        op
        for op in table.values()
        if not selection or selection.keys() & {op.name, op.wire_name}
    ]
    return sorted(rows, key=lambda op: op.wire_name.encode())
