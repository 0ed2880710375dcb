# SPDX-License-Identifier: BSD-3-Clause
"""merge_sizes: one node for each size expression, none for constants."""

import operator

import torch
from torch.export import Dim

from rushlight.compiler.passes.merge_sizes import merge_sizes
from tests.compiler.graphs import edge, run


def test_equal_expressions_are_computed_once():
    x, n = torch.rand(4, 3), Dim("n", min=2, max=9)
    program = edge(
        lambda x: (x + x.shape[0] * 2, x * (x.shape[0] * 2)),
        x,
        dynamic_shapes=(({0: n},),),
    )
    merge_sizes(program)
    products = program.graph.find_nodes(op="call_function", target=operator.mul)
    assert len(products) == 1
    for rows in (2, 5):
        y = torch.rand(rows, 3)
        got = run(program, y)
        torch.testing.assert_close(got, (y + rows * 2, y * (rows * 2)))


def test_static_programs_are_not_touched():
    assert merge_sizes(edge(lambda x: x + x.shape[0], torch.rand(4))) == 0
