# SPDX-License-Identifier: BSD-3-Clause
"""A model to ExportedPrograms: torch.export, with its failures put in our words."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree

from rushlight.compiler.torch_compat import quiet_torch
from rushlight.errors import CompileInputError, ExportError


@dataclass(frozen=True)
class Call:
    """One call of a method of the model: an entry point of the Program."""

    inputs: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None


Model = torch.nn.Module | ExportedProgram | Mapping[str, ExportedProgram]


def capture(
    model: Model, call: Call, methods: Mapping[str, Any] | None = None
) -> dict[str, ExportedProgram]:
    """ExportedPrograms by method name.

    A module is captured in evaluation mode, and a warning says so if it was in training
    mode; its mode afterwards is what it was.

    Raises: ExportError if torch cannot capture it, CompileInputError for a model of
        another kind.
    """
    if isinstance(model, ExportedProgram):
        return {"forward": model}
    if isinstance(model, Mapping):
        return dict(model)
    if not isinstance(model, torch.nn.Module):
        raise CompileInputError(
            f"model: expected a torch.nn.Module, an ExportedProgram or a dict of them, "
            f"got {type(model).__name__}"
        )
    calls = {"forward": call} if methods is None else dict(methods)
    with _evaluation_mode(model):
        return {name: _export(model, name, _call(name, c)) for name, c in calls.items()}


def _call(name: str, given: Any) -> Call:
    if isinstance(given, Call):
        return given
    if isinstance(given, (tuple, list)):
        return Call(tuple(given))
    raise CompileInputError(
        f"methods[{name!r}]: expected a tuple of example inputs or a Call, got "
        f"{type(given).__name__}"
    )


def _export(model: torch.nn.Module, name: str, call: Call) -> ExportedProgram:
    if not callable(getattr(model, name, None)):
        raise CompileInputError(
            f"methods: {type(model).__name__} has no method {name!r}"
        )
    inputs, kwargs = _distinct((call.inputs, dict(call.kwargs)))
    with _as_forward(model, name), quiet_torch(), torch.no_grad():
        try:
            exported: ExportedProgram = torch.export.export(
                model,
                inputs,
                kwargs,
                dynamic_shapes=call.dynamic_shapes,
            )
        except Exception as error:  # torch.export raises a dozen unrelated classes
            raise ExportError(_explain(model, name, error)) from error
    return exported


def _distinct(inputs: Any) -> Any:
    """The inputs, with a copy for each further place of a tensor given in several.

    torch.export takes one tensor in two places for one input, and the graph then reads
    only the first of them, whatever the caller passes as the second.
    """
    seen: set[int] = set()

    def fresh(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            if id(leaf) in seen:
                return leaf.detach().clone()
            seen.add(id(leaf))
        return leaf

    return _pytree.tree_map(fresh, inputs)


EXPLANATION_LINES = 16
"""Of torch's own message: enough for its list of violated constraints and suggested fixes."""


def _explain(model: torch.nn.Module, name: str, error: Exception) -> str:
    lines = (str(error).strip() or type(error).__name__).splitlines()
    advice = "\n".join(line for line in lines[:EXPLANATION_LINES] if line.strip())
    return (
        f"torch.export could not capture {type(model).__name__}.{name}: "
        f"{type(error).__name__}: {advice}"
    )


@contextmanager
def _as_forward(model: torch.nn.Module, name: str) -> Iterator[None]:
    """torch.export captures ``forward``: let another method stand in for it."""
    if name == "forward":
        yield
        return
    had = model.__dict__.get("forward")
    model.__dict__["forward"] = getattr(model, name)
    try:
        yield
    finally:
        del model.__dict__["forward"]
        if had is not None:
            model.__dict__["forward"] = had


@contextmanager
def _evaluation_mode(model: torch.nn.Module) -> Iterator[None]:
    training = [module for module in model.modules() if module.training]
    if training:
        warnings.warn(
            f"{type(model).__name__} is in training mode; it is compiled in evaluation "
            "mode. Call model.eval() first to say that you mean it.",
            stacklevel=5,
        )
    try:
        for module in training:
            module.training = False
        yield
    finally:
        for module in training:
            module.training = True
