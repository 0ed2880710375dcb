# SPDX-License-Identifier: BSD-3-Clause
"""A MODEL argument: a Python file with ``model()``, ``inputs()`` and perhaps ``dynamic_shapes()``, or a ``.pt2``."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rushlight.errors import MissingPackageError, RushlightError

EXAMPLE = """
    def model():
        return MyModel().eval()

    def inputs():
        return (torch.randn(1, 3, 224, 224),)
"""


class SourceError(RushlightError):
    """A MODEL that cannot be used: the file, what it lacks, what it must have."""


@dataclass
class Source:
    """A model, or an exported program, with example inputs.

    ``model`` is an nn.Module or ExportedProgram; ``args``/``kwargs`` are one call's inputs.
    """

    model: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    dynamic_shapes: Any = None

    @property
    def module(self) -> Any:
        """The eager callable: the module itself, or the exported program's."""
        is_exported = hasattr(self.model, "graph_signature")
        return self.model.module() if is_exported else self.model


def compile_source(
    source: Source,
    backends: Sequence[str],
    progress: Callable[[str], None],
    config: Any = None,
) -> Any:
    """The source through ``rushlight.compile``: a CompiledProgram."""
    import rushlight

    return rushlight.compile(
        source.model,
        source.args,
        kwargs=source.kwargs,
        dynamic_shapes=source.dynamic_shapes,
        backends=backends,
        config=config,
        progress=progress,
    )


def load_source(path: Path) -> Source:
    """Read MODEL. Raises SourceError, or MissingPackageError without torch."""
    if importlib.util.find_spec("torch") is None:
        raise MissingPackageError("torch", "pip install 'rushlight[compile]'")
    if not path.is_file():
        raise SourceError(f"{path}: no such file")
    if path.suffix == ".pt2":
        return _load_pt2(path)
    if path.suffix != ".py":
        raise SourceError(f"{path}: expected a .py file or a .pt2 archive")
    return _load_python(path)


def _load_pt2(path: Path) -> Source:
    import torch

    try:
        exported = torch.export.load(str(path))
    except Exception as error:  # torch raises what its unpickler met
        raise SourceError(f"{path}: torch.export.load failed: {error}") from error
    if exported.example_inputs is None:
        raise SourceError(f"{path}: the archive holds no example inputs")
    args, kwargs = exported.example_inputs
    return Source(exported, tuple(args), dict(kwargs))


def _load_python(path: Path) -> Source:
    spec = importlib.util.spec_from_file_location(f"rushlight_source_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    load = spec.loader.exec_module
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickles look their module up
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        _run(lambda: load(module), path)
        model = _call(module, "model", path)
        inputs = _call(module, "inputs", path)
        shapes = (
            _call(module, "dynamic_shapes", path)
            if hasattr(module, "dynamic_shapes")
            else None
        )
    finally:
        sys.path.remove(str(path.parent.resolve()))
    args, kwargs = _split(inputs)
    return Source(model, args, kwargs, shapes)


def _call(module: Any, name: str, path: Path) -> Any:
    function: Callable[[], Any] | None = getattr(module, name, None)
    if not callable(function):
        raise SourceError(
            f"{path}: no function {name}(). A model file looks like this:\n{EXAMPLE}"
        )
    return _run(function, path)


def _run(function: Callable[[], Any], path: Path) -> Any:
    """Run the user's code. What it raises becomes a SourceError naming the line in it."""
    try:
        return function()
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        frames = traceback.extract_tb(error.__traceback__)
        lines = [
            f.lineno for f in frames if Path(f.filename).resolve() == path.resolve()
        ]
        where = f"{path}:{lines[-1]}" if lines else str(path)
        raise SourceError(f"{where}: {what}") from error


def _split(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(inputs, dict):
        return (), inputs
    is_pair = isinstance(inputs, tuple) and len(inputs) == 2
    if is_pair and isinstance(inputs[0], tuple) and isinstance(inputs[1], dict):
        return inputs[0], inputs[1]
    return (tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)), {}
