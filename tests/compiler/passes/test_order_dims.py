# SPDX-License-Identifier: BSD-3-Clause
"""order_dims: layouts follow rows, and copies appear only where a kernel needs them."""

import pytest
import torch

from rushlight.compiler.passes import order_dims as module
from rushlight.compiler.passes.order_dims import order_dims
from rushlight.compiler.verify import verify_layout
from rushlight.errors import DialectError
from tests.compiler.graphs import aten, count, edge, run

LAST = (0, 2, 3, 1)
ROWS = (0, 1, 2, 3)


@pytest.fixture
def layout(monkeypatch):
    """Set the layout of every op's row."""

    def choose(kind):
        monkeypatch.setattr(module, "_layout", lambda node: kind)

    return choose


def channels_last(*sizes):
    return torch.rand(*sizes).to(memory_format=torch.channels_last)


def order_of(program, target):
    (node,) = program.graph.find_nodes(op="call_function", target=target)
    return node.meta["dim_order"]


@pytest.mark.parametrize(("kind", "order"), [("any", LAST), ("dense", ROWS)])
def test_result_follows_the_row(layout, kind, order):
    layout(kind)
    program = edge(lambda x: x.relu(), channels_last(1, 2, 3, 4))
    assert order_dims(program) == 0
    assert order_of(program, aten.relu.default) == order


def test_a_kernel_for_row_major_gets_a_copy(layout):
    layout("contiguous")
    x = channels_last(1, 2, 3, 4)
    program = edge(lambda x: x.relu(), x)
    assert order_dims(program) == 1
    assert order_of(program, aten.clone.default) == ROWS
    torch.testing.assert_close(run(program, x), x.relu())


def test_a_constant_is_laid_out_anew_instead(layout):
    layout("any")
    conv = torch.nn.Conv2d(2, 3, 3)
    x = channels_last(1, 2, 5, 5)
    program = edge(conv, x)
    assert order_dims(program) == 1
    weight = program.graph.find_nodes(op="placeholder")[0]
    assert weight.meta["dim_order"] == LAST
    assert program.state_dict["weight"].is_contiguous(memory_format=torch.channels_last)
    assert conv.weight.is_contiguous(), "the model's own tensor is not touched"
    torch.testing.assert_close(run(program, x), conv(x))


def test_a_request_for_the_present_layout_goes(layout):
    layout("any")
    program = edge(lambda x: x.relu().contiguous().relu(), torch.rand(1, 2, 3, 4))
    order_dims(program)
    assert count(program, aten.clone.default) == 0


def test_a_request_for_another_layout_stays(layout):
    layout("any")
    program = edge(
        lambda x: x.relu().contiguous(memory_format=torch.channels_last),
        torch.rand(1, 2, 3, 4),
    )
    order_dims(program)
    assert order_of(program, aten.clone.default) == LAST


def test_each_result_has_an_order(layout):
    layout("any")
    pool = torch.nn.MaxPool2d(2, return_indices=True)
    program = edge(pool, channels_last(1, 2, 4, 4))
    order_dims(program)
    assert order_of(program, aten.max_pool2d_with_indices.default) == [LAST, LAST]


def test_branches_return_row_major(layout):
    layout("any")
    program = edge(
        lambda x: torch.cond(x.sum() > 0, lambda a: a.relu(), lambda a: a * 2, (x,)),
        channels_last(1, 2, 3, 4),
    )
    order_dims(program)
    (call,) = (n for n in program.graph.nodes if str(n.target) == "cond")
    assert call.meta["dim_order"] == [ROWS]
    branch = program.graph_module.true_graph_0.graph
    assert branch.output_node().all_input_nodes[0].meta["dim_order"] == ROWS


def test_a_layout_that_no_kernel_reads_is_a_bug_that_is_found(layout):
    layout("any")
    program = edge(lambda x: x.relu(), torch.rand(1, 2, 3, 4))
    with pytest.raises(DialectError, match="rank 4 has the dim order None"):
        verify_layout(program)
    order_dims(program)
    verify_layout(program)
