# SPDX-License-Identifier: BSD-3-Clause
"""Calling a method from files and words, and showing what it returned."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rushlight.errors import RushlightError


class WordError(RushlightError):
    """An ``--input`` that cannot be read: which one, and why."""


def read_input(text: str) -> Any:
    """``x.npy`` → array; ``3``, ``0.5``, ``true``, ``none`` → the Python value."""
    import numpy as np

    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    path = Path(text)
    if not path.is_file():
        raise WordError(
            f"--input {text}: neither a file nor a number, true, false or none"
        )
    try:
        return np.load(path, allow_pickle=False)
    except ValueError as error:
        raise WordError(f"--input {text}: not a plain .npy file ({error})") from error


def parse_inputs(method: Any, texts: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
    """The call's arguments; with no texts at all, zeros of the method's shapes.

    A text gives one flat input: what stands at ``state.key`` in a nested argument.
    """
    if not texts and method.inputs:
        print("no --input given: running on zeros")
        return [], method.arguments([zero(slot) for slot in method.inputs])
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    names = [slot.name for slot in method.inputs]
    for text in texts:
        name, sign, rest = text.partition("=")
        if sign and name in names:
            kwargs[name] = read_input(rest)
        else:
            args.append(read_input(text))
    if any("." in name for name in names) and len(texts) == len(names):
        unnamed = iter(args)
        flat = [kwargs[n] if n in kwargs else next(unnamed) for n in names]
        return [], method.arguments(flat)
    return args, kwargs


def zero(slot: Any) -> Any:
    """Zeros in an input's shape, or in its upper bound where it is dynamic."""
    import numpy as np

    from rushlight.runtime.arrays import numpy_dtype

    if slot.is_tensor:
        return np.zeros(slot.sizes, dtype=numpy_dtype(slot.dtype_number))
    if slot.dtype == "None":
        return None
    raise WordError(
        f"input {slot.name} is a {slot.dtype}: say which with --input {slot.name}=…"
    )


def run(
    method: Any, args: list[Any], kwargs: dict[str, Any], repeat: int, profile: bool
) -> tuple[Any, list[float], list[Any]]:
    """(results, milliseconds of each run, per-instruction events if ``profile``)."""
    times_ms = []
    for _ in range(repeat):
        start = time.perf_counter()
        results = method(*args, **kwargs)
        times_ms.append(1e3 * (time.perf_counter() - start))
    steps = method.trace(*args, **kwargs).events if profile else []
    return results, times_ms, steps


def flatten(value: Any, name: str = "output") -> dict[str, Any]:
    """Leaves of a nested result by path: ``output.boxes[0]``."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {
            k: v
            for key, item in value.items()
            for k, v in flatten(item, f"{name}.{key}").items()
        }
    if isinstance(value, list | tuple):
        return {
            k: v
            for i, item in enumerate(value)
            for k, v in flatten(item, f"{name}[{i}]").items()
        }
    return {name: value}


def describe(value: Any) -> str:
    """dtype, shape, range and the first elements of an array; the value itself otherwise."""
    import numpy as np

    if not isinstance(value, np.ndarray):
        return repr(value)
    head = ", ".join(
        f"{v:.6g}" if value.dtype.kind in "fV" else str(v)
        for v in value.ravel()[:6].tolist()
    )
    more = ", …" if value.size > 6 else ""
    spread = (
        f" min {value.min():.6g} max {value.max():.6g}"
        if value.size > 6 and value.dtype.kind in "fiu"
        else ""
    )
    return f"{value.dtype} {list(value.shape)}{spread}  [{head}{more}]"


def profile_table(events: Sequence[Any]) -> str:
    """Time per operator, longest first, as aligned text."""
    total: dict[str, list[float]] = {}
    for event in events:
        total.setdefault(event.name, []).append(event.nanoseconds / 1000)
    whole = sum(sum(t) for t in total.values()) or 1.0
    lines = [f"{'operator':48} {'calls':>6} {'µs':>12} {'share':>7}"]
    for name, times in sorted(total.items(), key=lambda kv: -sum(kv[1])):
        lines.append(
            f"{name:48} {len(times):>6} {sum(times):>12,.1f} {100 * sum(times) / whole:>6.1f}%"
        )
    return "\n".join(lines)


def save(path: Path, named: dict[str, Any]) -> None:
    """Write arrays and numbers to a ``.npz``, by path name; None is left out."""
    import numpy as np

    np.savez(path, **{k: np.asarray(v) for k, v in named.items() if v is not None})  # type: ignore[arg-type]
    print(f"saved {path}")
