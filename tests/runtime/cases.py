# SPDX-License-Identifier: BSD-3-Clause
"""Small programs for the C++ tests of the runtime, as arrays of bytes.

``python -m tests.runtime.cases --out FILE`` writes one header. The operators
``test::…`` are in harness.h.
"""

import argparse
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_program, write_ptd

F32, BOOL = 6, 11
MOVE, JUMP = "Move", "JumpFalse"


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def tensor(sizes: Sequence[int], at: int | None = None, **fields: Any) -> Record:
    """``at``: byte offset in arena 1; None: no placement."""
    place = None
    if at is not None:
        place = Record("Placement", memory_id=fields.pop("arena", 1), offset_low=at)
    fields.setdefault("dtype", F32)
    order = fields.pop("dim_order", list(range(len(sizes))))
    return Record(
        "Tensor", sizes=list(sizes), dim_order=order, placement=place, **fields
    )


def integer(value: int) -> Record:
    return Record("Int", value=value)


def kernel(operator: int, *args: int) -> Record:
    return Record("KernelCall", operator=operator, args=list(args))


OPERATORS = [
    Record("OperatorName", name="test::add", overload="out"),
    Record("OperatorName", name="test::copy_", overload=""),
    Record("OperatorName", name="test::increment", overload=""),
    Record("OperatorName", name="test::less", overload=""),
    Record("OperatorName", name="test::halves", overload="out"),
    Record("OperatorName", name="test::view", overload=""),
    Record("OperatorName", name="test::never_used", overload="out"),
]
ADD, COPY, INCREMENT, LESS, HALVES, VIEW = range(6)


def method(
    values: list[Record],
    inputs: list[int],
    outputs: list[int],
    instructions: list[Record],
    arenas: Sequence[int] = (64,),
    **fields: Any,
) -> Record:
    chain = Record(
        "Chain",
        inputs=[],
        outputs=[],
        instructions=instructions,
        traces=fields.pop("traces", None),
    )
    given = {
        "name": "forward",
        "containers": Record("Containers", inputs="in", outputs="out"),
        "values": values,
        "inputs": inputs,
        "outputs": outputs,
        "chains": [chain],
        "operators": OPERATORS,
        "delegates": [],
        "arena_nbytes": [0, *arenas],
    }
    return Record("Method", **{**given, **fields})


def program(*methods: Record, **fields: Any) -> Record:
    given = {
        "methods": list(methods),
        "inline_constants": [],
        "inline_delegates": [],
        "constants": Record("SubOffsets", offsets=[0]),
    }
    return Record("Program", **{**given, **fields})


def add() -> bytes:
    """y = x + w, x bounded [<= 4], w a constant [1]; traces; a second arena."""
    values = [
        tensor([4], 0, dynamism=1),
        tensor([1], buffer=1),
        tensor([4], 16, dynamism=1, arena=2),
    ]
    frames = [
        Record("Frame", file="/home/me/model.py", line=41, function="forward"),
        Record("Frame", file="/x/site-packages/torch/nn/modules/linear.py", line=7),
    ]
    one = method(
        values,
        [0],
        [2],
        [kernel(ADD, 0, 1, 2, 2)],
        arenas=(16, 32),
        traces=[Record("FrameList", frames=frames)],
    )
    constants = Record("SubOffsets", segment=0, offsets=[0, 16])
    segment = Segment(bytes(16) + floats(10))
    return write_program(program(one, constants=constants), [segment])


def state() -> bytes:
    """s += x with s starting at 5 and t at 0; returns s and t (elided view of s)."""
    values = [
        tensor([2], 0),
        tensor([2], 16, buffer=1),
        tensor([2], 32),
        Record("Bool", value=False),
        tensor([2, 1], 16),
        tensor([2], 48),
        tensor([2], 48),
    ]
    instructions = [
        kernel(ADD, 0, 1, 2, 2),
        kernel(COPY, 1, 2, 3, 1),
        kernel(ADD, 5, 0, 5, 5),
    ]
    one = method(values, [0], [1, 4, 6], instructions)
    mutable = [Record("SubOffsets", segment=0, offsets=[0, 3])]
    segment = Segment(bytes(3) + floats(5, 6))  # initial values need no alignment
    return write_program(program(one, mutable_data=mutable), [segment])


def branch() -> bytes:
    """p ? x + x : x, chosen by moves; the output is unplanned."""
    values = [
        tensor([], 0, dtype=BOOL),
        tensor([2], 16),
        tensor([2], 32),
        tensor([2]),
        Record("Bool", value=False),
    ]
    instructions = [
        Record("JumpFalse", condition=0, target=4),
        kernel(ADD, 1, 1, 2, 2),
        Record("Move", source=2, target=3),
        Record("JumpFalse", condition=4, target=5),
        Record("Move", source=1, target=3),
    ]
    return write_program(program(method(values, [0, 1], [3], instructions)))


