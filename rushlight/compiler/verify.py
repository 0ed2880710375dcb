# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the Edge dialect: every node is a row with dtypes that its kernels have."""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from rushlight.compiler.edge import graph_modules, value_of
from rushlight.compiler.targets import is_control_flow, is_delegate_call, row_name
from rushlight.errors import DialectError, IllegalOpError
from rushlight.ops.table import ALL, STORAGE, Op, load_table

REASONS = "backend_reasons"
"""Key of ``node.meta``: why each chosen backend left the node alone, by backend id."""

ADVICE = (
    "Change the model there, choose a backend that has the op, "
    "or add a row and a kernel (CONTRIBUTING.md)."
)


def verify_dialect(program: ExportedProgram) -> None:
    """Raise DialectError if a pass left the graph malformed: no legality, only form."""
    for module in graph_modules(program.graph_module):
        for node in module.graph.nodes:
            if problem := _malformed(node, module):
                raise DialectError(
                    f"node {node.name} ({node.target}) {problem}",
                    node=node.name,
                    stack_trace=node.meta.get("stack_trace"),
                )
    returned = program.graph.output_node().args[0]
    assert isinstance(returned, (tuple, list))
    for spec, value in zip(program.graph_signature.output_specs, returned, strict=True):
        name = getattr(spec.arg, "name", None)
        if isinstance(value, Node) and value.name != name:
            raise DialectError(f"the signature returns {name}, the graph {value.name}")


def verify_legal(program: ExportedProgram, allow: Collection[Any] = ()) -> None:
    """Raise IllegalOpError if something in the program has no kernel on the target.

    One error tells of every kind of illegal node, each once. ``allow`` names overloads
    to pass over.
    """
    found: dict[tuple[str, tuple[str, ...]], IllegalOpError] = {}
    for module in graph_modules(program.graph_module):
        for node in module.graph.nodes:
            if node.op == "call_function" and node.target not in allow:
                problem = illegality(node)
                if problem:
                    key = (str(node.target), tuple(operand_dtypes(node)))
                    found.setdefault(key, _error(node, problem))
    if found:
        raise IllegalOpError.of(list(found.values()))


def verify_layout(program: ExportedProgram) -> None:
    """Raise DialectError where ``order_dims`` has not been: each tensor needs an order of
    its own dimensions, and kernels for row-major tensors get those."""
    for module in graph_modules(program.graph_module):
        for node in module.graph.nodes:
            if node.op == "call_function" and (problem := _layout_problem(node)):
                raise DialectError(f"node {node.name} {problem}", node=node.name)


def _layout_problem(node: Node) -> str | None:
    value, order = node.meta.get("val"), node.meta.get("dim_order")
    if isinstance(value, torch.Tensor):
        if order is None or sorted(order) != list(range(value.dim())):
            return f"of rank {value.dim()} has the dim order {order}"
    row = load_table().get(row_name(node.target) or "")
    if row is not None and row.layout == "contiguous":
        for source in node.all_input_nodes:
            order = source.meta.get("dim_order")
            if isinstance(order, tuple) and list(order) != sorted(order):
                return f"reads {source.name} in dim order {order}, not row-major"
    return None


def illegality(node: Node) -> str | None:
    """Why no kernel of the op table can run the node, or None if one can."""
    if (
        node.target is operator.getitem
        or is_control_flow(node)
        or is_delegate_call(node)
    ):
        return None
    row = load_table().get(row_name(node.target) or "")
    if row is None:
        return "no kernel has this op, and torch cannot decompose it into ops that have one"
    if row.name.startswith("executorch_prim."):
        return None
    return dtype_problem(row, tensor_groups(node)) or _result_problem(node)


def _result_problem(node: Node) -> str | None:
    value = node.meta.get("val")
    for result in value if isinstance(value, (tuple, list)) else (value,):
        is_tensor = isinstance(result, torch.Tensor)
        if is_tensor and dtype_name(result.dtype) not in STORAGE:
            return f"makes {dtype_name(result.dtype)}, which no program can hold"
    return None


def dtype_problem(row: Op, groups: Sequence[Sequence[str]]) -> str | None:
    """Why the row's kernels do not take these dtypes, or None.

    `groups` has one entry per schema argument that holds tensors; a list of tensors is
    one entry with all its dtypes.
    """
    flat = tuple(dtype for group in groups for dtype in group)
    first = tuple(group[0] for group in groups if group)
    is_single = set(flat[:1]) <= set(row.types) and set(flat) <= {*row.types, *ALL}
    if is_single or any(_fits(first, t) or _fits(flat, t) for t in row.types):
        return None
    return f"no kernel for these dtypes; there is one for {_listing(row)}"


def _fits(dtypes: tuple[str, ...], entry: str | tuple[str, ...]) -> bool:
    """A combination matches. Optional tensors at its end may be missing; tensors beyond
    it follow the dtypes before."""
    shared = min(len(dtypes), len(entry))
    return not isinstance(entry, str) and entry[:shared] == dtypes[:shared]


def tensor_groups(node: Node) -> list[list[str]]:
    """Dtypes of the tensor arguments, grouped by schema argument."""
    groups = []
    for argument in (*node.args, *node.kwargs.values()):
        items = argument if isinstance(argument, (list, tuple)) else (argument,)
        values = [value_of(item) for item in items]
        dtypes = [dtype_name(v.dtype) for v in values if isinstance(v, torch.Tensor)]
        if dtypes:
            groups.append(dtypes)
    return groups


def operand_dtypes(node: Node) -> list[str]:
    """Dtypes of all tensor arguments in order."""
    return [dtype for group in tensor_groups(node) for dtype in group]


def dtype_name(dtype: torch.dtype) -> str:
    """``float32``: as the op table spells it."""
    return str(dtype).removeprefix("torch.")


def target_name(target: Any) -> str:
    """``aten.add.Tensor``, or ``operator.pow`` for arithmetic on sizes."""
    if isinstance(target, OpOverload) or not callable(target):
        return str(target)
    module = getattr(target, "__module__", "").removeprefix("_")
    return f"{module}.{getattr(target, '__name__', target)}"


def _listing(row: Op) -> str:
    names = [t if isinstance(t, str) else f"({', '.join(t)})" for t in row.types]
    shown = ", ".join(names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def _error(node: Node, problem: str) -> IllegalOpError:
    return IllegalOpError(
        target_name(node.target),
        problem,
        dtypes=operand_dtypes(node),
        node=node.name,
        stack_trace=node.meta.get("stack_trace"),
        reasons=node.meta.get(REASONS, {}),
        advice=ADVICE,
    )


def _malformed(node: Node, module: GraphModule) -> str | None:
    if node.op == "call_module":
        return "calls a module"
    if node.op != "call_function":
        return None
    if "val" not in node.meta and node.users:
        return "has no meta['val']"
    if isinstance(node.target, OpOverload) and node.target._schema.is_mutable:
        return "changes its argument: Edge dialect is functional"
    return None
