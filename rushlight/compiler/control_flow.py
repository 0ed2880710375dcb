# SPDX-License-Identifier: BSD-3-Clause
"""cond, map, scan and while_loop as jumps, and calls of delegates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import GraphModule, Node

from rushlight.compiler.delegate_calls import delegate_call
from rushlight.compiler.linear import (
    PLANNED,
    JumpFalse,
    Label,
    Move,
    Number,
    Storage,
    Tensor,
)
from rushlight.compiler.tensors import order_of
from rushlight.errors import EmitError

if TYPE_CHECKING:
    from rushlight.compiler.linearize import Lowering


def call(lowering: Lowering, node: Node, name: str) -> Any:
    """Linearise a higher-order op; returns the slots of its results."""
    known: dict[str, Callable[[Lowering, Node], Any]] = {
        "cond": _cond,
        "map_impl": _map,
        "scan": _scan,
        "while_loop": _while_loop,
        "call_delegate": delegate_call,
    }
    if name not in known:
        raise EmitError(f"emit: {node.name}: {name} cannot be written", node.name)
    return known[name](lowering, node)


def _submodule(lowering: Lowering, node: Any) -> GraphModule:
    found: Any = lowering.module
    for part in str(node.target).split("."):
        found = getattr(found, part)
    assert isinstance(found, GraphModule)
    return found


def _run(
    lowering: Lowering, module: GraphModule, arguments: Sequence[int]
) -> list[int]:
    """Linearise a subgraph with its placeholders bound to slots; returns its results' slots."""
    placeholders = module.graph.find_nodes(op="placeholder")
    for placeholder, slot in zip(placeholders, arguments, strict=True):
        lowering.env[placeholder] = slot
    return [_slot(lowering, value) for value in lowering.walk(module)]


def _slot(lowering: Lowering, value: Any) -> int:
    if isinstance(value, Node):
        return int(lowering.lookup(value))
    return lowering.method.number(value)


def _results(lowering: Lowering, node: Node) -> list[int]:
    """A slot of its own for each result of the op."""
    vals = node.meta["val"]
    made = []
    for i, val in enumerate(vals if isinstance(vals, (list, tuple)) else [vals]):
        if isinstance(val, torch.Tensor):
            order = order_of(val, lowering.bounds, node.name)
            made.append(lowering.fresh(node, val, order, f"_{i}"))
        else:
            made.append(lowering.number_result(val, f"{node.name}_{i}"))
    return made


def _jump(lowering: Lowering, condition: int, target: Label) -> None:
    lowering.emit(JumpFalse(condition=condition, target=target))


def _cond(lowering: Lowering, node: Node) -> list[int]:
    predicate, then, other, *rest = node.args
    operands: Any = rest[0] if rest else ()
    slots = [_slot(lowering, operand) for operand in operands]
    results = _results(lowering, node)
    if not isinstance(predicate, Node):
        chosen = _run(
            lowering, _submodule(lowering, then if predicate else other), slots
        )
        _deliver(lowering, chosen, results, set())
        return results
    condition = _slot(lowering, predicate)
    false_branch, after = Label(), Label()
    _jump(lowering, condition, false_branch)
    _branch(lowering, then, slots, results)
    _jump(lowering, lowering.method.number(False), after)
    lowering.method.place(false_branch)
    _branch(lowering, other, slots, results)
    lowering.method.place(after)
    return results


def _branch(
    lowering: Lowering, graph: Any, slots: list[int], results: list[int]
) -> None:
    tensors = (v for v in lowering.method.values if isinstance(v, Tensor))
    outside = {v.storage.root for v in tensors}
    computed = _run(lowering, _submodule(lowering, graph), slots)
    _deliver(lowering, computed, results, outside)


def _deliver(
    lowering: Lowering, computed: list[int], results: list[int], outside: set[Storage]
) -> None:
    """Make each result what the branch computed.

    A tensor that the branch made lies in the result's memory from the start; then only a
    size not known before needs a move. Others are copied.
    """
    method = lowering.method
    for source, target in zip(computed, results, strict=True):
        if isinstance(method.values[target], Number):
            lowering.emit(Move(source=source, target=target))
            continue
        made, wanted = method.tensor(source), method.tensor(target)
        if _can_lie_in(made, wanted, outside):
            outside = outside | {wanted.storage.root}
            made.storage.join(wanted.storage)
            if made.is_dynamic or wanted.is_dynamic or made.sizes != wanted.sizes:
                lowering.emit(Move(source=source, target=target))
        else:
            lowering.copy(source, target)


def _can_lie_in(made: Tensor, wanted: Tensor, outside: set[Storage]) -> bool:
    root = made.storage.root
    is_own = root.kind == PLANNED and root not in outside
    same = made.dim_order == wanted.dim_order and made.itemsize == wanted.itemsize
    return is_own and same


def _map(lowering: Lowering, node: Node) -> list[int]:
    body, sequences, *rest = node.args
    others = [_slot(lowering, x) for x in (rest[0] if rest else ())]  # type: ignore[union-attr]
    loop = _SequenceLoop(lowering, node, [_slot(lowering, x) for x in sequences])  # type: ignore[union-attr]
    results = [loop.stacked(slot) for slot in _results(lowering, node)]
    loop.begin(results)
    computed = _run(lowering, _submodule(lowering, body), [*loop.slices, *others])
    for source, target in zip(computed, results, strict=True):
        loop.store(source, target)
    loop.end()
    return results


