# SPDX-License-Identifier: BSD-3-Clause
"""The command line, as a person at a shell meets it."""

import json
import subprocess
import sys

import numpy as np
import pytest

NET = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.hidden, self.head = torch.nn.Linear(8, 8), torch.nn.Linear(8, 3)

    def forward(self, x):
        y = torch.tanh(self.hidden(x))
        return {"logits": self.head(y), "mean": y.mean(1)}

def model():
    return Net().eval()

def inputs():
    return (torch.randn(4, 8),)

def dynamic_shapes():
    return {"x": {0: torch.export.Dim("batch", max=16)}}
"""


def rushlight(*words, cwd):
    return subprocess.run(
        [sys.executable, "-m", "rushlight.tools.cli", *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "net.py").write_text(NET)
    done = rushlight(
        "compile", "net.py", "-o", "net.pte", "--report", "net.html", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "wrote net.pte" in done.stdout
    return folder


def test_help_shows_every_command(tmp_path):
    text = rushlight("--help", cwd=tmp_path).stdout
    for command in ("compile", "run", "inspect", "check", "verify", "demo"):
        assert f"  {command} " in text
        assert (
            "rushlight " + command in rushlight(command, "--help", cwd=tmp_path).stdout
        )


def test_report_is_one_file_that_asks_the_network_for_nothing(folder):
    page = (folder / "net.html").read_text("utf8")
    assert "<svg" in page and "aten::linear.out" in page
    assert "http" not in page and "<script" not in page


def test_run_prints_and_saves_the_models_own_structure(folder):
    np.save(folder / "x.npy", np.ones((2, 8), np.float32))
    done = rushlight(
        "run",
        "net.pte",
        "--input",
        "x.npy",
        "-o",
        "out.npz",
        "--repeat",
        3,
        "--profile",
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert "output.logits: float32 [2, 3]" in done.stdout
    assert "aten::tanh.out" in done.stdout and "median of 3" in done.stdout
    with np.load(folder / "out.npz") as saved:
        assert saved["output.mean"].shape == (2,)
    named = rushlight("run", "net.pte", "-i", "x=x.npy", cwd=folder)
    assert named.stdout.splitlines()[0] in done.stdout


def test_run_without_input_uses_zeros_and_says_so(folder):
    assert "running on zeros" in rushlight("run", "net.pte", cwd=folder).stdout


NESTED = """
import torch

class Net(torch.nn.Module):
    def forward(self, parts, scale):
        return parts["a"] + parts["b"][0] * scale

def model():
    return Net().eval()

def inputs():
    return {"parts": {"a": torch.ones(3), "b": [torch.ones(3)]}, "scale": torch.ones(())}
"""


def test_nested_inputs_run_on_zeros_and_check_silently(folder):
    (folder / "nested.py").write_text(NESTED)
    rushlight("compile", "nested.py", "-o", "nested.pte", cwd=folder)
    done = rushlight("run", "nested.pte", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "output: float32 [3]" in done.stdout
    done = rushlight("check", "nested.py", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_inspect_counts_operators_ours_and_stocks(folder, shared):
    found = json.loads(rushlight("inspect", "net.pte", "--json", cwd=folder).stdout)
    [method] = found["methods"]
    assert method["operators"]["aten::linear.out"] == 2
    assert method["inputs"][0] == {
        "kind": "tensor", "dtype": "float32", "shape": [16, 8], "dynamic": True, "arena": 1,
    }  # fmt: skip
    assert method["memory"]["nbytes"] > sum(method["arena_nbytes"]) > 0
    stock = rushlight("inspect", shared / "fixtures/pte/xnn_conv_fp32.pte", cwd=folder)
    assert stock.returncode == 0
    assert "delegate XnnpackBackend" in stock.stdout


def test_check_compares_with_eager(folder):
    done = rushlight("check", "net.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "equal to eager" in done.stdout


def test_check_names_the_layer_where_a_difference_begins(folder):
    done = rushlight("check", "net.py", "--rtol", 0, "--atol", 0, cwd=folder)
    assert done.returncode == 1
    assert "DIFFERS from eager" in done.stdout
    assert "aten::linear.out" in done.stdout


def test_verify_prints_reason_and_byte_offset(folder):
    assert rushlight("verify", "net.pte", cwd=folder).returncode == 0
    data = bytearray((folder / "net.pte").read_bytes())
    data[4:8] = b"ETxx"
    (folder / "bad.pte").write_bytes(data)
    done = rushlight("verify", "bad.pte", cwd=folder)
    assert done.returncode == 1
    assert "refused" in done.stdout and "byte 4" in done.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("compile", "nowhere.py", "-o", "x.pte"), "nowhere.py: no such file"),
        (("compile", "empty.py", "-o", "x.pte"), "no function model()"),
        (
            ("compile", "torn.py", "-o", "x.pte"),
            "SyntaxError: invalid syntax (torn.py, li",
        ),
        (
            ("compile", "lacks.py", "-o", "x.pte"),
            "lacks.py:3: ModuleNotFoundError: No m",
        ),
        (("run", "net.pte", "--method", "y"), "no method 'y'; the program has forward"),
        (("run", "net.pte", "-i", "y.npy"), "neither a file nor a number"),
        (("run", "net.pte", "-i", "x.txt"), "not a plain .npy file"),
        (("run", "net.pte", "-i", "wide.npy"), "x"),
        (("inspect", "x.txt"), "x.txt"),
    ],
    ids=[
        "no-file",
        "no-model",
        "torn",
        "no-import",
        "no-method",
        "no-input",
        "not-npy",
        "wrong-shape",
        "not-a-program",
    ],
)
def test_error_is_one_sentence_and_status_2(words, text, folder):
    (folder / "empty.py").write_text("")
    (folder / "torn.py").write_text("def model(:")
    (folder / "lacks.py").write_text("def model():\n    1\n    import zzz\n")
    (folder / "x.txt").write_text("x" * 100)
    np.save(folder / "wide.npy", np.ones((2, 9), np.float32))
    done = rushlight(*words, cwd=folder)
    assert done.returncode == 2
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_demo_classifies_a_photo_and_writes_a_report(tmp_path):
    done = rushlight("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tiger cat" in done.stdout and "0.385" in done.stdout
    assert "lower bound" in done.stdout
    assert (tmp_path / "efficientnet_lite0.pte").stat().st_size < 20e6
    assert "<svg" in (tmp_path / "efficientnet_lite0.html").read_text("utf8")


def test_demo_refuses_what_is_not_an_image(tmp_path):
    (tmp_path / "x.png").write_bytes(b"not an image")
    done = rushlight("demo", "--image", "x.png", cwd=tmp_path)
    assert done.returncode == 2
    assert "x.png: not an image" in done.stderr


LEAVES = """
import torch

class Net(torch.nn.Module):
    def forward(self, d, scale):
        return d["a"] + d["b"][0] * scale

def model():
    return Net().eval()

def inputs():
    return ({"a": torch.ones(2), "b": [torch.ones(2)]}, torch.ones(2))
"""


def test_run_takes_the_leaves_of_nested_inputs_one_by_one(folder):
    (folder / "leaves.py").write_text(LEAVES)
    np.save(folder / "two.npy", np.full(2, 2, np.float32))
    rushlight("compile", "leaves.py", "-o", "leaves.pte", cwd=folder)
    assert "[0, 0]" in rushlight("run", "leaves.pte", cwd=folder).stdout
    words = ("-i", "d.b.0=two.npy", "-i", "two.npy", "-i", "two.npy")
    assert "[6, 6]" in rushlight("run", "leaves.pte", *words, cwd=folder).stdout
