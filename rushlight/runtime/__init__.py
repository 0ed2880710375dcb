# SPDX-License-Identifier: BSD-3-Clause
"""The Python face of the runtime: load a program, call its methods. numpy only."""

from __future__ import annotations

from typing import Any

from rushlight.runtime.metadata import MethodMeta, TensorInfo
from rushlight.runtime.program import Event, Memory, Method, Program, Source, Trace
from rushlight.runtime.registry import (
    BackendRegistry,
    OperatorRegistry,
    Runtime,
    Verification,
)
from rushlight.runtime.slots import Slot

__all__ = [
    "BackendRegistry",
    "Event",
    "Memory",
    "Method",
    "MethodMeta",
    "OperatorRegistry",
    "Program",
    "Runtime",
    "Slot",
    "TensorInfo",
    "Trace",
    "Verification",
    "load",
]


def load(source: Source | Any, data: Any = ()) -> Program:
    """The Program in a path, bytes or file object, with its ``.ptd`` files as data.

    >>> program = load("model.pte")  # doctest: +SKIP
    >>> program(x)  # doctest: +SKIP
    """
    return Program(source, data)
