# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch models on any device.

Names load on first use (PEP 562): ``import rushlight`` costs neither numpy nor torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rushlight import errors
    from rushlight.compiler import compile
    from rushlight.runtime import Method, Program, load

__version__ = "0.1.0"
__all__ = ["Method", "Program", "__version__", "compile", "errors", "load"]

_HOMES = {
    "Method": "rushlight.runtime",
    "Program": "rushlight.runtime",
    "compile": "rushlight.compiler",
    "load": "rushlight.runtime",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name == "errors":
        value = import_module("rushlight.errors")
    else:
        raise AttributeError(f"module 'rushlight' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
