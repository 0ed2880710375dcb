# SPDX-License-Identifier: BSD-3-Clause
"""How small: the wheel, the import, the core on a Cortex-M33.

    python -m bench.sizes [--json FILE]

Builds the wheel with pip and the core with ``cmake --preset size``; needs
arm-none-eabi-g++ for the latter. Imports are whole processes, alternating with numpy's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROUNDS = 15


def wheel_nbytes() -> int:
    """Bytes of the wheel without extras."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps"]
        subprocess.run([*command, "-w", folder, str(ROOT)], check=True)
        [wheel] = Path(folder).glob("rushlight-*.whl")
        return wheel.stat().st_size


def import_seconds() -> dict[str, float]:
    """Median seconds of a process that imports the module, less one that imports nothing."""
    times: dict[str, list[float]] = {
        "pass": [],
        "import numpy": [],
        "import rushlight": [],
    }
    for _ in range(ROUNDS):
        for code, spent in times.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            spent.append(time.perf_counter() - start)
    bare = statistics.median(times.pop("pass"))
    return {code: statistics.median(spent) - bare for code, spent in times.items()}


def core_text_nbytes() -> int:
    """Bytes of text of the runtime's objects for Cortex-M33, -Os, without kernels."""
    for command in (
        ["--preset", "size"],
        ["--build", "--preset", "size", "--target", "rushlight_runtime"],
    ):
        subprocess.run(["cmake", *command], cwd=ROOT, check=True, capture_output=True)
    library = next((ROOT / "build-size").rglob("librushlight_runtime.a"))
    table = subprocess.run(
        ["arm-none-eabi-size", "-t", str(library)],
        check=True,
        capture_output=True,
        text=True,
    )
    return int(table.stdout.splitlines()[-1].split()[0])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    imports = import_seconds()
    figures: dict[str, Any] = {
        "wheel_nbytes": wheel_nbytes(),
        "import_seconds": imports,
        "import_ratio": imports["import rushlight"] / imports["import numpy"],
        "core_text_nbytes": core_text_nbytes(),
    }
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
