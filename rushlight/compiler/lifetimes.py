# SPDX-License-Identifier: BSD-3-Clause
"""From linear form to buffers: who lives when, and who may lie where another has died.

Time 0 is entry, instruction i runs at time i + 1, and the results are read at the last
time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rushlight.compiler.linear import (
    CALLER,
    INPUT,
    PLANNED,
    STATE,
    JumpFalse,
    KernelCall,
    LinearMethod,
    ListOf,
    Number,
    Storage,
    Tensor,
)
from rushlight.compiler.plan import ALIGNMENT, Buffer


@dataclass
class Lives:
    """When each storage is touched, in order; loops make a touch last to their end."""

    touches: dict[Storage, list[int]] = field(default_factory=dict)
    end: int = 0

    def first(self, storage: Storage) -> int:
        """Time of the first touch."""
        return self.touches[storage.root][0]

    def last(self, storage: Storage) -> int:
        """Time of the last touch."""
        return self.touches[storage.root][-1]


def place(
    method: LinearMethod, alignment: int = ALIGNMENT, reuse_state: bool = True
) -> tuple[list[Storage], list[Buffer]]:
    """What the planner must place: storages and, in the same order, their buffers.

    Joins storages on the way: results that may be computed in the memory of mutable
    state, and results that may take over the memory of an argument that dies.
    """
    if reuse_state:
        _write_into_state(method)
    _take_over(method)
    _call_in_place(method)
    lives = find_lives(method)
    roots = list(lives.touches)
    buffers = [
        Buffer(
            root.name, root.nbytes, lives.first(root), lives.last(root), alignment,
            root.arena,
        )
        for root in roots
    ]  # fmt: skip
    return roots, buffers


def find_lives(method: LinearMethod) -> Lives:
    """The touches of every placed storage."""
    lives = Lives(end=len(method.instructions) + 1)
    for index in method.inputs:
        _touch(lives, method, index, 0)
    for state in method.states:
        lives.touches.setdefault(state.root, []).append(0)
    for i, instruction in enumerate(method.instructions):
        for index in instruction.slots:
            _touch(lives, method, index, i + 1)
    for storage, first, after in method.kept:
        if storage.is_placed:
            times = lives.touches.setdefault(storage.root, [])
            times += [first.at + 1, after.at]
            times.sort()
    _extend_over_loops(lives, method)
    for index in method.outputs:
        _touch(lives, method, index, lives.end)
    for state in method.states:
        lives.touches[state.root].append(lives.end)
    return lives


def _touch(lives: Lives, method: LinearMethod, index: int, time: int) -> None:
    for tensor in method.tensors_of(index):
        root = tensor.storage.root
        if root.kind in (PLANNED, INPUT, STATE):
            times = lives.touches.setdefault(root, [])
            if not times or times[-1] != time:
                times.append(time)


def _extend_over_loops(lives: Lives, method: LinearMethod) -> None:
    """What lives when a loop begins and is touched in it must last until its last turn."""
    for first, after in method.loops:
        begin, end = first.at + 1, after.at
        for times in lives.touches.values():
            inside = bisect_left(times, begin) < bisect_left(times, end + 1)
            if times[0] < begin and inside and end not in times:
                times.append(end)
                times.sort()


def _tensor_pairs(
    method: LinearMethod, call: KernelCall
) -> Iterator[tuple[Tensor, Tensor]]:
    for source, target in call.takeover:
        yield method.tensor(source), method.tensor(target)


def _is_alone(method: LinearMethod, call: KernelCall, shared: Tensor) -> bool:
    """Whether no other argument shows the same memory in another shape."""
    for index in call.args:
        for tensor in method.tensors_of(index):
            same = tensor.storage.root is shared.storage.root
            if same and (tensor.shape, tensor.dim_order) != (
                shared.shape, shared.dim_order,
            ):  # fmt: skip
                return False
    return True


def _write_into_state(method: LinearMethod) -> None:
    """Compute new state where the old one lies, if nothing reads the old one any more."""
    lives = find_lives(method)
    time_of = {id(call): i + 1 for i, call in enumerate(method.instructions)}
    needless = []
    for call in method.write_backs:
        target, source = method.tensor(call.args[0]), method.tensor(call.args[1])
        old, new = target.storage.root, source.storage.root
        if old is not new:
            copied = time_of[id(call)]
            if not _may_write_early(method, lives, copied, target, source):
                continue
            new.join(old)
            lives.touches[old] = sorted(lives.touches[old] + lives.touches.pop(new))
        needless.append(call)
    _drop(method, needless)


def _may_write_early(
    method: LinearMethod, lives: Lives, copied: int, target: Tensor, source: Tensor
) -> bool:
    """Whether `source` may lie in `target`'s memory instead of being copied at `copied`.

    Results that show the old state were copied by the boundary, so at the end nobody
    reads it.
    """
    old, new = target.storage.root, source.storage.root
    alike = (target.shape, target.dim_order, target.dtype) == (
        source.shape, source.dim_order, source.dtype,
    )  # fmt: skip
    if new.kind != PLANNED or old.kind not in (STATE, INPUT) or not alike:
        return False
    if (
        target.is_dynamic
        or new.nbytes > old.nbytes
        or new.arena not in (None, old.arena)
    ):
        return False
    written = lives.first(new)
    later = [
        t for t in lives.touches[old] if t >= written and t not in (copied, lives.end)
    ]
    return not later or (later == [written] and _writes_over(method, written, old, new))


def _writes_over(method: LinearMethod, time: int, old: Storage, new: Storage) -> bool:
    """Whether the instruction at `time` may read `old` while it writes `new` over it."""
    call = method.instructions[time - 1]
    if not isinstance(call, KernelCall):
        return False
    return any(
        a.storage.root is old and b.storage.root is new and _is_alone(method, call, a)
        for a, b in _tensor_pairs(method, call)
    )


def _take_over(method: LinearMethod) -> None:
    """Let results lie in the memory of an argument that nothing reads afterwards."""
    lives = find_lives(method)
    for i, call in enumerate(method.instructions):
        if not isinstance(call, KernelCall):
            continue
        for source, target in _tensor_pairs(method, call):
            old, new = source.storage.root, target.storage.root
            if old is new or old.kind not in (PLANNED, INPUT) or new.kind != PLANNED:
                continue
            dies = lives.last(old) == i + 1 and lives.first(new) == i + 1
            if dies and old.arena == new.arena and _is_alone(method, call, source):
                new.join(old)
                lives.touches[old] += lives.touches.pop(new)
                break


def _call_in_place(method: LinearMethod) -> None:
    """Where argument and result of one memory have an in-place op, call that."""
    for call in method.instructions:
        if not isinstance(call, KernelCall) or call.in_place is None:
            continue
        for source, target in call.takeover:
            one, other = method.tensor(source), method.tensor(target)
            if one.storage.root is other.storage.root and _is_plain_put(method, call):
                call.op = call.in_place
                call.args = [*call.args[:-2], source]
                break


def _is_plain_put(method: LinearMethod, call: KernelCall) -> bool:
    """Whether stock's ``index_put_`` can do it: whole rows by one list of numbers.

    It refuses or aborts (1.5.1) on other indices, on values that broadcast, and when it
    should accumulate; the out-variant over its own argument's memory does them all. Values
    that lack only dimensions of size 1 are shown in the full rank here.
    """
    into, indices, values, accumulate = call.args[:4]
    listed, flag = method.values[indices], method.values[accumulate]
    assert isinstance(listed, ListOf) and isinstance(flag, Number)
    given = [k for k, slot in enumerate(listed.items) if slot >= 0]
    if len(given) != 1 or flag.value or method.tensor(into).is_dynamic:
        return False
    put, at = method.tensor(values), method.tensor(listed.items[given[0]])
    if len(at.sizes) != 1 or at.is_dynamic or put.is_dynamic:
        return False
    sizes = list(method.tensor(into).sizes)
    sizes[given[0]] = at.sizes[0]
    if put.sizes == tuple(sizes):
        return True
    full = replace(
        put, sizes=tuple(sizes), shape=tuple(sizes), dim_order=tuple(range(len(sizes)))
    )
    shows_all = full.nbytes == put.nbytes and put.is_row_major
    if shows_all and put.storage.root.kind != CALLER:
        call.args[2] = method.add(full, f"{method.names[values]}_rows")
        return True
    return False


def _drop(method: LinearMethod, needless: list[KernelCall]) -> None:
    """Remove instructions; labels keep their place in the program."""
    gone = [
        i for i, c in enumerate(method.instructions) if any(c is n for n in needless)
    ]
    if not gone:
        return
    labels = {c.target for c in method.instructions if isinstance(c, JumpFalse)}
    labels |= {label for pair in method.loops for label in pair}
    labels |= {label for _, *pair in method.kept for label in pair}
    for label in labels:
        label.at -= bisect_left(gone, label.at)
    dropped = set(gone)
    method.instructions = [
        c for i, c in enumerate(method.instructions) if i not in dropped
    ]
