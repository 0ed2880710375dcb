# SPDX-License-Identifier: BSD-3-Clause
"""A placed linear method as Records: one table per value, instruction and name."""

from __future__ import annotations

from typing import Any

from rushlight.compiler.linear import (
    CONSTANT,
    STATE,
    DelegateCall,
    Instruction,
    JumpFalse,
    KernelCall,
    LinearMethod,
    ListOf,
    Move,
    Number,
    Storage,
    Tensor,
    Value,
)
from rushlight.errors import EmitError
from rushlight.schema.record import Record

LONGEST_NAME = 99
"""Characters of an operator's full name; the stock runtime's buffer holds no more."""
Places = dict[Storage, tuple[int, int]]
"""Memory id (1-based) and offset of each storage."""


class MethodRecords:
    """Turns one method's parts into Records.

    ``buffer_index`` gives the stored-data index of a constant or of a state's initial
    value; ``delegates`` are the finished records of the method's delegates.
    """

    def __init__(
        self,
        method: LinearMethod,
        places: Places,
        buffer_index: dict[tuple[str, str], int],
        state_names: bool = False,
        traces: bool = True,
    ) -> None:
        self._method = method
        self._places = places
        self._buffer_index = buffer_index
        self._state_names = state_names
        self._has_traces = traces
        self._operators: dict[str, int] = {}

    def record(self, arena_nbytes: list[int], delegates: list[Record]) -> Record:
        """The Method record."""
        method = self._method
        instructions = [self._instruction(i) for i in method.instructions]
        chain = Record(
            "Chain", inputs=[], outputs=[], instructions=instructions,
            traces=self._traces(),
        )  # fmt: skip
        return Record(
            "Method",
            name=method.name,
            containers=Record(
                "Containers", inputs=method.inputs_text, outputs=method.outputs_text
            ),
            values=[self._value(value) for value in method.values],
            inputs=method.inputs,
            outputs=method.outputs,
            chains=[chain],
            operators=[_operator(name) for name in self._operators],
            delegates=delegates,
            arena_nbytes=[0, *arena_nbytes],
        )

    def _traces(self) -> list[Record] | None:
        frames = [instruction.frame for instruction in self._method.instructions]
        if not self._has_traces or not any(frames):
            return None
        traces = []
        for frame in frames:
            listed = []
            if frame is not None:
                file, line, function, source = frame
                listed = [
                    Record(
                        "Frame", file=file, line=line, function=function, source=source
                    )
                ]
            traces.append(Record("FrameList", frames=listed))
        return traces

    def _value(self, value: Value) -> Record:
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, ListOf):
            return Record(value.kind, items=list(value.items))
        return number_record(value)

    def _tensor(self, tensor: Tensor) -> Record:
        storage = tensor.storage.root
        fields: dict[str, Any] = {
            "dtype": tensor.dtype,
            "sizes": list(tensor.sizes),
            "dim_order": list(tensor.dim_order),
            "dynamism": 1 if tensor.is_dynamic else 0,
        }
        if storage in self._places:
            memory_id, offset = self._places[storage]
            fields["placement"] = Record(
                "Placement", memory_id=memory_id, offset_low=offset & 0xFFFFFFFF,
                offset_high=offset >> 32,
            )  # fmt: skip
        if storage.data is not None and storage.external is None:
            pool = "state" if storage.kind == STATE else "constants"
            fields["buffer"] = self._buffer_index[pool, storage.key]
        extra = self._extra(storage)
        if extra is not None:
            fields["extra"] = extra
        return Record("Tensor", **fields)

    def _extra(self, storage: Storage) -> Record | None:
        if storage.external is not None and storage.kind in (STATE, CONSTANT):
            return Record("TensorExtra", name=storage.fqn, location=1)
        if storage.kind == STATE and self._state_names:
            return Record("TensorExtra", name=storage.fqn)
        return None

    def _instruction(self, instruction: Instruction) -> Record:
        if isinstance(instruction, KernelCall):
            operator = self._operators.setdefault(instruction.op, len(self._operators))
            return Record("KernelCall", operator=operator, args=instruction.args)
        if isinstance(instruction, DelegateCall):
            return Record(
                "DelegateCall", delegate=instruction.delegate, args=instruction.args
            )
        if isinstance(instruction, Move):
            return Record("Move", source=instruction.source, target=instruction.target)
        if isinstance(instruction, JumpFalse):
            return Record(
                "JumpFalse",
                condition=instruction.condition,
                target=instruction.target.at,
            )
        raise EmitError(f"emit: {instruction.origin}: an instruction of no known kind")


def number_record(value: Number) -> Record:
    """The record of a number, text or None."""
    held = value.value
    if held is None:
        return Record("Null")
    kinds = {bool: "Bool", int: "Int", float: "Double", str: "String"}
    return Record(kinds[type(held)], value=held)


def _operator(full_name: str) -> Record:
    if len(full_name) > LONGEST_NAME:
        raise EmitError(
            f"emit: operator name {full_name} has {len(full_name)} characters, at most "
            f"{LONGEST_NAME} fit"
        )
    name, _, overload = full_name.partition(".")
    return Record("OperatorName", name=name, overload=overload)
