# SPDX-License-Identifier: BSD-3-Clause
"""``rushlight verify``: is this file safe to load, and if not, why and where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAME = "verify"


def command(
    file: Annotated[Path, typer.Argument(help="A .pte file.")],
    data: Annotated[
        list[Path], typer.Option(help="A .ptd file it needs; may be repeated.")
    ] = [],  # noqa: B006
) -> None:
    """Check every offset, length, index and count of a file, and load each method.

    Prints the reason and the byte offset of the first fault. Example:

      rushlight verify model.pte
    """
    import rushlight
    from rushlight.errors import RushlightError

    where = str(file)
    try:
        program = rushlight.load(file, data=data)
        for name in program.methods:
            where = f"{file}, method {name}"
            program.method(name)
    except RushlightError as error:
        offset = getattr(error, "byte_offset", None)
        place = f" (byte {offset})" if offset is not None and offset >= 0 else ""
        print(f"{where}: refused: {error}{place}")
        raise typer.Exit(1) from None
    methods = ", ".join(program.methods)
    print(f"{file}: good ({file.stat().st_size:,} bytes; methods {methods})")
