# SPDX-License-Identifier: BSD-3-Clause
"""What one compilation did: time per stage, ops, delegates, what was left and why, memory."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch.export import ExportedProgram

from rushlight.compiler.emit import EmitResult, PlacedMethod
from rushlight.compiler.partition import Left, left_behind
from rushlight.compiler.pipeline import DelegateCall, delegate_calls


@dataclass(frozen=True)
class MethodReport:
    """One method. ``blocks`` are planned buffers, ``steps`` instructions, as plain data.

    ``blocks``: name, nbytes, first, last (instruction numbers), offset, arena.
    ``steps``: op, node, line.
    """

    name: str
    ops: Mapping[str, int]
    delegated: tuple[DelegateCall, ...]
    left: tuple[Left, ...]
    arena_nbytes: int
    lower_bound_nbytes: int
    blocks: tuple[Mapping[str, Any], ...]
    steps: tuple[Mapping[str, Any], ...]

    @property
    def ratio(self) -> float:
        """Planned bytes over the largest sum of live bytes; 1.0 cannot be beaten."""
        return (
            self.arena_nbytes / self.lower_bound_nbytes
            if self.lower_bound_nbytes
            else 1.0
        )

    def __str__(self) -> str:
        lines = [f"method {self.name}"]
        for call in self.delegated:
            lines.append(
                f"  {call.backend} took {call.node_count} nodes: {call.nbytes} bytes"
            )
        width = max((len(op) for op in self.ops), default=0)
        lines += [f"  {op:{width}} {count:5}" for op, count in self.ops.items()]
        for one in self.left:
            for backend, reason in one.reasons.items():
                dtypes = ", ".join(one.dtypes)
                lines.append(
                    f"  {backend} left {one.count} {one.op}({dtypes}): {reason}"
                )
        lines.append(
            f"  memory: {self.arena_nbytes} bytes planned, at least "
            f"{self.lower_bound_nbytes} needed ({self.ratio:.3f})"
        )
        return "\n".join(lines)


@dataclass(frozen=True)
class Report:
    """One compilation. ``stages`` are seconds by stage; ``notes`` are sentences."""

    stages: Mapping[str, float]
    methods: Mapping[str, MethodReport]
    file_nbytes: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as for JSON."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        lines = [f"{self.file_nbytes} bytes"]
        lines += [f"  {name}: {seconds:.2f} s" for name, seconds in self.stages.items()]
        lines += list(self.notes)
        return "\n".join([*lines, *(str(m) for m in self.methods.values())])


def make_report(
    programs: Mapping[str, ExportedProgram],
    emitted: EmitResult,
    stages: Mapping[str, float],
    notes: tuple[str, ...] = (),
) -> Report:
    """The report of finished programs and what was emitted of them.

    `stages` is kept as it is: stages that end later appear in the report.
    """
    methods = {
        name: _method(program, emitted.methods[name])
        for name, program in programs.items()
    }
    return Report(stages, methods, len(emitted.buffer), notes)


def _method(program: ExportedProgram, placed: PlacedMethod) -> MethodReport:
    steps = tuple(placed.steps())
    ops = Counter(str(step["op"]) for step in steps)
    return MethodReport(
        name=placed.name,
        ops=dict(sorted(ops.items(), key=lambda item: (-item[1], item[0]))),
        delegated=tuple(delegate_calls(program)),
        left=tuple(one for one in left_behind(program) if one.reasons),
        arena_nbytes=placed.plan.nbytes,
        lower_bound_nbytes=sum(arena.lower_bound for arena in placed.plan.arenas),
        blocks=tuple(placed.table()),
        steps=steps,
    )
