# SPDX-License-Identifier: BSD-3-Clause
"""Well-formed files whose numbers lie: each is refused with the reason, before it runs.

The classes are those of the design's list of hostile files.
"""

import time

import pytest

import rushlight
from rushlight.errors import RuntimeFailure
from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_program
from tests.schema.records import small_program

WHOLE = {"dtype": 6, "sizes": [2, 3], "dim_order": [0, 1]}
PLACED = Record("Placement", memory_id=1)


def tensor(**fields) -> Record:
    return Record("Tensor", **{**WHOLE, "placement": PLACED, **fields})


def with_first(value: Record, *others: Record) -> Record:
    """The small program with another value 0, which the kernel call uses throughout."""
    program = small_program()
    program.methods[0].values = [value, *program.methods[0].values[1:], *others]
    return program


def with_instruction(instruction: Record) -> Record:
    program = small_program()
    program.methods[0].chains[0].instructions = [instruction]
    return program


def with_data(value: Record, offsets: list[int], nbytes: int) -> bytes:
    program = with_first(value)
    program.constants = Record("SubOffsets", segment=0, offsets=offsets)
    return write_program(program, [Segment(bytes(nbytes))])


def placed(**fields) -> Record:
    return tensor(placement=Record("Placement", **fields))


PROGRAMS = {
    "size-negative": (with_first(tensor(sizes=[2, -3])), "sizes"),
    "numel-wraps": (with_first(tensor(sizes=[2**31 - 1] * 2)), "sizes"),
    "nbytes-wraps": (
        with_first(tensor(sizes=[2**31 - 1] * 3, dim_order=[0, 1, 2])),
        "sizes",
    ),
    "numel-wraps-before-a-zero": (
        with_first(
            tensor(sizes=[2**31 - 1] * 3 + [0], dim_order=[0, 1, 2, 3], dtype=7)
        ),
        "sizes",
    ),
    "rank-17": (
        with_first(tensor(sizes=[1] * 17, dim_order=list(range(17)))),
        "rank 17, expected at most 16",
    ),
    "dim-order-repeats": (with_first(tensor(dim_order=[0, 0])), "permutation of 2"),
    "dim-order-range": (with_first(tensor(dim_order=[0, 2])), "permutation of 2"),
    "dim-order-short": (with_first(tensor(dim_order=[0])), "dim order of 1"),
    "dtype-30": (with_first(tensor(dtype=30)), "scalar type 30"),
    "dtype-negative": (with_first(tensor(dtype=-1)), "scalar type -1"),
    "dynamism-2": (with_first(tensor(dynamism=2)), "dynamism 2"),
    "storage-offset": (with_first(tensor(storage_offset=1)), "storage offset 1"),
    "memory-id-0": (with_first(placed(memory_id=0)), "memory id 0"),
    "memory-id-2": (with_first(placed(memory_id=2)), "memory id 2"),
    "arena-end": (with_first(placed(memory_id=1, offset_low=16)), "arena"),
    "arena-offset-wraps": (
        with_first(placed(memory_id=1, offset_low=2**32 - 8, offset_high=2**32 - 1)),
        "arena",
    ),
    "arena-unaligned": (
        with_first(placed(memory_id=1, offset_low=2)),
        "not aligned for float32",
    ),
    "arena-negative": (small_program(arena_nbytes=[0, -1]), "arena of -1"),
    "constant-without-data": (with_first(tensor(buffer=1, placement=None)), "constant"),
    "initial-value-without-data": (with_first(tensor(buffer=1)), "initial value"),
    "int-list-range": (
        with_first(tensor(), Record("IntList", items=[99])),
        "value 99: expected 0 or more",
    ),
    "int-list-huge": (
        with_first(tensor(), Record("IntList", items=[2**62])),
        "expected 0 or more",
    ),
    "tensor-list-of-ints": (
        with_first(tensor(), Record("TensorList", items=[1])),
        "list item 1 is not a tensor",
    ),
    "tensor-list-absent": (
        with_first(tensor(), Record("TensorList", items=[-1])),
        "value -1: expected 0 or more",
    ),
    "optional-list-range": (
        with_first(tensor(), Record("OptionalTensorList", items=[-2])),
        "value -2: expected 0 or more",
    ),
    "input-range": (small_program(inputs=[99]), "value 99: expected 0 or more"),
    "output-negative": (small_program(outputs=[-1]), "value -1: expected 0 or more"),
    "no-chain": (small_program(chains=[]), "no chain"),
    "operator-range": (
        with_instruction(Record("KernelCall", operator=1, args=[0])),
        "operator 1",
    ),
    "argument-range": (
        with_instruction(Record("KernelCall", operator=0, args=[0, 99])),
        "value 99: expected 0 or more",
    ),
    "argument-negative": (
        with_instruction(Record("KernelCall", operator=0, args=[-1])),
        "value -1: expected 0 or more",
    ),
    "too-few-arguments": (
        with_instruction(Record("KernelCall", operator=0, args=[0])),
        "argument",
    ),
    "delegate-range": (
        with_instruction(Record("DelegateCall", delegate=0, args=[])),
        "delegate 0",
    ),
    "move-range": (with_instruction(Record("Move", source=0, target=99)), "value 99"),
    "jump-target": (
        with_instruction(Record("JumpFalse", condition=3, target=3)),
        "jump target 3",
    ),
    "jump-negative": (
        with_instruction(Record("JumpFalse", condition=3, target=-1)),
        "jump target -1",
    ),
    "free-range": (with_instruction(Record("Free", value=-5)), "value -5"),
    "operator-name-long": (
        small_program(operators=[Record("OperatorName", name="a" * 100, overload="")]),
        "operator name",
    ),
    "blob-range": (
        small_program(
            delegates=[
                Record("Delegate", backend="Null", blob=Record("BlobRef", kind=1))
            ]
        ),
        "delegate blob 0",
    ),
}


