# SPDX-License-Identifier: BSD-3-Clause
"""Rushlight beside stock ExecuTorch, model by model: compile time, planned memory, and our files in its runtime.

    python -m bench.against_stock [MODEL…] [--rounds 3] [--json FILE]

Each measurement is a process of its own; the two sides alternate. ``in stock`` and ``in ours``
are the largest difference from eager over the model's calls, as a share of the output's scale.
"""

from __future__ import annotations

import argparse
import copy
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.models import MODELS


def child(module: str, *words: str) -> dict[str, Any]:
    """The JSON that ``python -m module words`` prints last; its stderr in the error."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words], capture_output=True, text=True
    )
    if done.returncode:
        tail = done.stderr.strip().splitlines()[-3:]
        return {"error": f"exit {done.returncode}: {' | '.join(tail)}"}
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def lower(name: str, out: str) -> dict[str, Any]:
    """Our portable lowering of one model, and the plan's figures."""
    import rushlight
    from bench.stock import export

    exported = export(MODELS[name]())
    start = time.perf_counter()
    compiled = rushlight.compile(exported)
    seconds = time.perf_counter() - start
    compiled.save(out)
    plan = compiled.report().methods["forward"]
    return {
        "seconds": seconds,
        "file_nbytes": len(compiled.buffer),
        "lower_bound": plan.lower_bound_nbytes,
    }


def run(file: str, name: str) -> dict[str, Any]:
    """Our file in our runtime against eager, call after call."""
    import torch

    import rushlight
    from bench.stock import largest_difference, leaves

    case = MODELS[name]()
    eager = copy.deepcopy(case.model)
    method = rushlight.load(file).method("forward")
    worst, scale = 0.0, 0.0
    with torch.no_grad():
        for inputs in case.calls or (case.inputs,):
            want = leaves(eager(*inputs))
            got = leaves(method(*inputs, output="torch"))
            worst = max(worst, largest_difference(got, want))
            scale = max(scale, *(float(w.abs().max()) for w in want))
    return {"difference": worst, "scale": scale}


def measure(name: str, rounds: int, folder: Path) -> dict[str, Any]:
    """One row: medians of compile times, arena bytes, and both runs of our file."""
    from bench.stock import arena_nbytes

    stock_file, our_file = (
        str(folder / f"{name}-stock.pte"),
        str(folder / f"{name}.pte"),
    )
    stock, ours = [], []
    for _ in range(rounds):
        stock.append(child("bench.stock", "lower", name, stock_file))
        ours.append(child("bench.against_stock", "--child", "lower", name, our_file))
    row: dict[str, Any] = {"model": name}
    for side, results, file in (("stock", stock, stock_file), ("ours", ours, our_file)):
        failed = next((r for r in results if "error" in r), None)
        row[side] = failed or {
            "seconds": statistics.median(r["seconds"] for r in results),
            "file_nbytes": results[-1]["file_nbytes"],
            "arena_nbytes": arena_nbytes(Path(file).read_bytes()),
        }
    if "error" not in row["ours"]:
        row["lower_bound"] = ours[-1]["lower_bound"]
        row["in_ours"] = child("bench.against_stock", "--child", "run", our_file, name)
        row["in_stock"] = child("bench.stock", "run", our_file, name)
    return row


def figure(row: dict[str, Any]) -> list[str]:
    """The row as table cells."""
    stock, ours = row["stock"], row["ours"]
    if "error" in ours:
        return [row["model"], ours["error"]]
    scale = row["in_ours"].get("scale") or 1.0

    def share(result: dict[str, Any]) -> str:
        return (
            f"{result['difference'] / scale:.1e}"
            if "error" not in result
            else result["error"]
        )

    cells = [row["model"], f"{ours['seconds']:.2f} s"]
    if "error" in stock:
        cells += [stock["error"][:40], "", ""]
    else:
        cells += [
            f"{stock['seconds']:.2f} s",
            f"{ours['seconds'] / stock['seconds']:.2f}",
        ]
        cells.append(f"{ours['arena_nbytes'] / max(1, stock['arena_nbytes']):.3f}")
    cells.append(f"{ours['arena_nbytes']:,}")
    cells.append(f"{ours['arena_nbytes'] / max(1, row['lower_bound']):.3f}")
    return [*cells, share(row["in_ours"]), share(row["in_stock"])]


HEAD = (
    "model,ours,stock,ratio,arena/stock,arena bytes,arena/bound,in ours,in stock".split(
        ","
    )
)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        verb, *rest = options.models
        print(json.dumps({"lower": lower, "run": run}[verb](*rest)))
        return
    rows = []
    print(" | ".join(HEAD))
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            rows.append(measure(name, options.rounds, Path(folder)))
            print(" | ".join(figure(rows[-1])), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
