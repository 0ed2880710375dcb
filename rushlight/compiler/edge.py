# SPDX-License-Identifier: BSD-3-Clause
"""ATen dialect to Edge dialect: functional ops of the op table, scalars typed, no assertions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node

from rushlight.compiler.targets import LAYOUT_OPS
from rushlight.compiler.torch_compat import (
    add_constant,
    decompose,
    fake_mode,
    sync_outputs,
)
from rushlight.ops.table import load_table

aten = torch.ops.aten

RENAMED: dict[Any, Any] = {
    aten._unsafe_view.default: aten.view.default,
    aten.reshape.default: aten.view.default,
    aten._reshape_alias.default: aten.view.default,
    aten.view_copy.default: aten.view.default,
    aten.permute_copy.default: aten.permute.default,
    aten.__lshift__.Scalar: aten.bitwise_left_shift.Tensor_Scalar,
    aten.__lshift__.Tensor: aten.bitwise_left_shift.Tensor,
    aten.__rshift__.Scalar: aten.bitwise_right_shift.Tensor_Scalar,
    aten.__rshift__.Tensor: aten.bitwise_right_shift.Tensor,
}
"""Other spellings of one op; extra trailing arguments are dropped."""

IDENTITY = frozenset(
    {
        aten.alias.default,
        aten.alias_copy.default,
        aten.detach.default,
        aten.detach_copy.default,
        aten.lift_fresh.default,
    }
)
"""Ops that are their first argument once the program is functional."""

SPELLED_OTHERWISE = frozenset(
    {aten.t.default, aten.transpose.int, aten.tril.default, aten.triu.default}
)
"""Rows for files of others. Ours say ``permute``, so that passes know one op, and a triangle
is a comparison of positions: stock's own kernel for it leaves stale bytes, 2026."""

ASSERTIONS = frozenset(
    {
        "_assert_async",
        "_assert_scalar",
        "_assert_tensor_metadata",
        "sym_constrain_range",
        "sym_constrain_range_for_size",
    }
)
"""Facts checked by export. They become range constraints and leave the graph."""


def to_edge_dialect(
    program: ExportedProgram, keep: Collection[Any] = ()
) -> ExportedProgram:
    """A new program in Edge dialect; `program` is untouched, its tensors are shared.

    ``keep`` names overloads not to decompose besides the rows: what the chosen backends
    claim.
    """
    rows = rows_as_overloads() - SPELLED_OTHERWISE
    edge = decompose(program, rows | IDENTITY | set(keep))
    for module in graph_modules(edge.graph_module):
        _Rewrite(edge, module).run()
    sync_outputs(edge)
    edge.graph_module.recompile()
    return edge


@cache
def rows_as_overloads() -> frozenset[OpOverload]:
    """Every row of the op table that torch knows, as torch's own object."""
    names = [*load_table(), *LAYOUT_OPS]
    return frozenset(op for name in names if (op := overload(name)) is not None)


def overload(name: str) -> OpOverload | None:
    """``aten.add.Tensor`` as torch's object, or None if this torch has no such op."""
    space, base, tail = name.split(".")
    packet = getattr(getattr(torch.ops, space), base, None)
    return getattr(packet, tail, None)


def graph_modules(root: GraphModule) -> Iterator[GraphModule]:
    """The graph and every branch or loop body below it. Delegates are stepped over."""
    yield root
    for node in root.graph.nodes:
        if node.op == "get_attr":
            child = getattr(root, str(node.target), None)
            if isinstance(child, GraphModule):
                yield from graph_modules(child)


def mutated_inputs(program: ExportedProgram) -> frozenset[str]:
    """Names of the placeholders whose storage the program changes: state and user inputs."""
    signature = program.graph_signature
    state = set(signature.buffers_to_mutate.values())
    names = {n for n, target in signature.inputs_to_buffers.items() if target in state}
    return frozenset(names | set(signature.user_inputs_to_mutate.values()))


