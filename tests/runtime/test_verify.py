# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose tables are sound and whose numbers lie: each is refused with its reason."""

import struct

import numpy as np
import pytest

import rushlight._runtime as runtime
from rushlight.errors import RuntimeFailure
from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_program, write_ptd
from tests.runtime.cases import F32, floats, integer, kernel, program, tensor

OPERATORS = [
    Record("OperatorName", name="aten::add", overload="out"),
    Record("OperatorName", name="aten::copy_", overload=""),
    Record("OperatorName", name="aten::cat", overload="out"),
    Record("OperatorName", name="executorch_prim::et_view", overload="default"),
    Record("OperatorName", name="aten::sym_size", overload="int"),
    Record("OperatorName", name="aten::split_copy", overload="Tensor_out"),
]
ADD, COPY, CAT, VIEW, SIZE, SPLIT = range(6)
VALUES = [
    tensor([2], 0),
    tensor([2], 16),
    integer(1),
    Record("IntList", items=[2]),
    Record("TensorList", items=[0, 1]),
    Record("OptionalTensorList", items=[0, -1]),
    tensor([2], buffer=1),
]
GOOD = {
    "name": "forward",
    "values": VALUES,
    "inputs": [0],
    "outputs": [1],
    "operators": OPERATORS,
    "delegates": [],
    "arena_nbytes": [0, 64],
}


def with_value(value: Record) -> dict:
    return {"values": [*VALUES, value]}


def with_instruction(*instructions: Record) -> dict:
    return {"instructions": list(instructions)}


def write(changes: dict, **fields) -> bytes:
    """The good program with fields of its method replaced."""
    changes = dict(changes)
    instructions = changes.pop("instructions", [kernel(ADD, 0, 0, 2, 1, 1)])
    chain = Record("Chain", inputs=[], outputs=[], instructions=instructions)
    one = Record("Method", **{"chains": [chain], **GOOD, **changes})
    constants = Record("SubOffsets", segment=0, offsets=[0, 0])
    whole = program(one, **{"constants": constants, **fields})
    return write_program(whole, [Segment(floats(1, 2)), Segment(b"")])


def refusal(data: bytes, external: list[bytes] = []) -> RuntimeFailure:  # noqa: B006
    with pytest.raises(RuntimeFailure) as caught:
        runtime.Program(data, external)
    return caught.value


def test_the_unchanged_program_runs():
    method = runtime.Method(runtime.Program(write({}), []), 0)
    method.set_tensor(0, np.array([1, 2], np.float32))
    method.execute()
    assert struct.unpack("2f", method.output(0)[3]) == (2, 4)


def offset(low: int, high: int = 0, memory_id: int = 1) -> Record:
    place = Record("Placement", memory_id=memory_id, offset_low=low, offset_high=high)
    return Record("Tensor", dtype=F32, sizes=[2], dim_order=[0], placement=place)


def extra(**fields) -> Record:
    return tensor([2], extra=Record("TensorExtra", **fields))


