# SPDX-License-Identifier: BSD-3-Clause
"""What enters and leaves a method: inputs, stored tensors, mutated state, results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.fx import Node

from rushlight.compiler.linear import (
    CALLER,
    CONSTANT,
    INPUT,
    PLANNED,
    STATE,
    Number,
    Storage,
    Tensor,
)
from rushlight.compiler.tensors import (
    content_key,
    dim_order,
    memory_bytes,
    meta_order,
    order_of,
    tensor_slot,
)
from rushlight.errors import EmitError

if TYPE_CHECKING:
    from rushlight.compiler.linearize import Lowering

STORED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
MUTATIONS = {
    getattr(OutputKind, name)
    for name in ("BUFFER_MUTATION", "PARAMETER_MUTATION", "USER_INPUT_MUTATION")
    if hasattr(OutputKind, name)
}


class Boundary:
    """The two ends of one Lowering."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._method = lowering.method
        self._program = lowering.program
        self._slots: dict[tuple[Any, ...], int] = {}
        self._read: dict[int, tuple[bytes, str]] = {}
        signature = self._program.graph_signature
        self._specs = {
            getattr(spec.arg, "name", None): spec for spec in signature.input_specs
        }
        self._mutated = {
            spec.target for spec in signature.output_specs if spec.kind in MUTATIONS
        }

    def inputs(self) -> None:
        """Give each user input a slot, in call order, and each mutated buffer its state."""
        for node in self._lowering.program.graph.find_nodes(op="placeholder"):
            spec = self._specs[node.name]
            if spec.kind == InputKind.USER_INPUT:
                slot = self._input(node, spec.arg)
                self._lowering.env[node] = slot
                self._method.inputs.append(slot)
            elif spec.kind in STORED and spec.target in self._mutated:
                self._lowering.env[node] = self._state(node, spec.target)

    def _input(self, node: Node, argument: Any) -> int:
        val = node.meta.get("val")
        if isinstance(argument, ConstantArgument):
            return self._method.add(Number(argument.value), node.name)
        if not isinstance(val, torch.Tensor):
            raise EmitError(
                f"argument {node.name} is a number that may vary; a Program takes those as "
                f"tensors: pass torch.tensor({node.name}) and read it with .item(), or "
                "declare it fixed",
                node.name,
            )
        # A mutated input is also an output, and only planned memory can be both.
        is_planned = self._lowering.options.plan_inputs or node.name in self._mutated
        kind = INPUT if is_planned else CALLER
        arena = self._lowering.options.arena_of(node)
        storage = Storage(node.name, 0, kind, arena=arena, fqn=node.name)
        bounds = self._lowering.bounds
        order = meta_order(node) or order_of(val, bounds, node.name)
        return self._method.add(tensor_slot(val, order, bounds, storage), node.name)

    def stored(self, node: Node) -> int:
        """The slot of a parameter, buffer or constant that nothing changes."""
        spec = self._specs.get(node.name)
        if spec is None or spec.kind not in STORED:
            kind = spec.kind.name.lower() if spec else "unknown"
            raise EmitError(
                f"emit: {node.name}: an input of kind {kind} cannot be stored in a Program",
                node.name,
            )
        tensor = self._tensor_of(spec.target)
        return self.constant(tensor, spec.target, node)

    def constant(self, tensor: torch.Tensor, fqn: str, node: Node | None) -> int:
        """The slot of a constant; equal contents with equal shape share one."""
        order = (meta_order(node) if node else None) or _stored_order(tensor)
        data, key = self._bytes(tensor, order)
        external = self._lowering.options.external(node) if node else None
        identity = (key, tuple(tensor.shape), order, tensor.dtype, external and fqn)
        if identity not in self._slots:
            storage = Storage(
                fqn, 0, CONSTANT, data=data, key=key, external=external, fqn=fqn
            )
            slot = tensor_slot(tensor, order, self._lowering.bounds, storage)
            self._slots[identity] = self._method.add(slot, fqn)
        return self._slots[identity]

    def _state(self, node: Node, target: str) -> int:
        """The slot of a mutable buffer: planned memory for the whole method."""
        tensor = self._tensor_of(target)
        order = meta_order(node) or _stored_order(tensor)
        data, key = self._bytes(tensor, order)
        options = self._lowering.options
        storage = Storage(node.name, 0, STATE, options.arena_of(node), fqn=target)
        if any(data):
            storage.data, storage.key = data, key
            storage.external = options.external_state(node)
        self._method.states.append(storage)
        slot = tensor_slot(tensor, order, self._lowering.bounds, storage)
        return self._method.add(slot, node.name)

    def _tensor_of(self, target: str) -> torch.Tensor:
        found = self._program.state_dict.get(target)
        found = self._program.constants.get(target) if found is None else found
        if not isinstance(found, torch.Tensor):
            what = type(found).__name__
            raise EmitError(
                f"emit: {target} is a {what}, expected a stored tensor", target
            )
        return found

    def _bytes(self, tensor: torch.Tensor, order: tuple[int, ...]) -> tuple[bytes, str]:
        data = memory_bytes(tensor, order)
        return data, content_key(data)

    def outputs(self) -> None:
        """Write state back and list the results: mutated inputs first, then the user's."""
        specs = self._program.graph_signature.output_specs
        returned = self._program.graph.output_node().args[0]
        assert isinstance(returned, (list, tuple))
        mutations: list[tuple[int, int]] = []
        results: list[Any] = []
        for spec, argument in zip(specs, returned, strict=True):
            if spec.kind in MUTATIONS:
                mutations.append((self._result(argument), self._home(spec)))
            elif spec.kind == OutputKind.USER_OUTPUT:
                results.append(self._result(argument))
        changed = [self._method.tensor(t).storage for _, t in mutations]
        results = self._settle_all(results, changed)
        self._write_back(mutations)
        self._method.outputs = self._method.outputs + results

    def _home(self, spec: Any) -> int:
        """The slot that a mutation goes to."""
        is_input = spec.kind == OutputKind.USER_INPUT_MUTATION
        for node in self._program.graph.find_nodes(op="placeholder"):
            if spec.target == (
                node.name if is_input else self._specs[node.name].target
            ):
                home = int(self._lowering.lookup(node))
                if is_input:
                    self._method.outputs.append(home)
                    self._method.written_back += 1
                return home
        raise EmitError(f"emit: the mutated {spec.target} is not an input of the graph")

    def _result(self, argument: Any) -> int:
        if isinstance(argument, Node):
            return int(self._lowering.lookup(argument))
        return self._method.add(Number(argument))

    def _settle_all(self, results: list[int], changed: list[Storage]) -> list[int]:
        """The slots to return. Two results in one planned memory may be one slot; the
        caller's memories are two."""
        settled: dict[int, int] = {}
        returned = []
        for slot in results:
            if slot not in settled:
                settled[slot] = self._settled(slot, changed)
            elif self._is_callers(settled[slot]):
                settled[slot] = self._for_caller(self._copied(settled[slot]))
            returned.append(settled[slot])
        return returned

    def _is_callers(self, slot: int) -> bool:
        value = self._method.values[slot]
        return isinstance(value, Tensor) and value.storage.kind == CALLER

    def _settled(self, slot: int, changed: list[Storage]) -> int:
        """The slot to return for a result: a copy where its memory is not its own.

        State that is about to change must be copied before; memory that the caller
        supplies must be written by an instruction.
        """
        value = self._method.values[slot]
        if not isinstance(value, Tensor):
            return slot
        if value.storage in changed:
            slot = self._copied(slot)
        kind = self._method.tensor(slot).storage.kind
        if kind == CONSTANT or (self._lowering.options.plan_outputs and kind != CALLER):
            return slot
        return self._for_caller(slot)

    def _for_caller(self, slot: int) -> int:
        """Make the slot's memory the caller's, or copy to one whose memory is."""
        storage = self._method.tensor(slot).storage
        values = self._method.values
        shown = sum(isinstance(v, Tensor) and v.storage.root is storage for v in values)
        if storage.root.kind != PLANNED or shown != 1:
            slot = self._copied(slot)
            storage = self._method.tensor(slot).storage
        if not self._lowering.options.plan_outputs:
            storage.kind = CALLER
        return slot

    def _copied(self, slot: int) -> int:
        copy = self._lowering.like(slot, f"{self._method.names[slot]}_out")
        self._lowering.copy(slot, copy)
        return copy

    def _write_back(self, mutations: list[tuple[int, int]]) -> None:
        """Emit the copies into state; what reads state that another copy changes goes first."""
        method, lowering = self._method, self._lowering
        homes = [method.tensor(target).storage for _, target in mutations]
        settled = []
        for source, target in mutations:
            storage = method.tensor(source).storage
            if storage in homes and storage is not method.tensor(target).storage:
                source = self._copied(source)
            settled.append((source, target))
        for source, target in settled:
            if source == target:
                continue
            args = [target, source, method.number(False)]
            call = lowering.emit_call("aten::copy_", [*args, target])
            call.origin = method.names[target]
            method.write_backs.append(call)


def _stored_order(tensor: torch.Tensor) -> tuple[int, ...]:
    order = dim_order(tuple(tensor.shape), tensor.stride())
    return order or tuple(range(tensor.dim()))
