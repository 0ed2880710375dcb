# SPDX-License-Identifier: BSD-3-Clause
"""``rushlight run``: one inference from the shell."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAME = "run"


def command(
    file: Annotated[Path, typer.Argument(help="A .pte file.")],
    input: Annotated[
        list[str],
        typer.Option(
            "--input",
            "-i",
            help="x.npy, or a number; or name=x.npy. In order; may be repeated.",
        ),
    ] = [],  # noqa: B006
    data: Annotated[
        list[Path], typer.Option(help="A .ptd file it needs; may be repeated.")
    ] = [],  # noqa: B006
    method: Annotated[str, typer.Option(help="Which method.")] = "forward",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Save results to this .npz.")
    ] = None,
    repeat: Annotated[
        int, typer.Option(min=1, help="Run so many times and print the median latency.")
    ] = 1,
    profile: Annotated[bool, typer.Option(help="Time each operator.")] = False,
) -> None:
    """Run a program on .npy files and print what comes out.

    Inputs that are left out are zeros, with a line that says so. Examples:

      rushlight run model.pte --input x.npy

      rushlight run model.pte -i image=photo.npy --repeat 20 --profile -o result.npz
    """
    import rushlight
    from rushlight.tools import invoke

    loaded = rushlight.load(file, data=data).method(method)
    args, kwargs = invoke.parse_inputs(loaded, input)
    results, times_ms, steps = invoke.run(loaded, args, kwargs, repeat, profile)
    named = invoke.flatten(results)
    for name, value in named.items():
        print(f"{name}: {invoke.describe(value)}")
    if repeat > 1:
        print(f"median of {repeat}: {sorted(times_ms)[repeat // 2]:.3f} ms")
    if steps:
        print(invoke.profile_table(steps))
    if output:
        invoke.save(output, named)
