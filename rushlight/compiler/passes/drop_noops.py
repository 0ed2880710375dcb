# SPDX-License-Identifier: BSD-3-Clause
"""Ops whose result is their input, shape and values: x.expand(x.shape) == x."""

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from rushlight.compiler.edge import graph_modules, mutated_inputs, value_of
from rushlight.compiler.passes.base import edge_pass

aten = torch.ops.aten

SAME_IF_SAME_SIZES = {
    aten.expand.default,
    aten.view.default,
    aten.constant_pad_nd.default,
    aten.repeat.default,
    aten.copy.default,
}
"""No-ops whenever the sizes do not change."""


@edge_pass
def drop_noops(program: ExportedProgram) -> int:
    """Remove copies, expands, slices, casts and views that change nothing.

    A copy stays if it is what the program returns of an input, or if it saves the old
    contents of state that is overwritten later.

    Returns: nodes removed.
    Requires: Edge dialect, with ``node.meta["val"]`` on every node.
    Keeps: every output bit for bit.
    Raises: nothing.
    """
    mutated = mutated_inputs(program)
    removed = 0
    for module in graph_modules(program.graph_module):
        output = module.graph.output_node()
        for node in list(module.graph.nodes):
            source = _source_if_noop(node)
            if source is None or _must_copy(node, source, output, mutated):
                continue
            node.replace_all_uses_with(source)
            module.graph.erase_node(node)
            removed += 1
    return removed


def _source_if_noop(node: Node) -> Node | None:
    if node.op != "call_function" or not node.args:
        return None
    source: Any = node.args[0]
    if node.target is aten.cat.default and len(source) == 1:
        source = source[0]
    elif node.target is aten.copy.default:
        source = node.args[1]  # the values are those of the second argument
    if isinstance(source, Node) and _same_type(node, source) and _keeps_values(node):
        return source
    return None


def _keeps_values(node: Node) -> bool:
    """Whether a node that keeps dtype and sizes keeps the values too."""
    if node.target in SAME_IF_SAME_SIZES:
        return True
    if node.target in (aten.clone.default, aten._to_copy.default):
        return node.kwargs.get("memory_format") in (None, torch.preserve_format)
    if node.target is aten.slice.Tensor:
        return bool(len(node.args) < 5 or node.args[4] == 1)
    return node.target is aten.cat.default and len(node.all_input_nodes) == 1


def _same_type(node: Node, source: Node) -> bool:
    a, b = value_of(node), value_of(source)
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return False
    if a.dtype != b.dtype or a.dim() != b.dim():
        return False
    return all(
        _expression(m) == _expression(n) for m, n in zip(a.shape, b.shape, strict=True)
    )


def _expression(size: Any) -> Any:
    return size.node.expr if isinstance(size, torch.SymInt) else size


def _must_copy(node: Node, source: Node, output: Node, mutated: frozenset[str]) -> bool:
    if source.op != "placeholder":
        return False
    return source.name in mutated or output in node.users
