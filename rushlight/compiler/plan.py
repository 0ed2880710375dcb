# SPDX-License-Identifier: BSD-3-Clause
"""The memory plan: lifetimes to offsets, and the proof that no two live buffers overlap.

Knows nothing of graphs. A buffer is a number of bytes that live from one instruction to
another; the answer says in which arena and at which offset.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rushlight.compiler.packing import Items, fullest, live_nbytes, pack
from rushlight.errors import PlanError

ALIGNMENT = 16
"""Bytes. What the stock runtime's offsets are multiples of, and our kernels expect."""


@dataclass(frozen=True)
class Buffer:
    """Bytes that live from instruction ``first`` to instruction ``last``, both included.

    ``arena`` names the arena it must be in; None leaves the choice to the planner, which
    prefers earlier arenas.
    """

    name: str
    nbytes: int
    first: int
    last: int
    alignment: int = ALIGNMENT
    arena: str | None = None


@dataclass(frozen=True)
class Arena:
    """One memory to plan into, in order of preference. ``budget`` in bytes; None is no limit.

    ``slack`` bytes are added behind the planned ones (a library that reads past its input).
    """

    name: str = "activations"
    budget: int | None = None
    slack: int = 0


@dataclass(frozen=True)
class ArenaPlan:
    """What one arena needs. ``lower_bound`` is the largest sum of live bytes in it."""

    name: str
    nbytes: int
    lower_bound: int
    budget: int | None = None

    @property
    def ratio(self) -> float:
        """nbytes / lower_bound, 1.0 for an empty arena; 1.0 cannot be beaten."""
        return self.nbytes / self.lower_bound if self.lower_bound else 1.0


@dataclass(frozen=True)
class MemoryPlan:
    """Where each buffer is: ``arena_of[i]`` indexes ``arenas``, ``offsets[i]`` in bytes."""

    arenas: tuple[ArenaPlan, ...]
    arena_of: tuple[int, ...]
    offsets: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Sum over the arenas."""
        return sum(arena.nbytes for arena in self.arenas)

    @property
    def lower_bound(self) -> int:
        """Sum of the arenas' lower bounds."""
        return sum(arena.lower_bound for arena in self.arenas)


def plan_memory(
    buffers: Sequence[Buffer], arenas: Sequence[Arena] = (Arena(),)
) -> MemoryPlan:
    """Give every buffer an arena and an offset.

    Buffers without an arena go to the first one; what does not fit its budget spills to
    the next. The plan is checked before it is returned.

    Raises: PlanError naming the buffers if a budget cannot be kept, if a buffer asks for
    an arena that does not exist, or if the plan were wrong.
    """
    arena_of = [_asked_arena(buffer, arenas) for buffer in buffers]
    offsets = [0] * len(buffers)
    plans = []
    for number, arena in enumerate(arenas):
        chosen = [i for i, a in enumerate(arena_of) if a == number]
        last = number == len(arenas) - 1
        chosen, peak = _fit(buffers, chosen, arena, offsets, can_spill=not last)
        for i in set(i for i, a in enumerate(arena_of) if a == number) - set(chosen):
            arena_of[i] = number + 1
        bound = live_nbytes(_items(buffers[i] for i in chosen))
        used = peak + (arena.slack if chosen else 0)
        plans.append(ArenaPlan(arena.name, used, bound, arena.budget))
    plan = MemoryPlan(tuple(plans), tuple(arena_of), tuple(offsets))
    check_plan(buffers, plan)
    return plan


def lower_bound(buffers: Iterable[Buffer]) -> int:
    """The largest sum of simultaneously live bytes."""
    return live_nbytes(_items(buffers))


def check_plan(buffers: Sequence[Buffer], plan: MemoryPlan) -> None:
    """Prove that the plan is sound.

    Raises: PlanError if two buffers that live at the same time share a byte, or one is
    misaligned, outside its arena, or in another arena than it asked for.
    """
    for buffer, offset, number in zip(
        buffers, plan.offsets, plan.arena_of, strict=True
    ):
        _check_place(buffer, offset, plan.arenas[number])
    for number in range(len(plan.arenas)):
        inside = [i for i, a in enumerate(plan.arena_of) if a == number]
        _check_disjoint(buffers, plan.offsets, inside)


