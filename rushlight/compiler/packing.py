# SPDX-License-Identifier: BSD-3-Clause
"""Offsets for byte ranges that live over stretches of time: packing rectangles of fixed x."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

ROUNDS = 8
"""Attempts from one order; of 560 buffers of an unrolled LSTM most orders need 1 to 5."""

SEARCH_PLACEMENTS = 8000
"""How many single placements the search may spend; about 25 us each (one x86 core, 2026)."""


@dataclass
class Items:
    """What to pack, as arrays: item i occupies nbytes[i] during [first[i], last[i]]."""

    nbytes: Ints
    first: Ints
    last: Ints
    alignment: Ints

    def __len__(self) -> int:
        return len(self.nbytes)


@dataclass
class Packing:
    """One solution. ``peak`` is the number of bytes it needs."""

    offsets: Ints
    peak: int


def live_nbytes(items: Items) -> int:
    """The largest sum of simultaneously live bytes: no packing can need less."""
    times = np.concatenate([items.first, items.last + 1])
    change = np.concatenate([items.nbytes, -items.nbytes])
    by_time = np.lexsort((change, times))  # at one time, ends before beginnings
    return int(np.cumsum(change[by_time]).max(initial=0))


def fullest(items: Items) -> Ints:
    """The items alive at the moment with the most live bytes."""
    if not len(items):
        return np.zeros(0, np.int64)
    pressure = _pressure(items)
    t = int(pressure.argmax())
    return np.flatnonzero((items.first <= t) & (items.last >= t))


def pack(items: Items, placements: int = SEARCH_PLACEMENTS) -> Packing:
    """Place every item so that no two that live at once share a byte.

    Tries several orders, each by best fit and by lowest fit. After each attempt the items
    that ended above the lower bound move forward, before everything they met, and it is
    tried again. Stops when the bound is reached or after ``placements`` single placements
    (but never before one order is done). Same items, same answer.
    """
    whole = -(-items.nbytes // items.alignment) * items.alignment
    best = _search(Items(whole, items.first, items.last, items.alignment), placements)
    ends = best.offsets + items.nbytes
    return Packing(best.offsets, int(ends.max(initial=0)))


def _search(items: Items, placements: int) -> Packing:
    bound = live_nbytes(items)
    best: Packing | None = None
    for order in _orders(items):
        for is_best_fit in (True, False):
            attempt = order
            for _ in range(ROUNDS):
                if best and (best.peak <= bound or placements < len(items)):
                    return best
                found = place(items, attempt, is_best_fit)
                placements -= len(items)
                best = found if best is None or found.peak < best.peak else best
                attempt = _promoted(items, found, attempt, bound)
    assert best is not None
    return best


def place(items: Items, order: Sequence[int], is_best_fit: bool) -> Packing:
    """Put the items down one by one: into the tightest gap, or into the lowest that fits."""
    nbytes = items.nbytes
    ends = np.full(len(items), -1, np.int64)  # -1: not placed
    starts = np.zeros(len(items), np.int64)
    for i in order:
        live = (ends >= 0) & (items.first <= items.last[i])
        live &= items.last >= items.first[i]
        near = np.flatnonzero(live)
        alignment = int(items.alignment[i])
        if near.size == 0:
            starts[i] = 0
        elif near.size == 1:
            low = int(starts[near[0]])
            fits = nbytes[i] <= low
            starts[i] = 0 if fits else _round_up(int(ends[near[0]]), alignment)
        else:
            starts[i] = _gap(
                starts[near], ends[near], int(nbytes[i]), alignment, is_best_fit
            )
        ends[i] = starts[i] + nbytes[i]
    return Packing(starts, int(ends.max(initial=0)))


def _gap(
    starts: Ints, ends: Ints, nbytes: int, alignment: int, is_best_fit: bool
) -> int:
    """The offset for `nbytes` among the occupied ranges."""
    by_start = np.argsort(starts, kind="stable")
    below = np.maximum.accumulate(ends[by_start])
    low = np.concatenate(([0], -(-below // alignment) * alignment))
    room = starts[by_start] - low[:-1]
    fitting = np.flatnonzero(room >= nbytes)
    if fitting.size == 0:
        return int(low[-1])
    chosen = fitting[np.argmin(room[fitting])] if is_best_fit else fitting[0]
    return int(low[chosen])


def _round_up(n: int, alignment: int) -> int:
    return -(-n // alignment) * alignment


def _orders(items: Items) -> Iterator[list[int]]:
    nbytes, span = items.nbytes, items.last - items.first + 1
    number = np.arange(len(items))
    yield _sorted((number, items.first, -nbytes))
    yield _by_pressure(items)
    yield _sorted((number, -nbytes, -span))
    yield _sorted((number, -(nbytes * span)))
    yield _sorted((number, -nbytes, items.first))
    yield _sorted((number, -nbytes, -items.last))


def _sorted(keys: tuple[Ints, ...]) -> list[int]:
    return [int(i) for i in np.lexsort(keys)]


def _pressure(items: Items) -> Ints:
    """Live bytes at each moment."""
    change = np.zeros(int(items.last.max(initial=0)) + 2, np.int64)
    np.add.at(change, items.first, items.nbytes)
    np.add.at(change, items.last + 1, -items.nbytes)
    return np.cumsum(change)


def _by_pressure(items: Items) -> list[int]:
    """Items of the fullest moment first, big before small; then of the next, and so on."""
    pressure = _pressure(items)
    spans = zip(items.first, items.last, strict=True)
    worst = np.array([pressure[f : t + 1].max() for f, t in spans], np.int64)
    by_worst = np.lexsort((np.arange(len(items)), -items.nbytes, -worst))
    return [int(i) for i in by_worst]


def _promoted(items: Items, found: Packing, order: list[int], bound: int) -> list[int]:
    """The order with each item that ends above the bound before all it lives with."""
    order = list(order)
    ends = found.offsets + items.nbytes
    for i in [i for i in order if ends[i] > bound]:
        at = order.index(i)
        ahead = np.array(order[:at], np.int64)
        met = (items.first[ahead] <= items.last[i]) & (
            items.last[ahead] >= items.first[i]
        )
        if met.any():
            order.insert(int(met.argmax()), order.pop(at))
    return order
