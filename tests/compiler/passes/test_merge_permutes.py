# SPDX-License-Identifier: BSD-3-Clause
"""merge_permutes: chains compose, identities vanish, values do not move."""

import pytest
import torch

from rushlight.compiler.passes.merge_permutes import PERMUTE, merge_permutes
from tests.compiler.graphs import count, edge, run


class Permutes(torch.nn.Module):
    def __init__(self, *perms, tap=None):
        super().__init__()
        self.perms, self.tap = perms, tap  # tap: also return this intermediate

    def forward(self, x):
        seen = [x]
        for p in self.perms:
            seen.append(seen[-1].permute(p))
        return seen[-1] + 1, seen[self.tap or 0]


@pytest.mark.parametrize(
    ("perms", "tap", "left"),
    [
        pytest.param([(0, 2, 3, 1), (0, 3, 1, 2)], None, 0, id="nhwc-and-back"),
        pytest.param([(1, 0, 2), (2, 0, 1), (0, 2, 1)], None, 1, id="three-compose"),
        pytest.param([(-1, 0, 1), (1, -1, 0)], None, 0, id="negative-dims-cancel"),
        pytest.param([(1, 0), (1, 0)], 1, 1, id="inner-has-another-user"),
        pytest.param([(1, 0), (1, 0)], 2, 0, id="identity-is-an-output"),
    ],
)
def test_collapses_without_moving_values(perms, tap, left):
    x = torch.rand(*range(2, 2 + len(perms[0])))
    program = edge(Permutes(*perms, tap=tap), x)
    want = run(program, x)

    assert merge_permutes(program) > 0

    assert count(program, PERMUTE) == left
    torch.testing.assert_close(run(program, x), want, rtol=0, atol=0)


def test_a_graph_without_permutes_is_not_touched():
    assert merge_permutes(edge(lambda x: x + 1, torch.rand(2))) == 0
