# SPDX-License-Identifier: BSD-3-Clause
"""``rushlight demo``: EfficientNet-Lite0 on a photo, from nn.Module to an answer from our runtime."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rushlight.errors import MissingPackageError, RushlightError

NAME = "demo"
RUNS = 10


class ImageError(RushlightError):
    """The file given with ``--image`` cannot be read as an image."""


@dataclass
class Outcome:
    """Eager's and our probabilities [1000], and what was measured."""

    eager: Any
    ours: Any
    difference: float
    load_ms: float
    latency_ms: float
    eager_ms: float
    traces: list[Any]


def command(
    image: Annotated[
        Path | None,
        typer.Option(help="A photo to classify; default: a cat of scikit-image."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the program goes.")
    ] = Path("efficientnet_lite0.pte"),
    report: Annotated[Path, typer.Option(help="Where the HTML report goes.")] = Path(
        "efficientnet_lite0.html"
    ),
) -> None:
    """Compile EfficientNet-Lite0 with its ImageNet weights, run it on a photo, report.

    rushlight demo --image holiday.jpg
    """
    import rushlight
    from rushlight.tools.efficientnet import load_model, preprocess
    from rushlight.tools.progress import Stages

    with Stages() as stage:
        stage("read weights and photo")
        path = image or cat()
        x = preprocess(read_image(path))
        model = load_model()
        compiled = rushlight.compile(model, (x,), progress=stage)
        compiled.save(output)
        stage("run")
        outcome = measure(model, x, output)
        stage("report")
        page = make_report(compiled, path, outcome)
        report.write_text(page, "utf8")
    show(compiled, path, outcome)
    print(f"program: {output}\nreport:  {report} (open it in a browser)")


def cat() -> Path:
    """chelsea.png of scikit-image, whose code is not imported."""
    spec = importlib.util.find_spec("skimage")
    if spec is None or not spec.submodule_search_locations:
        raise MissingPackageError("scikit-image", "pip install 'rushlight[demo]'")
    return Path(spec.submodule_search_locations[0]) / "data" / "chelsea.png"


def read_image(path: Path) -> Any:
    """The photo as a PIL RGB image. Raises ImageError."""
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(path).convert("RGB")
    except FileNotFoundError:
        raise ImageError(f"--image {path}: no such file") from None
    except (UnidentifiedImageError, OSError) as error:
        raise ImageError(
            f"--image {path}: not an image that can be read ({error})"
        ) from error


def softmax(logits: Any) -> Any:
    """Probabilities of one row of logits, in float64."""
    import numpy as np

    e = np.exp(np.float64(logits) - np.float64(logits).max())
    return e / e.sum()


def measure(model: Any, x: Any, file: Path) -> Outcome:
    """Eager and our runtime on one input: both answers, load time, median latencies."""
    import numpy as np
    import torch

    import rushlight

    with torch.no_grad():
        want = model(x).numpy()[0]
        eager_ms = median_ms(lambda: model(x))
    start = time.perf_counter()
    method = rushlight.load(file).method("forward")
    load_ms = 1e3 * (time.perf_counter() - start)
    array = x.numpy()
    got = method(array)[0]
    return Outcome(
        eager=softmax(want),
        ours=softmax(got),
        difference=float(np.abs(got - want).max()),
        load_ms=load_ms,
        latency_ms=median_ms(lambda: method(array)),
        eager_ms=eager_ms,
        traces=[method.trace(array).events for _ in range(3)],
    )


def median_ms(call: Any) -> float:
    """Median milliseconds of ``RUNS`` calls."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times)[RUNS // 2]


def best_five(outcome: Outcome) -> list[tuple[str, str, str]]:
    """(class, eager's probability, ours), by eager's order."""
    from rushlight.tools.efficientnet import class_names

    names = class_names()
    order = outcome.eager.argsort()[::-1][:5]
    return [
        (names[i], f"{outcome.eager[i]:.3f}", f"{outcome.ours[i]:.3f}") for i in order
    ]


def figures(compiled: Any, outcome: Outcome) -> list[tuple[str, str]]:
    """(what, figure) of the run, for the terminal."""
    made = compiled.report()
    forward = made.methods["forward"]
    return [
        ("largest difference of logits", f"{outcome.difference:.1e}"),
        ("file", f"{made.file_nbytes:,} bytes"),
        ("planned arenas", f"{forward.arena_nbytes:,} bytes"),
        (
            "their lower bound",
            f"{forward.lower_bound_nbytes:,} bytes (ratio {forward.ratio:.3f})",
        ),
        ("load", f"{outcome.load_ms:.2f} ms"),
        (
            "latency",
            f"{outcome.latency_ms:.1f} ms (PyTorch eager {outcome.eager_ms:.1f} ms)",
        ),
    ]


def show(compiled: Any, photo: Path, outcome: Outcome) -> None:
    """Print the answer and the figures."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(
        title=f"EfficientNet-Lite0 on {photo.name}",
        title_justify="left",
        box=None,
        header_style="dim",
    )
    table.add_column("class", min_width=24)
    table.add_column("eager", justify="right")
    table.add_column("rushlight", justify="right")
    for row in best_five(outcome):
        table.add_row(*row)
    console.print(table)
    for what, value in figures(compiled, outcome):
        console.print(f"  {what:30} {value}", markup=False)


def make_report(compiled: Any, photo: Path, outcome: Outcome) -> str:
    """The HTML page of the run."""
    from rushlight.tools.page import Table, make_page, render

    cards = [
        (f"{outcome.latency_ms:.1f} ms", "latency, median"),
        (f"{outcome.load_ms:.2f} ms", "load"),
        (f"{outcome.difference:.1e}", "largest difference from eager"),
    ]
    page = make_page(
        compiled,
        "EfficientNet-Lite0",
        f"ImageNet weights on {photo.name}; compiled and run by Rushlight",
        cards,
        outcome.traces,
    )
    head = ("class", "PyTorch eager", "Rushlight")
    page.tables.append(
        Table("The five likeliest classes", "", head, best_five(outcome), (1, 2))
    )
    return render(page)
