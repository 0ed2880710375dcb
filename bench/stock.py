# SPDX-License-Identifier: BSD-3-Clause
"""What the stock package does with a model or a file. Runs as a child process: its crashes are results.

    python -m bench.stock lower MODEL OUT.pte     seconds from ExportedProgram to bytes, planned arena bytes
    python -m bench.stock run FILE.pte MODEL      largest difference from eager over the model's calls

Both print one JSON line last.
"""

from __future__ import annotations

import copy
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch

from bench.models import MODELS, Case

warnings.simplefilter("ignore")


def export(case: Case) -> torch.export.ExportedProgram:
    """The case as an ExportedProgram, ATen dialect."""
    return torch.export.export(
        case.model, case.inputs, dynamic_shapes=case.dynamic_shapes, strict=False
    )


def arena_nbytes(buffer: bytes) -> int:
    """Planned bytes of method forward: the sum over its arenas."""
    from rushlight.schema.reader import read_program

    file = read_program(buffer)
    methods = getattr(file, "program", file).methods
    forward = next(m for m in methods if m.name == "forward")
    return int(sum(forward.arena_nbytes))


def lower(name: str, out: str) -> dict[str, Any]:
    """Stock's portable lowering of one model."""
    from executorch.exir import to_edge

    exported = export(MODELS[name]())
    start = time.perf_counter()
    buffer = to_edge(exported).to_executorch().buffer
    seconds = time.perf_counter() - start
    Path(out).write_bytes(buffer)
    return {"seconds": seconds, "file_nbytes": len(buffer)}


def leaves(value: Any) -> list[Any]:
    """Flat outputs of an eager call."""
    from torch.utils import _pytree

    return list(_pytree.tree_leaves(value))


def largest_difference(got: list[Any], want: list[Any]) -> float:
    """max |got − want| over flat outputs; infinity where shape or dtype differ."""
    worst = 0.0
    for a, b in zip(got, want, strict=True):
        if not isinstance(b, torch.Tensor):
            worst = max(worst, 0.0 if a == b else float("inf"))
        elif a.shape != b.shape or a.dtype != b.dtype:
            worst = float("inf")
        elif b.numel():
            worst = max(worst, float((a.double() - b.double()).abs().max()))
    return worst


def run(file: str, name: str) -> dict[str, Any]:
    """The file in the stock runtime against eager, call after call."""
    from executorch.runtime import Runtime

    case = MODELS[name]()
    eager = copy.deepcopy(case.model)
    method = Runtime.get().load_program(Path(file)).load_method("forward")
    worst = 0.0
    with torch.no_grad():
        for inputs in case.calls or (case.inputs,):
            got = method.execute(list(inputs))
            worst = max(worst, largest_difference(list(got), leaves(eager(*inputs))))
    return {"difference": worst}


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    print(json.dumps({"lower": lower, "run": run}[verb](*rest)))
