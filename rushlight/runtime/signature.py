# SPDX-License-Identifier: BSD-3-Clause
"""Argument names and nesting of one method: what a caller writes to a flat list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rushlight.errors import InputError, StructureError
from rushlight.runtime.classes import loaded_classes
from rushlight.runtime.slots import Slot, slot_of
from rushlight.schema.structure import LEAF, Structure, flatten, parse, unflatten

KEY = "rushlight/signature"
Declared = Mapping[str, Any]
Entries = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Signature:
    """One method's flat slots, and how its arguments and result nest over them.

    ``arguments`` maps each argument's name to its nesting, in call order; the first
    ``positional`` of them may be given by position. ``result`` is None if the file does
    not say how results nest.
    """

    method: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    arguments: Mapping[str, Structure]
    positional: int
    result: Structure | None
    equal: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Groups of (input, dimension) that are one dynamic size of the model."""

    @cached_property
    def _is_flat(self) -> bool:
        """Whether positional arguments are the flat inputs, one for one."""
        is_leaf = all(s.kind == "leaf" for s in self.arguments.values())
        return is_leaf and self.positional == len(self.arguments)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The flat inputs for a call. Raises InputError for count, names or nesting."""
        if self._is_flat and not kwargs and len(args) == self.positional:
            return list(args)
        given = self._match(args, kwargs)
        leaves: list[Any] = []
        for name, structure in self.arguments.items():
            if structure.kind == "leaf":
                leaves.append(given[name])
            elif name in given:
                try:
                    leaves += flatten(given[name], structure, name)
                except StructureError as cause:
                    raise InputError(f"{self.method}() got {cause}", name) from None
        return leaves

    def _match(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        if len(args) > self.positional:
            raise self._wrong_count(len(args))
        given = dict(zip(self.arguments, args, strict=False))
        for name, value in kwargs.items():
            if name not in self.arguments:
                known = ", ".join(self.arguments) or "none"
                problem = f"an unknown argument {name!r}; its arguments: {known}"
                raise InputError(f"{self.method}() got {problem}", name)
            if name in given:
                raise InputError(f"{self.method}() got {name} twice", name)
            given[name] = value
        missing = [
            name
            for name, structure in self.arguments.items()
            if name not in given and structure.leaf_count
        ]
        if missing and not kwargs and self.positional == len(self.arguments):
            raise self._wrong_count(len(args))
        if missing:
            text = f"{self.method}() is missing {', '.join(missing)}"
            raise InputError(text, missing[0])
        return given

    def _wrong_count(self, got: int) -> InputError:
        names = list(self.arguments)
        listing = ", ".join(names[: self.positional])
        text = f"{self.method}() takes {self.positional} positional arguments"
        text += f" ({listing})" if listing else ""
        if by_name := names[self.positional :]:
            text += f" and {', '.join(by_name)} by name"
        return InputError(f"{text}, got {got}")

    def bind_flat(self, inputs: Sequence[Any]) -> list[Any]:
        """The flat inputs, counted. Raises InputError."""
        if len(inputs) != len(self.inputs):
            names = ", ".join(slot.name for slot in self.inputs)
            listing = f" ({names})" if names else ""
            text = f"{self.method}() takes {len(self.inputs)} inputs{listing}"
            raise InputError(f"{text}, got {len(inputs)}")
        return list(inputs)

    def check_equal(self, leaves: Sequence[Any]) -> None:
        """Refuse sizes that the model has as one and the call has not. Raises InputError."""
        for (first, d0), *others in self.equal:
            size = _size(leaves[first], d0)
            for i, d in others:
                other = _size(leaves[i], d)
                if size is not None and other is not None and size != other:
                    name, twin = self.inputs[i].name, self.inputs[first].name
                    raise InputError(
                        f"{self.method}() got {name}: size {other} at dim {d}, but "
                        f"{twin} has {size} at dim {d0}, and the model has one size "
                        f"for both",
                        name,
                    )

    def named(self, leaves: Sequence[Any]) -> dict[str, Any]:
        """The call's arguments by name, nested as the model has them, from flat inputs."""
        rest = self.bind_flat(leaves)
        out = {}
        for name, structure in self.arguments.items():
            own, rest = rest[: structure.leaf_count], rest[structure.leaf_count :]
            classes = loaded_classes(structure)
            is_leaf = structure.kind == "leaf"
            out[name] = own[0] if is_leaf else unflatten(own, structure, classes)
        return out

    def nest(self, values: list[Any]) -> Any:
        """The model's own result from all flat outputs.

        Written-back inputs, which stand before the real results, are left out.
        """
        if self.result is None:
            return values[0] if len(values) == 1 else values
        if self.result.kind == "leaf":
            return values[-1]
        own = values[len(values) - self.result.leaf_count :]
        return unflatten(own, self.result, loaded_classes(self.result))


