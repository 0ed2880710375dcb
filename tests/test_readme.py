# SPDX-License-Identifier: BSD-3-Clause
"""The README's example runs as printed."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_example_runs(tmp_path):
    [code] = re.findall(r"```python\n(.*?)```", README.read_text("utf8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "aten::linear.out" in done.stdout
    assert (tmp_path / "mlp.pte").exists()