def refusal(data: bytes) -> RuntimeFailure:
    with pytest.raises(RuntimeFailure) as caught:
        rushlight.load(data).method("forward")
    return caught.value


@pytest.mark.parametrize(("program", "says"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_lie_is_refused_with_its_reason(program, says):
    error = refusal(write_program(program))
    assert error.code in {"InvalidProgram", "InvalidType"}
    assert says in str(error)
    assert error.byte_offset is None or error.byte_offset > 0


@pytest.mark.parametrize(
    ("offsets", "nbytes"),
    [([0, 0], 23), ([0, 8], 31), ([0, 2**64 - 8], 24), ([0, 25], 24)],
    ids=["short", "offset", "wraps", "beyond"],
)
def test_constants_must_lie_inside_their_segment(offsets, nbytes):
    error = refusal(with_data(tensor(buffer=1, placement=None), offsets, nbytes))
    assert error.code == "InvalidProgram"
    assert "segment" in str(error)


def test_a_constant_off_its_alignment_is_refused():
    program = with_first(tensor(buffer=1, placement=None))
    program.methods[0].chains[0].instructions = []
    program.methods[0].inputs = []
    program.constants = Record("SubOffsets", segment=0, offsets=[0, 2])
    error = refusal(write_program(program, [Segment(bytes(26))]))
    assert "align" in str(error)


def test_an_argument_of_another_tag_is_refused_where_it_is_used():
    call = Record("KernelCall", operator=0, args=[1, 0, 1, 0, 0])
    program = with_instruction(call)
    program.methods[0].inputs = []
    with pytest.raises(RuntimeFailure, match="is Int, expected Tensor"):
        rushlight.load(write_program(program)).method("forward").run_flat([])


def test_a_freed_output_is_refused():
    program = with_instruction(Record("Free", value=0))
    program.methods[0].inputs = []
    with pytest.raises(RuntimeFailure, match="output 0: a tensor without memory"):
        rushlight.load(write_program(program)).method("forward").run_flat([])


def test_a_loop_without_end_is_stopped():
    program = with_instruction(Record("JumpFalse", condition=11, target=0))
    program.methods[0].values.append(Record("Bool", value=False))
    program.methods[0].inputs = []
    method = rushlight.load(write_program(program)).method("forward")
    with pytest.raises(RuntimeFailure, match="did not end"):
        method.run_flat([])


def test_a_value_that_changes_its_tag_is_refused_where_it_is_used():
    """A Move puts an Int where the kernel call expects its tensor."""
    program = small_program()
    move = Record("Move", source=1, target=0)
    program.methods[0].chains[0].instructions.insert(0, move)
    program.methods[0].inputs = []
    program.methods[0].outputs = []
    with pytest.raises(RuntimeFailure):
        rushlight.load(write_program(program)).method("forward").run_flat([])


def test_very_many_methods_load_in_linear_time():
    program = small_program(values=[], inputs=[], outputs=[], operators=[])
    program.methods[0].chains[0].instructions = []
    program.methods = program.methods * 30_000
    started = time.process_time()
    loaded = rushlight.load(write_program(program))
    assert "forward" in loaded.methods
    assert time.process_time() - started < 10
