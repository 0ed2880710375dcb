# SPDX-License-Identifier: BSD-3-Clause
"""Fake tensors of the graph to tensor slots: dtype number, dim order, bounds, bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

from rushlight.compiler.linear import Storage, Tensor
from rushlight.compiler.sizes import Bounds, expression
from rushlight.errors import EmitError, UnboundedDimError

DTYPES: dict[torch.dtype, int] = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4,
    torch.float16: 5, torch.float32: 6, torch.float64: 7, torch.complex32: 8,
    torch.complex64: 9, torch.complex128: 10, torch.bool: 11, torch.bfloat16: 15,
    torch.float8_e5m2: 23, torch.float8_e4m3fn: 24, torch.float8_e5m2fnuz: 25,
    torch.float8_e4m3fnuz: 26, torch.uint16: 27, torch.uint32: 28, torch.uint64: 29,
}  # fmt: skip
"""Scalar type numbers of the file format (formats/pte.md 7.1)."""


def dtype_number(dtype: torch.dtype, node: str) -> int:
    """The file's number of a dtype. Raises: EmitError if it has none."""
    if dtype not in DTYPES:
        raise EmitError(
            f"emit: {node}: dtype {dtype} has no number in the format", node
        )
    return DTYPES[dtype]


def dim_order(sizes: Sequence[int], strides: Sequence[int]) -> tuple[int, ...] | None:
    """Dimensions from outermost to innermost; None if the memory has gaps or repeats.

    Row-major where that describes the memory as well as another order would.
    """
    rank = len(sizes)
    row_major = tuple(range(rank))
    by_stride = sorted(row_major, key=lambda d: -strides[d])
    for order in (row_major, tuple(by_stride)):
        expected = 1
        for d in reversed(order):
            if sizes[d] not in (0, 1) and strides[d] != expected:
                break
            expected *= max(1, sizes[d])
        else:
            return order
    return None


def order_of(val: torch.Tensor, bounds: Bounds, name: str) -> tuple[int, ...]:
    """The dim order that a fake tensor's strides say, row-major if they are not dense."""
    row_major = tuple(range(val.dim()))
    if all(isinstance(s, int) for s in (*val.shape, *val.stride())):
        return dim_order(val.shape, val.stride()) or row_major
    sizes = bounds.upper(val.shape, name)
    try:
        strides = bounds.upper(val.stride(), name)
    except (
        UnboundedDimError
    ):  # a stride that no file needs may exceed the int32 of a size
        return row_major
    return dim_order(sizes, strides) or row_major


def meta_order(node: Node, position: int | None = None) -> tuple[int, ...] | None:
    """What a pass decided about the layout of a node's result, or of one of its results."""
    order = node.meta.get("dim_order")
    if order is None:
        return None
    if isinstance(order, list):  # of several results, or of a list of one
        position = position or 0
        order = order[position] if position < len(order) else None
    return None if order is None else tuple(order)


def tensor_slot(
    val: torch.Tensor, order: Sequence[int], bounds: Bounds, storage: Storage
) -> Tensor:
    """The slot for a fake tensor; the storage grows to hold it."""
    sizes = bounds.upper(val.shape, storage.name)
    shape = tuple(expression(size) for size in val.shape)
    dtype = dtype_number(val.dtype, storage.name)
    is_dynamic = any(not isinstance(size, int) for size in shape)
    slot = Tensor(
        dtype, val.dtype.itemsize, sizes, tuple(order), storage, shape, is_dynamic
    )
    storage.nbytes = max(storage.nbytes, slot.nbytes)
    return slot


def memory_bytes(tensor: torch.Tensor, order: Sequence[int]) -> bytes:
    """The tensor's bytes in the memory order of `order`."""
    plain = tensor.detach().cpu().permute(*order) if tensor.dim() else tensor.detach()
    flat = plain.contiguous().reshape(-1)
    if flat.numel() == 0:
        return b""
    raw: Any = flat.view(torch.uint8).numpy()
    return bytes(raw.tobytes())


def content_key(data: bytes) -> str:
    """A hash of the bytes: equal constants are stored once."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
