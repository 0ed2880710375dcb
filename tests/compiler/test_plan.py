# SPDX-License-Identifier: BSD-3-Clause
"""The law of the plan: no two buffers that live at once share a byte."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.compiler.plan import (
    Arena,
    ArenaPlan,
    Buffer,
    MemoryPlan,
    check_plan,
    lower_bound,
    plan_memory,
)
from rushlight.errors import PlanError


@st.composite
def buffer(draw, arenas=(None,)):
    first = draw(st.integers(0, 30))
    return Buffer(
        draw(st.sampled_from("abcdef")),
        draw(st.integers(0, 200)),
        first,
        first + draw(st.integers(0, 12)),
        draw(st.sampled_from([1, 4, 16, 64])),
        draw(st.sampled_from(arenas)),
    )


def overlaps(one, other, plan, i, j):
    in_time = one.first <= other.last and other.first <= one.last
    a, b = plan.offsets[i], plan.offsets[j]
    in_space = a < b + other.nbytes and b < a + one.nbytes
    return in_time and in_space and one.nbytes and other.nbytes


def clashes(buffers, plan):
    return [
        (i, j)
        for i, one in enumerate(buffers)
        for j, other in enumerate(buffers[:i])
        if plan.arena_of[i] == plan.arena_of[j] and overlaps(one, other, plan, i, j)
    ]


@settings(deadline=None, max_examples=200)
@given(st.lists(buffer(), max_size=25))
def test_no_two_live_buffers_overlap_and_all_lie_inside(buffers):
    plan = plan_memory(buffers)
    assert not clashes(buffers, plan)
    for one, offset in zip(buffers, plan.offsets, strict=True):
        assert offset % one.alignment == 0
        assert 0 <= offset <= plan.nbytes - one.nbytes
    assert plan.arenas[0].lower_bound == lower_bound(buffers) <= plan.nbytes


@settings(deadline=None, max_examples=200)
@given(
    st.lists(buffer(arenas=(None, "fast", "slow")), max_size=20), st.integers(0, 600)
)
def test_budgets_are_kept_or_the_buffers_are_named(buffers, budget):
    arenas = (Arena("fast", budget), Arena("slow"))
    try:
        plan = plan_memory(buffers, arenas)
    except PlanError as error:
        pinned = [b for b in buffers if b.arena == "fast"]
        assert set(error.buffers) <= {b.name for b in pinned}
        assert plan_memory(pinned, (Arena("fast"),)).nbytes > budget
        return
    assert plan.arenas[0].nbytes <= budget
    assert not clashes(buffers, plan)
    for one, number in zip(buffers, plan.arena_of, strict=True):
        assert one.arena in (None, plan.arenas[number].name)


@settings(deadline=None, max_examples=100)
@given(st.lists(buffer(), min_size=2, max_size=12), st.data())
def test_the_check_finds_every_overlap(buffers, data):
    offsets = tuple(data.draw(st.integers(0, 20)) * one.alignment for one in buffers)
    end = max(o + b.nbytes for o, b in zip(offsets, buffers, strict=True))
    plan = MemoryPlan((ArenaPlan("a", end, 0),), (0,) * len(buffers), offsets)
    if clashes(buffers, plan):
        with pytest.raises(PlanError, match="live at the same time and overlap"):
            check_plan(buffers, plan)
    else:
        check_plan(buffers, plan)


def test_the_same_buffers_give_the_same_plan():
    buffers = [Buffer(f"b{i}", 37 * i % 101, i % 7, i % 7 + i % 5) for i in range(60)]
    assert plan_memory(buffers) == plan_memory(list(buffers))


def test_a_chain_needs_its_two_biggest_neighbours():
    nbytes = [64, 4096, 1024, 2048, 4096, 16]
    buffers = [Buffer(f"t{i}", n, i, i + 1) for i, n in enumerate(nbytes)]
    plan = plan_memory(buffers)
    assert plan.nbytes == 2048 + 4096 + 1024 or plan.nbytes == 6144
    assert plan.arenas[0].ratio <= 1.05 or plan.nbytes == lower_bound(buffers)


@pytest.mark.parametrize(
    ("offset", "why"), [(8, "misaligned"), (4096, "outside its"), (-16, "outside its")]
)
def test_a_place_outside_or_misaligned_is_refused(offset, why):
    one = Buffer("x", 64, 0, 1)
    plan = MemoryPlan((ArenaPlan("a", 128, 64),), (0,), (offset,))
    with pytest.raises(PlanError, match=why):
        check_plan([one], plan)


def test_an_unknown_arena_is_refused():
    with pytest.raises(PlanError, match="asks for arena sram; there is activations"):
        plan_memory([Buffer("x", 4, 0, 0, arena="sram")])


def test_a_budget_that_cannot_hold_names_the_buffers():
    buffers = [Buffer("big", 900, 0, 3), Buffer("small", 200, 2, 3)]
    with pytest.raises(PlanError, match=r"budget of 1000 .* big \(900 B\), small") as e:
        plan_memory(buffers, [Arena("sram", 1000)])
    assert e.value.buffers == ("big", "small")


def test_thousands_of_buffers_take_well_under_a_second():
    buffers = [
        Buffer(f"b{i}", (i * 7919 % 997 + 1) * 16, i, i + 2 + i * 31 % 11)
        for i in range(4000)
    ]
    started = time.perf_counter()
    plan = plan_memory(buffers)
    assert (
        time.perf_counter() - started < 2
    )  # 0.6 s on a quiet core; two builds may run
    assert plan.arenas[0].ratio < 1.15
