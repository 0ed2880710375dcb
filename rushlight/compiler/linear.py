# SPDX-License-Identifier: BSD-3-Clause
"""A method in linear form: values in slots, instructions in order, memory not yet placed.

What stands between the graph and the bytes. Knows neither fx nor flatbuffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rushlight.errors import EmitError

PLANNED, INPUT, STATE, CONSTANT, CALLER = (
    "planned",
    "input",
    "state",
    "constant",
    "caller",
)
"""Kinds of storage: intermediate, planned input, mutable buffer, stored constant, memory
that the caller supplies."""


@dataclass(eq=False)
class Storage:
    """Bytes that one or more tensor values show. Compared by identity.

    Storages that turn out to share memory are joined: ``root`` is the one that counts.
    """

    name: str
    nbytes: int
    kind: str = PLANNED
    arena: str | None = None
    data: bytes | None = None
    """A constant's bytes or a mutable buffer's initial ones, in memory order."""
    key: str = ""
    """Content hash of ``data``."""
    external: str | None = None
    """The ``.ptd`` that holds the data, by name without extension."""
    fqn: str = ""
    """The model's own name of it, ``block.linear.weight``."""
    joined: Storage | None = None

    @property
    def root(self) -> Storage:
        """The storage whose memory this one shares."""
        here = self
        while here.joined is not None:
            here = here.joined
        return here

    def join(self, other: Storage) -> None:
        """From now on `self` is in `other`'s memory."""
        mine, theirs = self.root, other.root
        if mine is not theirs:
            theirs.nbytes = max(mine.nbytes, theirs.nbytes)
            theirs.arena = theirs.arena or mine.arena
            mine.joined = theirs

    @property
    def is_placed(self) -> bool:
        """Whether the memory planner gives it an offset."""
        return self.root.kind in (PLANNED, INPUT, STATE)


@dataclass
class Number:
    """An Int, Bool, Double, String or Null slot; by the Python type of ``value``."""

    value: int | float | bool | str | None


@dataclass
class Tensor:
    """A tensor slot. ``sizes`` are upper bounds if ``is_dynamic``; ``shape`` may be symbolic."""

    dtype: int
    itemsize: int
    sizes: tuple[int, ...]
    dim_order: tuple[int, ...]
    storage: Storage
    shape: tuple[Any, ...] = ()
    is_dynamic: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes at the upper bound."""
        count = self.itemsize
        for size in self.sizes:
            count *= size
        return count

    @property
    def is_row_major(self) -> bool:
        """Whether memory order is the dimensions' order, those of size 1 not counted."""
        order = [d for d in self.dim_order if self.sizes[d] != 1]
        return order == sorted(order)


@dataclass
class ListOf:
    """A list slot. ``kind``: IntList, TensorList, OptionalTensorList hold value indices
    (-1 is None), DoubleList and BoolList the numbers themselves."""

    kind: str
    items: tuple[Any, ...]

    @property
    def tensors(self) -> Sequence[int]:
        """Indices of the tensors in it."""
        if self.kind in ("TensorList", "OptionalTensorList"):
            return [i for i in self.items if i >= 0]
        return ()


Value = Number | Tensor | ListOf


@dataclass(eq=False)
class Label:
    """Where a jump goes; ``at`` is an instruction index once known."""

    at: int = -1


@dataclass(eq=False)
class Instruction:
    """One step. ``origin`` is the graph node's name, ``frame`` its source line."""

    origin: str = ""
    frame: tuple[str, int, str, str] | None = None

    @property
    def slots(self) -> Sequence[int]:
        """Value indices it reads or writes."""
        return ()


@dataclass(eq=False)
class KernelCall(Instruction):
    """Run ``op`` (full name) on ``args``; the last is the return slot.

    ``takeover`` lists (argument, destination) pairs whose memory may be one, the
    destination written element for element; ``in_place`` is the op to call if it is.
    """

    op: str = ""
    args: list[int] = field(default_factory=list)
    takeover: list[tuple[int, int]] = field(default_factory=list)
    in_place: str | None = None

    @property
    def slots(self) -> Sequence[int]:
        """See the base class."""
        return self.args


@dataclass(eq=False)
class DelegateCall(Instruction):
    """Run delegate number ``delegate`` on ``args``: inputs, then outputs."""

    delegate: int = 0
    args: list[int] = field(default_factory=list)

    @property
    def slots(self) -> Sequence[int]:
        """See the base class."""
        return self.args


@dataclass(eq=False)
class Move(Instruction):
    """Slot ``target`` becomes what ``source`` holds."""

    source: int = 0
    target: int = 0

    @property
    def slots(self) -> Sequence[int]:
        """See the base class."""
        return (self.source, self.target)


@dataclass(eq=False)
class JumpFalse(Instruction):
    """Go to ``target`` if ``condition`` is false."""

    condition: int = 0
    target: Label = field(default_factory=Label)

    @property
    def slots(self) -> Sequence[int]:
        """See the base class."""
        return (self.condition,)


@dataclass
class Delegate:
    """One preprocessed partition: the backend's id, its bytes and its options."""

    backend: str
    blob: bytes
    specs: list[tuple[str, bytes]] = field(default_factory=list)


@dataclass(frozen=True)
class NamedBytes:
    """Data that delegates find by key; in a ``.ptd`` if ``external`` names one."""

    data: bytes
    alignment: int = 16
    external: str | None = None


@dataclass
class LinearMethod:
    """One entry point, everything but offsets."""

    name: str
    values: list[Value] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    written_back: int = 0
    """How many of the outputs, from the first, are mutated inputs."""
    instructions: list[Instruction] = field(default_factory=list)
    delegates: list[Delegate] = field(default_factory=list)
    states: list[Storage] = field(default_factory=list)
    write_backs: list[KernelCall] = field(default_factory=list)
    """The ``aten::copy_`` calls at the end that bring new values into state."""
    loops: list[tuple[Label, Label]] = field(default_factory=list)
    """First instruction of each loop, and the one after its jump back."""
    kept: list[tuple[Storage, Label, Label]] = field(default_factory=list)
    """Storages that keep their bytes between two places, whatever reads them."""
    inputs_text: str = ""
    outputs_text: str = ""
    named_data: dict[str, NamedBytes] = field(default_factory=dict)
    _numbers: dict[tuple[type, Any], int] = field(default_factory=dict)

    def add(self, value: Value, name: str = "") -> int:
        """A new slot; returns its index."""
        self.values.append(value)
        self.names.append(name)
        return len(self.values) - 1

    def number(self, value: int | float | bool | str | None) -> int:
        """A slot holding a number that never changes; equal ones share it."""
        key = (type(value), repr(value))
        if key not in self._numbers:
            self._numbers[key] = self.add(Number(value))
        return self._numbers[key]

    def tensor(self, index: int) -> Tensor:
        """The tensor in a slot. Raises: EmitError if it holds something else."""
        value = self.values[index]
        if not isinstance(value, Tensor):
            raise EmitError(
                f"emit: {self.name}: value {self.names[index] or index} is "
                f"{type(value).__name__}, expected a tensor",
                self.names[index],
            )
        return value

    def tensors_of(self, index: int) -> Iterator[Tensor]:
        """The tensors that a slot shows: itself or its items."""
        value = self.values[index]
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, ListOf):
            for i in value.tensors:
                yield from self.tensors_of(i)

    def place(self, label: Label) -> Label:
        """Put the label before the next instruction."""
        label.at = len(self.instructions)
        return label
