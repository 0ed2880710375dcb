# SPDX-License-Identifier: BSD-3-Clause
"""Takes nothing and says so. Copy this folder to start a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.backends.backend import Backend, CompileSpec, PreprocessResult
from rushlight.errors import BackendError

if TYPE_CHECKING:
    from torch.export import ExportedProgram


def preprocess(
    partition: ExportedProgram, specs: list[CompileSpec]
) -> PreprocessResult:
    """Refuse: there is nothing this backend could have been given."""
    raise BackendError("NullBackend", "runs nothing, so no partition can be its own")


BACKEND = Backend(
    id="NullBackend",
    version="1",
    preprocess=preprocess,
    supports={},
    refuses="runs nothing",
)
