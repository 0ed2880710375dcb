# SPDX-License-Identifier: BSD-3-Clause
"""One model through every stage. Run it first: what breaks here breaks everywhere."""

import numpy as np
import torch
from torch import nn

import rushlight
from rushlight.compiler import pipeline
from rushlight.compiler.config import ExecutorchBackendConfig
from rushlight.compiler.verify import verify_dialect, verify_legal
from rushlight.schema.reader import read_program


class Tiny(nn.Module):
    """A convolution with a norm, a counter of calls, a linear head."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        nn.init.normal_(self.norm.running_mean)

    def forward(self, x):
        self.calls += 1
        features = torch.relu(self.norm(self.conv(x))).mean((2, 3))
        return {"logits": self.head(features), "calls": self.calls.clone()}


X = torch.rand(2, 3, 8, 8)


def expected():
    with torch.no_grad():
        return Tiny().eval()(X)["logits"].numpy()


def test_stage_by_stage():
    exported = torch.export.export(Tiny().eval(), (X,))

    edge = pipeline.to_edge_for(exported, ())
    verify_dialect(edge)
    names = [str(node.target) for node in edge.graph.nodes]
    assert any("batch_norm" in name for name in names)

    edge = pipeline.optimise(edge)
    names = [str(node.target) for node in edge.graph.nodes]
    assert not any("batch_norm" in name for name in names)
    verify_legal(edge)

    config = ExecutorchBackendConfig()
    emitted = pipeline.emit({"forward": pipeline.finish(edge, config)}, config, {})
    (arena,) = emitted.plans["forward"].arenas
    assert arena.lower_bound <= arena.nbytes <= 1.05 * arena.lower_bound

    file = read_program(emitted.buffer)
    assert file.program.methods[0].name == "forward"

    program = rushlight.load(emitted.buffer)
    for calls in (1, 2):
        result = program(X)
        assert result["calls"] == calls
        np.testing.assert_allclose(result["logits"], expected(), rtol=1e-5, atol=1e-6)


def test_in_one_call_with_a_delegate():
    program = rushlight.compile(Tiny().eval(), (X,), backends=["RushlightProgram"])
    assert program.report().methods["forward"].delegated
    np.testing.assert_allclose(program(X)["logits"], expected(), rtol=1e-5, atol=1e-6)
