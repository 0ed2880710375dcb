# SPDX-License-Identifier: BSD-3-Clause
"""The header blocks at byte 8 of ``.pte`` and ``.ptd`` files; twin of ``header.h``."""

import struct
from dataclasses import dataclass

from rushlight.errors import InvalidProgramError

# A reader fetches this much before anything else, so no file is shorter.
LEAST_FILE_NBYTES = 64
# The format's offsets are signed 32-bit numbers.
MOST_FLATBUFFER_NBYTES = 2**31 - 1


@dataclass(frozen=True)
class FileLayout:
    """Where the parts of a file are, all of them inside it; twin of the C++ struct."""

    has_header: bool
    flatbuffer_nbytes: int  # from byte 0 of the file, an inserted header included
    segment_base: int  # file position that segment offsets count from
    segment_nbytes: int  # from the base to the end of the last segment


def parse_program_header(data: bytes | memoryview) -> FileLayout:
    """The layout of a ``.pte`` file. Raises InvalidProgramError.

    Without the header ``eh00`` the whole file is the flatbuffer, and has no segments.
    """
    _check_head(data, b"ET12")
    if data[8:12] != b"eh00":
        return FileLayout(False, _flatbuffer_nbytes(data, 0, len(data)), 0, 0)
    header_nbytes, end, base, total = struct.unpack_from("<IQQQ", data, 12)
    if header_nbytes < 24:
        raise InvalidProgramError(
            f"header: {header_nbytes} bytes long, expected at least 24", 12
        )
    end = _flatbuffer_nbytes(data, 16, end)
    return _segments(data, end, 24, base, total if header_nbytes >= 32 else 0)


def parse_ptd_header(data: bytes | memoryview) -> FileLayout:
    """The layout of a ``.ptd`` file. Raises InvalidProgramError."""
    _check_head(data, b"FT01")
    if data[8:12] != b"FH01":
        raise InvalidProgramError("header: not FH01", 8)
    header_nbytes, offset, nbytes, base, total = struct.unpack_from("<IQQQQ", data, 12)
    if header_nbytes < 40:
        raise InvalidProgramError(
            f"header: {header_nbytes} bytes long, expected at least 40", 12
        )
    end = _flatbuffer_nbytes(data, 24, offset + nbytes)
    return _segments(data, end, 32, base, total)


def _check_head(data: bytes | memoryview, identifier: bytes) -> None:
    if len(data) < LEAST_FILE_NBYTES:
        raise InvalidProgramError(
            f"file: {len(data)} bytes long, expected at least {LEAST_FILE_NBYTES}", 0
        )
    if data[4:8] != identifier:
        raise InvalidProgramError(f"file identifier: not {identifier.decode()}", 4)


def _flatbuffer_nbytes(data: bytes | memoryview, field: int, nbytes: int) -> int:
    if nbytes > len(data):
        raise InvalidProgramError(
            f"header: flatbuffer ends at byte {nbytes}, expected at most {len(data)}, "
            "the file's length",
            field,
        )
    if nbytes > MOST_FLATBUFFER_NBYTES:
        raise InvalidProgramError(
            f"flatbuffer: {nbytes} bytes, expected at most {MOST_FLATBUFFER_NBYTES}",
            field,
        )
    return nbytes


def _segments(
    data: bytes | memoryview, flatbuffer_nbytes: int, field: int, base: int, total: int
) -> FileLayout:
    """Old writers leave the total out: the segments may then reach to the file's end."""
    if total == 0:
        base = min(base, len(data))
        rest = len(data) - base if base else 0
        return FileLayout(True, flatbuffer_nbytes, base, rest)
    if base + total > len(data):
        raise InvalidProgramError(
            f"header: segments of {total} bytes from byte {base}, but the file ends at "
            f"byte {len(data)}",
            field,
        )
    return FileLayout(True, flatbuffer_nbytes, base, total)
