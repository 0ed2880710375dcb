# SPDX-License-Identifier: BSD-3-Clause
"""The decorator of passes: outputs follow, the form is checked, dumps are written."""

import pytest
import torch

from rushlight.compiler.passes.base import edge_pass
from rushlight.errors import DialectError
from tests.compiler.graphs import aten, edge, run


@edge_pass
def relu_away(program):
    """Replace every relu by its input."""
    nodes = program.graph.find_nodes(op="call_function", target=aten.relu.default)
    for node in nodes:
        node.replace_all_uses_with(node.args[0])
        program.graph.erase_node(node)
    return len(nodes)


@edge_pass
def forget_values(program):
    """Break the dialect."""
    for node in program.graph.nodes:
        node.meta.pop("val", None)
    return 1


def test_a_replaced_output_is_the_signatures_output():
    x = torch.rand(3) - 0.5
    program = edge(lambda x: (x * 2).relu(), x)
    assert relu_away(program) == 1
    assert list(program.graph_signature.user_outputs) == ["mul"]
    torch.testing.assert_close(run(program, x), x * 2)


def test_a_pass_that_breaks_the_dialect_is_caught():
    with pytest.raises(DialectError):
        forget_values(edge(lambda x: x.relu() * 2, torch.rand(3)))


def test_graphs_are_dumped_after_each_pass(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_DUMP", str(tmp_path))
    program = edge(lambda x: x.relu() * 2, torch.rand(3))
    relu_away(program)
    relu_away(program)
    changed, unchanged = sorted(tmp_path.glob("*_relu_away.txt"))
    assert "aten.mul" in changed.read_text()
    assert unchanged.read_text() == "(unchanged)\n"
