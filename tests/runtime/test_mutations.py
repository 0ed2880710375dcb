# SPDX-License-Identifier: BSD-3-Clause
"""600 altered copies each of three programs: no crash, no hang, no foreign exception."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.support import recorded

COUNT = 600


@pytest.mark.parametrize("name", ["mlp_relu", "cond_branch", "shape_ops"])
def test_altered_programs_run_or_are_refused(name, tmp_path):
    program = recorded(name)
    call = program.calls[0]
    arrays = tmp_path / "inputs.npz"
    given = enumerate(program.inputs(call))
    np.savez(arrays, **{f"{call['method']}:{i:03}": value for i, value in given})

    command = [sys.executable, "-m", "tests.runtime.mutations", str(program.path)]
    done = subprocess.run(
        [*command, str(arrays), "0", str(COUNT)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout)
    assert not result["bad"], (result, done.stderr[-2000:])
    assert sum(result["ways"].values()) == COUNT
    assert result["ways"]["refused"] > COUNT // 5  # the changes do reach the loader
