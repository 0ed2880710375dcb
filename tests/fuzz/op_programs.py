# SPDX-License-Identifier: BSD-3-Clause
"""One small Program per sample of the op table: so every kernel is in the fuzz corpus."""

from collections.abc import Iterator
from typing import Any

import torch

from rushlight.ops.table import Op, load_table
from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_program
from tests.ops.door import NUMBERS, Block, Call, name_of

MOST_SAMPLES = 4
MOST_DTYPES = 3
SCALARS = {"int": "Int", "bool": "Bool", "double": "Double", "str": "String"}


class Builder:
    """The value table of a method with one kernel call, and the bytes it refers to."""

    def __init__(self, is_writable: bool) -> None:
        self.is_writable = is_writable  # arguments are state instead of constants
        self.values: list[Record] = []
        self.data = bytearray()
        self.offsets = [0]
        self.arena_nbytes = 0

    def add(self, record: Record) -> int:
        self.values.append(record)
        return len(self.values) - 1

    def place(self, nbytes: int) -> Record:
        offset = self.arena_nbytes
        self.arena_nbytes += -(-max(nbytes, 1) // 16) * 16
        return Record("Placement", memory_id=1, offset_low=offset)

    def argument(self, encoded: tuple[str, Any]) -> int:
        """Adds one argument as `door` encodes it, its items first."""
        tag, value = encoded
        if tag == "none":
            return self.add(Record("Null"))
        if tag == "tensor":
            return self.tensor(*value)
        if tag in SCALARS:
            return self.add(Record(SCALARS[tag], value=value))
        if tag in ("doubles", "bools"):
            kind = "DoubleList" if tag == "doubles" else "BoolList"
            return self.add(Record(kind, items=list(value)))
        items = [-1 if one[0] == "none" else self.argument(one) for one in value]
        kinds = {"ints": "IntList", "tensors": "TensorList"}
        return self.add(Record(kinds.get(tag, "OptionalTensorList"), items=items))

    def tensor(self, dtype: int, sizes: list[int], order: list[int], data: Any) -> int:
        content = bytes(data)
        self.data += bytes(-len(self.data) % 16)
        self.offsets.append(len(self.data))
        self.data += content
        return self.add(
            Record(
                "Tensor",
                dtype=dtype,
                sizes=sizes,
                dim_order=order,
                buffer=len(self.offsets) - 1,
                placement=self.place(len(content)) if self.is_writable else None,
            )
        )

    def destination(self, result: Any) -> int:
        if not isinstance(result, torch.Tensor):
            return self.add(Record("Int", value=0))
        sizes = list(result.shape)
        return self.add(
            Record(
                "Tensor",
                dtype=NUMBERS[name_of(result.dtype)],
                sizes=sizes,
                dim_order=list(range(len(sizes))),
                dynamism=1,
                placement=self.place(Block.of(result).bytes.nbytes),
            )
        )

    def program(self, op: Op, args: list[int], outputs: list[int]) -> bytes:
        name, _, overload = op.wire_name.partition(".")
        call = Record("KernelCall", operator=0, args=args)
        method = Record(
            "Method",
            name="forward",
            values=self.values,
            inputs=[],
            outputs=outputs,
            chains=[Record("Chain", inputs=[], outputs=[], instructions=[call])],
            operators=[Record("OperatorName", name=name, overload=overload)],
            delegates=[],
            arena_nbytes=[0, self.arena_nbytes],
        )
        stored = Record("SubOffsets", segment=0, offsets=self.offsets)
        empty = Record("SubOffsets", segment=0, offsets=[0])
        program = Record(
            "Program",
            methods=[method],
            constants=empty if self.is_writable else stored,
            mutable_data=[stored] if self.is_writable else None,
        )
        return write_program(program, [Segment(self.data)])


def program_of(op: Op, sample: Any, types: Any) -> bytes:
    """A Program that makes the sample's call with its values."""
    call = Call.make(op, sample, types)
    results = call.eager()
    is_in_place = any("!" in kind for kind in op.returns)
    builder = Builder(is_writable=is_in_place)
    args = [builder.argument(one) for one in call.inputs(call.orders)[0]]
    if is_in_place:
        return builder.program(op, [*args, args[0]], args[:1])
    made = [builder.destination(result) for result in results]
    if op.returns == ("Tensor[]",):
        listed = builder.add(Record("TensorList", items=made))
        return builder.program(op, [*args, listed, listed], made)
    if not isinstance(results[0], torch.Tensor):
        return builder.program(op, [*args, *made], made)
    back = made[0] if len(made) == 1 else builder.add(Record("TensorList", items=made))
    return builder.program(op, [*args, *made, back], made)


def op_programs() -> Iterator[tuple[str, bytes]]:
    """Name and bytes for the first samples and dtypes of each row."""
    for op in load_table().values():
        for i, sample in enumerate(op.samples[:MOST_SAMPLES]):
            for k, types in enumerate((sample.types or op.types)[:MOST_DTYPES]):
                try:
                    data = program_of(op, sample, types)
                except (RuntimeError, TypeError, AttributeError, NotImplementedError):
                    continue  # eager does not do this one
                yield f"op_{op.symbol}_{i}_{k}", data
