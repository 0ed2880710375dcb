# SPDX-License-Identifier: BSD-3-Clause
"""Programs of no instructions: what goes in comes out. They test the face without kernels."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.runtime.arrays import DTYPE_NUMBERS, element_nbytes
from rushlight.schema.record import Record
from rushlight.schema.structure import (
    Structure,
    describe,
    dict_of,
    list_of,
    to_json,
    tuple_of,
)
from rushlight.schema.writer import Segment, write_program


@dataclass(frozen=True)
class TensorSlot:
    """A tensor that is input and output."""

    dtype: str
    sizes: tuple[int, ...]
    dim_order: tuple[int, ...] | None = None
    is_dynamic: bool = False
    is_planned: bool = True

    def record(self, offset: int) -> tuple[Record, int]:
        """The table, and the next free offset of arena 1."""
        number = DTYPE_NUMBERS[self.dtype]
        order = self.dim_order or tuple(range(len(self.sizes)))
        nbytes = element_nbytes(number)
        for extent in self.sizes:
            nbytes *= extent
        placement = Record("Placement", memory_id=1, offset_low=offset)
        tensor = Record(
            "Tensor",
            dtype=number,
            sizes=list(self.sizes),
            dim_order=list(order),
            dynamism=int(self.is_dynamic),
            placement=placement if self.is_planned else None,
        )
        return tensor, offset + (nbytes + 15) // 16 * 16


def _record(slot: Any, offset: int) -> tuple[Record, int]:
    if isinstance(slot, TensorSlot):
        return slot.record(offset)
    if slot is None:
        return Record("Null"), offset
    kind = {bool: "Bool", int: "Int", float: "Double", str: "String"}[type(slot)]
    return Record(kind, value=slot), offset


def ramp(*sizes: int, dtype: str = "float32") -> np.ndarray:
    """0, 1, 2, … in that shape."""
    return np.arange(np.prod(sizes)).reshape(sizes).astype(dtype)


def call_of(*args: Structure, **kwargs: Structure) -> Structure:
    """The structure of a call: (positional, named)."""
    return tuple_of(tuple_of(*args), dict_of(kwargs))


def _method(
    name: str,
    values: list[Record],
    inputs: list[int],
    outputs: list[int],
    arena_nbytes: list[int],
) -> Record:
    return Record(
        "Method",
        name=name,
        values=values,
        inputs=inputs,
        outputs=outputs,
        chains=[Record("Chain", inputs=[], outputs=[], instructions=[])],
        operators=[],
        delegates=[],
        arena_nbytes=arena_nbytes,
    )


def _program(*methods: Record) -> Record:
    constants = Record("SubOffsets", offsets=[0])
    return Record("Program", methods=list(methods), constants=constants)


def shared_state(slot: TensorSlot) -> bytes:
    """Methods ``put`` (takes the slot) and ``see`` (gives it), both in arena 2."""
    record, nbytes = slot.record(0)
    record.placement.memory_id = 2
    arenas = [0, 16, nbytes]
    methods = [_method("put", [record], [0], [], arenas)]
    methods.append(_method("see", [record], [], [0], arenas))
    return write_program(_program(*methods), [])


def pass_through(
    *slots: Any,
    call: Structure | None = None,
    result: Structure | None = None,
    outputs: Sequence[int] | None = None,
    signature: dict[str, Any] | None = None,
) -> bytes:
    """A program whose forward() takes the slots and gives them, or those of ``outputs``.

    A slot is a TensorSlot, or the recorded number, text or None.
    """
    records, offset = [], 0
    for slot in slots:
        record, offset = _record(slot, offset)
        records.append(record)
    everything = list(range(len(slots)))
    given = everything if outputs is None else list(outputs)
    containers = Record(
        "Containers",
        inputs=to_json(call) if call else "",
        outputs=to_json(result) if result else "",
    )
    method = _method(
        "forward", records, everything, given, [0, offset][: 1 + bool(offset)]
    )
    method.containers = containers
    program = _program(method)
    if signature is None:
        return write_program(program, [])
    text = json.dumps({"version": 1, "methods": {"forward": signature}}).encode()
    program.named_data = [Record("NamedBlob", key="rushlight/signature", segment=0)]
    return write_program(program, [Segment(text)])


__all__ = [
    "TensorSlot",
    "call_of",
    "describe",
    "list_of",
    "pass_through",
    "ramp",
    "tuple_of",
]