class _Rewrite:
    """One sweep over one graph. ``program`` is whom new constants belong to."""

    def __init__(self, program: ExportedProgram, module: GraphModule) -> None:
        self.program, self.module, self.graph = program, module, module.graph
        self.is_root = module is program.graph_module
        self.constants: dict[tuple[torch.dtype, str], Node] = {}

    def run(self) -> None:
        """Rewrite every node in order, then drop what nothing uses any more."""
        for node in list(self.graph.nodes):
            if node.op == "call_function":
                self._rewrite(node)
        self.graph.eliminate_dead_code()

    def _rewrite(self, node: Node) -> None:
        target = node.target
        if target in IDENTITY:
            node.replace_all_uses_with(node.all_input_nodes[0])
            self.graph.erase_node(node)
        elif target in SYMBOLIC_REWRITES:
            SYMBOLIC_REWRITES[target](self.graph, node)
        elif isinstance(target, OpOverload):
            self._rewrite_op(node, target)

    def _rewrite_op(self, node: Node, target: OpOverload) -> None:
        base = target._opname
        if base in ASSERTIONS and not node.users:
            self.graph.erase_node(node)
        elif target in RENAMED:
            node.target = RENAMED[target]
            node.args = (node.args[0], *node.args[1:2])
        elif target is aten.linear.default and value_of(node.args[0]).dim() == 1:
            self._as_rows(node)
        elif target in (aten.unbind.int, aten.split.Tensor):
            self._as_selects(node)
        elif base == "arange":
            _cut_fractions(node)
        elif base == "native_dropout" and not node.args[2]:
            _drop_dropout(node)
        elif scalars := scalar_operands(node, target):
            self._type_scalars(node, target, scalars)

    def _as_selects(self, node: Node) -> None:
        """Dynamic parts one by one: stock does not resize the lists (1.5.1)."""
        x, *rest = node.args
        is_split = node.target is aten.split.Tensor
        size, at = (rest[0], (*rest[1:], 0)[0]) if is_split else (0, (*rest, 0)[0])
        shape = value_of(x).shape
        if not any(isinstance(s, torch.SymInt) for s in shape):
            return
        if not isinstance(shape[at], int) or not isinstance(size, int):
            return
        for user in list(node.users):
            if user.target is operator.getitem:
                with fake_mode(self.program), self.graph.inserting_before(user):
                    i: Any = user.args[1]
                    span = (i * size, min((i + 1) * size, shape[at]))
                    op = aten.slice.Tensor if is_split else aten.select.int
                    row = self._call(user, op, x, at, *(span if is_split else (i,)))
                    _replace(self.graph, user, row)

    def _as_rows(self, node: Node) -> None:
        """A linear of one vector is that of one row: stock has no other (1.5.1)."""
        with fake_mode(self.program), self.graph.inserting_before(node):
            row = self._call(node, aten.unsqueeze.default, node.args[0], 0)
            made = self._call(node, node.target, row, *node.args[1:])
            _replace(self.graph, node, self._call(node, aten.squeeze.dim, made, 0))

    def _call(self, like: Node, target: Any, *args: Any) -> Node:
        made = self.graph.call_function(target, args)
        made.meta["val"] = target(*map(value_of, args))
        copy_origin(like, made)
        return made

    def _type_scalars(self, node: Node, target: OpOverload, at: list[int]) -> None:
        """Make number operands of a Tensor overload a `.Scalar` overload or tensors."""
        twin = _scalar_overload(target)
        if twin in rows_as_overloads() and at == [1]:
            node.target = twin
            return
        args = list(node.args)
        for i in at:
            args[i] = self._as_tensor(node, args[i])
        node.args = tuple(args)

    def _as_tensor(self, node: Node, number: Any) -> Node:
        """A rank-0 tensor holding `number`, in the dtype that the op would promote it to."""
        dtype = _operand_dtype(node, value_of(number))
        if isinstance(number, Node):
            return self._scalar_tensor(node, number, dtype)
        key = (dtype, repr(number))
        if key not in self.constants:
            # .to() wraps integers around, as eager does with a number out of range.
            self.constants[key] = self._lift(torch.tensor(number).to(dtype))
        return self.constants[key]

    def _scalar_tensor(self, user: Node, number: Node, dtype: torch.dtype) -> Node:
        with self.graph.inserting_before(user):
            made = self.graph.call_function(
                aten.scalar_tensor.default, (number,), {"dtype": dtype}
            )
        with fake_mode(self.program):
            made.meta["val"] = torch.empty((), dtype=dtype)
        copy_origin(user, made)
        return made

    def _lift(self, value: torch.Tensor) -> Node:
        mode = fake_mode(self.program)
        if self.is_root:
            return add_constant(self.program, "scalar", value, mode)
        name = f"_scalar_{len(self.constants)}"
        self.module.register_buffer(name, value)
        first = next(n for n in self.graph.nodes if n.op != "placeholder")
        with self.graph.inserting_before(first):
            node = self.graph.get_attr(name)
        node.meta["val"] = mode.from_tensor(value, static_shapes=True)
        return node


def _cut_fractions(node: Node) -> None:
    """torch counts an int64 range between whole numbers; the kernel sees only the bounds."""
    if value_of(node).dtype is torch.int64:
        node.args = tuple(int(a) if isinstance(a, float) else a for a in node.args)


def scalar_operands(node: Node, target: OpOverload) -> list[int]:
    """Positions of arguments that the schema calls Tensor and the graph gives a number."""
    found = []
    for i, (argument, value) in enumerate(
        zip(target._schema.arguments, node.args, strict=False)
    ):
        is_tensor = argument.type.kind() in ("TensorType", "OptionalType")
        if is_tensor and "Tensor" in str(argument.type) and _is_number(value):
            found.append(i)
    return found


