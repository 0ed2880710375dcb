# SPDX-License-Identifier: BSD-3-Clause
"""Every tensor gets its order of dimensions in memory; copies that change none go."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from rushlight.compiler.dim_order import (
    DimOrder,
    channels_last,
    dim_order_of,
    laid_out,
    of_memory_format,
    recorded,
    row_major,
)
from rushlight.compiler.edge import copy_origin, mutated_inputs
from rushlight.compiler.passes.base import edge_pass
from rushlight.compiler.targets import is_control_flow, is_delegate_call, row_name
from rushlight.compiler.torch_compat import replace_stored_tensor, stored_tensors
from rushlight.ops.table import Op, load_table

aten = torch.ops.aten
KEY = "dim_order"
LAYOUT_COPIES = (aten.clone.default, aten._to_copy.default)


@edge_pass
def order_dims(program: ExportedProgram) -> int:
    """Set ``node.meta["dim_order"]``: a tuple, or a list of them for several results.

    Inputs and constants have the order of their strides. Each op's result follows its
    row's ``layout``. Where a kernel reads row-major only, a copy goes in front of it; a
    constant is laid out anew instead, here, for nothing.

    Returns: copies put in, constants laid out anew and copies removed.
    Requires: Edge dialect, with ``node.meta["val"]`` on every node.
    Keeps: every output bit for bit.
    Raises: nothing.
    """
    orders = _Orders(program)
    orders.set_placeholders()
    orders.sweep(program.graph_module)
    return orders.rewrites


class _Orders:
    def __init__(self, program: ExportedProgram) -> None:
        self.program = program
        self.mutated = mutated_inputs(program)
        self.stored = stored_tensors(program)
        self.rewrites = 0

    def set_placeholders(self) -> None:
        """Inputs as their examples lie, constants as they are stored (dense)."""
        for node in self.program.graph.find_nodes(op="placeholder"):
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                if node.name in self.stored or KEY not in node.meta:
                    found = dim_order_of(self.stored.get(node.name, value))
                    node.meta[KEY] = found  # an input's first order is its contract
                usual = (row_major(value.dim()), channels_last(value.dim()))
                if self._is_constant(node) and node.meta[KEY] not in usual:
                    self._store(node, usual[0])

    def sweep(self, module: GraphModule) -> None:
        """Follow the graph in order."""
        for node in list(module.graph.nodes):
            if node.op == "get_attr":
                value = getattr(module, str(node.target), None)
                if isinstance(value, torch.Tensor):
                    node.meta[KEY] = dim_order_of(value)
            elif node.op == "call_function":
                self._visit(module, node)

    def _visit(self, module: GraphModule, node: Node) -> None:
        if node.target is operator.getitem:
            source: Any = node.args[0]
            if KEY in source.meta:
                node.meta[KEY] = source.meta[KEY][node.args[1]]
        elif is_control_flow(node):
            self._visit_branches(module, node)
        elif is_delegate_call(node):
            lowered = getattr(module, str(node.args[0].target))  # type: ignore[union-attr]
            node.meta[KEY] = list(lowered.output_dim_orders)
        elif node.target in LAYOUT_COPIES:
            self._visit_copy(node)
        else:
            self._visit_op(node, _layout(node))

    def _visit_op(self, node: Node, layout: str) -> None:
        tensors = [n for n in node.all_input_nodes if KEY in n.meta]
        if layout == "contiguous":
            for source in tensors:
                self._demand(node, source, row_major(len(source.meta[KEY])))
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            node.meta[KEY] = self._result(node, value.dim(), layout, tensors)
        elif isinstance(value, (tuple, list)):
            node.meta[KEY] = [
                self._result(node, v.dim(), layout, tensors)
                if isinstance(v, torch.Tensor)
                else None
                for v in value
            ]

    def _result(
        self, node: Node, rank: int, layout: str, tensors: list[Node]
    ) -> DimOrder:
        if layout != "any":
            return row_major(rank)
        same_rank = [n for n in tensors if len(n.meta[KEY]) == rank]
        moving = [n for n in same_rank if not self._is_constant(n)]
        if moving:
            for constant in same_rank:
                if self._is_constant(constant):
                    self._relay(constant, moving[0].meta[KEY])
        order: DimOrder = same_rank[0].meta[KEY] if same_rank else row_major(rank)
        return order

    def _is_constant(self, node: Node) -> bool:
        if node.op != "placeholder" or node.name in self.mutated:
            return False
        return node.name in self.stored

    def _relay(self, constant: Node, order: DimOrder) -> bool:
        """Store a constant in this order, if no other reader cares."""
        if constant.meta[KEY] == order:
            return True
        if len(constant.users) > 1:
            return False
        self._store(constant, order)
        return True

    def _store(self, constant: Node, order: DimOrder) -> None:
        value = laid_out(self.stored[constant.name], order)
        replace_stored_tensor(self.program, constant, value)
        self.stored[constant.name] = value
        constant.meta[KEY] = order
        self.rewrites += 1

    def _demand(self, user: Node, source: Node, order: DimOrder) -> None:
        """See to it that `user` reads `source` in this order."""
        if source.meta[KEY] == order:
            return
        if self._is_constant(source) and self._relay(source, order):
            return
        graph = user.graph
        with graph.inserting_before(user):
            copy = graph.call_function(
                aten.clone.default,
                (source,),
                {"memory_format": torch.contiguous_format},
            )
        copy.meta["val"] = source.meta["val"]
        copy.meta[KEY] = order
        copy_origin(user, copy)
        user.replace_input_with(source, copy)
        self.rewrites += 1

    def _visit_copy(self, node: Node) -> None:
        source: Any = node.args[0]
        had = source.meta[KEY]
        wanted: Any = node.kwargs.get("memory_format")
        if wanted in (None, torch.preserve_format):
            node.meta[KEY] = had
            return
        node.meta[KEY] = of_memory_format(wanted, len(had))
        same_dtype = node.meta["val"].dtype == source.meta["val"].dtype
        is_returned = any(user.op == "output" for user in node.users)
        if node.meta[KEY] != had or not same_dtype:
            return
        if source.op != "placeholder" or not (
            is_returned or source.name in self.mutated
        ):
            node.replace_all_uses_with(source)
            node.graph.erase_node(node)
            self.rewrites += 1

    def _visit_branches(self, module: GraphModule, node: Node) -> None:
        """Bodies see their operands' orders; what they return is row-major."""
        for argument in node.args:
            body = (
                getattr(module, str(argument.target), None)
                if isinstance(argument, Node) and argument.op == "get_attr"
                else None
            )
            if isinstance(body, GraphModule):
                self._set_body_inputs(node, body)
                self.sweep(body)
                self._make_outputs_row_major(body)
        values: Any = node.meta["val"]
        node.meta[KEY] = [
            row_major(v.dim()) if isinstance(v, torch.Tensor) else None for v in values
        ]

    def _set_body_inputs(self, node: Node, body: GraphModule) -> None:
        operands = [n for n in node.all_input_nodes if KEY in n.meta]
        cond = str(node.target) == "cond"
        flat: list[Any] = list(node.args[-1]) if cond else []  # type: ignore[arg-type]
        for i, placeholder in enumerate(body.graph.find_nodes(op="placeholder")):
            value = placeholder.meta.get("val")
            if not isinstance(value, torch.Tensor):
                continue
            if cond and recorded(flat[i]) is not None:
                placeholder.meta[KEY] = recorded(flat[i])
            else:  # carried or sliced: loops hand over row-major tensors
                placeholder.meta[KEY] = row_major(value.dim())
        if not cond:
            for operand in operands:
                self._demand(node, operand, row_major(len(operand.meta[KEY])))

    def _make_outputs_row_major(self, body: GraphModule) -> None:
        output = body.graph.output_node()
        for source in output.all_input_nodes:
            order = recorded(source)
            if order is not None and order != row_major(len(order)):
                self._demand(output, source, row_major(len(order)))


def _layout(node: Node) -> str:
    """The ``layout`` field of the node's row; "dense" where there is no row."""
    row: Op | None = load_table().get(row_name(node.target) or "")
    return row.layout if row else "dense"