BIG = 2**31 - 1
NUMBERS_THAT_LIE = {
    # class 1: sizes that wrap; class 4: shapes that lie
    "numel-wraps": (with_value(tensor([BIG] * 3)), "are negative or too large"),
    "numel-wraps-beside-zero": (with_value(tensor([0, BIG, BIG, BIG])), "too large"),
    "negative-size": (with_value(tensor([-1])), r"sizes \[-1\] are negative"),
    "rank": (with_value(tensor([1] * 17)), "rank 17, expected at most 16"),
    "dtype": (with_value(tensor([1], dtype=30)), "scalar type 30: expected 0 to 29"),
    "negative-dtype": (with_value(tensor([1], dtype=-1)), "scalar type -1"),
    "repeated-dim": (
        with_value(tensor([1, 1], dim_order=[0, 0])),
        "a permutation of 2",
    ),
    "dim-out-of-range": (with_value(tensor([1], dim_order=[1])), "a permutation of 1"),
    "dim-beyond-a-word": (with_value(tensor([1], dim_order=[200])), "dim order: 200"),
    "dim-order-length": (
        with_value(tensor([1], dim_order=[0, 1])),
        "dim order of 2 dimensions for 1 sizes",
    ),
    "storage-offset": (with_value(tensor([1], storage_offset=1)), "storage offset 1"),
    "dynamism": (
        with_value(tensor([1], dynamism=2)),
        r"dynamism 2: expected 0 \(static",
    ),
    "location": (
        with_value(extra(name="w", location=2)),
        "location 2, expected 0 or 1",
    ),
    "external-without-name": (with_value(extra(location=1)), "without a name"),
    "device": (with_value(extra(device=1)), "device type 1: only the CPU"),
    # class 3: planned memory that lies; class 6: unaligned data
    "memory-id-zero": (with_value(offset(0, memory_id=0)), "memory id 0: expected 1"),
    "memory-id": (with_value(offset(0, memory_id=2)), "memory id 2: .* less than 2"),
    "beyond-the-arena": (
        with_value(offset(60)),
        "8 bytes at offset 60 leave the 64 bytes of arena 1",
    ),
    "offset-wraps": (with_value(offset(2**32 - 4, 2**32 - 1)), "leave the 64 bytes"),
    "high-half": (with_value(offset(0, 1)), "offset 4294967296 leave the 64 bytes"),
    "unaligned": (with_value(offset(2)), "offset 2 is not aligned for float32"),
    "negative-arena": ({"arena_nbytes": [0, -1]}, "arena of -1 bytes"),
    # class 2: indices
    "constant-index": (with_value(tensor([2], buffer=2)), "constant 2: .* less than 2"),
    "constant-length": (
        with_value(tensor([3], buffer=1)),
        "constant 1: 12 bytes at offset 0 leave the 8 bytes",
    ),
    "no-initial-values": (with_value(tensor([2], 32, buffer=1)), "initial value 1"),
    "int-list-item": (with_value(Record("IntList", items=[8])), "value 8: expected 0"),
    "int-list-wide": (
        with_value(Record("IntList", items=[2**32])),
        "value -1: expected",
    ),
    "tensor-list-item": (with_value(Record("TensorList", items=[-1])), "value -1"),
    "tensor-list-tag": (with_value(Record("TensorList", items=[2])), "is not a tensor"),
    "optional-item": (
        with_value(Record("OptionalTensorList", items=[-2])),
        "value -2: expected",
    ),
    "input": ({"inputs": [7]}, "value 7: expected 0 or more and less than 7"),
    "output": ({"outputs": [-1]}, "value -1"),
    "list-input": ({"inputs": [3]}, "input: value 3 is a list"),
    "list-output": ({"outputs": [4]}, "output: value 4 is a list"),
    "no-chain": ({"chains": []}, "no chain of instructions"),
    "operator": (with_instruction(kernel(6)), "operator 6: .* less than 6"),
    "argument": (with_instruction(kernel(ADD, 0, 99)), "value 99: .*, instruction 0"),
    "delegate": (
        with_instruction(Record("DelegateCall", delegate=0, args=[])),
        "delegate 0: expected 0 or more and less than 0",
    ),
    "move-source": (with_instruction(Record("Move", source=7)), "value 7"),
    "move-target": (with_instruction(Record("Move", target=-5)), "value -5"),
    "condition": (with_instruction(Record("JumpFalse", condition=7)), "value 7"),
    "jump-beyond": (
        with_instruction(Record("JumpFalse", condition=2, target=2)),
        "jump target 2: expected 0 or more and less than 2",
    ),
    "jump-back": (
        with_instruction(Record("JumpFalse", condition=2, target=-1)),
        "jump target -1",
    ),
    "free": (with_instruction(Record("Free", value=7)), "value 7"),
    "long-name": (
        {
            "operators": [
                Record("OperatorName", name="a" * 90, overload="b" * 9),
                *OPERATORS[1:],
            ]
        },
        "operator name of 100 characters, expected at most 99",
    ),
    "blob-kind": (
        {
            "delegates": [
                Record("Delegate", backend="X", blob=Record("BlobRef", kind=2))
            ]
        },
        "blob kind 2, expected 0 or 1",
    ),
    "blob-index": (
        {
            "delegates": [
                Record("Delegate", backend="X", blob=Record("BlobRef", index=0))
            ]
        },
        "delegate blob 0",
    ),
}


@pytest.mark.parametrize(
    ("changes", "text"), NUMBERS_THAT_LIE.values(), ids=NUMBERS_THAT_LIE.keys()
)
def test_a_number_that_lies_is_refused(changes, text):
    failure = refusal(write(changes))
    assert failure.code in ("InvalidProgram", "NotSupported")
    assert failure.byte_offset > 0
    with pytest.raises(RuntimeFailure, match=text):
        raise failure
    assert "(method forward)" in str(failure)


def sub(segment: int, *offsets: int) -> Record:
    return Record("SubOffsets", segment=segment, offsets=list(offsets))


PROGRAM_TABLES = {
    "constants-segment": ({"constants": sub(9, 0, 0)}, "constants segment 9"),
    "constants-offset": ({"constants": sub(0, 0, 9)}, "offset 9 is beyond its 8"),
    "constants-twice": (
        {"inline_constants": [Record("InlineBytes", bytes=b"")]},
        "both in a segment and inside",
    ),
    "mutable-segment": ({"mutable_data": [sub(9, 0)]}, "mutable data segment 9"),
    "named-segment": (
        {"named_data": [Record("NamedBlob", key="k", segment=2)]},
        "named data segment 2: .* less than 2",
    ),
}


