# SPDX-License-Identifier: BSD-3-Clause
"""Which op-table row a graph node is an occurrence of: the one list both halves of the compiler read."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

SYMBOLIC: dict[Any, str] = {
    operator.add: "executorch_prim.add.Scalar",
    operator.sub: "executorch_prim.sub.Scalar",
    operator.mul: "executorch_prim.mul.Scalar",
    operator.floordiv: "executorch_prim.floordiv.Scalar",
    operator.truediv: "executorch_prim.truediv.Scalar",
    operator.mod: "executorch_prim.mod.Scalar",
    operator.neg: "executorch_prim.neg.Scalar",
    operator.eq: "executorch_prim.eq.Scalar",
    operator.gt: "executorch_prim.gt.Scalar",
    operator.lt: "executorch_prim.lt.Scalar",
    operator.ge: "executorch_prim.ge.Scalar",
    operator.le: "executorch_prim.le.Scalar",
    math.ceil: "executorch_prim.ceil.Scalar",
    math.trunc: "executorch_prim.trunc.Scalar",
    round: "executorch_prim.round.Scalar",
    torch.sym_float: "executorch_prim.sym_float.Scalar",
    torch.sym_int: "executorch_prim.sym_int.Scalar",
    torch.sym_max: "executorch_prim.sym_max.Scalar",
    torch.sym_min: "executorch_prim.sym_min.Scalar",
    torch.sym_not: "executorch_prim.sym_not.Scalar",
    torch.sym_ite: "executorch_prim.sym_ite.Scalar",
}
"""Arithmetic on sizes: Python callables in the graph, symbolic rows in the table."""

CONTROL_FLOW: frozenset[str] = frozenset({"cond", "map_impl", "scan", "while_loop"})
"""Higher-order ops by name: instructions and submodules, not rows."""

CALL_DELEGATE = "call_delegate"
"""Name of the higher-order op that stands for one delegate call."""

LAYOUT_OPS: dict[str, str] = {
    "aten.clone.default": "dim_order_ops._clone_dim_order.default",
    "aten._to_copy.default": "dim_order_ops._to_dim_order_copy.default",
    "aten.empty.memory_format": "dim_order_ops._empty_dim_order.default",
}
"""ATen ops with a memory_format argument; their rows take a dim order instead."""


def row_name(target: Callable[..., Any] | str) -> str | None:
    """The op-table name of a call_function target, or None where no row can be meant.

    >>> row_name(torch.ops.aten.add.Tensor)
    'aten.add.Tensor'
    >>> row_name(operator.mul)
    'executorch_prim.mul.Scalar'
    """
    if isinstance(target, torch._ops.OpOverload):
        name = str(target)
        return LAYOUT_OPS.get(name, name)
    return SYMBOLIC.get(target)


def is_control_flow(node: Node) -> bool:
    """Whether the node is cond, map, scan or while_loop."""
    return higher_order_name(node) in CONTROL_FLOW


def is_delegate_call(node: Node) -> bool:
    """Whether the node runs one preprocessed partition."""
    return higher_order_name(node) == CALL_DELEGATE


def higher_order_name(node: Node) -> str | None:
    """``cond`` for a node that calls ``torch.ops.higher_order.cond``; None for other nodes."""
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return str(node.target)
    return None
