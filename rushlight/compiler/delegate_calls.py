# SPDX-License-Identifier: BSD-3-Clause
"""Calls of delegates: the bytes of a partition, and its inputs and outputs as slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node

from rushlight.compiler.linear import Delegate, DelegateCall, LinearMethod, NamedBytes
from rushlight.compiler.tensors import meta_order, order_of
from rushlight.errors import EmitError

if TYPE_CHECKING:
    from rushlight.compiler.linearize import Lowering


def delegate_call(lowering: Lowering, node: Node) -> list[int]:
    """Linearise ``call_delegate(lowered, *inputs)``; returns the slots of its results."""
    module: Any = lowering.module
    handle, *inputs = node.args
    for part in str(handle.target).split("."):  # type: ignore[union-attr]
        module = getattr(module, part)
    method = lowering.method
    delegate = Delegate(
        module.backend_id,
        bytes(module.processed_bytes),
        [(spec.key, bytes(spec.value)) for spec in module.compile_specs],
    )
    method.delegates.append(delegate)
    take_named_data(method, module.named_data)
    arguments = [_input(lowering, value) for value in inputs]
    results = _results(lowering, node, module.output_dim_orders)
    lowering.emit(
        DelegateCall(delegate=len(method.delegates) - 1, args=[*arguments, *results])
    )
    return results


def _input(lowering: Lowering, value: Any) -> int:
    if isinstance(value, Node):
        return int(lowering.lookup(value))
    return lowering.method.number(value)


def _results(lowering: Lowering, node: Node, orders: Any) -> list[int]:
    made = []
    for i, val in enumerate(node.meta["val"]):
        if isinstance(val, torch.Tensor):
            order = meta_order(node, i) or orders[i]
            order = order or order_of(val, lowering.bounds, node.name)
            made.append(lowering.fresh(node, val, order, f"_{i}"))
        else:
            made.append(lowering.number_result(val, f"{node.name}_{i}"))
    return made


def take_named_data(method: LinearMethod, named: Any) -> None:
    """Add a named-data store's contents to the method's.

    Raises: EmitError if a key already names other bytes.
    """
    if named is None:
        return
    for tag, entries in [(None, named.pte_data), *named.external_data.items()]:
        for key, entry in entries.items():
            data = named.buffers[entry.buffer_index]
            add_named(method.named_data, key, NamedBytes(data, entry.alignment, tag))


def add_named(known: dict[str, NamedBytes], key: str, given: NamedBytes) -> None:
    """Add one key. Raises: EmitError if it already names other bytes."""
    found = known.setdefault(key, given)
    if found.data != given.data or found.external != given.external:
        raise EmitError(f"emit: named data {key} is given twice, differently")