@pytest.mark.parametrize(
    ("fields", "text"), PROGRAM_TABLES.values(), ids=PROGRAM_TABLES.keys()
)
def test_a_table_of_the_program_that_lies_is_refused(fields, text):
    with pytest.raises(RuntimeFailure, match=text):
        raise refusal(write({}, **fields))


def word(data: bytes, at: int) -> int:
    return struct.unpack_from("<I", data, at)[0]


def follow(data: bytes, at: int) -> int:
    return at + word(data, at)


def field(data: bytes, table: int, number: int) -> int:
    vtable = table - struct.unpack_from("<i", data, table)[0]
    return table + struct.unpack_from("<H", data, vtable + 4 + 2 * number)[0]


def test_lists_that_share_bytes_cannot_be_longer_than_the_file():
    """Class 11: a small file with thousands of long lists, all of them one vector."""
    values = [Record("IntList", items=[1] * 3000), *[Record("Null")] * 3000]
    given = {"values": values, "inputs": [], "outputs": [], "instructions": []}
    data = bytearray(write(given))
    method = follow(data, follow(data, field(data, word(data, 0), 1)) + 4)
    boxes = follow(data, field(data, method, 2)) + 4
    first = follow(data, boxes)
    for at in range(boxes + 4, boxes + 4 * len(values), 4):
        struct.pack_into("<I", data, at, first - at)
    assert "lists of this file are longer than the file" in str(refusal(bytes(data)))


def test_segments_beyond_the_file_are_refused():
    data = bytearray(write({}))
    in_tables = data.index(struct.pack("<Q", 8), 40)
    struct.pack_into("<Q", data, in_tables, 2**63)
    assert "leaves the 8 bytes of segment data" in str(refusal(bytes(data)))


def ptd(**fields) -> bytes:
    given = {"key": "w", "segment": 0, **fields}
    entries = [Record("PtdEntry", **given)]
    return write_ptd(Record("Ptd", entries=entries), [Segment(floats(1, 2))])


def layout(sizes, dtype=F32, order=None) -> Record:
    order = list(range(len(sizes))) if order is None else order
    return Record("PtdLayout", dtype=dtype, sizes=sizes, dim_order=order)


DATA_FILES = {
    "segment": (ptd(segment=1), "segment 1, expected less than 1, entry w"),
    "sizes": (ptd(layout=layout([3])), "8 bytes stored, expected 12, entry w"),
    "negative": (ptd(layout=layout([-3])), "are negative or too large, entry w"),
    "dtype": (ptd(layout=layout([2], dtype=99)), "scalar type 99"),
    "dim-order": (ptd(layout=layout([2], order=[3])), "dim order: 3"),
}


@pytest.mark.parametrize(("data", "text"), DATA_FILES.values(), ids=DATA_FILES.keys())
def test_a_data_file_that_lies_is_refused(data, text):
    failure = refusal(write({}), [data])
    assert failure.code == "InvalidExternalData"
    assert text in str(failure) and "(external data file 0)" in str(failure)


EXTERNAL = with_value(tensor([2], extra=Record("TensorExtra", name="w", location=1)))
DISAGREEMENTS = {
    "absent": (ptd(key="v"), "w: in none of the 1 external data files"),
    "opaque": (ptd(), "w: an opaque blob, expected a tensor"),
    "dtype": (ptd(layout=layout([2], dtype=3)), "w: int32 [2], expected float32 [2]"),
    "sizes": (ptd(layout=layout([2, 1])), "w: float32 [2, 1], expected float32 [2]"),
}


@pytest.mark.parametrize(
    ("data", "text"), DISAGREEMENTS.values(), ids=DISAGREEMENTS.keys()
)
def test_a_data_file_that_disagrees_is_refused_at_load(data, text):
    loaded = runtime.Program(write(EXTERNAL), [data])
    with pytest.raises(RuntimeFailure) as caught:
        runtime.Method(loaded, 0)
    assert text in str(caught.value)


def load(changes: dict) -> runtime.Method:
    return runtime.Method(runtime.Program(write(changes), []), 0)


REFUSED_AT_LOAD = {
    "constant-written": (
        with_instruction(kernel(ADD, 0, 0, 2, 6, 6)),
        "aten::add.out: would write to argument 3, which is a constant of the file",
    ),
    "constant-mutated": (
        with_instruction(kernel(COPY, 6, 0, 2, 6)),
        "aten::copy_: would write to argument 0, which is a constant",
    ),
    "constant-in-a-list-written": (
        {
            **with_value(Record("TensorList", items=[6])),
            **with_instruction(kernel(SPLIT, 0, 2, 2, 7, 7)),
        },
        "would write to argument 3, which is a constant",
    ),
    "slots": (
        with_instruction(kernel(ADD, 0, 0, 2, 1)),
        "aten::add.out: 4 argument slots, expected 5",
    ),
    "list-replaced-by-move": (
        with_instruction(Record("Move", source=0, target=4)),
        "value 4 is a list and would be replaced",
    ),
    "list-replaced-by-number": (
        with_instruction(kernel(SIZE, 0, 2, 3)),
        "value 3 is a list and would be replaced",
    ),
    "constant-input": ({"inputs": [6]}, "input 0: its value is a constant of the file"),
    "stored-bool": (with_value(tensor([8], dtype=11, buffer=1)), "stored bool is 128"),
}