def loop() -> bytes:
    """i = 0; do { y = y + x; i += 1 } while i < n. n is 3; 'forever' has no end."""
    values = [
        tensor([1], 0),
        tensor([1], 16),
        integer(0),
        integer(3),
        Record("Bool", value=True),
        Record("Null"),
    ]
    body = [
        kernel(ADD, 0, 1, 1, 1),
        kernel(INCREMENT, 2, 2),
        kernel(LESS, 3, 2, 5),  # done = n < i + 1, written over a None
        Record("JumpFalse", condition=5, target=0),
    ]
    forever = [Record("JumpFalse", condition=4, target=0)]
    values_of_forever = [*values[:4], Record("Bool", value=False)]
    return write_program(
        program(
            method(values, [0], [1, 2], body),
            method(values_of_forever, [], [], forever, name="forever"),
        )
    )


def lists() -> bytes:
    """Two halves of x into a list; an unplanned view of x; a repeated output."""
    values = [
        tensor([2, 2], 0),
        tensor([1, 2], 16),
        tensor([1, 2], 24),
        Record("TensorList", items=[1, 2]),
        Record("TensorList", items=[1, 2]),
        integer(4),
        Record("IntList", items=[5]),
        tensor([4]),
    ]
    instructions = [kernel(HALVES, 0, 3, 4), kernel(VIEW, 0, 6, 7)]
    return write_program(program(method(values, [0], [1, 2, 2, 7], instructions)))


def constants() -> bytes:
    """A constant method with every leaf, and one with every kind of input."""
    leaves = [
        integer(7),
        Record("Bool", value=True),
        Record("Double", value=0.5),
        Record("String", value="bos"),
        Record("Null"),
        tensor([2], buffer=1),
    ]
    constant = method(
        leaves, [], list(range(6)), [], arenas=(), operators=[], name="constant"
    )
    taking = method(leaves[:5], [0, 1, 2, 3, 4], [0], [], arenas=(), name="taking")
    offsets = Record("SubOffsets", segment=0, offsets=[0, 0])
    return write_program(
        program(constant, taking, constants=offsets), [Segment(floats(1, 2))]
    )


def unplanned() -> bytes:
    """y = x + x and x = x + y with x and y in the caller's memory."""
    values = [tensor([2]), tensor([2], dynamism=1), Record("Bool", value=False)]
    read = method(values, [0], [1], [kernel(ADD, 0, 0, 1, 1)], arenas=(), name="read")
    write = method(
        values,
        [0],
        [0, 1],
        [kernel(ADD, 0, 0, 1, 1), kernel(COPY, 0, 1, 2, 0)],
        arenas=(),
        name="write",
    )
    return write_program(program(read, write))


def delegates() -> bytes:
    """Three delegates: payloads inline and in segments, the last one refuses."""

    def delegate(kind: int, index: int, backend: str = "TestBackend") -> Record:
        spec = Record("Spec", key="scale", value=b"\3")
        blob = Record("BlobRef", kind=kind, index=index)
        return Record("Delegate", backend=backend, blob=blob, specs=[spec])

    values = [tensor([2], 0), tensor([2], 16), tensor([2], 32)]
    calls = [
        Record("DelegateCall", delegate=0, args=[0, 1]),
        Record("DelegateCall", delegate=1, args=[1, 2]),
    ]
    good = [delegate(1, 0), delegate(0, 0)]
    methods = [
        method(values, [0], [2], calls, delegates=good),
        method(
            values, [0], [2], calls, delegates=[*good, delegate(1, 1)], name="refused"
        ),
        method(
            values, [0], [2], [], delegates=[delegate(0, 0, "Nobody")], name="unknown"
        ),
    ]
    named = [Record("NamedBlob", key="bias", segment=2)]
    inline = [Record("InlineBytes", bytes=b"good2")]
    segments = [Segment(b"good1"), Segment(b"bad"), Segment(floats(100))]
    whole = program(*methods, inline_delegates=inline, named_data=named)
    return write_program(whole, segments, segment_alignment=16)


def external() -> bytes:
    """y = x + w with w in a .ptd; s, planned, starts as w too."""

    def extra(name: str) -> Record:
        return Record("TensorExtra", name=name, location=1)

    values = [
        tensor([2], 0),
        tensor([2], extra=extra("w"), buffer=9),
        tensor([2], 16),
        tensor([2], 32, extra=extra("w")),
    ]
    one = method(values, [0], [2, 3], [kernel(ADD, 0, 1, 2, 2)])
    return write_program(program(one))


def external_data() -> bytes:
    layout = Record("PtdLayout", dtype=F32, sizes=[2], dim_order=[0])
    entries = [
        Record("PtdEntry", key="blob", segment=0),
        Record("PtdEntry", key="w", segment=0, layout=layout),
    ]
    return write_ptd(Record("Ptd", entries=entries), [Segment(floats(100, 200))])


def missing() -> bytes:
    """Calls three operators that there are not, one of them twice."""
    names = ["a", "b", "b", "c"]
    operators = [Record("OperatorName", name=f"test::{n}", overload="x") for n in names]
    calls = [kernel(i, 0, 0, 0) for i in range(4)]
    one = method([tensor([2], 0)], [0], [0], calls, operators=operators)
    return write_program(program(one))


PROGRAMS = (
    add,
    state,
    branch,
    loop,
    lists,
    constants,
    unplanned,
    delegates,
    external,
    external_data,
    missing,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    lines = ["// Generated by tests/runtime/cases.py."]
    for make in PROGRAMS:
        numbers = ",".join(map(str, make()))
        name = f"k_{make.__name__}"
        lines.append(f"alignas(16) static constexpr uint8_t {name}[] = {{{numbers}}};")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
