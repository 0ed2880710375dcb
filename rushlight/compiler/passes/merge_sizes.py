# SPDX-License-Identifier: BSD-3-Clause
"""Equal size expressions are computed once, constant ones not at all."""

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.node import map_arg

from rushlight.compiler.edge import graph_modules
from rushlight.compiler.passes.base import edge_pass

SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


@edge_pass
def merge_sizes(program: ExportedProgram) -> int:
    """Share nodes that compute the same size; write constant sizes into their users.

    Returns: size nodes removed.
    Requires: Edge dialect, with ``node.meta["val"]`` on every node.
    Keeps: every output bit for bit.
    Raises: nothing.
    """
    removed = 0
    for module in graph_modules(program.graph_module):
        seen: dict[tuple[type, Any], Node] = {}
        for node in list(module.graph.nodes):
            value = node.meta.get("val") if node.op == "call_function" else None
            twin = _replacement(value, node, seen)
            if twin is None or twin is node:
                continue
            if isinstance(twin, Node):
                node.replace_all_uses_with(twin)
            elif not _write_into_users(node, twin):
                continue
            module.graph.erase_node(node)
            removed += 1
    return removed


def _write_into_users(node: Node, number: Any) -> bool:
    if any(user.op == "output" for user in node.users):
        return False  # what is returned must stay a node
    for user in list(node.users):
        user.args = map_arg(user.args, lambda n: number if n is node else n)
        user.kwargs = map_arg(user.kwargs, lambda n: number if n is node else n)
    return True


def _replacement(value: Any, node: Node, seen: dict[tuple[type, Any], Node]) -> Any:
    """What can stand for the node: a number, or an earlier node. None to leave it."""
    if isinstance(value, (bool, int, float)):
        return value
    if not isinstance(value, SYMBOLIC):
        return None
    expression = value.node.expr
    if expression.is_number and isinstance(value, torch.SymInt):
        return int(expression)
    if expression.free_symbols:
        return seen.setdefault((type(value), expression), node)
    return None
