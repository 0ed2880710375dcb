# SPDX-License-Identifier: BSD-3-Clause
"""What the writer makes reads back equal, here and in the stock runtime."""

import json
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rushlight.errors import InvalidRecordError
from rushlight.schema.reader import read_program, read_ptd
from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, program_chunks, write_program, write_ptd
from tests import fixtures
from tests.schema.records import records, small_program

MANY = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SEGMENTS = st.lists(
    st.tuples(st.binary(max_size=300), st.sampled_from([1, 16, 256])), max_size=4
)


def without_segments(record: Record) -> Record:
    fields = {k: v for k, v in record.__dict__.items() if k != "type_name"}
    return Record(record.type_name, **{**fields, "segments": []})


@MANY
@given(records("Program"), SEGMENTS)
def test_any_program_reads_back_equal(program, blobs):
    data = write_program(program, [Segment(b, a) for b, a in blobs])

    file = read_program(data)

    assert without_segments(file.program) == without_segments(program)
    assert [bytes(s) for s in file.segments] == [b for b, _ in blobs]
    assert data == write_program(program, [Segment(b, a) for b, a in blobs])


@MANY
@given(records("Ptd"), SEGMENTS)
def test_any_data_file_reads_back_equal(ptd, blobs):
    file = read_ptd(write_ptd(ptd, [Segment(b, a) for b, a in blobs]))

    assert without_segments(file.ptd) == without_segments(ptd)
    assert [bytes(s) for s in file.segments] == [b for b, _ in blobs]


@given(SEGMENTS.filter(lambda blobs: any(b for b, _ in blobs)))
def test_segments_are_aligned_as_asked(blobs):
    segments = [Segment([b[:7], memoryview(b[7:])], a) for b, a in blobs]
    data = write_program(small_program(), segments, segment_alignment=64)

    file = read_program(data)

    assert file.layout.segment_base % 64 == 0
    end = 0
    for segment, (blob, alignment) in zip(file.program.segments, blobs, strict=True):
        if blob:
            assert segment.offset % max(64, alignment) == 0
            assert segment.offset >= end
            end = segment.offset + segment.nbytes
    assert len(data) == file.layout.segment_base + end


def test_without_segment_data_there_is_no_header():
    data = write_program(small_program(), [Segment(b"")])

    file = read_program(data)

    assert not file.layout.has_header
    assert file.program.segments == [Record("Segment")]
    assert len(write_program(Record("Program", methods=[]))) >= 64


def test_chunks_are_the_file():
    segments = [Segment(bytes(1000))]
    chunks = program_chunks(small_program(), segments)
    assert b"".join(chunks) == write_program(small_program(), segments)


@pytest.mark.parametrize("name", fixtures.names())
def test_a_stock_file_survives_a_round_trip(name):
    file = read_program(fixtures.path(f"{name}.pte").read_bytes())

    again = read_program(
        write_program(file.program, [Segment(s) for s in file.segments])
    )

    assert again.program == file.program
    assert again.segments == file.segments


def test_a_stock_data_file_survives_a_round_trip():
    name = "external_weights.default_external_constant.ptd"
    file = read_ptd(fixtures.path(name).read_bytes())

    again = read_ptd(write_ptd(file.ptd, [Segment(s) for s in file.segments]))

    assert again.ptd == file.ptd
    assert again.segments == file.segments


def test_equal_texts_are_stored_once():
    name = Record("OperatorName", name="aten::a_rather_long_name", overload="out")
    data = write_program(small_program(operators=[name] * 50))
    assert data.count(b"aten::a_rather_long_name") == 1


def test_twenty_thousand_values_take_well_under_a_second():
    values = [
        Record("Tensor", dtype=6, sizes=[i % 7, 3], dim_order=[0, 1])
        if i % 2
        else Record("Int", value=i)
        for i in range(20000)
    ]
    program = small_program(values=values)
    started = time.process_time()  # of this process alone: the machine may be busy
    data = write_program(program)
    assert time.process_time() - started < 1
    assert len(read_program(data).program.methods[0].values) == 20000


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (Record("Program"), r"Program\.methods: absent"),
        (
            Record("Program", methods=[Record("Null")]),
            r"Program\.methods: expected Method, got Null",
        ),
        (
            small_program(values=[3]),
            r"Method\.values: expected Null or .*, got int",
        ),
        (small_program(inputs=[2**31]), r"Method\.inputs: .*2147483648"),
        (small_program(inputs=["a"]), r"Method\.inputs: .*got \['a'\]"),
        (small_program(values=[Record("Int", value=2**63)]), "Int: "),
        (small_program(containers=3), r"Method\.containers: expected Containers"),
    ],
)
def test_a_record_that_does_not_fit_is_refused(record, says):
    with pytest.raises(InvalidRecordError, match=says):
        write_program(record)


