# SPDX-License-Identifier: BSD-3-Clause
"""Partitions: groups without cycles, what moves with them, and what users are told."""

import pytest
import torch

from rushlight.backends.backend import (
    Backend,
    BackendDetails,
    CompileSpec,
    PreprocessResult,
    Support,
)
from rushlight.compiler.delegate import LoweredBackendModule
from rushlight.compiler.delegation import lower_partitions
from rushlight.compiler.grouping import group_nodes
from rushlight.compiler.partition import (
    TAG,
    BackendPartitioner,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    left_behind,
    tag_constants,
    tag_mutated_buffers,
)
from rushlight.compiler.targets import is_delegate_call
from rushlight.errors import BackendError, PartitionError
from tests.compiler.graphs import aten, count, edge, run


class RecordingBackend(BackendDetails):
    """Bytes that say which ops it got, in order."""

    @staticmethod
    def preprocess(edge_program, compile_specs):
        ops = [
            str(n.target) for n in edge_program.graph.nodes if n.op == "call_function"
        ]
        return PreprocessResult(" ".join(ops).encode())


class Tags(Partitioner):
    """Tags the nodes that a function chooses."""

    def __init__(self, choose, backend="RecordingBackend"):
        super().__init__()
        self.choose, self.backend = choose, backend

    def partition(self, exported_program):
        tags = {}
        for node in exported_program.graph.nodes:
            tag = self.choose(node) if node.op == "call_function" else None
            if tag:
                node.meta[TAG] = tag
                tags[tag] = DelegationSpec(self.backend, [CompileSpec("k", b"v")])
        tag_constants(exported_program)
        return PartitionResult(exported_program, tags)


def only(*targets):
    return lambda node: "part" if node.target in targets else None


def lowered(program):
    """The delegates of a program, in order."""
    return [
        getattr(program.graph_module, node.args[0].target)
        for node in program.graph.nodes
        if node.op == "call_function" and is_delegate_call(node)
    ]


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(4, 3), torch.nn.Linear(3, 2)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def test_a_partition_runs_as_before_and_owns_its_weights():
    x = torch.rand(5, 4)
    program = edge(Mlp(), x)
    want = run(program, x)

    lower_partitions(
        Tags(only(aten.linear.default, aten.relu.default)).partition(program)
    )

    (delegate,) = lowered(program)
    assert (
        delegate.processed_bytes
        == b"aten.linear.default aten.relu.default aten.linear.default"
    )
    assert delegate.compile_specs == [CompileSpec("k", b"v")]
    assert len(delegate.original_module.graph_signature.parameters) == 4
    assert list(program.graph_signature.parameters) == []
    torch.testing.assert_close(run(program, x), want, rtol=0, atol=0)


def test_a_lowered_program_can_be_exported_again():
    x = torch.rand(5, 4)
    program = edge(Mlp(), x)
    lower_partitions(Tags(only(aten.relu.default)).partition(program))
    again = program.run_decompositions({})
    (delegate,) = lowered(again)
    assert isinstance(delegate, LoweredBackendModule)
    torch.testing.assert_close(run(again, x), run(program, x))


def test_dynamic_sizes_follow_through_a_delegate():
    x, n = torch.rand(5, 4), torch.export.Dim("n", min=1, max=9)
    program = edge(Mlp(), x, dynamic_shapes={"x": {0: n}})
    lower_partitions(Tags(only(aten.relu.default)).partition(program))
    again = program.run_decompositions({})
    y = torch.rand(7, 4)
    torch.testing.assert_close(run(again, y), run(program, y))


def test_a_partition_around_another_node_is_refused():
    program = edge(Mlp(), torch.rand(5, 4))
    with pytest.raises(PartitionError, match=r"wait for its own result through relu"):
        lower_partitions(Tags(only(aten.linear.default)).partition(program))


def test_nodes_between_are_put_in_an_order_that_works():
    def function(x):
        a = x.relu()
        b = x * 2  # independent of the partition, between its nodes
        return a.relu() + b, a + 1

    x = torch.rand(3)
    program = edge(function, x)
    lower_partitions(Tags(only(aten.relu.default)).partition(program))
    program.graph.lint()
    torch.testing.assert_close(run(program, x), function(x))


def test_several_results_of_one_node_cross_the_border():
    x = torch.rand(1, 1, 4, 4)
    pool = torch.nn.MaxPool2d(2, return_indices=True)
    program = edge(pool, x)
    lower_partitions(
        Tags(only(aten.max_pool2d_with_indices.default)).partition(program)
    )
    torch.testing.assert_close(run(program, x), pool(x))


