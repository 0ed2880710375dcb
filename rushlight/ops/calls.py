# SPDX-License-Identifier: BSD-3-Clause
"""How files call a row's op: its destinations and the slots of a call."""

from __future__ import annotations

from rushlight.ops.table import Op


def destinations(op: Op) -> tuple[str, ...]:
    """C++ types of the destinations: none for ops that work in place."""
    types = {"Tensor": "Tensor&", "Tensor[]": "TensorList"}
    return tuple(types[r] for r in op.returns if r in types)


def is_symbolic(op: Op) -> bool:
    """Whether the result is a number, written to the slot itself."""
    return any(not r.startswith("Tensor") for r in op.returns)


def is_prim(op: Op) -> bool:
    """Whether a call ends with the kernel's last parameter, without a return slot."""
    return is_symbolic(op) or op.name.startswith("executorch_prim.")


def slot_count(op: Op) -> int:
    """Exact length of a call's argument vector."""
    return (
        len(op.wire_parameters)
        + len(destinations(op))
        + (is_symbolic(op) or not is_prim(op))
    )


def aliased_slots(op: Op) -> int:
    """Bit i: argument i may be the destination's memory (the row's ``alias``)."""
    names = [p.name for p in op.wire_parameters]
    return sum(1 << names.index(name) for name in op.alias if name in names)


def written_slots(op: Op) -> int:
    """Bit i: the kernel writes to the tensors in slot i.

    A prim with a destination of its own (``et_view``) makes it a view and writes nothing.
    """
    first = len(op.wire_parameters)
    written = {i for i, p in enumerate(op.wire_parameters) if p.cpp == "Tensor&"}
    if not is_prim(op):
        written |= {first + i for i in range(len(destinations(op)))}
    return sum(1 << i for i in written)
