# SPDX-License-Identifier: BSD-3-Clause
"""The ``rushlight`` command. Subcommands import what they need when they run."""

from __future__ import annotations

import os
import sys

NO_TYPER = (
    "rushlight: the command line needs typer and rich, and they are not installed; "
    "get them with: pip install 'rushlight[cli]'"
)

EPILOG = """Exit status: 0 success; 1 the answer is no (check differs, verify refuses);
2 an error, with a sentence that says what to do."""


def main() -> None:
    """Run the command line. Exits with 0, 1 or 2, as the help says."""
    try:
        import typer
    except ImportError:
        sys.exit(NO_TYPER)
    from rushlight.errors import RushlightError
    from rushlight.tools import check, compile, demo, inspect, run, verify

    app = typer.Typer(
        help="PyTorch models on any device: compile, run, look inside.",
        epilog=EPILOG,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for module in (compile, run, inspect, check, verify, demo):
        app.command(module.NAME)(module.command)
    try:
        app()
    except (RushlightError, OSError) as error:
        print(f"rushlight: {error}", file=sys.stderr)
        if os.environ.get("RUSHLIGHT_TRACEBACK"):
            raise
        sys.exit(2)


if __name__ == "__main__":
    main()
