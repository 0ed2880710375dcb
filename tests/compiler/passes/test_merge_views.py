# SPDX-License-Identifier: BSD-3-Clause
"""merge_views: a view reads the tensor that the reshapes before it read."""

import torch

from rushlight.compiler.passes.merge_views import merge_views
from tests.compiler.graphs import aten, count, edge, run


def test_three_reshapes_become_one():
    x = torch.rand(2, 3, 4)
    program = edge(lambda x: x.view(6, 4).view(24).view(4, 6) + 1, x)
    want = run(program, x)

    assert merge_views(program) == 2

    assert count(program, aten.view.default) == 1
    torch.testing.assert_close(run(program, x), want, rtol=0, atol=0)


def test_an_inferred_size_still_fits():
    x = torch.rand(2, 3, 4)
    program = edge(lambda x: x.view(6, 4).view(3, -1) + 1, x)
    merge_views(program)
    assert run(program, x).shape == (3, 8)


def test_a_view_with_another_reader_stays():
    x = torch.rand(2, 6)
    program = edge(lambda x: ((y := x.view(12)) + 1, y.view(3, 4) + 1), x)
    merge_views(program)
    assert count(program, aten.view.default) == 2
