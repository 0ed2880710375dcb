# SPDX-License-Identifier: BSD-3-Clause
"""Source lines in files: what is shown of them, and that the bytes depend on nothing else."""

import importlib.util

import torch

import rushlight

SOURCE = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return x.sin()
"""


def compiled_from(folder, monkeypatch):
    folder.mkdir()
    file = folder / "net.py"
    file.write_text(SOURCE)
    monkeypatch.chdir(folder)
    spec = importlib.util.spec_from_file_location("net", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return rushlight.compile(module.Net().eval(), (torch.ones(3),))


def test_bytes_do_not_depend_on_where_the_sources_lie(tmp_path, monkeypatch):
    one = compiled_from(tmp_path / "one", monkeypatch)
    two = compiled_from(tmp_path / "elsewhere", monkeypatch)
    assert one.buffer == two.buffer
    assert one.report().methods["forward"].steps[0]["line"] == "net.py:6"
