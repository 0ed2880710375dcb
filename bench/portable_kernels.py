# SPDX-License-Identifier: BSD-3-Clause
"""One operator at a time: our portable kernels beside the stock runtime's, interleaved.

    python -m bench.portable_kernels [NAME…] [--rounds 7] [--json FILE]

Both sides run the same one-operator module on one thread through their own Python face; the figures are
medians of processor time per call, so that other work on the machine counts little. The wheel's stock
runtime has optimised kernels (BLAS, vector code) for some operators and portable ones for the rest;
the column ``stock kernel`` says which. Only the portable ones are like for like.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

torch.set_num_threads(1)
warnings.simplefilter("ignore")

PORTABLE, OPTIMISED = "portable", "optimised"


class Call(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., torch.Tensor]):
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.function(*inputs)


def conv(channels: tuple[int, int], kernel: int, size: int, **options: Any) -> Any:
    """A 2-d convolution over [1, C, size, size]."""
    module = nn.Conv2d(*channels, kernel, **options)
    return module, (torch.randn(1, channels[0], size, size),)


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "conv 3x3 32-64 56": (lambda: conv((32, 64), 3, 56, padding=1), PORTABLE),
    "conv 3x3 s2 3-32 224": (lambda: conv((3, 32), 3, 224, stride=2, padding=1), PORTABLE),
    "conv 1x1 96-24 56": (lambda: conv((96, 24), 1, 56), PORTABLE),
    "conv 1x1 320-1280 7": (lambda: conv((320, 1280), 1, 7), PORTABLE),
    "conv 1x1 960-240 1": (lambda: conv((960, 240), 1, 1), PORTABLE),
    "depthwise 3x3 144 56": (lambda: conv((144, 144), 3, 56, padding=1, groups=144), PORTABLE),
    "depthwise 5x5 s2 240 28": (
        lambda: conv((240, 240), 5, 28, padding=2, stride=2, groups=240),
        PORTABLE,
    ),
    "depthwise 3x3 960 7": (lambda: conv((960, 960), 3, 7, padding=1, groups=960), PORTABLE),
    "conv1d 1-64 k8 s4 4000": (
        lambda: (nn.Conv1d(1, 64, 8, stride=4), (torch.randn(1, 1, 4000),)),
        PORTABLE,
    ),
    "transposed 4x4 s2 32-16 28": (
        lambda: (
            nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1),
            (torch.randn(1, 32, 28, 28),),
        ),
        PORTABLE,
    ),
    "addmm 64x256x256": (
        lambda: (
            Call(torch.addmm),
            (torch.randn(256), torch.randn(64, 256), torch.randn(256, 256)),
        ),
        PORTABLE,
    ),
    "mm 64x256x256": (
        lambda: (Call(torch.mm), (torch.randn(64, 256), torch.randn(256, 256))),
        OPTIMISED,
    ),
    "bmm 8x64x64x64": (
        lambda: (Call(torch.bmm), (torch.randn(8, 64, 64), torch.randn(8, 64, 64))),
        OPTIMISED,
    ),
    "linear 1x1280x1000": (
        lambda: (nn.Linear(1280, 1000), (torch.randn(1, 1280),)),
        OPTIMISED,
    ),
    "softmax 64x1000": (lambda: (nn.Softmax(-1), (torch.randn(64, 1000),)), PORTABLE),
    "softmax dim1 8x64x64": (lambda: (nn.Softmax(1), (torch.randn(8, 64, 64),)), PORTABLE),
    "log_softmax 64x1000": (lambda: (nn.LogSoftmax(-1), (torch.randn(64, 1000),)), OPTIMISED),
    "layer_norm 64x768": (lambda: (nn.LayerNorm(768), (torch.randn(64, 768),)), OPTIMISED),
    "max_pool 3x3 s2 64 56": (
        lambda: (nn.MaxPool2d(3, 2, 1), (torch.randn(1, 64, 56, 56),)),
        PORTABLE,
    ),
    "avg_pool 3x3 s2 64 56": (
        lambda: (nn.AvgPool2d(3, 2, 1), (torch.randn(1, 64, 56, 56),)),
        PORTABLE,
    ),
}  # fmt: skip


def runners(name: str, folder: Path) -> dict[str, Callable[[], Any]]:
    """A call of the case on each side, checked against eager."""
    from executorch.exir import EdgeCompileConfig, to_edge
    from executorch.runtime import Runtime

    import rushlight

    torch.manual_seed(0)
    module, inputs = CASES[name][0]()
    module.eval()
    exported = torch.export.export(module, inputs)
    stock_file = folder / "stock.pte"
    # We keep linear whole; the stock lowering is asked for the same.
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default])
    edge = to_edge(exported, compile_config=config)
    stock_file.write_bytes(edge.to_executorch().buffer)
    stock = Runtime.get().load_program(stock_file).load_method("forward")
    ours = rushlight.compile(exported).method("forward")
    sides = {
        "stock": lambda: stock.execute(inputs)[0],
        "ours": lambda: ours(*inputs, output="torch"),
    }
    want = module(*inputs)
    for side, call in sides.items():
        torch.testing.assert_close(call(), want, rtol=1e-4, atol=1e-4, msg=side)
    return sides


def calls_for(call: Callable[[], Any], seconds: float) -> int:
    """How many calls take about that long."""
    start = time.process_time()
    call()
    return max(1, int(seconds / max(time.process_time() - start, 1e-5)))


def measure(name: str, rounds: int) -> dict[str, Any]:
    """Medians of processor microseconds per call, the sides alternating."""
    with tempfile.TemporaryDirectory() as folder:
        sides = runners(name, Path(folder))
        counts = {side: calls_for(call, 0.05) for side, call in sides.items()}
        times: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(rounds):
            for side, call in sides.items():
                start = time.process_time()
                for _ in range(counts[side]):
                    call()
                times[side].append((time.process_time() - start) / counts[side] * 1e6)
    medians = {f"{side}_us": statistics.median(t) for side, t in times.items()}
    return {"case": name, "stock_kernel": CASES[name][1], **medians}


def machine() -> str:
    """The processor's name and features that matter here."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    named = [line for line in lines if line.startswith("model name")]
    return f"{named[0].partition(':')[2].strip()}, {len(named)} cores, one thread used"


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(CASES))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print(
        f"{'case':28} {'stock kernel':12} {'stock us':>10} {'ours us':>10} ours/stock"
    )
    for name in options.names:
        row = measure(name, options.rounds)
        rows.append(row)
        ratio = row["ours_us"] / row["stock_us"]
        print(
            f"{name:28} {row['stock_kernel']:12} {row['stock_us']:10.1f} "
            f"{row['ours_us']:10.1f} {ratio:10.2f}",
            flush=True,
        )
    if options.json:
        record = {
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(),
            "command": f"python -m bench.portable_kernels --rounds {options.rounds}",
            "rows": rows,
        }
        options.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
