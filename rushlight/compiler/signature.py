# SPDX-License-Identifier: BSD-3-Clause
"""How a method's flat inputs and outputs nest, and what its arguments are called."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from rushlight.compiler.sizes import Bounds
from rushlight.compiler.torch_compat import quiet_torch
from rushlight.schema.structure import LEAF, Structure, class_name, to_json

KEY = "rushlight/signature"
"""Named data that holds the JSON; stock ignores it."""


def container_texts(program: ExportedProgram) -> tuple[str, str]:
    """The pytree texts of inputs and outputs, "" where there is none."""
    spec = program.call_spec
    return _dumps(spec.in_spec), _dumps(spec.out_spec)


def _dumps(spec: Any) -> str:
    try:
        with quiet_torch():
            return str(pytree.treespec_dumps(spec))
    except (NotImplementedError, TypeError, ValueError):
        pass  # a class or named tuple that was given no name for files: its own will do
    try:
        return "" if spec is None else to_json(structure_of(spec))
    except TypeError:
        return ""  # a dict whose keys are no JSON: callers get the flat list


def structure_of(spec: Any) -> Structure:
    """A pytree spec as a Structure: how values nest, without torch."""
    if spec.is_leaf():
        return LEAF
    children = tuple(map(structure_of, spec.children()))
    if spec.type is namedtuple:
        cls = spec.context
        return Structure("namedtuple", children, tuple(cls._fields), class_name(cls))
    if spec.type in (list, deque):
        return Structure("list", children, (), class_name(spec.type))
    if spec.type in (tuple, torch.Size):
        return Structure("tuple", children, (), class_name(spec.type))
    if spec.type in (dict, OrderedDict, defaultdict):
        keys = spec.context[1] if spec.type is defaultdict else spec.context
        name = class_name(dict if spec.type is defaultdict else spec.type)
        return Structure("dict", children, tuple(keys), name)
    keys, absent = _fields(spec.context, len(children))
    return Structure("custom", children, keys, class_name(spec.type), absent)


def _fields(context: Any, count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(fields, fields that are None) of a class's context, empty if it has another form."""
    fields, absent = context, []
    if isinstance(context, list | tuple) and [type(c) for c in context] == [list, list]:
        fields, absent = context
    if not isinstance(fields, list | tuple) or len(fields) != count:
        return (), ()
    names = (*fields, *absent)
    are_names = all(isinstance(name, str) and name.isidentifier() for name in names)
    return (tuple(fields), tuple(absent)) if are_names else ((), ())


def describe(program: ExportedProgram, written_back: int) -> dict[str, Any]:
    """One method's entry in the signature JSON."""
    bounds = Bounds(program)
    names = argument_names(program)
    entry: dict[str, Any] = {"inputs": []}
    for name, val in zip(names, _user_inputs(program), strict=True):
        one: dict[str, Any] = {"name": name}
        if isinstance(val, torch.Tensor) and not all(
            isinstance(size, int) for size in val.shape
        ):
            one["min"] = [bounds.lower(size) for size in val.shape]
        entry["inputs"].append(one)
    if equal := equal_sizes(_user_inputs(program)):
        entry["equal"] = equal
    in_spec = program.call_spec.in_spec
    if in_spec is not None:
        entry["positional"] = len(in_spec.children()[0].children())
    if written_back:
        entry["written_back"] = written_back
    return entry


def equal_sizes(inputs: Sequence[Any]) -> list[list[list[int]]]:
    """Groups of [input, dimension] that the export gave one symbolic size."""
    places: dict[str, list[list[int]]] = {}
    for i, val in enumerate(inputs):
        for d, size in enumerate(getattr(val, "shape", ())):
            if not isinstance(size, int):
                places.setdefault(str(size), []).append([i, d])
    return [group for group in places.values() if len(group) > 1]


def encode(methods: dict[str, dict[str, Any]]) -> bytes:
    """The named data's bytes."""
    text = json.dumps(
        {"version": 1, "methods": methods}, sort_keys=True, separators=(",", ":")
    )
    return text.encode()


def argument_names(program: ExportedProgram) -> list[str]:
    """A name for each flat input: ``x``, or ``state.key`` and ``boxes.0`` inside one."""
    nodes = _user_nodes(program)
    in_spec = program.call_spec.in_spec
    if in_spec is None:
        return [node.name for node in nodes]
    args, kwargs = in_spec.children()
    entry = (
        program.module_call_graph[0].signature if program.module_call_graph else None
    )
    declared = getattr(entry, "forward_arg_names", None) or []
    names: list[str] = []
    for i, child in enumerate(args.children()):
        first = nodes[len(names)].name if len(names) < len(nodes) else f"input{i}"
        name = declared[i] if i < len(declared) else first
        names += [f"{name}{path}" for path in _paths(child)]
    for key, child in zip(kwargs.context or (), kwargs.children(), strict=True):
        names += [f"{key}{path}" for path in _paths(child)]
    is_good = len(names) == len(nodes)
    return names if is_good else [node.name for node in nodes]


def _paths(spec: Any) -> list[str]:
    """Where each leaf is: ``""`` for a plain argument, ``.key.0`` deeper."""
    return [f".{name}" if name else "" for name in structure_of(spec).names()]


def _user_nodes(program: ExportedProgram) -> list[torch.fx.Node]:
    specs = program.graph_signature.input_specs
    nodes = program.graph.find_nodes(op="placeholder")
    pairs = zip(nodes, specs, strict=True)
    return [node for node, spec in pairs if spec.kind == InputKind.USER_INPUT]


def _user_inputs(program: ExportedProgram) -> list[Any]:
    return [node.meta.get("val") for node in _user_nodes(program)]
