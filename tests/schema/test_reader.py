# SPDX-License-Identifier: BSD-3-Clause
"""Any bytes read as Records or are refused with a reason and the place of the fault."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.errors import InvalidProgramError
from rushlight.schema.reader import read_flatbuffer, read_program, read_ptd
from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_program, write_ptd
from tests import fixtures
from tests.schema.records import small_program

FILE = write_program(small_program(), [Segment(b"weights!"), Segment(b"blob")])
PTD = write_ptd(
    Record("Ptd", entries=[Record("PtdEntry", key="w", segment=0)]),
    [Segment(b"weights!")],
)


def put(data: bytes, at: int, code: str, *numbers: int) -> bytes:
    out = bytearray(data)
    struct.pack_into("<" + code, out, at, *numbers)
    return bytes(out)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([FILE, PTD]),
    st.lists(
        st.tuples(
            st.integers(0, len(FILE)),
            st.sampled_from(["B", "H", "I"]),
            st.integers(0, 2**32 - 1) | st.sampled_from([0, 1, 4, 2**31, 2**32 - 4]),
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(0, len(FILE)),
)
def test_altered_bytes_read_or_are_refused(data, changes, end):
    for at, code, number in changes:
        nbytes = struct.calcsize(code)
        if at + nbytes <= len(data):
            data = put(data, at, code, number % 256**nbytes)
    data = data[:end] if end % 3 == 0 else data
    for read in (read_program, read_ptd):
        try:
            read(data)
        except InvalidProgramError as error:
            assert error.reason
            assert -1 <= error.byte_offset <= len(data)


@given(st.binary(max_size=200))
def test_noise_is_refused(noise):
    with pytest.raises(InvalidProgramError):
        read_program(noise)
    with pytest.raises(InvalidProgramError):
        read_flatbuffer(memoryview(b"\x08\0\0\0ET12" + noise[:3]), "ET12")


@pytest.mark.parametrize(
    ("data", "says", "at"),
    [
        (FILE[:63], "file: 63 bytes long, expected at least 64", 0),
        (put(FILE, 4, "B", 0), "file identifier: not ET12", 4),
        (put(FILE, 12, "I", 23), "header: 23 bytes long, expected at least 24", 12),
        (put(FILE, 16, "Q", 1 << 63), f"expected at most {len(FILE)}", 16),
        (put(FILE, 24, "Q", 2**64 - 1), "segments of 132 bytes from byte", 24),
        (put(FILE, 32, "Q", 2**64 - 1), "segments of 18446744073709551615 bytes", 24),
        (FILE[:-1], "segments of 132 bytes from byte", 24),
        (put(FILE, 0, "I", 2**32 - 4), "Program.root: reference leads 4294967292", 0),
        (put(FILE, 0, "I", 0), "Program.root: reference leads 0, expected from 4", 0),
        (
            put(FILE, 0, "I", 41),
            "Program.root: reference to byte 41, expected a mult",
            0,
        ),
    ],
)
def test_a_bad_number_is_named_with_its_place(data, says, at):
    with pytest.raises(InvalidProgramError) as caught:
        read_program(data)
    assert says in caught.value.reason
    assert caught.value.byte_offset == at


@pytest.mark.parametrize(
    ("data", "says", "at"),
    [
        (put(PTD, 8, "B", 0), "header: not FH01", 8),
        (put(PTD, 12, "I", 39), "header: 39 bytes long, expected at least 40", 12),
        (put(PTD, 16, "Q", 2**64 - 1), "header: flatbuffer ends at byte", 24),
        (put(PTD, 40, "Q", 2**64 - 1), "header: segments of", 32),
        (write_program(small_program()), "file identifier: not FT01", 4),
    ],
)
def test_a_bad_number_of_a_data_file_is_named_with_its_place(data, says, at):
    with pytest.raises(InvalidProgramError) as caught:
        read_ptd(data)
    assert says in caught.value.reason
    assert caught.value.byte_offset == at


def test_an_old_header_without_a_total_reaches_to_the_end_of_the_file():
    file = read_program(put(FILE, 12, "I", 24))
    assert bytes(file.segments[1]) == b"blob"


def test_a_longer_header_is_accepted():
    assert read_program(put(FILE, 12, "I", 1000)).layout.has_header


def test_a_segment_past_the_others_is_refused():
    data = write_program(small_program(), [Segment(bytes(12345))])
    at = data.index(struct.pack("<Q", 12345), 40)
    with pytest.raises(InvalidProgramError, match="segment 0: 12346 bytes at offset 0"):
        read_program(put(data, at, "Q", 12346))


def with_shared_method(methods: int, values: int) -> bytes:
    """A file whose methods are all the same table, so that its visits multiply."""
    program = small_program(values=[Record("Null")])
    large = small_program(values=[Record("Null")] * values).methods
    program.methods = program.methods * (methods - 1) + large
    data = bytearray(write_program(program))
    root = struct.unpack_from("<I", data, 0)[0]
    vtable = root - struct.unpack_from("<i", data, root)[0]
    slot = root + struct.unpack_from("<H", data, vtable + 4 + 2)[0]
    first = slot + struct.unpack_from("<I", data, slot)[0] + 4
    last = first + 4 * (methods - 1)
    target = last + struct.unpack_from("<I", data, last)[0]
    for at in range(first, last, 4):
        struct.pack_into("<I", data, at, target - at)
    return bytes(data)


def test_references_that_share_targets_cannot_cost_more_than_linear_time():
    assert len(read_program(with_shared_method(3, 5)).program.methods) == 3
    # Two million visits in a file of 300 kB; the refusal comes after as many as fit it.
    with pytest.raises(InvalidProgramError, match="too many references share"):
        read_program(with_shared_method(400, 5000))


@pytest.mark.parametrize("name", fixtures.names())
def test_every_truncation_of_a_stock_file_is_refused(name):
    data = fixtures.path(f"{name}.pte").read_bytes()
    for end in range(0, len(data), 97):
        with pytest.raises(InvalidProgramError):
            read_program(data[:end])
