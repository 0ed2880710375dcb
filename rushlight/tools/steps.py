# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a compiled method, from its file, its report and a trace: what the report page draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rushlight.schema.reader import read_program
from rushlight.schema.record import Record
from rushlight.schema.summary import DTYPES, operator_name
from rushlight.tools.drawing import Block, Step


def read_steps(
    data: bytes,
    method: str = "forward",
    lines: Sequence[Mapping[str, Any]] = (),
    times_us: Sequence[float] = (),
) -> list[Step]:
    """One Step per instruction of the method's first chain.

    ``lines`` are the report's steps (node, line), ``times_us`` microseconds by
    instruction; either may be empty.
    """
    program = read_program(data).program
    record = next(m for m in program.methods if m.name == method)
    writers: dict[Any, int] = {}
    steps = []
    for i, instruction in enumerate(record.chains[0].instructions):
        reads, writes = _operands(instruction, record)
        inputs = tuple(
            sorted({writers[k] for v in reads if (k := _place(record, v)) in writers})
        )
        for v in writes:
            writers[_place(record, v)] = i
        known = lines[i] if i < len(lines) else {}
        out = record.values[writes[0]] if writes else None
        steps.append(
            Step(
                op=_op(instruction, record),
                node=str(known.get("node") or ""),
                source=str(known.get("line") or ""),
                inputs=inputs,
                shape=_shape(out),
                nbytes=_nbytes(out),
                time_us=times_us[i] if i < len(times_us) else None,
            )
        )
    return steps


def _op(instruction: Record, method: Record) -> str:
    if instruction.type_name == "KernelCall":
        return operator_name(method.operators[instruction.operator])
    if instruction.type_name == "DelegateCall":
        return f"delegate {method.delegates[instruction.delegate].backend}"
    return {"Move": "move", "JumpFalse": "jump", "Free": "free"}[instruction.type_name]


def _tensors(method: Record, index: int) -> list[int]:
    """The tensor values behind a slot: itself, or a list's items."""
    value = method.values[index]
    if value.type_name in ("TensorList", "OptionalTensorList"):
        return [i for i in value.items if i >= 0]
    return [index] if value.type_name == "Tensor" else []


def _operands(instruction: Record, method: Record) -> tuple[list[int], list[int]]:
    """(tensor values read, tensor values written). A delegate's outputs are taken to be its last."""
    if instruction.type_name == "Move":
        return [instruction.source], [instruction.target]
    if instruction.type_name not in ("KernelCall", "DelegateCall"):
        return [], []
    args = list(instruction.args)
    if instruction.type_name == "DelegateCall":
        return [t for a in args[:-1] for t in _tensors(method, a)], args[-1:]
    writes = _tensors(method, args[-1])
    reads = [t for a in args[:-1] for t in _tensors(method, a) if t not in writes]
    return reads, writes


def _place(method: Record, index: int) -> Any:
    """What identifies a tensor's memory: views of one buffer have the same place."""
    placement = method.values[index].placement
    if placement is None:
        return index
    return placement.memory_id, placement.offset_low, placement.offset_high


def _shape(value: Record | None) -> str:
    if value is None or value.type_name != "Tensor":
        return ""
    bound = "≤" if value.dynamism else ""
    sizes = ", ".join(f"{bound}{n}" for n in value.sizes)
    return f"{DTYPES.get(value.dtype, value.dtype)} [{sizes}]"


ELEMENT_NBYTES = {"64": 8, "32": 4, "16": 2}


def _nbytes(value: Record | None) -> int:
    if value is None or value.type_name != "Tensor":
        return 0
    count = next(
        (
            n
            for bits, n in ELEMENT_NBYTES.items()
            if DTYPES.get(value.dtype, "").endswith(bits)
        ),
        1,
    )
    for n in value.sizes:
        count *= n
    return count


def read_blocks(
    rows: Sequence[Mapping[str, Any]], steps: Sequence[Step]
) -> list[Block]:
    """Blocks of the report's buffers, coloured by the op of the step where each begins."""
    ops = {s.node: s.op for s in steps}
    return [
        Block(
            name=str(r["name"]),
            op=ops.get(
                str(r["name"]),
                steps[r["first"]].op if r["first"] in range(len(steps)) else "input",
            ),
            nbytes=int(r["nbytes"]),
            first=int(r["first"]),
            last=int(r["last"]),
            offset=int(r["offset"]),
        )
        for r in rows
    ]


def median_times_us(traces: Sequence[Sequence[Any]], count: int) -> list[float]:
    """Median microseconds of each instruction over several traces' events."""
    by_step: list[list[float]] = [[] for _ in range(count)]
    for events in traces:
        for e in events:
            if e.chain == 0 and e.instruction < count:
                by_step[e.instruction].append(e.nanoseconds / 1000)
    return [sorted(t)[len(t) // 2] if t else 0.0 for t in by_step]
