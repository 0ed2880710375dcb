# SPDX-License-Identifier: BSD-3-Clause
"""The memory a method states is exactly what it takes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight
from rushlight import _runtime
from tests.support import Recorded, recorded_programs

CASES = [(p, name) for p in recorded_programs() for name in p.methods]


def open_raw(program: Recorded, name: str) -> tuple[_runtime.Program, int]:
    raw = _runtime.Program(str(program.path), [str(p) for p in program.data])
    return raw, raw.method_names().index(name)


@pytest.mark.parametrize(
    ("program", "name"), CASES, ids=lambda c: str(getattr(c, "name", c))
)
def test_the_stated_bytes_are_enough(program, name):
    raw, index = open_raw(program, name)
    method_nbytes, arenas = raw.needs(index)
    assert arenas == raw.arenas(index)
    _runtime.Method(raw, index, method_nbytes=method_nbytes, arena_nbytes=arenas)


@pytest.mark.parametrize(
    ("program", "name"), CASES, ids=lambda c: str(getattr(c, "name", c))
)
def test_one_byte_fewer_fails(program, name):
    raw, index = open_raw(program, name)
    method_nbytes, arenas = raw.needs(index)
    with pytest.raises(rushlight.errors.RuntimeFailure) as failure:
        _runtime.Method(
            raw, index, method_nbytes=method_nbytes - 1, arena_nbytes=arenas
        )
    assert failure.value.code == "MemoryAllocationFailed"
    for i, nbytes in enumerate(arenas):
        if nbytes:
            fewer = [*arenas[:i], nbytes - 1, *arenas[i + 1 :]]
            with pytest.raises(rushlight.errors.RuntimeFailure) as failure:
                _runtime.Method(raw, index, arena_nbytes=fewer)
            assert failure.value.code == "MemoryAllocationFailed"


@settings(max_examples=60, deadline=None)
@given(case=st.sampled_from(CASES), fraction=st.floats(0, 1.5))
def test_any_number_of_bytes_loads_or_is_refused(case, fraction):
    raw, index = open_raw(*case)
    need, arenas = raw.needs(index)
    nbytes = int(need * fraction)
    try:
        _runtime.Method(raw, index, method_nbytes=nbytes, arena_nbytes=arenas)
    except rushlight.errors.RuntimeFailure as failure:
        assert nbytes < need
        assert failure.code == "MemoryAllocationFailed"
    else:
        assert nbytes >= need


@settings(max_examples=60, deadline=None)
@given(case=st.sampled_from(CASES), data=st.data())
def test_any_arenas_load_or_are_refused(case, data):
    raw, index = open_raw(*case)
    _, need = raw.needs(index)
    given_nbytes = [data.draw(st.integers(0, 2 * n + 1)) for n in need]
    is_enough = all(g >= n for g, n in zip(given_nbytes, need, strict=True))
    try:
        _runtime.Method(raw, index, arena_nbytes=given_nbytes)
    except rushlight.errors.RuntimeFailure as failure:
        assert not is_enough
        assert failure.code == "MemoryAllocationFailed"
    else:
        assert is_enough


def test_figures_before_and_after_load_agree():
    for program, name in CASES:
        loaded = rushlight.load(program.path, data=program.data)
        assert loaded.memory(name) == loaded.method(name).memory
        assert loaded.memory(name).nbytes == sum(loaded.memory(name).arena_nbytes) + (
            loaded.memory(name).method_nbytes
        )
