# SPDX-License-Identifier: BSD-3-Clause
"""Orders of dimensions in memory, outermost first: (0, 2, 3, 1) is channels last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

DimOrder = tuple[int, ...]


def row_major(rank: int) -> DimOrder:
    """(0, 1, …, rank - 1)."""
    return tuple(range(rank))


def channels_last(rank: int) -> DimOrder:
    """(0, 2, 3, 1) for rank 4, (0, 2, 3, 4, 1) for rank 5."""
    return (0, *range(2, rank), 1)


def dim_order_of(tensor: torch.Tensor) -> DimOrder:
    """The order of a dense tensor's strides; row-major if both fit, or if it has gaps.

    >>> dim_order_of(torch.empty(2, 3, 4, 5, memory_format=torch.channels_last))
    (0, 2, 3, 1)
    """
    plain = row_major(tensor.dim())
    if _is_dense(tensor, plain):
        return plain
    by_stride = sorted(plain, key=lambda d: _hint(tensor.stride(d)), reverse=True)
    order = tuple(by_stride)
    if tensor.dim() in (4, 5) and _is_dense(tensor, channels_last(tensor.dim())):
        return channels_last(tensor.dim())
    return order if _is_dense(tensor, order) else plain


def of_memory_format(memory_format: torch.memory_format | None, rank: int) -> DimOrder:
    """What a ``memory_format`` argument asks of a tensor of this rank."""
    if memory_format in (torch.channels_last, torch.channels_last_3d):
        return channels_last(rank)
    return row_major(rank)


def recorded(node: Node, index: int | None = None) -> DimOrder | None:
    """The order that ``order_dims`` gave the node's tensor, or its index-th one."""
    order: Any = node.meta.get("dim_order")
    if index is not None and order is not None:
        order = order[index]
    return order  # type: ignore[no-any-return]


def laid_out(tensor: torch.Tensor, order: Sequence[int]) -> torch.Tensor:
    """The same values with strides of this order; itself if it has them already."""
    if _is_dense(tensor, order):
        return tensor
    inverse = [0] * len(order)
    for position, dim in enumerate(order):
        inverse[dim] = position
    return tensor.permute(*order).contiguous().permute(*inverse)


def _is_dense(tensor: torch.Tensor, order: Sequence[int]) -> bool:
    expected: Any = 1
    for dim in reversed(order):
        size = tensor.shape[dim]
        if _hint(size) != 1 and _hint(tensor.stride(dim)) != _hint(expected):
            return False
        expected = expected * size
    return True


def _hint(size: Any) -> int:
    """The size of the example input where the size is symbolic."""
    if isinstance(size, torch.SymInt):
        hint = size.node.hint
        return int(hint) if hint is not None else 2
    return int(size)
