# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of graph nodes to value slots, as the operator's schema types them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node

from rushlight.compiler.linear import LinearMethod, ListOf, Number
from rushlight.compiler.tensors import DTYPES
from rushlight.errors import EmitError

MEMORY_FORMATS = {torch.contiguous_format: 0, torch.preserve_format: 1}
"""The others are spelled as dim orders."""


class ArgumentSlots:
    """Finds or makes the slot for each argument of one method.

    ``lookup`` gives a node's slot; ``as_tensor`` one of a rank-0 tensor that holds a
    plain number, or (True) the number in a slot.
    """

    def __init__(
        self,
        method: LinearMethod,
        lookup: Callable[[Node], Any],
        as_tensor: Callable[[Any, bool], int],
    ) -> None:
        self._method = method
        self._lookup = lookup
        self._as_tensor = as_tensor

    def slot(self, kind: str, value: Any) -> int:
        """The slot holding `value` for a parameter of TorchScript type `kind`."""
        wanted = kind[9:-1] if kind.startswith("Optional[") else kind
        if wanted.startswith("List[") and not isinstance(value, Node):
            return self._list(wanted[5:-1], value)
        if wanted == "Tensor":
            return self._tensor(value)
        if isinstance(value, Node):
            return self._index(value)
        return self._method.number(self._number(wanted, value))

    def _index(self, node: Node) -> int:
        found = self._lookup(node)
        if not isinstance(found, int):
            raise EmitError(
                f"emit: {node.name} has several results, one expected", node.name
            )
        return found

    def _tensor(self, value: Any) -> int:
        if isinstance(value, Node):
            found = self._index(value)
            is_number = isinstance(self._method.values[found], Number)
            return self._as_tensor(found, True) if is_number else found
        if value is None:
            return self._method.number(None)
        return self._as_tensor(value, False)

    def _number(self, kind: str, value: Any) -> int | float | bool | str | None:
        if value is None or isinstance(value, (torch.device, torch.Generator)):
            return None
        if isinstance(value, torch.dtype):
            return DTYPES[value]
        if isinstance(value, torch.layout):
            return 0
        if isinstance(value, torch.memory_format):
            if value not in MEMORY_FORMATS:
                raise EmitError(
                    f"emit: {value} as an argument has no place in the format"
                )
            return MEMORY_FORMATS[value]
        if isinstance(value, torch.SymInt):
            value = int(value)
        if kind == "float" and not isinstance(value, bool):
            return float(value)
        if isinstance(value, (bool, int, float, str)):
            return value
        raise EmitError(f"emit: an argument of type {type(value).__name__} has no slot")

    def _list(self, item: str, value: Any) -> int:
        if value is None:
            return self._method.number(None)
        items: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
        if item in ("Tensor", "Optional[Tensor]"):
            return self._tensor_list(item, items)
        if item == "int":
            slots = tuple(self.slot("int", i) for i in items)
            return self._method.add(ListOf("IntList", slots))
        self._refuse_symbols(items)
        name = "BoolList" if item == "bool" else "DoubleList"
        of = bool if item == "bool" else float
        return self._method.add(ListOf(name, tuple(of(i) for i in items)))

    def _tensor_list(self, item: str, items: Sequence[Any]) -> int:
        slots = tuple(-1 if i is None else self._tensor(i) for i in items)
        name = "TensorList" if item == "Tensor" else "OptionalTensorList"
        return self._method.add(ListOf(name, slots))

    def _refuse_symbols(self, items: Sequence[Any]) -> None:
        for item in items:
            if isinstance(item, Node):
                raise EmitError(
                    f"emit: {item.name} is computed at run time, and a list of floats or "
                    "bools is fixed in the format",
                    item.name,
                )
