# SPDX-License-Identifier: BSD-3-Clause
"""Edge dialect: what is rewritten on the way from ATen, and that nothing else changes."""

import operator

import pytest
import torch
from torch.export import Dim

from rushlight.compiler import edge as module
from rushlight.compiler.edge import mutated_inputs, to_edge_dialect
from rushlight.compiler.verify import verify_dialect
from tests.compiler.graphs import Function, aten, count, edge, run


@pytest.fixture
def no_rows(monkeypatch):
    """An op table without rows: ops are those of KEEP, none takes a number."""
    monkeypatch.setattr(module, "rows_as_overloads", frozenset)


@pytest.mark.parametrize(
    ("function", "target"),
    [
        pytest.param(lambda x: x * 2, aten.mul.Tensor, id="times"),
        pytest.param(lambda x: 1 - x, aten.sub.Tensor, id="from-one"),
        pytest.param(lambda x: x - 0.5, aten.sub.Tensor, id="minus"),
    ],
)
def test_numbers_without_a_scalar_row_become_constants(no_rows, function, target):
    x = torch.rand(3)
    program = edge(function, x)
    assert count(program, target) == 1
    assert len(program.constants) == 1
    torch.testing.assert_close(run(program, x), function(x), rtol=0, atol=0)


def test_a_number_with_a_scalar_row_stays_a_number():
    program = edge(lambda x: x * 2, torch.rand(3))
    assert count(program, aten.mul.Scalar) == 1
    assert program.constants == {}


@pytest.mark.parametrize("dtype", [torch.float16, torch.int8, torch.uint8, torch.int64])
@pytest.mark.parametrize("number", [2, 2.5, -1])
def test_a_constant_promotes_as_the_number_did(no_rows, dtype, number):
    x = torch.ones(3, dtype=dtype)
    program = edge(lambda x: (x - number, x[0] - number), x, keep={aten.select.int})
    torch.testing.assert_close(run(program, x), (x - number, x[0] - number))


def test_equal_numbers_are_one_constant(no_rows):
    program = edge(lambda x: (x - 2) * (x - 2), torch.rand(3))
    assert len(program.constants) == 1


def test_numbers_in_branches_become_attributes():
    x = torch.rand(3)
    program = edge(
        lambda x: torch.cond(x.sum() > 0, lambda a: a - 2, lambda a: a - 3, (x,)), x
    )
    verify_dialect(program)
    torch.testing.assert_close(run(program, x), x - 2)


def test_the_program_given_is_untouched():
    exported = torch.export.export(
        Function(lambda x: (x - 2).relu_()), (torch.rand(3),)
    )
    before = str(exported)
    to_edge_dialect(exported, {aten.relu.default})
    assert str(exported) == before
    assert exported.constants == {}


def test_in_place_ops_become_functional():
    x = torch.rand(2, 3)
    program = edge(lambda x: (x * 2).relu_().view(6), x)
    assert count(program, aten.relu.default) == 1
    verify_dialect(program)


def test_assertions_leave_the_graph():
    def function(x):
        n = x.sum().item()
        torch._check(n > 0)
        return x + n

    program = edge(function, torch.rand(3))
    assert not [n for n in program.graph.nodes if "assert" in str(n.target)]


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: x + x.shape[0] // 2, id="floordiv"),
        pytest.param(lambda x: x + (x.shape[0] ** 2), id="power"),
        pytest.param(lambda x: x + torch.sym_max(x.shape[0], 4), id="max"),
    ],
)
def test_arithmetic_on_sizes_computes_the_same(function):
    n = Dim("n", min=2, max=9)
    program = edge(function, torch.rand(4), dynamic_shapes=(({0: n},),))
    assert operator.pow not in [node.target for node in program.graph.nodes]
    for rows in (2, 5, 9):
        x = torch.rand(rows)
        torch.testing.assert_close(run(program, x), function(x))


class State(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(2))
        self.register_buffer("fixed", torch.ones(2))

    def forward(self, x):
        self.n.add_(1)
        x.mul_(2)
        return self.n + x + self.fixed


def test_state_and_inputs_that_change_are_known():
    program = edge(State(), torch.rand(2))
    assert mutated_inputs(program) == {"b_n", "x"}


def test_norms_decompose_to_rows_not_primitives():
    x = torch.rand(3, 4)
    program = edge(lambda x: torch.linalg.vector_norm(x, dim=1), x)
    assert not [n for n in program.graph.nodes if "prims" in str(n.target)]
    torch.testing.assert_close(run(program, x), x.norm(dim=1))


def test_shift_operators_are_the_shift_functions():
    x = torch.arange(4)
    program = edge(lambda x: (x << 2, x >> 1, x << x, x >> x), x)
    verify_dialect(program)
    for got, want in zip(
        run(program, x), (x << 2, x >> 1, x << x, x >> x), strict=True
    ):
        torch.testing.assert_close(got, want)


def test_a_range_of_int64_runs_between_whole_numbers():
    program = edge(
        lambda x: x + torch.arange(0.5, 2.5, dtype=torch.int64), torch.ones(2)
    )
    (node,) = program.graph.find_nodes(
        op="call_function", target=aten.arange.start_step
    )
    assert node.args[:2] == (0, 2)


def test_a_linear_of_a_vector_is_that_of_a_row():
    x, weight = torch.rand(4), torch.rand(3, 4)
    program = edge(torch.nn.functional.linear, x, weight, keep={aten.squeeze.dim})
    (node,) = program.graph.find_nodes(op="call_function", target=aten.linear.default)
    assert node.meta["val"].shape == (1, 3)
    torch.testing.assert_close(run(program, x, weight), weight @ x)


@pytest.mark.parametrize("args", [(), (1,), ([0, 1], True)])
def test_the_mean_of_whole_numbers_is_that_of_their_floats(args):
    def mean(x):
        return x.mean(*args, dtype=torch.float32)

    x = torch.arange(6).view(2, 3)
    program = edge(mean, x)
    verify_dialect(program)
    torch.testing.assert_close(run(program, x), mean(x))


def test_dynamic_rows_are_taken_one_by_one():
    x = torch.rand(3, 2)
    shapes = ((({0: Dim("n", max=8)},)),)
    keep = {aten.unbind.int, aten.select.int}
    program = edge(lambda x: x.unbind(1)[1] + 1, x, keep=keep, dynamic_shapes=shapes)
    assert count(program, aten.unbind.int) == 0
    torch.testing.assert_close(run(program, x), x[:, 1] + 1)
