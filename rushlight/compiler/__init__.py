# SPDX-License-Identifier: BSD-3-Clause
"""Graph in, Program bytes out.

Names load on first use, so that parts which need no torch (the planner) load without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rushlight.compiler.capture import Call
    from rushlight.compiler.compiled import CompiledProgram, compile
    from rushlight.compiler.config import EdgeCompileConfig, ExecutorchBackendConfig
    from rushlight.compiler.program import (
        EdgeProgramManager,
        ExecutorchProgramManager,
        to_edge,
        to_edge_transform_and_lower,
    )

__all__ = [
    "Call",
    "CompiledProgram",
    "EdgeCompileConfig",
    "EdgeProgramManager",
    "ExecutorchBackendConfig",
    "ExecutorchProgramManager",
    "compile",
    "to_edge",
    "to_edge_transform_and_lower",
]

_HOMES = {
    "Call": "capture",
    "CompiledProgram": "compiled",
    "EdgeCompileConfig": "config",
    "EdgeProgramManager": "program",
    "ExecutorchBackendConfig": "config",
    "ExecutorchProgramManager": "program",
    "compile": "compiled",
    "to_edge": "program",
    "to_edge_transform_and_lower": "program",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rushlight.compiler' has no attribute {name!r}")
    home = import_module(f"rushlight.compiler.{_HOMES[name]}")
    globals()[name] = value = getattr(home, name)
    return value
