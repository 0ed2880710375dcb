# SPDX-License-Identifier: BSD-3-Clause
"""What tests of several rooms use: reference files, and the calls recorded with them."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def shared_folder() -> Path:
    """The folder ``shared`` beside the repository (or above it, in a second checkout)."""
    for folder in Path(__file__).resolve().parents:
        if (folder / "shared" / "fixtures").is_dir():
            return folder / "shared"
    raise FileNotFoundError("no folder shared/ with fixtures beside the repository")


def shared_or_skip() -> Path:
    """``shared_folder``; without one the test, or the module being read, is skipped."""
    try:
        return shared_folder()
    except FileNotFoundError:
        pytest.skip(
            "needs the reference files: put their folder shared/ beside the repository",
            allow_module_level=True,
        )


@dataclass(frozen=True, repr=False)
class Recorded:
    """One program made by the stock exporter, with calls and eager's answers."""

    name: str
    path: Path
    data: tuple[Path, ...]
    backend: str
    methods: tuple[str, ...]
    rtol: float
    atol: float
    calls: tuple[dict[str, Any], ...]
    arrays_path: Path

    def __repr__(self) -> str:
        return self.name

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        with np.load(self.arrays_path) as arrays:
            return dict(arrays)

    def inputs(self, call: dict[str, Any]) -> list[Any]:
        """The flat arguments, tensors in the recorded dim order."""
        arrays = self.arrays
        return [_value(entry, arrays) for entry in call["inputs"]]

    def check(self, call: dict[str, Any], outputs: list[Any]) -> None:
        """Flat outputs against the recorded: count, kind, dtype, layout, values."""
        arrays = self.arrays
        assert len(outputs) == len(call["outputs"])
        for got, entry in zip(outputs, call["outputs"], strict=True):
            want = _value(entry, arrays)
            if entry["kind"] != "tensor":
                assert type(got) is type(want)
                assert got == want
                continue
            assert isinstance(got, np.ndarray)
            assert (str(got.dtype), list(got.shape)) == (entry["dtype"], entry["shape"])
            assert has_dim_order(got, entry["dim_order"])
            is_exact = got.dtype.kind in "iub"
            tolerance = (0, 0) if is_exact else (self.rtol, self.atol)
            wide = np.float64 if got.dtype.kind not in "iubc" else got.dtype
            rtol, atol = tolerance
            np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol, atol)


def has_dim_order(array: np.ndarray, dim_order: list[int]) -> bool:
    """Whether array is dense with dimensions from outermost to innermost as listed."""
    return bool(array.transpose(dim_order).flags.c_contiguous)


def in_dim_order(array: np.ndarray, dim_order: list[int]) -> np.ndarray:
    """A copy of array that is dense in that order."""
    return np.array(array.transpose(dim_order), order="C").transpose(
        np.argsort(dim_order)
    )


def _value(entry: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    kind = entry["kind"]
    if kind == "none":
        return None
    if kind != "tensor":
        return {"int": int, "double": float, "bool": bool, "string": str}[kind](
            entry["value"]
        )
    array = arrays[entry["key"]]
    if entry["dtype"] == "bfloat16":
        import ml_dtypes

        array = array.view(ml_dtypes.bfloat16)
    return in_dim_order(array, entry["dim_order"])


@cache
def recorded_programs(backend: str = "portable") -> tuple[Recorded, ...]:
    """The stock-made programs that need this backend; "portable": kernels only."""
    folder = shared_or_skip() / "fixtures" / "pte"
    manifest = json.loads((folder / "manifest.json").read_text())
    return tuple(
        Recorded(
            name=f["name"],
            path=folder / f["file"],
            data=tuple(folder / name for name in f["data_files"]),
            backend=f["backend"],
            methods=tuple(f["methods"]),
            rtol=f["rtol"],
            atol=f["atol"],
            calls=tuple(f["calls"]),
            arrays_path=folder / f["arrays"],
        )
        for f in manifest["fixtures"]
        if f["backend"] == backend and not f["needs"]
    )


@cache
def recorded(name: str) -> Recorded:
    """The portable stock-made program of that name."""
    return next(r for r in recorded_programs() if r.name == name)
