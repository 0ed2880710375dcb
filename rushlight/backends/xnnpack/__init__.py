# SPDX-License-Identifier: BSD-3-Clause
"""Stock's XNNPACK partitioner by name, so that scripts run unchanged: delegates nothing yet, and says so."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rushlight.backends.backend import Backend, CompileSpec, PreprocessResult
from rushlight.compiler.partition import Partitioner, PartitionResult
from rushlight.errors import BackendError

if TYPE_CHECKING:
    from torch.export import ExportedProgram

ID = "XnnpackBackend"
REFUSAL = "writes no XNNPACK payloads yet"
NOTICE = f"rushlight: {ID} {REFUSAL}; every operator stays with the portable kernels"


def preprocess(
    partition: ExportedProgram, specs: list[CompileSpec]
) -> PreprocessResult:
    """Refuse: the partitioner gives this backend nothing."""
    raise BackendError(ID, REFUSAL)


class XnnpackPartitioner(Partitioner):
    """Takes stock's options, tags no node, and prints one line that says so."""

    def __init__(self, *configs: Any, **options: Any) -> None:
        super().__init__()
        self._is_told = False

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """The program as it is, with no tags."""
        if not self._is_told:
            print(NOTICE, file=sys.stderr)
            self._is_told = True
        return PartitionResult(exported_program, {})


XnnpackFloatingPointPartitioner = XnnpackPartitioner

BACKEND = Backend(
    id=ID, version="0", preprocess=preprocess, supports={}, refuses=REFUSAL
)