def _check_place(buffer: Buffer, offset: int, arena: ArenaPlan) -> None:
    if buffer.arena not in (None, arena.name):
        raise PlanError(
            f"plan: {buffer.name} asks for arena {buffer.arena}, got {arena.name}",
            [buffer.name],
        )
    if offset % buffer.alignment or not 0 <= offset <= arena.nbytes - buffer.nbytes:
        raise PlanError(
            f"plan: {buffer.name} at offset {offset} of arena {arena.name} is misaligned "
            f"(wants {buffer.alignment}) or outside its {arena.nbytes} bytes",
            [buffer.name],
        )


def _check_disjoint(
    buffers: Sequence[Buffer], offsets: Sequence[int], inside: list[int]
) -> None:
    """Compare each buffer with the ones that begin at or after it in memory, below its end."""
    inside = [i for i in inside if buffers[i].nbytes]
    inside.sort(key=lambda i: offsets[i])
    starts = np.array([offsets[i] for i in inside], np.int64)
    first = np.array([buffers[i].first for i in inside], np.int64)
    last = np.array([buffers[i].last for i in inside], np.int64)
    for k, i in enumerate(inside):
        end = int(np.searchsorted(starts, offsets[i] + buffers[i].nbytes))
        clash = (first[k + 1 : end] <= buffers[i].last) & (
            last[k + 1 : end] >= buffers[i].first
        )
        if clash.any():
            other = buffers[inside[k + 1 + int(clash.argmax())]]
            raise PlanError(
                f"plan: {buffers[i].name} and {other.name} live at the same time and overlap",
                [buffers[i].name, other.name],
            )


def _asked_arena(buffer: Buffer, arenas: Sequence[Arena]) -> int:
    if buffer.arena is None:
        return 0
    for number, arena in enumerate(arenas):
        if arena.name == buffer.arena:
            return number
    known = ", ".join(arena.name for arena in arenas)
    raise PlanError(
        f"plan: {buffer.name} asks for arena {buffer.arena}; there is {known}",
        [buffer.name],
    )


def _items(buffers: Iterable[Buffer]) -> Items:
    rows = [(b.nbytes, b.first, b.last, b.alignment) for b in buffers]
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return Items(*columns)


def _fit(
    buffers: Sequence[Buffer],
    chosen: list[int],
    arena: Arena,
    offsets: list[int],
    can_spill: bool,
) -> tuple[list[int], int]:
    """Pack `chosen` into the arena, dropping buffers until its budget holds.

    Writes the offsets; returns what stayed and the peak.
    """
    room = None if arena.budget is None else arena.budget - arena.slack
    while True:
        items = _items(buffers[i] for i in chosen)
        needed = live_nbytes(items)  # packing is not worth trying above the budget
        if room is None or needed <= room:
            packing = pack(items)
            needed = packing.peak
            if room is None or needed <= room:
                break
        spilled = _choose_spill(buffers, chosen, needed - room) if can_spill else None
        if spilled is None:
            raise _over_budget(buffers, chosen, arena, needed)
        chosen = [i for i in chosen if i != spilled]
    for i, offset in zip(chosen, packing.offsets.tolist(), strict=True):
        offsets[i] = offset
    return chosen, packing.peak


def _choose_spill(
    buffers: Sequence[Buffer], chosen: list[int], excess: int
) -> int | None:
    """A movable buffer of the fullest moment: the smallest that covers the excess, else the biggest."""
    busy = _fullest(buffers, chosen)
    free = [i for i in chosen if buffers[i].arena is None and buffers[i].nbytes]
    movable = [i for i in free if i in set(busy)] or free
    if not movable:
        return None
    enough = [i for i in movable if buffers[i].nbytes >= excess]
    if enough:
        return min(enough, key=lambda i: (buffers[i].nbytes, i))
    return max(movable, key=lambda i: (buffers[i].nbytes, -i))


def _fullest(buffers: Sequence[Buffer], chosen: list[int]) -> list[int]:
    """The buffers alive at the moment with the most live bytes."""
    return [chosen[k] for k in fullest(_items(buffers[i] for i in chosen))]


def _over_budget(
    buffers: Sequence[Buffer], chosen: list[int], arena: Arena, peak: int
) -> PlanError:
    busy = [i for i in _fullest(buffers, chosen) if buffers[i].nbytes]
    busy.sort(key=lambda i: (-buffers[i].nbytes, buffers[i].name))
    listed = ", ".join(f"{buffers[i].name} ({buffers[i].nbytes} B)" for i in busy[:8])
    more = f" and {len(busy) - 8} more" if len(busy) > 8 else ""
    return PlanError(
        f"plan: arena {arena.name} has a budget of {arena.budget} bytes and needs "
        f"{peak + arena.slack}; alive together at the fullest moment: {listed}{more}",
        [buffers[i].name for i in busy],
    )
