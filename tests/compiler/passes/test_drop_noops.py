# SPDX-License-Identifier: BSD-3-Clause
"""drop_noops: what changes nothing goes, copies that save something stay."""

import pytest
import torch

from rushlight.compiler.passes.drop_dead_code import drop_dead_code
from rushlight.compiler.passes.drop_noops import drop_noops
from tests.compiler.graphs import aten, count, edge, run


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: x.clone() + 1, id="clone"),
        pytest.param(lambda x: x.expand(2, 3) + 1, id="expand"),
        pytest.param(lambda x: x[:, 0:9] + 1, id="slice"),
        pytest.param(lambda x: x.view(2, 3) + 1, id="view"),
        pytest.param(
            lambda x: torch.ops.aten._to_copy(x, dtype=x.dtype) + 1, id="cast"
        ),
        pytest.param(lambda x: torch.cat([x]) + 1, id="cat-of-one"),
        pytest.param(lambda x: torch.empty(2, 3).copy_(x) + 1, id="copy"),
    ],
)
def test_vanishes(function):
    x = torch.rand(2, 3)
    program = edge(function, x)
    drop_noops(program)
    drop_dead_code(program)
    assert sum(node.op == "call_function" for node in program.graph.nodes) == 1
    torch.testing.assert_close(run(program, x), x + 1)


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: x.expand(4, 3) + 1, id="expand"),
        pytest.param(lambda x: x[:, 1:] + 1, id="slice"),
        pytest.param(lambda x: x[:, ::2] + 1, id="strided-slice"),
        pytest.param(lambda x: x.to(torch.float64) + 1, id="cast"),
    ],
)
def test_stays_if_it_changes_something(function):
    assert drop_noops(edge(function, torch.rand(1, 3))) == 0


def test_a_returned_copy_of_an_input_stays():
    assert drop_noops(edge(lambda x: x.clone(), torch.rand(2))) == 0


class Swap(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(2))

    def forward(self, x):
        old = self.state.clone()
        self.state.copy_(x)
        return old + 1


def test_a_copy_that_saves_old_state_stays():
    program = edge(Swap(), torch.rand(2))
    drop_noops(program)
    assert count(program, aten.clone.default) == 1
