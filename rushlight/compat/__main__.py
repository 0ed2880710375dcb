# SPDX-License-Identifier: BSD-3-Clause
"""``python -m rushlight.compat script.py [arguments]``, or ``-m module [arguments]``."""

import runpy
import sys
from pathlib import Path

from rushlight.compat import install

USAGE = """usage: python -m rushlight.compat script.py [arguments]
       python -m rushlight.compat -m module [arguments]

Runs an unmodified ExecuTorch script against Rushlight."""


def main(words: list[str]) -> None:
    """Run the script or module with ``executorch.*`` served by Rushlight."""
    if words[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return
    if not words or words == ["-m"]:
        sys.exit(USAGE)
    install()
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    if not Path(words[0]).is_file():
        sys.exit(f"rushlight.compat: {words[0]}: no such file")
    sys.argv = words
    sys.path.insert(0, str(Path(words[0]).parent.resolve()))
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
