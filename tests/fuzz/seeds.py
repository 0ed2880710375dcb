# SPDX-License-Identifier: BSD-3-Clause
"""Writes the seeds of the fuzz target: ``python -m tests.fuzz.seeds FOLDER``.

The stock-made fixtures where they are at hand, small programs of our own writer that have
every kind of value and instruction, and one per sample of the op table if torch is there.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_program
from tests import fixtures

# Each operator's arguments are found by the kernel's own checks, so any will do here.
CALLS = {
    "move": [Record("Move", source=1, target=2)],
    "jump": [
        Record("JumpFalse", condition=3, target=2),
        Record("Move", source=1, target=2),
    ],
    "loop": [Record("JumpFalse", condition=4, target=0)],
    "free": [Record("Free", value=0)],
    "add": [Record("KernelCall", operator=0, args=[0, 0, 1, 0, 0])],
}


def own_program(instructions: list[Record]) -> bytes:
    """A method over a planned tensor, a constant, state and a value of every kind."""
    placed = Record("Placement", memory_id=1)
    common = {"dtype": 6, "sizes": [2, 3], "dim_order": [0, 1]}
    values = [
        Record("Tensor", **common, placement=placed, dynamism=1),
        Record("Int", value=1),
        Record("Double", value=0.5),
        Record("Bool", value=True),
        Record("Bool", value=False),
        Record("String", value="none"),
        Record("Null"),
        Record("IntList", items=[1, 1]),
        Record("DoubleList", items=[1.5]),
        Record("BoolList", items=[True, False]),
        Record("TensorList", items=[0]),
        Record("OptionalTensorList", items=[0, -1]),
        Record("Tensor", **common, buffer=1),
        Record(
            "Tensor",
            **common,
            buffer=1,
            placement=Record("Placement", memory_id=1, offset_low=32),
            extra=Record("TensorExtra", name="state"),
        ),
    ]
    method = Record(
        "Method",
        name="forward",
        containers=Record("Containers", inputs="$", outputs="$"),
        values=values,
        inputs=[0, 1],
        outputs=[0, 12, 2],
        chains=[Record("Chain", inputs=[], outputs=[], instructions=instructions)],
        operators=[Record("OperatorName", name="aten::add", overload="out")],
        delegates=[],
        arena_nbytes=[0, 64],
    )
    offsets = Record("SubOffsets", segment=0, offsets=[0, 0])
    program = Record(
        "Program",
        methods=[method],
        inline_constants=[],
        inline_delegates=[],
        constants=offsets,
        mutable_data=[Record("SubOffsets", segment=1, offsets=[0, 0])],
        named_data=[Record("NamedBlob", key="k", segment=1)],
    )
    return write_program(program, [Segment(bytes(24)), Segment(bytes(24))])


def seeds() -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each seed."""
    for name, instructions in CALLS.items():
        yield f"own_{name}", own_program(instructions)
    for entry in fixtures.manifest():
        data = fixtures.path(entry["file"]).read_bytes()
        for extra in entry["data_files"]:
            more = fixtures.path(extra).read_bytes()
            data += more + struct.pack("<I", len(more)) + b"PTD!"
        yield entry["name"], data
    try:
        from tests.fuzz.op_programs import op_programs
    except ImportError as error:
        print(f"no seeds from the op table: {error}", file=sys.stderr)
        return
    yield from op_programs()


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
