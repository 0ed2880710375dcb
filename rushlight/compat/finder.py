# SPDX-License-Identifier: BSD-3-Clause
"""The import hook that serves ``executorch.*`` from ``names.MODULES``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from rushlight.compat.names import MODULES

ROOT = "executorch"


class _Finder(MetaPathFinder, Loader):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname.split(".")[0] != ROOT:
            return None
        if fullname not in MODULES:
            raise ModuleNotFoundError(_missing(fullname), name=fullname)
        is_package = any(name.startswith(f"{fullname}.") for name in MODULES)
        return ModuleSpec(fullname, self, is_package=is_package)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        names = MODULES[module.__name__]

        def fetch(name: str) -> Any:
            if name.startswith("__"):  # the import system's own questions
                raise AttributeError(name)
            if name not in names:
                raise AttributeError(_missing(f"{module.__name__}.{name}"))
            home, _, attribute = names[name].partition(":")
            return getattr(import_module(home), attribute)

        module.__dict__["__getattr__"] = fetch
        module.__dict__["__all__"] = sorted(names)


def _missing(name: str) -> str:
    return (
        f"{name}: Rushlight has nothing under this name yet. Served are: "
        + ", ".join(m for m in MODULES if m != ROOT)
    )


def install() -> None:
    """Serve ``executorch.*`` from here on. Modules of it that are loaded already are dropped."""
    for name in [m for m in sys.modules if m.split(".")[0] == ROOT]:
        del sys.modules[name]
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
