# SPDX-License-Identifier: BSD-3-Clause
"""The program backend: delegation from the partitioner to the runtime's answer."""

import numpy as np
import pytest
import torch

import rushlight
from rushlight.backends.program import BACKEND
from rushlight.compiler import ExecutorchBackendConfig, to_edge_transform_and_lower
from rushlight.compiler.delegation import lower_partitions
from rushlight.compiler.partition import (
    TAG,
    BackendPartitioner,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    tag_constants,
    tag_mutated_buffers,
)
from rushlight.errors import RuntimeFailure


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.norm = torch.nn.LayerNorm(8)
        self.up, self.down = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x)))), x.sum(1)


MODEL, X = Encoder().eval(), torch.rand(3, 8)


def same(got, want):
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_whole_model_is_one_delegate_and_runs():
    program = rushlight.compile(MODEL, (X,), backends=["RushlightProgram"])
    report = program.report().methods["forward"]
    assert [call.backend for call in report.delegated] == ["RushlightProgram"]
    assert report.ops == {"DelegateCall": 1}
    for _ in range(2):
        same(program(X), MODEL(X))


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "segment"])
def test_payloads_run_from_both_places(inline):
    config = ExecutorchBackendConfig(extract_delegate_segments=not inline)
    edge = to_edge_transform_and_lower(
        torch.export.export(MODEL, (X,)), partitioner=[BackendPartitioner(BACKEND)]
    )
    buffer = edge.to_executorch(config).buffer
    same(rushlight.load(buffer)(X), MODEL(X))


class Every(Partitioner):
    """Gives the backend each chosen op as a partition of its own."""

    def __init__(self, *names):
        super().__init__()
        self.names = names

    def partition(self, exported_program):
        tags = {}
        for node in exported_program.graph.nodes:
            if node.op == "call_function" and node.name in self.names:
                node.meta[TAG] = node.name
                tags[node.name] = DelegationSpec("RushlightProgram", [])
        tag_constants(exported_program)
        return PartitionResult(exported_program, tags)


def test_several_delegates_between_ops_of_the_program():
    program = rushlight.compile(MODEL, (X,), partitioner=Every("linear", "linear_1"))
    assert len(program.report().methods["forward"].delegated) == 2
    same(program(X), MODEL(X))


def test_sizes_change_between_calls():
    n = torch.export.Dim("n", min=1, max=6)
    program = rushlight.compile(
        MODEL, (X,), dynamic_shapes={"x": {0: n}}, partitioner=Every("gelu", "linear_1")
    )
    assert len(program.report().methods["forward"].delegated) == 2
    for rows in (6, 1, 3):
        x = torch.rand(rows, 8)
        same(program(x), MODEL(x))


def test_channels_last_crosses_the_border():
    conv = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last).eval()
    model = torch.nn.Sequential(conv, torch.nn.ReLU(), torch.nn.MaxPool2d(2))
    x = torch.rand(2, 3, 6, 6).to(memory_format=torch.channels_last)
    program = rushlight.compile(model, (x,), partitioner=Every("relu"))
    assert len(program.report().methods["forward"].delegated) == 1
    same([program(x)], [model(x)])


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.ones(2))

    def forward(self, x):
        self.n.mul_(2)
        return x + self.n


class Keeps(Partitioner):
    def partition(self, exported_program):
        for node in exported_program.graph.nodes:
            if node.op == "call_function":
                node.meta[TAG] = "all"
        tag_constants(exported_program)
        tag_mutated_buffers(exported_program)
        spec = DelegationSpec("RushlightProgram", [])
        return PartitionResult(exported_program, {"all": spec})


def test_state_in_a_delegate_lasts_from_call_to_call():
    program = rushlight.compile(
        Counter().eval(), (torch.zeros(2),), partitioner=Keeps()
    )
    seen = [program(torch.zeros(2)).tolist() for _ in range(3)]
    assert seen == [[2, 2], [4, 4], [8, 8]]


def test_sizes_computed_at_run_time_stay_outside():
    n = torch.export.Dim("n", min=1, max=6)

    class Flat(torch.nn.Module):
        def forward(self, x):
            return torch.relu(x).reshape(x.shape[0] * 8) * 2

    program = rushlight.compile(
        Flat().eval(), (X,), dynamic_shapes={"x": {0: n}}, backends=["RushlightProgram"]
    )
    reasons = {
        left.op: left.reasons for left in program.report().methods["forward"].left
    }
    assert "run time" in str(reasons)
    same([program(X)], [Flat()(X)])


def test_an_altered_payload_is_refused_with_a_reason():
    buffer = bytearray(
        rushlight.compile(MODEL, (X,), backends=["RushlightProgram"]).buffer
    )
    inner = buffer.rindex(b"ET12")
    buffer[inner : inner + 4] = b"ET99"
    with pytest.raises(RuntimeFailure, match=r"delegate 0"):
        rushlight.load(bytes(buffer)).method("forward")


def test_payloads_do_not_nest():
    edge = to_edge_transform_and_lower(
        torch.export.export(MODEL, (X,)), partitioner=[BackendPartitioner(BACKEND)]
    ).exported_program()
    nodes = [n for n in edge.graph.nodes if n.op in ("call_function", "get_attr")]
    for node in nodes:
        if node.op == "call_function":
            node.meta[TAG] = "again"
    result = PartitionResult(edge, {"again": DelegationSpec("RushlightProgram", [])})
    nested = lower_partitions(result)
    from rushlight.compiler import pipeline

    buffer = pipeline.emit({"forward": nested}, ExecutorchBackendConfig(), {}).buffer
    with pytest.raises(
        RuntimeFailure, match="backend RushlightProgram: not in this build"
    ):
        rushlight.load(buffer).method("forward")
