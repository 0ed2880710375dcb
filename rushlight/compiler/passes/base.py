# SPDX-License-Identifier: BSD-3-Clause
"""What every pass would otherwise repeat: the signature kept in step, the check, the dump."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from rushlight.compiler.torch_compat import replace_graph, sync_outputs
from rushlight.compiler.verify import verify_dialect
from rushlight.errors import CompileInputError

EdgePass = Callable[[ExportedProgram], int]

_numbers = count()


def edge_pass(function: EdgePass) -> EdgePass:
    """Make a rewrite a pass: outputs follow their nodes, the dialect's form is checked.

    With ``RUSHLIGHT_DUMP=dir`` the graph after each pass goes to a numbered file there.
    """

    @wraps(function)
    def run(program: ExportedProgram) -> int:
        rewrites = function(program)
        if rewrites:
            sync_outputs(program)
            verify_dialect(program)
        dump(program, function.__name__, changed=bool(rewrites))
        return rewrites

    run.is_edge_pass = True  # type: ignore[attr-defined]
    return run


def run_passes(
    program: ExportedProgram, passes: Sequence[Callable[..., Any]]
) -> ExportedProgram:
    """Run passes of ours and of stock's form, in order; returns the program to go on with.

    A stock-style pass takes a GraphModule (or an ExportedProgram) and returns an object
    with ``graph_module`` (or ``exported_program``), or None if it changed nothing.
    """
    for one in passes:
        if getattr(one, "is_edge_pass", False):
            one(program)
        else:
            program = _run_foreign(program, one)
    return program


def dump(program: ExportedProgram, name: str, changed: bool = True) -> None:
    """Write the graph to ``$RUSHLIGHT_DUMP/<n>_<name>.txt``, if that is set."""
    if folder := os.environ.get("RUSHLIGHT_DUMP"):
        path = Path(folder) / f"{next(_numbers):03}_{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(program) if changed else "(unchanged)\n")


def _run_foreign(program: ExportedProgram, one: Callable[..., Any]) -> ExportedProgram:
    takes_program = hasattr(one, "exported_program") or any(
        base.__name__ == "ExportedProgramPassBase" for base in type(one).__mro__
    )
    result = one(program if takes_program else program.graph_module)
    if result is None:
        sync_outputs(program)
    elif isinstance(getattr(result, "exported_program", None), ExportedProgram):
        program = result.exported_program
    elif isinstance(getattr(result, "graph_module", None), GraphModule):
        program = replace_graph(program, result.graph_module)
    else:
        raise CompileInputError(
            f"pass {getattr(one, '__name__', type(one).__name__)}: returned "
            f"{type(result).__name__}, expected a PassResult with a graph_module"
        )
    verify_dialect(program)
    return program
