# SPDX-License-Identifier: BSD-3-Clause
"""Scripts written for ExecuTorch run unmodified: the flow of the articles, the older front end."""

import subprocess
import sys

import pytest

ARTICLE = """
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.runtime import Runtime

torch.manual_seed(0)
torch.set_num_threads(1)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False),
            torch.nn.BatchNorm2d(8),
            torch.nn.Hardswish(),
            torch.nn.Conv2d(8, 8, 3, padding=1, groups=8),
            torch.nn.ReLU6(),
            torch.nn.AdaptiveAvgPool2d(1),
        )
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        return self.head(torch.flatten(self.features(x), 1))

model = Net().eval()
sample = (torch.randn(1, 3, 32, 32),)
exported = torch.export.export(model, sample)
edge = to_edge_transform_and_lower(
    exported,
    partitioner=[XnnpackPartitioner()],
    compile_config=EdgeCompileConfig(_check_ir_validity=True),
)
program = edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=True))
with open("model.pte", "wb") as f:
    f.write(program.buffer)

method = Runtime.get().load_program("model.pte").load_method("forward")
out = method.execute([sample[0]])[0]
assert isinstance(out, torch.Tensor)
assert torch.allclose(out, model(*sample), rtol=0, atol=1e-5)
print("EQUAL")
"""

OLDER = """
import torch
from executorch.exir import to_edge
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

model = torch.nn.Linear(4, 3).eval()
x = torch.randn(2, 4)
program = to_edge(torch.export.export(model, (x,))).to_executorch()
module = _load_for_executorch_from_buffer(program.buffer)
assert torch.allclose(module.forward([x])[0], model(x), atol=1e-6)
print("EQUAL")
"""


def run(script, folder):
    file = folder / "script.py"
    file.write_text(script)
    return subprocess.run(
        [sys.executable, "-m", "rushlight.compat", str(file)],
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("script", [ARTICLE, OLDER], ids=["article", "older-front-end"])
def test_script_runs_unmodified(script, tmp_path):
    done = run(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "EQUAL" in done.stdout


def test_xnnpack_says_in_one_line_that_it_delegates_nothing(tmp_path):
    lines = run(ARTICLE, tmp_path).stderr.splitlines()
    assert len(lines) == 1
    assert "XnnpackBackend writes no XNNPACK payloads yet" in lines[0]


def test_name_that_is_not_served_is_an_import_error_that_says_so(tmp_path):
    done = run("from executorch.devtools import Inspector", tmp_path)
    assert "executorch.devtools: Rushlight has nothing under this name" in done.stderr


def test_without_a_script_the_usage_is_printed():
    done = subprocess.run(
        [sys.executable, "-m", "rushlight.compat"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "script.py [arguments]" in done.stderr