def _scan(lowering: Lowering, node: Node) -> list[int]:
    body, initial, sequences, *rest = node.args
    others = [_slot(lowering, x) for x in (rest[0] if rest else ())]  # type: ignore[union-attr]
    carried = [_slot(lowering, x) for x in initial]  # type: ignore[union-attr]
    loop = _SequenceLoop(lowering, node, [_slot(lowering, x) for x in sequences])  # type: ignore[union-attr]
    results = _results(lowering, node)
    carries, stacks = results[: len(carried)], results[len(carried) :]
    stacks = [loop.stacked(slot) for slot in stacks]
    for source, target in zip(carried, carries, strict=True):
        _assign(lowering, source, target)
    loop.begin([*carries, *stacks])
    computed = _run(
        lowering, _submodule(lowering, body), [*carries, *loop.slices, *others]
    )
    for source, target in zip(computed[len(carried) :], stacks, strict=True):
        loop.store(source, target)
    _carry(lowering, computed[: len(carried)], carries)
    loop.end()
    return [*carries, *stacks]


def _while_loop(lowering: Lowering, node: Node) -> list[int]:
    """The test comes first; the jump back is one that is never not taken."""
    test, body, initial, *rest = node.args
    others = [_slot(lowering, x) for x in (rest[0] if rest else ())]  # type: ignore[union-attr]
    carries = _results(lowering, node)
    for value, target in zip(initial, carries, strict=True):  # type: ignore[arg-type]
        _assign(lowering, _slot(lowering, value), target)
    method = lowering.method
    first, after = method.place(Label()), Label()
    (condition,) = _run(lowering, _submodule(lowering, test), [*carries, *others])
    _jump(lowering, condition, after)
    computed = _run(lowering, _submodule(lowering, body), [*carries, *others])
    _carry(lowering, computed, carries)
    _jump(lowering, method.number(False), first)
    method.place(after)
    method.loops.append((first, after))
    _keep(lowering, carries, first, after)
    return carries


def _assign(lowering: Lowering, source: int, target: int) -> None:
    if isinstance(lowering.method.values[target], Number):
        lowering.emit(Move(source=source, target=target))
    else:
        lowering.copy(source, target)


def _carry(lowering: Lowering, computed: list[int], carries: list[int]) -> None:
    """All carries at once: a new value that lies in another carry's memory is saved first."""
    method = lowering.method
    values = list(computed)
    for i, source in enumerate(values):
        elsewhere = [c for c in carries if c != carries[i]]
        if isinstance(method.values[source], Number):
            if source in elsewhere:
                values[i] = method.add(Number(0), f"{method.names[source]}_next")
                lowering.emit(Move(source=source, target=values[i]))
        elif method.tensor(source).storage.root in _roots(lowering, elsewhere):
            values[i] = lowering.like(source, f"{method.names[source]}_next")
            lowering.copy(source, values[i])
    for source, target in zip(values, carries, strict=True):
        if source != target:
            _assign(lowering, source, target)


def _roots(lowering: Lowering, slots: list[int]) -> list[Storage]:
    values = (lowering.method.values[slot] for slot in slots)
    return [v.storage.root for v in values if isinstance(v, Tensor)]


def _keep(lowering: Lowering, slots: list[int], first: Label, after: Label) -> None:
    for root in _roots(lowering, slots):
        lowering.method.kept.append((root, first, after))


class _SequenceLoop:
    """The frame of map and scan: one turn per row of the sequences, test at the end."""

    def __init__(self, lowering: Lowering, node: Node, sequences: list[int]) -> None:
        self._lowering = lowering
        self._node = node
        self._sequences = sequences
        self._first, self._after = Label(), Label()
        self.slices: list[int] = []

    def stacked(self, slot: int) -> int:
        """A result that grows row by row: its size changes while the method runs."""
        self._lowering.method.tensor(slot).is_dynamic = True
        return slot

    def begin(self, kept: list[int]) -> None:
        """Emit the row count, and open the loop with the slices of this turn."""
        lowering, method = self._lowering, self._lowering.method
        zero = method.number(0)
        self._count = method.add(Number(0), f"{self._node.name}_count")
        lowering.emit_call(
            "aten::sym_size.int", [self._sequences[0], zero, self._count]
        )
        self._index = method.add(Number(0), f"{self._node.name}_index")
        method.place(self._first)
        for sequence in self._sequences:
            row = self._row(sequence)
            self.slices.append(row)
            lowering.emit_call(
                "aten::select_copy.int_out", [sequence, zero, self._index], [row]
            )
        _keep(lowering, kept, self._first, self._after)

    def _row(self, sequence: int) -> int:
        """A slot for one row of a sequence."""
        method = self._lowering.method
        whole = method.tensor(sequence)
        name = f"{method.names[sequence]}_row"
        sizes, shape = whole.sizes[1:], whole.shape[1:]
        row = Tensor(
            whole.dtype, whole.itemsize, sizes, tuple(range(len(sizes))),
            Storage(name, 0), shape, any(not isinstance(s, int) for s in shape),
        )  # fmt: skip
        row.storage.nbytes = row.nbytes
        return method.add(row, name)

    def store(self, source: int, target: int) -> None:
        """Emit: row number `index` of `target` becomes `source`."""
        slots = [target, source, self._index]
        self._lowering.emit_call("executorch_prim::et_copy_index.tensor", slots)

    def end(self) -> None:
        """Emit the step, the test and the jump back; the counter is left at 0."""
        lowering, method = self._lowering, self._lowering.method
        done = method.add(Number(False), f"{self._node.name}_done")
        index = self._index
        lowering.emit_call(
            "executorch_prim::add.Scalar", [index, method.number(1), index]
        )
        lowering.emit_call("executorch_prim::eq.Scalar", [index, self._count, done])
        _jump(lowering, done, self._first)
        method.place(self._after)
        method.loops.append((self._first, self._after))
        lowering.emit_call("executorch_prim::sub.Scalar", [index, self._count, index])