@pytest.mark.parametrize(
    ("changes", "text"), REFUSED_AT_LOAD.values(), ids=REFUSED_AT_LOAD.keys()
)
def test_a_method_that_cannot_be_safe_is_refused_at_load(changes, text):
    with pytest.raises(RuntimeFailure) as caught:
        load(changes)
    assert text in str(caught.value)


def test_an_arena_beyond_all_memory_is_an_error():
    loaded = runtime.Program(write({"arena_nbytes": [0, 2**63 - 1]}), [])
    with pytest.raises((RuntimeFailure, MemoryError)):
        runtime.Method(loaded, 0)


BOUNDED = [
    tensor([4], 32, dynamism=1),  # 7
    tensor([4], 16, dynamism=1),  # 8
    tensor([2]),  # 9: no memory
    tensor([2], 48),  # 10
    Record("TensorList", items=[7, 7]),  # 11
    integer(0),  # 12
    Record("Bool", value=False),  # 13
    integer(3),  # 14
    tensor([4], 0, dynamism=1),  # 15: where value 0 is
    Record("TensorList", items=[]),  # 16
]
REFUSED_AT_RUN = {
    "no-memory": ([kernel(ADD, 0, 9, 2, 1, 1)], "is a tensor without memory"),
    "tags": ([kernel(ADD, 2, 0, 2, 1, 1)], "argument 0 is Int, expected Tensor"),
    "destination-tag": ([kernel(ADD, 0, 0, 2, 2, 2)], "a destination is no tensor"),
    "destination-empty-list": (
        [kernel(ADD, 0, 0, 2, 16, 16)],
        "argument 3 is TensorList, expected Tensor",
    ),
    "static-destination": (
        [kernel(ADD, 7, 7, 2, 1, 1)],
        "tensor of static sizes [2] cannot become [4] (destination of aten::add.out)",
    ),
    "own-argument-resized": (
        [kernel(CAT, 4, 12, 7, 7), kernel(CAT, 11, 12, 7, 7)],
        "an argument is also the destination and would change its sizes",
    ),
    "destination-over-an-argument": (
        [kernel(CAT, 4, 12, 15, 15)],
        "argument 0 and a destination share memory",
    ),
    "one-tensor-twice": (
        [kernel(SPLIT, 8, 14, 12, 11, 11)],
        "two destinations of different sizes are one tensor",
    ),
    "move-then-write": (
        [Record("Move", source=6, target=10), kernel(ADD, 0, 0, 2, 10, 10)],
        "would write to argument 3, whose data is read-only",
    ),
    "view-then-write": (
        [kernel(VIEW, 6, 3, 9), kernel(ADD, 0, 0, 2, 9, 9)],
        "(method forward, instruction",
    ),
    "free-then-read": (
        [Record("Free", value=1), kernel(ADD, 0, 1, 2, 10, 10)],
        "is a tensor without memory",
    ),
    "free-a-number": ([Record("Free", value=2)], "free: Int, expected Tensor"),
    "jump-on-a-number": (
        [Record("JumpFalse", condition=2, target=0)],
        "jump: its condition is Int, expected Bool or a bool tensor",
    ),
    "endless": ([Record("JumpFalse", condition=13, target=0)], "a loop did not end"),
}


@pytest.mark.parametrize(
    ("instructions", "text"), REFUSED_AT_RUN.values(), ids=REFUSED_AT_RUN.keys()
)
def test_an_instruction_that_goes_wrong_is_an_error(instructions, text):
    changes = {"values": VALUES + BOUNDED, "instructions": instructions}
    method = load(changes)
    for _ in range(2):  # the second run starts afresh
        method.set_tensor(0, np.array([1, 2], np.float32))
        with pytest.raises(RuntimeFailure) as caught:
            method.execute()
        assert text in str(caught.value)
        assert "(method forward, instruction" in str(caught.value)


def test_room_for_sizes_does_not_depend_on_what_a_destination_slot_holds():
    """A shape function fills one for each destination of the schema, before tags are checked."""
    needs = []
    for destination in (10, 16):
        instructions = [kernel(ADD, 0, 0, 2, destination, destination)]
        changes = {"values": VALUES + BOUNDED, "instructions": instructions}
        program = runtime.Program(write(changes), [])
        needs.append(program.needs(0))
    assert needs[0] == needs[1]
