# SPDX-License-Identifier: BSD-3-Clause
"""What every test may ask for."""

import sys

import pytest

from tests.support import shared_or_skip


@pytest.fixture(scope="session")
def shared():
    """The folder of reference files beside the repository."""
    return shared_or_skip()


@pytest.fixture(autouse=True)
def _one_torch_thread():
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