def value_of(argument: Any) -> Any:
    """What an argument holds: a node's fake value, else the argument itself."""
    return argument.meta.get("val") if isinstance(argument, Node) else argument


def copy_origin(source: Node, made: Node) -> None:
    """Say of a new node that it comes from the source line of another."""
    for key in ("stack_trace", "nn_module_stack", "debug_handle", "from_node"):
        if key in source.meta:
            made.meta[key] = source.meta[key]


def _is_number(argument: Any) -> bool:
    number = (int, float, torch.SymInt, torch.SymFloat, torch.SymBool)
    return isinstance(value_of(argument), number)


@cache
def _scalar_overload(target: OpOverload) -> OpOverload | None:
    """``aten.mul.Scalar`` for ``aten.mul.Tensor``, if torch has it with the same arguments."""
    names = {"Tensor": "Scalar", "Tensor_mode": "Scalar_mode"}
    tail = names.get(target._overloadname)
    if target._opname == "pow" and target._overloadname == "Tensor_Tensor":
        tail = "Tensor_Scalar"
    twin = getattr(target.overloadpacket, tail, None) if tail else None
    if twin is None:
        return None
    same = [a.name for a in twin._schema.arguments] == [
        a.name for a in target._schema.arguments
    ]
    return twin if same else None


def _operand_dtype(node: Node, number: Any) -> torch.dtype:
    """The dtype in which `number` can be a rank-0 tensor without changing the result's."""
    if node.target is aten.where.self:
        result: torch.dtype = node.meta["val"].dtype
        return result
    plain = number if isinstance(number, (bool, int, float)) else _hint(number)
    tensor = next(
        (v for a in node.args if isinstance(v := value_of(a), torch.Tensor)), plain
    )
    return torch.result_type(tensor, plain)


def _hint(number: Any) -> bool | int | float:
    """A plain number of the same Python type as a symbolic one."""
    if isinstance(number, torch.SymBool):
        return True
    return 1 if isinstance(number, torch.SymInt) else 1.0


def _drop_dropout(node: Node) -> None:
    """native_dropout outside training: the first result is the input."""
    for user in list(node.users):
        if user.target is operator.getitem and user.args[1] == 0:
            user.replace_all_uses_with(node.args[0])  # type: ignore[arg-type]


# Arithmetic on sizes that the runtime has no instruction for, spelled with what it has.


def _insert(graph: Graph, like: Node, target: Any, *args: Any) -> Node:
    with graph.inserting_before(like):
        made = graph.call_function(target, args)
    made.meta["val"] = target(*(value_of(a) for a in args))
    copy_origin(like, made)
    return made


def _replace(graph: Graph, node: Node, made: Node) -> None:
    made.meta["val"] = node.meta["val"]
    node.replace_all_uses_with(made)
    graph.erase_node(node)


def _not_equal(graph: Graph, node: Node) -> None:
    equal = _insert(graph, node, operator.eq, *node.args)
    _replace(graph, node, _insert(graph, node, torch.sym_not, equal))


def _and(graph: Graph, node: Node) -> None:
    a, b = node.args
    _replace(graph, node, _insert(graph, node, torch.sym_ite, a, b, False))


def _or(graph: Graph, node: Node) -> None:
    a, b = node.args
    _replace(graph, node, _insert(graph, node, torch.sym_ite, a, True, b))


def _sum(graph: Graph, node: Node) -> None:
    terms: Any = node.args[0]
    total = terms[0]
    for term in terms[1:]:
        total = _insert(graph, node, operator.add, total, term)
    _replace(graph, node, total)


def _floor(graph: Graph, node: Node) -> None:
    whole = _insert(graph, node, operator.floordiv, node.args[0], 1)
    _replace(graph, node, _insert(graph, node, torch.sym_int, whole))


def _pow(graph: Graph, node: Node) -> None:
    base, exponent = node.args
    if not isinstance(exponent, int) or not 1 <= exponent <= 16:
        return  # the verifier refuses it
    product: Any = base
    for _ in range(exponent - 1):
        product = _insert(graph, node, operator.mul, product, base)
    if isinstance(product, Node):
        node.replace_all_uses_with(product)
        graph.erase_node(node)


def _plus(graph: Graph, node: Node) -> None:
    node.replace_all_uses_with(node.args[0])  # type: ignore[arg-type]
    graph.erase_node(node)


SYMBOLIC_REWRITES: dict[Any, Callable[[Graph, Node], None]] = {
    operator.ne: _not_equal,
    operator.and_: _and,
    operator.or_: _or,
    operator.pow: _pow,
    operator.pos: _plus,
    torch.sym_sum: _sum,
    math.floor: _floor,
}
