# SPDX-License-Identifier: BSD-3-Clause
"""How a method's flat inputs and outputs nest, and what its arguments are called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from rushlight.compiler.sizes import Bounds
from rushlight.compiler.torch_compat import quiet_torch

KEY = "rushlight/signature"
"""Named data that holds the JSON; stock ignores it."""


def container_texts(program: ExportedProgram) -> tuple[str, str]:
    """The pytree texts of inputs and outputs, "" for one that cannot be spelled."""
    spec = program.call_spec
    return _dumps(spec.in_spec), _dumps(spec.out_spec)


def _dumps(spec: Any) -> str:
    try:
        with quiet_torch():
            return str(pytree.treespec_dumps(spec))
    except (NotImplementedError, TypeError, ValueError):
        return ""  # an unregistered class: callers get the flat list


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
    in_spec = program.call_spec.in_spec
    if in_spec is not None:
        entry["positional"] = len(in_spec.children()[0].children())
    if written_back:
        entry["written_back"] = written_back
    return entry


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


def _paths(spec: Any) -> Iterator[str]:
    """Where each leaf is: ``""`` for a plain argument, ``.key.0`` deeper."""
    if spec.is_leaf():
        yield ""
        return
    children = spec.children()
    named = spec.context if isinstance(spec.context, (list, tuple)) else ()
    keys = named if len(named) == len(children) else range(len(children))
    for key, child in zip(keys, children, strict=True):
        for path in _paths(child):
            yield f".{key}{path}"


def _user_nodes(program: ExportedProgram) -> list[torch.fx.Node]:
    specs = program.graph_signature.input_specs
    nodes = program.graph.find_nodes(op="placeholder")
    pairs = zip(nodes, specs, strict=True)
    return [node for node, spec in pairs if spec.kind == InputKind.USER_INPUT]


def _user_inputs(program: ExportedProgram) -> list[Any]:
    return [node.meta.get("val") for node in _user_nodes(program)]
