# SPDX-License-Identifier: BSD-3-Clause
"""The Python reader and the C++ verifier refuse the same files, for the same reason."""

import random
import struct

import pytest

import rushlight
from rushlight.errors import InvalidProgramError, RuntimeFailure
from rushlight.schema.reader import read_program
from rushlight.schema.writer import Segment, write_program
from tests import fixtures
from tests.runtime.mutations import altered
from tests.schema.records import small_program

OWN = write_program(small_program(), [Segment(b"weights!"), Segment(b"blob")])
# Checks that only one side makes: the reader decodes texts and cuts the segments, and
# lets vectors that are not sharing their elements cost as much as tables.
READER_ONLY = ("not UTF-8", "segment ", "too many references")


def refusal(data: bytes) -> tuple[str, int] | None:
    try:
        read_program(data)
    except InvalidProgramError as error:
        return error.reason, error.byte_offset
    return None


def runtime_refusal(data: bytes) -> tuple[str, int] | None:
    try:
        rushlight.load(data)
    except RuntimeFailure as error:
        at = -1 if error.byte_offset is None else error.byte_offset
        return str(error), at
    return None


def disagreement(data: bytes) -> str | None:
    ours, theirs = refusal(data), runtime_refusal(data)
    if ours is None or ours[0].startswith(READER_ONLY[1]) or "UTF-8" in ours[0]:
        return None
    if READER_ONLY[2] in ours[0]:
        return None
    if theirs is None:
        return f"reader: {ours}, runtime: accepts"
    if ours[0] not in theirs[0] or ours[1] != theirs[1]:
        return f"reader: {ours}, runtime: {theirs}"
    return None


@pytest.mark.parametrize("name", ["own", *fixtures.names("portable")[:6]])
def test_both_sides_name_the_same_fault(name):
    data = OWN if name == "own" else fixtures.path(f"{name}.pte").read_bytes()
    chance = random.Random(1)
    refused = 0
    for seed in range(400):
        changed = altered(data, seed)
        if seed % 5 == 0:  # aim at the vtables and references, which are small numbers
            out = bytearray(data)
            at = chance.randrange(8, len(out) - 4) & ~1
            struct.pack_into("<H", out, at, chance.randrange(64))
            changed = bytes(out)
        assert disagreement(changed) is None, seed
        refused += refusal(changed) is not None
    assert refused > 100