def test_a_record_knows_its_fields():
    tensor = Record("Tensor", sizes=[1], dim_order=[0])
    assert (tensor.dtype, tensor.requires_grad, tensor.placement) == (0, False, None)
    assert tensor == Record("Tensor", sizes=(1,), dim_order=b"\0", dtype=0)
    assert tensor != Record("Tensor", sizes=[2], dim_order=[0])
    assert Record("Double", value=0.0) != Record("Double", value=-0.0)
    assert "sizes=[1]" in repr(tensor)
    with pytest.raises(TypeError, match="Tensor has no field shape"):
        Record("Tensor", shape=[1])
    with pytest.raises(AttributeError, match="no field shape"):
        _ = tensor.shape


# Runs every program of a folder as its manifest entry says, in a process of its own: the
# stock runtime aborts on some faults.
STOCK = """
import json, os, pathlib, sys
import numpy, torch
from executorch.runtime import Runtime, Verification

torch.set_num_threads(1)
kinds = {"int": int, "double": float, "bool": bool, "string": str, "none": lambda v: None}


def value(item, arrays):
    if item["kind"] != "tensor":
        return kinds[item["kind"]](item.get("value"))
    array = torch.from_numpy(arrays[item["key"]].copy())
    array = array.view(torch.bfloat16) if item["dtype"] == "bfloat16" else array
    is_last = item["dim_order"] == [0, 2, 3, 1]
    return array.contiguous(memory_format=torch.channels_last) if is_last else array


def run(folder, entry):
    data = (folder / entry["file"]).read_bytes()
    checked = Verification.InternalConsistency
    program = Runtime.get().load_program(data, verification=checked)
    arrays = numpy.load(entry["arrays"])
    methods = {name: program.load_method(name) for name in entry["methods"]}
    for call in entry["calls"]:
        given = [value(item, arrays) for item in call["inputs"]]
        got = methods[call["method"]].execute(given)
        want = [value(item, arrays) for item in call["outputs"]]
        assert len(got) == len(want)
        for a, b in zip(got, want):
            if isinstance(b, torch.Tensor):
                tolerance = {"rtol": entry["rtol"], "atol": entry["atol"]}
                torch.testing.assert_close(a, b, **tolerance)
            else:
                assert a == b, (a, b)


for entry in json.loads(sys.argv[2]):
    print("running", entry["name"], flush=True)
    run(pathlib.Path(sys.argv[1]), entry)
print("all equal", flush=True)
os._exit(0)
"""


def test_the_stock_runtime_runs_what_we_write(tmp_path: Path):
    pytest.importorskip("executorch", reason="the stock runtime is not installed")
    fixtures.path("manifest.json")  # or skip
    entries = [f for f in fixtures.manifest() if not f["data_files"] and not f["needs"]]
    for entry in entries:
        file = read_program(fixtures.path(entry["file"]).read_bytes())
        segments = [Segment(s) for s in file.segments]
        data = write_program(file.program, segments)
        (tmp_path / entry["file"]).write_bytes(data)
    entries = [{**f, "arrays": str(fixtures.path(f["arrays"]))} for f in entries]

    command = [sys.executable, "-c", STOCK, str(tmp_path), json.dumps(entries)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "all equal" in done.stdout, done.stdout[-300:] + done.stderr[-2000:]


def test_the_header_says_where_things_are():
    data = write_program(small_program(), [Segment(b"x" * 5), Segment(b"y")])

    magic, nbytes, end, base, total = struct.unpack_from("<4sIQQQ", data, 8)

    assert (magic, nbytes, base % 128, total) == (b"eh00", 32, 0, 129)
    assert end <= base < end + 128
    assert data[base : base + 5] == b"xxxxx" and data[base + 128 :] == b"y"
