# SPDX-License-Identifier: BSD-3-Clause
"""``rushlight compile``: a model file in, a program file out."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

NAME = "compile"


def command(
    model: Annotated[
        Path,
        typer.Argument(help="A .py file with model() and inputs(), or a .pt2 archive."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .pte file to write.")
    ],
    backend: Annotated[
        list[str], typer.Option(help="A backend to delegate to, first choice first.")
    ] = [],  # noqa: B006
    external: Annotated[
        bool,
        typer.Option("--external-constants", help="Weights to a .ptd file beside it."),
    ] = False,
    source_lines: Annotated[
        bool, typer.Option(help="Store the model's source lines, for run-time errors.")
    ] = True,
    report: Annotated[
        Path | None, typer.Option(help="Write the HTML report here.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON.")
    ] = False,
) -> None:
    """Compile a PyTorch model to a .pte program.

    MODEL is a Python file with model() returning an nn.Module, inputs() returning a tuple
    (or dict) of example inputs, and perhaps dynamic_shapes(); or a torch.export .pt2.

      rushlight compile net.py -o net.pte --report net.html
    """
    from rushlight.compiler.config import ExecutorchBackendConfig
    from rushlight.tools.page import write_page
    from rushlight.tools.progress import Stages
    from rushlight.tools.source import compile_source, load_source

    config = ExecutorchBackendConfig(
        external_constants=external, emit_stacktrace=source_lines
    )
    with Stages() as stage:
        compiled = compile_source(load_source(model), backend, stage, config)
        compiled.save(output)
        if report:
            stage("report")
            write_page(report, compiled, str(model))
    show(compiled.report(), json)
    print(f"wrote {output}", file=sys.stderr if json else sys.stdout)


def show(report: Any, as_json: bool) -> None:
    """Print the report as text or JSON."""
    print(
        json_module.dumps(report.to_dict(), indent=2, default=str)
        if as_json
        else report
    )
