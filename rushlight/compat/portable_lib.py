# SPDX-License-Identifier: BSD-3-Clause
"""The older Python front end's module object, over ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.runtime import Method, MethodMeta, Program, Runtime
from rushlight.runtime import load as load_program


class Module:
    """A program whose methods are called by name with flat lists; loads each on first use."""

    def __init__(self, source: Any) -> None:
        self._program: Program = load_program(source)
        self._loaded: dict[str, Method] = {}

    def run_method(
        self, method_name: str, inputs: Sequence[Any] = (), **_: Any
    ) -> list[Any]:
        """The method's flat outputs for a flat list of inputs."""
        if method_name not in self._loaded:
            self._loaded[method_name] = self._program.load_method(method_name)
        return self._loaded[method_name].execute(inputs)

    def forward(self, inputs: Sequence[Any] = (), **options: Any) -> list[Any]:
        """``run_method("forward", inputs)``."""
        return self.run_method("forward", inputs, **options)

    __call__ = forward

    def method_names(self) -> list[str]:
        """The program's methods."""
        return list(self._program.methods)

    def method_meta(self, method_name: str) -> MethodMeta:
        """Inputs, outputs and planned memory of a method."""
        return self._program.metadata(method_name)


def load(source: Any, **_: Any) -> Module:
    """A Module from a path or from bytes."""
    return Module(source)


def operator_names() -> list[str]:
    """Every operator this build can run."""
    return sorted(Runtime.get().operator_registry.operator_names)


def backend_names() -> list[str]:
    """Every backend this build has."""
    return Runtime.get().backend_registry.registered_backend_names
