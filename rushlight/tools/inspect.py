# SPDX-License-Identifier: BSD-3-Clause
"""``rushlight inspect``: what is in a program file."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

NAME = "inspect"


def command(
    file: Annotated[Path, typer.Argument(help="A .pte file, ours or stock's.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON.")
    ] = False,
) -> None:
    """Show methods, inputs, outputs, operators with counts, delegates, segments and memory.

    Examples:

      rushlight inspect model.pte

      rushlight inspect model.pte --json | jq '.methods[0].operators'
    """
    from rushlight.errors import InvalidProgramError, RushlightError
    from rushlight.schema.summary import summarize

    try:
        summary = summarize(file.read_bytes())
    except InvalidProgramError as error:
        raise RushlightError(f"{file}: not a program: {error}") from error
    for method in summary["methods"]:
        method["memory"] = memory_of(file, method["name"])
    if json:
        print(json_module.dumps(summary, indent=2))
    else:
        show(file, summary)


def memory_of(file: Path, method: str) -> dict[str, Any]:
    """Exact bytes that loading the method takes on this machine, or why it would not load."""
    import rushlight
    from rushlight.errors import RushlightError

    try:
        memory = rushlight.load(file).memory(method)
        return {"method_nbytes": memory.method_nbytes, "nbytes": memory.nbytes}
    except RushlightError as error:
        return {"error": str(error)}


def sketch(value: dict[str, Any]) -> str:
    """``float32 [1, 3, ≤224]`` for a tensor, ``int 3`` for a number."""
    if value["kind"] != "tensor":
        shown = f" {value['value']!r}" if "value" in value else ""
        return f"{value['kind']}{shown}"
    bound = "≤" if value.get("dynamic") else ""
    sizes = ", ".join(f"{bound}{n}" for n in value["shape"])
    order = f" dim order {value['dim_order']}" if "dim_order" in value else ""
    return f"{value['dtype']} [{sizes}]{order}"


def show(file: Path, summary: dict[str, Any]) -> None:
    """Print the summary as tables."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(
        f"[bold]{file}[/bold]  {summary['file_nbytes']:,} bytes, of which "
        f"{summary['flatbuffer_nbytes']:,} program; {summary['constants']} constants"
    )
    for method in summary["methods"]:
        _show_method(console, method)
    if summary["segments"]:
        _show_segments(console, summary["segments"])


def _show_method(console: Any, method: dict[str, Any]) -> None:
    from rich.table import Table

    console.print(f"\n[bold]method {method['name']}[/bold]")
    for role in ("inputs", "outputs"):
        for i, value in enumerate(method[role]):
            console.print(f"  {role[:-1]} {i}: {sketch(value)}", markup=False)
    arenas = ", ".join(f"{n:,}" for n in method["arena_nbytes"]) or "none"
    memory = method["memory"]
    if "error" in memory:
        console.print(f"  would not load here: {memory['error']}", markup=False)
    else:
        console.print(
            f"  memory: arenas {arenas} bytes; method {memory['method_nbytes']:,} bytes"
        )
    steps = ", ".join(f"{n} {what}" for what, n in method["instructions"].items())
    console.print(f"  {steps or 'no instructions'}; {method['values']} values")
    for d in method["delegates"]:
        size = "?" if d["nbytes"] is None else f"{d['nbytes']:,}"
        console.print(f"  delegate {d['backend']}: {size} bytes, {d['place']}")
    if method["operators"]:
        table = Table("operator", "calls", box=None, pad_edge=False, header_style="dim")
        table.columns[1].justify = "right"
        for name, count in method["operators"].items():
            table.add_row(name, str(count))
        console.print(table)


def _show_segments(console: Any, segments: list[dict[str, Any]]) -> None:
    console.print("\n[bold]segments[/bold]")
    for i, s in enumerate(segments):
        holds = ", ".join(s["holds"]) or "nothing that the program names"
        console.print(
            f"  {i}: {s['nbytes']:>12,} bytes at {s['offset']:>10,}  {holds}",
            markup=False,
        )
