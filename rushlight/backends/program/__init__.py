# SPDX-License-Identifier: BSD-3-Clause
"""A partition as a Program inside the Program: every op that has a row, in memory of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.backends.backend import (
    Backend,
    CompileSpec,
    PreprocessResult,
    Support,
)
from rushlight.ops.table import load_table

if TYPE_CHECKING:
    from torch.export import ExportedProgram
    from torch.fx import Node


def is_static_call(node: Node) -> bool | str:
    """Tensors cross the border of a partition; sizes computed at run time do not."""
    import torch

    for source in node.all_input_nodes:
        if not isinstance(source.meta.get("val"), (torch.Tensor, tuple, list)):
            return "takes no sizes that are computed at run time"
    if not isinstance(node.meta.get("val"), (torch.Tensor, tuple, list)):
        return "makes no numbers, only tensors"
    return True


def preprocess(
    partition: ExportedProgram, specs: list[CompileSpec]
) -> PreprocessResult:
    """The partition as the bytes of a ``.pte`` file with one method."""
    from rushlight.compiler import pipeline
    from rushlight.compiler.config import ExecutorchBackendConfig

    config = ExecutorchBackendConfig()
    finished = pipeline.finish(partition, config)
    return PreprocessResult(pipeline.emit({"forward": finished}, config, {}).buffer)


def _first_dtypes(types: tuple[str | tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(t if isinstance(t, str) else t[0] for t in types))


BACKEND = Backend(
    id="RushlightProgram",
    version="1",
    preprocess=preprocess,
    supports={
        row.name: Support(row.name, _first_dtypes(row.types), when=is_static_call)
        for row in load_table().values()
        if row.name.startswith("aten.")
    },
)
