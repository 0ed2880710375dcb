# SPDX-License-Identifier: BSD-3-Clause
"""Reshapes that cost nothing: a second tensor over the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node

from rushlight.compiler.linear import CALLER, PLANNED, ListOf, Storage, Tensor
from rushlight.compiler.tensors import meta_order, tensor_slot

if TYPE_CHECKING:
    from rushlight.compiler.linearize import Lowering

aten = torch.ops.aten
RESHAPES = {
    aten.view.default, aten._unsafe_view.default, aten.reshape.default,
    aten.view_copy.default, aten.unsqueeze.default, aten.unsqueeze_copy.default,
    aten.squeeze.default, aten.squeeze.dim, aten.squeeze.dims, aten.squeeze_copy.default,
    aten.squeeze_copy.dim, aten.squeeze_copy.dims,
}  # fmt: skip
"""Same elements, same row-major order, other sizes."""
SAME = {
    aten.alias.default, aten.alias_copy.default, aten.detach.default,
    aten.detach_copy.default, aten.clone.default, aten.lift_fresh_copy.default,
    aten._to_copy.default, aten.expand.default, aten.expand_copy.default,
}  # fmt: skip
"""May be the identity: same elements if sizes, dtype and layout are the argument's."""
PERMUTES = {aten.permute.default, aten.permute_copy.default}
"""Move nothing in memory where only dimensions of size 1 change their place."""


def elide(lowering: Lowering, node: Node) -> int | None:
    """The slot of a result that shares its argument's memory; None if it must be computed."""
    target = node.target
    known = target in RESHAPES or target in SAME or target in PERMUTES
    if (
        not known
        or not lowering.options.elide_views
        or not isinstance(node.args[0], Node)
    ):
        return None
    source = lowering.method.values[lowering.lookup(node.args[0])]
    if not isinstance(source, Tensor) or not _may_share(lowering, node, source):
        return None
    val = node.meta["val"]
    if not isinstance(val, torch.Tensor):
        return None
    made = tensor_slot(
        val, _order(node, source), lowering.bounds, Storage(node.name, 0)
    )
    if not _same_bytes(node, source, made):
        return None
    if (made.shape, made.dim_order) == (source.shape, source.dim_order):
        return int(lowering.lookup(node.args[0]))
    is_callers = source.storage.kind == CALLER
    if made.is_dynamic and is_callers:
        return None  # the caller's memory need not reach to the upper bound of a view
    if not made.is_dynamic and not is_callers:
        made.storage = source.storage
        return lowering.method.add(made, node.name)
    return _view_at_run_time(lowering, node, source, made)


def _may_share(lowering: Lowering, node: Node, source: Tensor) -> bool:
    """A result handed to the caller needs memory that is the method's own."""
    if not any(user.op == "output" for user in node.users):
        return True
    is_root = lowering.module is lowering.program.graph_module
    if not is_root:
        return True
    return lowering.options.plan_outputs and source.storage.kind == PLANNED


def _order(node: Node, source: Tensor) -> Sequence[int]:
    rank = node.meta["val"].dim()
    if node.target in SAME and rank == len(source.sizes):
        return meta_order(node) or _wanted_order(node, source)
    return meta_order(node) or tuple(range(rank))


def _wanted_order(node: Node, source: Tensor) -> Sequence[int]:
    """The layout that clone and _to_copy ask for; the source's where they do not."""
    rank = len(source.sizes)
    wanted = node.kwargs.get("memory_format", torch.preserve_format)
    if wanted is torch.contiguous_format:
        return tuple(range(rank))
    if wanted in (torch.channels_last, torch.channels_last_3d):
        return (0, *range(2, rank), 1)
    return source.dim_order


def _same_bytes(node: Node, source: Tensor, made: Tensor) -> bool:
    """Whether element k in memory is the same for both."""
    if made.dtype != source.dtype:
        return False
    if node.target in SAME:
        order = _moving(made), _moving(source)
        return made.shape == source.shape and order[0] == order[1]
    if not source.is_row_major or not made.is_row_major:
        return False
    if node.target in PERMUTES:
        dims: Any = node.args[1]
        moved = [d % len(dims) for d in dims if source.shape[d] != 1]
        return moved == sorted(moved)
    return made.is_dynamic or made.nbytes == source.nbytes


def _moving(tensor: Tensor) -> list[int]:
    return [d for d in tensor.dim_order if tensor.shape[d] != 1]


def _view_at_run_time(
    lowering: Lowering, node: Node, source: Tensor, made: Tensor
) -> int | None:
    """Emit et_view, which points the result at the argument's memory; None if it cannot be."""
    if any(user.op == "output" for user in node.users) or not source.is_row_major:
        return None
    items = _run_time_sizes(lowering, node, made)
    if items is None:
        return None
    made.storage = source.storage
    made.storage.nbytes = max(made.storage.nbytes, made.nbytes)
    result = lowering.method.add(made, node.name)
    slots = lowering.method.add(ListOf("IntList", items))
    argument: Any = node.args[0]
    lowering.emit_call(
        "executorch_prim::et_view.default", [lowering.lookup(argument), slots, result]
    )
    return result


def _run_time_sizes(
    lowering: Lowering, node: Node, made: Tensor
) -> tuple[int, ...] | None:
    """Slots of the sizes: the graph's own where it gives them, else one may be -1."""
    if node.target in (aten.view.default, aten.view_copy.default, aten.reshape.default):
        sizes: Any = node.args[1]
        return tuple(lowering.arguments.slot("int", size) for size in sizes)
    unknown = [size for size in made.shape if not isinstance(size, int)]
    if len(unknown) > 1 or 0 in made.sizes:
        return None
    number = lowering.method.number
    return tuple(number(s if isinstance(s, int) else -1) for s in made.shape)