def test_a_weight_of_two_partitions_is_owned_by_both():
    linear = torch.nn.Linear(3, 3)
    numbers = {"linear": "first", "linear_1": "second"}
    program = edge(
        torch.nn.Sequential(linear, torch.nn.ReLU(), linear), torch.rand(1, 3)
    )
    lower_partitions(Tags(lambda n: numbers.get(n.name)).partition(program))
    assert [
        len(d.original_module.graph_signature.parameters) for d in lowered(program)
    ] == [2, 2]


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(2))

    def forward(self, x):
        self.n.mul_(2)
        return x + self.n


def test_state_can_move_into_a_delegate():
    program = edge(Counter(), torch.rand(2))
    partitioner = Tags(only(aten.mul.Scalar, aten.mul.Tensor, aten.add.Tensor))
    result = partitioner.partition(program)
    tag_mutated_buffers(program)
    lower_partitions(result)
    (delegate,) = lowered(program)
    inner = delegate.original_module.graph_signature
    assert list(inner.buffers_to_mutate.values()) == ["n"]
    assert program.graph_signature.buffers_to_mutate == {}
    assert len(delegate.output_values) == 1


def test_state_that_is_not_given_away_stays():
    program = edge(Counter(), torch.rand(2))
    partitioner = Tags(only(aten.mul.Scalar, aten.mul.Tensor, aten.add.Tensor))
    lower_partitions(partitioner.partition(program))
    assert list(program.graph_signature.buffers_to_mutate.values()) == ["n"]


def test_an_unknown_backend_is_named_with_the_known_ones():
    program = edge(Mlp(), torch.rand(5, 4))
    with pytest.raises(
        BackendError, match=r"backend Nowhere: unknown; there are .*NullBackend"
    ):
        lower_partitions(Tags(only(aten.relu.default), "Nowhere").partition(program))


class FailingBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        raise ZeroDivisionError("no bits left")


def test_a_failing_backend_is_named():
    program = edge(Mlp(), torch.rand(5, 4))
    with pytest.raises(
        BackendError, match=r"FailingBackend: .*ZeroDivisionError: no bits left"
    ):
        lower_partitions(
            Tags(only(aten.relu.default), "FailingBackend").partition(program)
        )


def preprocess(partition, specs):
    return PreprocessResult(b"x")


TEST_BACKEND = Backend(
    "TestBackend",
    "1",
    preprocess,
    {
        "aten.linear.default": Support("aten.linear.default", ("float32",)),
        "aten.relu.default": Support(
            "aten.relu.default",
            ("float32",),
            when=lambda n: True if n.meta["val"].dim() == 2 else "takes rank 2 only",
        ),
    },
)


def test_a_backend_gives_its_reason_for_each_kind_it_leaves():
    program = edge(
        lambda x: (x.relu(), x[0].relu() + 1, x.double().relu()),
        torch.rand(2, 2),
        keep={aten.select.int},
    )
    result = BackendPartitioner(TEST_BACKEND).partition(program)
    assert len(result.partition_tags) == 1
    reasons = {
        (left.op, left.dtypes[0]): left.reasons["TestBackend"]
        for left in left_behind(program)
        if left.reasons
    }
    assert (
        reasons["aten.relu.default", "float64"]
        == "takes aten.relu.default in float32, not in float64"
    )
    assert reasons["aten.relu.default", "float32"] == "takes rank 2 only"
    assert reasons["aten.select.int", "float32"] == "does not have this op"


def chosen(graph, *targets):
    return {node for node in graph.nodes if node.target in targets}


def test_groups_are_as_few_as_order_allows():
    program = edge(lambda x: ((x.relu() * 2).relu(), x.relu()), torch.rand(3))
    groups = group_nodes(program.graph, chosen(program.graph, aten.relu.default))
    assert [[n.name for n in g] for g in groups] == [
        ["relu", "relu_2"],
        ["relu_1"],
    ] or [len(g) for g in groups] == [1, 2]


def test_two_groups_never_wait_for_each_other():
    def function(x, y):
        a, c = x.relu(), y.relu()
        b, d = (a * 2).relu(), (c * 3).relu()
        return a + d, c + b

    program = edge(function, torch.rand(3), torch.rand(3))
    x, y = torch.rand(3), torch.rand(3)
    want = run(program, x, y)
    result = PartitionResult(program, {})
    groups = group_nodes(
        program.graph, chosen(program.graph, aten.relu.default, aten.add.Tensor)
    )
    for i, group in enumerate(groups):
        for node in group:
            node.meta[TAG] = f"g{i}"
        result.partition_tags[f"g{i}"] = DelegationSpec("RecordingBackend", [])
    lower_partitions(result)
    assert count(program, aten.relu.default) == 0
    torch.testing.assert_close(run(program, x, y), want)
