# SPDX-License-Identifier: BSD-3-Clause
"""Ops on constants only are run here, once, instead of on the device, always."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.node import map_arg

from rushlight.compiler.edge import mutated_inputs
from rushlight.compiler.passes.base import edge_pass
from rushlight.compiler.torch_compat import add_constant, fake_mode, stored_tensors

MAX_GROWTH_NBYTES = 64 * 1024
"""A result may be larger than the constants it replaces by this much: a mask of 128 x 128
floats is folded, a position table for a long context stays arithmetic."""

Folded = dict[Node, Any]


@edge_pass
def fold_constants(program: ExportedProgram) -> int:
    """Replace what depends on stored tensors and literals only by its value.

    Casts, transposes and reshapes of weights, masks, position tables. Ops of the
    quantised dialects stay: backends match them.

    Returns: nodes whose value became a constant of the program.
    Requires: Edge dialect, with ``node.meta["val"]`` on every node.
    Keeps: what torch's own CPU kernels compute, bit for bit.
    Raises: nothing.
    """
    known = _constants(program)
    for node in program.graph.nodes:
        if node.op == "call_function" and _is_foldable(node, known):
            known[node] = _evaluate(node, known)
    frontier = [node for node in known if _is_needed(node, known)]
    mode = fake_mode(program)
    for node in frontier:
        value = known[node].contiguous()
        constant = add_constant(program, f"folded_{node.name}", value, mode)
        node.replace_all_uses_with(constant)
    if frontier:
        program.graph.eliminate_dead_code()
    return len(frontier)


def _constants(program: ExportedProgram) -> Folded:
    mutated, stored = mutated_inputs(program), stored_tensors(program)
    return {
        node: stored[node.name]
        for node in program.graph.find_nodes(op="placeholder")
        if node.name in stored and node.name not in mutated
    }


def _is_foldable(node: Node, known: Folded) -> bool:
    target = node.target
    if target is operator.getitem:
        return node.args[0] in known
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        return False
    if torch.Tag.nondeterministic_seeded in target.tags:
        return False
    if any(source not in known for source in node.all_input_nodes):
        return False
    # A source with other readers stays in the file beside what is made of it.
    freed = [n for n in node.all_input_nodes if len(n.users) == 1]
    made = _nbytes(node.meta.get("val"))
    return 0 <= made <= sum(_nbytes(n.meta["val"]) for n in freed) + MAX_GROWTH_NBYTES


def _nbytes(value: Any) -> int:
    """Bytes of a fake value; a huge negative number if they are not known here."""
    if isinstance(value, (tuple, list)):
        return sum(_nbytes(v) for v in value)
    if not isinstance(value, torch.Tensor) or any(
        not isinstance(size, int) for size in value.shape
    ):
        return -(1 << 60)
    return value.numel() * value.element_size()


def _evaluate(node: Node, known: Folded) -> Any:
    args = map_arg(node.args, lambda n: known[n])
    kwargs = map_arg(node.kwargs, lambda n: known[n])
    with torch.no_grad():
        return node.target(*args, **kwargs)  # type: ignore[operator]


def _is_needed(node: Node, known: Folded) -> bool:
    """A computed tensor that something outside the known part reads."""
    if node.op == "placeholder" or not isinstance(known[node], torch.Tensor):
        return False
    outside = [user for user in node.users if user not in known]
    return bool(outside) and all(user.op != "output" for user in outside)
