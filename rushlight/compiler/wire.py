# SPDX-License-Identifier: BSD-3-Clause
"""How an op of the graph is called in a file: its out-variant's name and argument order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch._ops import OpOverload

from rushlight.compiler.targets import row_name
from rushlight.errors import EmitError
from rushlight.ops.table import Op, load_table

IN_PLACE = {"aten::index_put.out": "aten::index_put_"}
"""Out-variants with an in-place form that the stock runtime also has."""

SYMBOLIC_RESULT = {
    "aten.sym_size.int": "aten::sym_size.int",
    "aten.sym_numel.default": "aten::sym_numel",
    "aten._local_scalar_dense.default": "aten::_local_scalar_dense",
}
"""Ops whose result is a number: destination last, not repeated."""

ONLY_FUNCTIONAL = {"dtype", "layout", "device", "pin_memory"}
"""Arguments that describe the result; an out-variant sees them in its destination."""


@dataclass(frozen=True)
class Parameter:
    """One argument: ``type`` as TorchScript prints it (``Optional[Tensor]``, ``List[int]``)."""

    name: str
    type: str
    default: Any = None


@dataclass(frozen=True)
class WireOp:
    """One operator as files know it.

    ``name`` is the full name; ``parameters`` exclude the destinations, whose types
    (``Tensor`` or ``List[Tensor]``) are in ``destinations``. ``row`` is None for an op
    without a row, which only another runtime can run.
    """

    name: str
    parameters: tuple[Parameter, ...]
    destinations: tuple[str, ...]
    row: Op | None = None

    @property
    def alias(self) -> tuple[str, ...]:
        """Parameters whose memory the first result may take over."""
        given = self.row.alias if self.row else ()
        return ("self",) if self.name in IN_PLACE else given

    @property
    def is_view(self) -> bool:
        """Whether it is the copying form of a view."""
        return "_copy." in self.name


def positional(target: OpOverload, args: Any, kwargs: Any) -> dict[str, Any]:
    """A call's arguments by schema name."""
    names = [a.name for a in target._schema.arguments]
    return {**dict(zip(names, args, strict=False)), **kwargs}


@cache
def wire_op(target: OpOverload) -> WireOp:
    """The out-variant of a functional op.

    Raises: EmitError if the op has no row and torch knows no out-variant of it.
    """
    row = load_table().get(row_name(target) or "")
    found = _overload(row.wire_name) if row else _matching(target)
    if found is not None:
        return _from_torch(found, row)
    if row is not None:
        return _from_row(row)
    raise EmitError(
        f"emit: {target} has no row in the op table and torch has no out-variant of it; "
        "decompose it, or add a row"
    )


def _overload(wire_name: str) -> OpOverload | None:
    space, _, name = wire_name.partition("::")
    base, _, overload = name.partition(".")
    packet = getattr(getattr(torch.ops, space), base, None)
    return getattr(packet, overload or "default", None)


def _is_out(argument: Any) -> bool:
    return bool(argument.is_out)


def _matching(target: OpOverload) -> OpOverload | None:
    """The overload that takes the same arguments and writes as many destinations."""
    mine = [(a.name, str(a.type)) for a in target._schema.arguments]
    bare = [argument for argument in mine if argument[0] not in ONLY_FUNCTIONAL]
    for candidate in _neighbours(target):
        arguments = candidate._schema.arguments
        outs = sum(_is_out(a) for a in arguments)
        given = [(a.name, str(a.type)) for a in arguments if not _is_out(a)]
        if outs == len(target._schema.returns) and given in (mine, bare):
            return candidate
    return None


def _neighbours(target: OpOverload) -> Iterator[OpOverload]:
    space, _, base = target._schema.name.partition("::")
    for name in (base, base + "_copy"):
        packet = getattr(getattr(torch.ops, space), name, None)
        for overload in packet.overloads() if packet is not None else ():
            yield getattr(packet, overload)


def _from_torch(overload: OpOverload, row: Op | None) -> WireOp:
    schema = overload._schema
    parameters = tuple(
        Parameter(a.name, str(a.type), a.default_value)
        for a in schema.arguments
        if not _is_out(a)
    )
    outs = tuple(str(a.type) for a in schema.arguments if _is_out(a))
    tail = f".{schema.overload_name}" if schema.overload_name else ""
    return WireOp(schema.name + tail, parameters, outs, row)


TORCHSCRIPT = {
    "Tensor": "Tensor", "Tensor?": "Optional[Tensor]", "Tensor[]": "List[Tensor]",
    "Tensor?[]": "List[Optional[Tensor]]", "int": "int", "SymInt": "int", "float": "float",
    "bool": "bool", "str": "str", "Scalar": "number", "int[]": "List[int]",
    "SymInt[]": "List[int]", "float[]": "List[float]", "bool[]": "List[bool]",
    "ScalarType": "int", "MemoryFormat": "int", "Layout": "int",
}  # fmt: skip
"""A row's spelling of a type to TorchScript's."""


def _from_row(row: Op) -> WireOp:
    """For ops that torch has no out-variant of: the row says everything."""
    parameters = tuple(
        Parameter(p.name, _torchscript(p.type), _default(p.default))
        for p in row.parameters
    )
    return WireOp(row.wire_name, parameters, tuple(map(_torchscript, row.returns)), row)


def _torchscript(spelled: str) -> str:
    bare = "".join(c for c in spelled if not c.isdigit())
    if bare in TORCHSCRIPT:
        return TORCHSCRIPT[bare]
    return f"Optional[{TORCHSCRIPT[bare.rstrip('?')]}]"


CONSTANTS: dict[str, Any] = {"True": True, "False": False, "None": None}


def _default(text: str | None) -> Any:
    if text is None or text in CONSTANTS:
        return CONSTANTS.get(text or "None")
    if text.startswith("["):
        inside = text.strip("[]")
        return [_default(part.strip()) for part in inside.split(",") if part.strip()]
    number: Callable[[str], Any] = float if any(c in text for c in ".e") else int
    try:
        return number(text)
    except ValueError:
        return text.strip("'\"")
