# SPDX-License-Identifier: BSD-3-Clause
"""An Edge ExportedProgram to linear form: the only bridge from fx to the wire."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from rushlight.compiler import control_flow, views
from rushlight.compiler.arguments import ArgumentSlots
from rushlight.compiler.boundary import Boundary
from rushlight.compiler.linear import (
    Instruction,
    KernelCall,
    LinearMethod,
    ListOf,
    Number,
    Storage,
    Tensor,
)
from rushlight.compiler.origins import Frame, frame_of
from rushlight.compiler.sizes import Bounds
from rushlight.compiler.targets import LAYOUT_OPS, higher_order_name, row_name
from rushlight.compiler.tensors import meta_order, order_of, tensor_slot
from rushlight.compiler.wire import (
    IN_PLACE,
    SYMBOLIC_RESULT,
    WireOp,
    positional,
    wire_op,
)
from rushlight.errors import EmitError

ASSERTIONS = frozenset(
    {
        "aten._assert_async.msg",
        "aten._assert_scalar.default",
        "aten._assert_tensor_metadata.default",
        "aten.sym_constrain_range.default",
        "aten.sym_constrain_range_for_size.default",
    }
)
"""Checks made by export; nothing of them reaches the file."""


@dataclass(frozen=True)
class LinearizeOptions:
    """What the caller decides about memory and data.

    ``arena_of`` names the arena of a node's results, None for the planner's choice;
    ``external`` the ``.ptd`` of a constant's placeholder, None for this file.
    """

    plan_inputs: bool = True
    plan_outputs: bool = True
    elide_views: bool = True
    reuse_state: bool = True
    arena_of: Callable[[Node], str | None] = lambda node: node.meta.get("arena")
    external: Callable[[Node], str | None] = lambda node: None
    external_state: Callable[[Node], str | None] = lambda node: None
    traces: bool = True


class Lowering:
    """The state of linearising one ExportedProgram. Use ``linearize``."""

    def __init__(
        self, program: ExportedProgram, name: str, options: LinearizeOptions
    ) -> None:
        self.program = program
        self.options = options
        self.method = LinearMethod(name)
        self.bounds = Bounds(program)
        self.env: dict[Node, Any] = {}
        self.module: GraphModule = program.graph_module
        self.node: Node | None = None
        self.frame: Frame | None = None
        self.arguments = ArgumentSlots(self.method, self.lookup, self.rank0)
        self.boundary = Boundary(self)

    def run(self) -> LinearMethod:
        """The whole method."""
        self.boundary.inputs()
        self.walk(self.module)
        self.node = None
        self.boundary.outputs()
        return self.method

    def walk(self, module: GraphModule) -> list[Any]:
        """Linearise a graph whose placeholders are bound; returns its output arguments."""
        outer, self.module = self.module, module
        for node in module.graph.nodes:
            if node.op == "call_function":
                outside = self.node, self.frame
                self.node, self.frame = node, frame_of(node) or self.frame
                self.env[node] = self.call(node)
                self.node, self.frame = outside
            elif node.op == "output":
                self.module = outer
                returned = node.args[0]
                return (
                    list(returned)
                    if isinstance(returned, (list, tuple))
                    else [returned]
                )
        raise EmitError(f"emit: {self.method.name}: a graph has no output node")

    def lookup(self, node: Node) -> Any:
        """The slot of a node's result, or the list of slots of its results."""
        if node in self.env:
            return self.env[node]
        if node.op == "get_attr":
            found = self.env[node] = self._attribute(node)
            return found
        if node.op == "placeholder":
            found = self.env[node] = self.boundary.stored(node)
            return found
        raise EmitError(f"emit: {node.name} is used before it is computed", node.name)

    def call(self, node: Node) -> Any:
        """Linearise one call; returns its slot or slots."""
        target = node.target
        if target is operator.getitem:
            source, index = node.args
            return self.lookup(source)[index]  # type: ignore[arg-type]
        if isinstance(target, HigherOrderOperator):
            return control_flow.call(self, node, higher_order_name(node) or "")
        if not isinstance(target, OpOverload):
            return self._symbolic(node, f"{row_name(target)}")
        name = str(target)
        if name in ASSERTIONS:
            return None
        if name in SYMBOLIC_RESULT:
            return self._symbolic(node, name)
        if name in LAYOUT_OPS:
            return self._layout(node, target)
        elided = views.elide(self, node)
        if elided is not None:
            return elided
        return self._kernel(node, target)

    def emit(self, instruction: Instruction) -> None:
        """Append one instruction, with the present node as its origin."""
        if self.node is not None:
            instruction.origin = instruction.origin or self.node.name
            instruction.frame = self.frame
        self.method.instructions.append(instruction)

    def emit_call(
        self, op: str, args: Sequence[int], destinations: Sequence[int] = ()
    ) -> KernelCall:
        """Append a kernel call with its destinations and, if it has any, its return slot."""
        slots = [*args, *destinations]
        if len(destinations) == 1:
            slots.append(self._return_slot(destinations[0]))
        elif destinations:
            slots.append(self.method.add(ListOf("TensorList", tuple(destinations))))
        call = KernelCall(op=op, args=slots)
        self.emit(call)
        return call

    def _return_slot(self, destination: int) -> int:
        value = self.method.values[destination]
        if isinstance(value, ListOf):
            return self.method.add(ListOf(value.kind, value.items))
        return destination

    def fresh(
        self, node: Node, val: torch.Tensor, order: Sequence[int], suffix: str = ""
    ) -> int:
        """A slot with memory of its own for a result of `node`."""
        name = node.name + suffix
        storage = Storage(name, 0, arena=self.options.arena_of(node))
        return self.method.add(tensor_slot(val, order, self.bounds, storage), name)

    def like(self, index: int, name: str) -> int:
        """A slot with memory of its own, otherwise like the tensor in another slot."""
        tensor = self.method.tensor(index)
        storage = Storage(name, tensor.nbytes)
        copy = Tensor(
            tensor.dtype, tensor.itemsize, tensor.sizes, tensor.dim_order, storage,
            tensor.shape, tensor.is_dynamic,
        )  # fmt: skip
        return self.method.add(copy, name)

    def copy(self, source: int, target: int) -> None:
        """Emit: the bytes and sizes of `source` into `target`."""
        self.emit_call(
            "dim_order_ops::_clone_dim_order.out",
            [source, self.method.number(False), self.order_list(target)],
            [target],
        )

    def order_list(self, index: int) -> int:
        """The IntList slot that spells a tensor's dim order."""
        order = self.method.tensor(index).dim_order
        slots = tuple(self.method.number(d) for d in order)
        return self.method.add(ListOf("IntList", slots))

    def constant(self, tensor: torch.Tensor, name: str) -> int:
        """The slot of a constant made on the way (not a placeholder's)."""
        return self.boundary.constant(tensor, name, None)

    def rank0(self, value: Any, is_slot: bool) -> int:
        """A rank-0 tensor that holds a plain number, or the number in slot `value`."""
        node = self.node
        assert node is not None
        if not is_slot:
            return self.constant(torch.tensor(value), f"{node.name}_scalar")
        number = self.method.values[value]
        assert isinstance(number, Number)
        dtype = torch.tensor(number.value).dtype
        made = self.fresh(node, torch.empty((), dtype=dtype), (), "_scalar")
        self.emit_call("aten::scalar_tensor.out", [value], [made])
        return made

    def number_result(self, val: Any, name: str) -> int:
        """A slot that an instruction overwrites with a number of val's kind."""
        if isinstance(val, (torch.SymBool, bool)):
            return self.method.add(Number(False), name)
        if isinstance(val, (torch.SymFloat, float)):
            return self.method.add(Number(0.0), name)
        return self.method.add(Number(0), name)

    def _symbolic(self, node: Node, name: str) -> int:
        """Arithmetic on numbers, size queries: destination last, not repeated."""
        if name == "None":
            raise EmitError(
                f"emit: {node.name}: no instruction computes {node.target} at run time",
                node.name,
            )
        wire_name = SYMBOLIC_RESULT.get(name) or name.replace(".", "::", 1)
        kind = "Tensor" if name in SYMBOLIC_RESULT else "number"
        first, *rest = node.args
        args = [self.arguments.slot(kind, first)]
        args += [self.arguments.slot("number", arg) for arg in rest]
        result = self.number_result(node.meta.get("val"), node.name)
        self.emit_call(wire_name, [*args, result])
        return result

    def _layout(self, node: Node, target: OpOverload) -> int:
        """clone, _to_copy, empty: their files' form takes a dim order."""
        elided = views.elide(self, node)
        if elided is not None:
            return elided
        given = positional(target, node.args, node.kwargs)
        val = node.meta["val"]
        order = meta_order(node) or order_of(val, self.bounds, node.name)
        result = self.fresh(node, val, order)
        wire_name = LAYOUT_OPS[str(target)].removesuffix(".default") + ".out"
        first = given.get("self", given.get("size"))
        args = [
            self.arguments.slot(
                "List[int]" if "empty" in wire_name else "Tensor", first
            )
        ]
        if "empty" not in wire_name:
            args.append(self.method.number(False))
        call = self.emit_call(
            wire_name.replace(".", "::", 1), [*args, self.order_list(result)], [result]
        )
        self._note_takeover(call, args[0], result)
        return result

    def _kernel(self, node: Node, target: OpOverload) -> Any:
        wire = wire_op(target)
        given = positional(target, node.args, node.kwargs)
        args = [
            self.arguments.slot(p.type, given.get(p.name, p.default))
            for p in wire.parameters
        ]
        destinations, results = self._destinations(node, wire, args)
        call = self.emit_call(wire.name, args, destinations)
        call.in_place = IN_PLACE.get(wire.name)
        for parameter, slot in zip(wire.parameters, args, strict=True):
            if parameter.name in wire.alias:
                self._note_takeover(call, slot, destinations[0])
        return results

    def _destinations(
        self, node: Node, wire: WireOp, args: Sequence[int]
    ) -> tuple[list[int], Any]:
        """Destination slots of a call, and what the graph sees of them."""
        val = node.meta["val"]
        if "nonzero" in wire.name or "masked_select" in wire.name:
            self._limit_rows(val, args)
        if wire.destinations == ("List[Tensor]",):
            items = self._tensors(node, wire, args, list(val))
            return [self.method.add(ListOf("TensorList", tuple(items)))], items
        if len(wire.destinations) == 1:
            single = isinstance(val, torch.Tensor)
            made = self._tensors(node, wire, args, [val] if single else list(val))
            return made, made[0] if single else made
        made = self._tensors(node, wire, args, list(val))
        return made, made

    def _tensors(
        self, node: Node, wire: WireOp, args: Sequence[int], vals: list[Any]
    ) -> list[int]:
        several = len(vals) > 1
        made = []
        for i, val in enumerate(vals):
            order = meta_order(node, i if several else None)
            order = order or self._natural_order(wire, args, val, node.name)
            made.append(self.fresh(node, val, order, f"_{i}" if several else ""))
        return made

    def _natural_order(
        self, wire: WireOp, args: Sequence[int], val: torch.Tensor, name: str
    ) -> tuple[int, ...]:
        """The row's rule: row-major, or that of the first tensor argument of the rank."""
        row_major = tuple(range(val.dim()))
        if wire.is_view or (wire.row and wire.row.layout != "any"):
            return row_major
        for index in args:
            for tensor in self.method.tensors_of(index):
                if len(tensor.sizes) == val.dim():
                    return tensor.dim_order
        return row_major

    def _limit_rows(self, val: torch.Tensor, args: Sequence[int]) -> None:
        """A data-dependent number of rows is at most the number of elements looked at."""
        most = 1
        for size in self.method.tensor(args[0]).sizes:
            most *= size
        for size in val.shape:
            self.bounds.limit(size, most)

    def _note_takeover(self, call: KernelCall, source: int, target: int) -> None:
        """Record that the result may be in the argument's memory, if their bytes agree."""
        one, other = self.method.values[source], self.method.values[target]
        if not isinstance(one, Tensor) or not isinstance(other, Tensor):
            return
        if (one.shape, one.dim_order, one.itemsize) == (
            other.shape, other.dim_order, other.itemsize,
        ):  # fmt: skip
            call.takeover.append((source, target))

    def _attribute(self, node: Node) -> int:
        value: Any = self.module
        for part in str(node.target).split("."):
            value = getattr(value, part)
        if not isinstance(value, torch.Tensor):
            raise EmitError(
                f"emit: {node.name}: {node.target} is not a tensor", node.name
            )
        return self.constant(value, str(node.target))


def linearize(
    program: ExportedProgram, name: str, options: LinearizeOptions | None = None
) -> LinearMethod:
    """One Edge ExportedProgram as instructions over values.

    Raises: EmitError naming the node for what a Program cannot hold.
    """
    return Lowering(program, name, options or LinearizeOptions()).run()