def _size(value: Any, dim: int) -> int | None:
    shape = getattr(value, "shape", ())
    return int(shape[dim]) if dim < len(shape) else None


def _equal_groups(declared: Declared | None, inputs: int) -> Any:
    """The file's groups, or none where they are not lists of [input, dimension]."""
    groups = declared.get("equal") if isinstance(declared, dict) else None
    try:
        found = tuple(
            tuple((int(i), int(d)) for i, d in group) for group in groups or ()
        )
    except (TypeError, ValueError):
        return ()
    is_good = all(0 <= i < inputs and d >= 0 for group in found for i, d in group)
    return tuple(group for group in found if len(group) > 1) if is_good else ()


def read_signatures(native: Any) -> Mapping[str, Declared]:
    """The methods of the file's ``rushlight/signature``, by name; empty without one.

    One that is damaged counts as none: it must not make a good program unusable.
    """
    text = native.named_data(KEY)
    try:
        methods = json.loads(text)["methods"] if text else {}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return methods if isinstance(methods, dict) else {}


def signature_of(
    native: Any, index: int, name: str, declared: Declared | None
) -> Signature:
    """A method's signature from its slots, container texts and declared names."""
    raw_inputs, raw_outputs = native.slots(index)
    inputs_text, outputs_text = native.containers(index)
    entries = _entries(declared, len(raw_inputs))
    call = _structure(inputs_text)
    if call is not None and _is_call(call) and call.leaf_count == len(raw_inputs):
        arguments = _arguments(entries, call)
        positional = len(call.children[0].children)
        leaf_names = [p for name, s in arguments.items() for p in _paths(s, name)]
    else:
        leaf_names = [f"input{i}" for i in range(len(raw_inputs))]
        leaf_names = _unique(_declared_names(entries), leaf_names)
        arguments = dict.fromkeys(leaf_names, LEAF)
        positional = len(arguments)
    names = _declared_names(entries) or leaf_names
    minima = [e.get("min") for e in entries] or [None] * len(raw_inputs)
    result = _structure(outputs_text)
    if result is not None and result.leaf_count > len(raw_outputs):
        result = None
    return Signature(
        method=name,
        inputs=tuple(map(slot_of, names, raw_inputs, minima)),
        outputs=tuple(slot_of(f"output{i}", f) for i, f in enumerate(raw_outputs)),
        arguments=arguments,
        positional=positional,
        result=result,
        equal=_equal_groups(declared, len(raw_inputs)),
    )


def _structure(text: str) -> Structure | None:
    try:
        return parse(text) if text else None
    except StructureError:
        return None  # names and nesting are a convenience: the flat list still works


def _is_call(structure: Structure) -> bool:
    kinds = [child.kind for child in structure.children]
    return structure.kind == "tuple" and kinds == ["tuple", "dict"]


def _entries(declared: Declared | None, count: int) -> Entries:
    entries = declared.get("inputs") if isinstance(declared, dict) else None
    if not isinstance(entries, list) or len(entries) != count:
        return []
    is_good = all(
        isinstance(e, dict) and isinstance(e.get("name"), str) for e in entries
    )
    return entries if is_good else []


def _declared_names(entries: Entries) -> list[str]:
    return [entry["name"] for entry in entries]


def _arguments(entries: Entries, call: Structure) -> dict[str, Structure]:
    """Arguments by name: a positional one is called as its first leaf's name begins."""
    args, kwargs = call.children
    names, first = [], 0
    for i, child in enumerate(args.children):
        leaf = entries[first]["name"] if entries and child.leaf_count else ""
        names.append(re.split(r"[.\[]", leaf)[0] or f"input{i}")
        first += child.leaf_count
    keys = [str(key) for key in kwargs.keys]
    names = _unique([*names, *keys], [f"input{i}" for i in range(len(names))] + keys)
    return dict(zip(names, (*args.children, *kwargs.children), strict=True))


def _unique(names: list[str], otherwise: list[str]) -> list[str]:
    is_good = names and len(set(names)) == len(names)
    return names if is_good else otherwise


def _paths(structure: Structure, path: str) -> Iterable[str]:
    """The leaves' names: ``x``, ``state.key``, ``boxes.0``."""
    return [f"{path}.{name}" if name else path for name in structure.names()]
