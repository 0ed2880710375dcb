# SPDX-License-Identifier: BSD-3-Clause
"""Runtime.get() and the registries, under ExecuTorch's names."""

from __future__ import annotations

import enum
import os
from functools import cache
from typing import BinaryIO

from rushlight import _runtime
from rushlight.runtime.program import Program


class Verification(enum.Enum):
    """How much of a file is checked. Rushlight always checks all of it."""

    Minimal = 0
    InternalConsistency = 1


class BackendRegistry:
    """The backends of this build."""

    @property
    def registered_backend_names(self) -> list[str]:
        """Their ids, as files spell them."""
        return list(_runtime.backend_names())

    def is_available(self, backend_name: str) -> bool:
        """Whether files that delegate to this id can be loaded."""
        return backend_name in _runtime.backend_names()


class OperatorRegistry:
    """The operators of this build."""

    @property
    def operator_names(self) -> set[str]:
        """Their full names, ``aten::add.out``."""
        return set(_runtime.operator_names())


class Runtime:
    """What can run here, and the door to running it."""

    def __init__(self) -> None:
        self.backend_registry = BackendRegistry()
        self.operator_registry = OperatorRegistry()

    @staticmethod
    @cache
    def get() -> Runtime:
        """The one Runtime of the process."""
        return Runtime()

    def load_program(
        self,
        data: bytes | bytearray | BinaryIO | os.PathLike[str] | str,
        *,
        verification: Verification = Verification.InternalConsistency,
        data_path: os.PathLike[str] | str | None = None,
    ) -> Program:
        """The Program in a path, bytes or file object; ``data_path`` is its ``.ptd``.

        ``verification`` is accepted and makes no difference: everything is checked.
        """
        return Program(data, () if data_path is None else data_path)
