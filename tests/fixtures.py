# SPDX-License-Identifier: BSD-3-Clause
"""The stock-made programs with recorded inputs and outputs, wherever they lie.

They live beside the repository, in ``shared/fixtures`` of a folder above it; the
variable RUSHLIGHT_FIXTURES names another place. Tests that need them are skipped without.
"""

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from tests.support import shared_folder


def folder() -> Path | None:
    """The folder with ``pte/manifest.json``, or None."""
    named = os.environ.get("RUSHLIGHT_FIXTURES")
    if named:
        return Path(named)
    try:
        return shared_folder() / "fixtures"
    except FileNotFoundError:
        return None


@lru_cache
def manifest() -> list[dict[str, Any]]:
    """The manifest's entries; none if the folder is not there."""
    found = folder()
    if found is None:
        return []
    return json.loads((found / "pte" / "manifest.json").read_text())["fixtures"]


def path(name: str) -> Path:
    """A file of ``pte/``; skips the test if there are no fixtures."""
    found = folder()
    if found is None:
        pytest.skip("the stock-made fixtures are not beside this clone")
    return found / "pte" / name


def names(backend: str | None = None) -> list[str]:
    """Names of all fixtures, or of those for one backend."""
    return [f["name"] for f in manifest() if backend in (None, f["backend"])]
