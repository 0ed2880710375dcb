# SPDX-License-Identifier: BSD-3-Clause
"""fold_constants: what depends on stored tensors only is computed here, within bounds."""

import torch

from rushlight.compiler.passes.fold_constants import MAX_GROWTH_NBYTES, fold_constants
from tests.compiler.graphs import aten, count, edge, run


class Transposed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(3, 4))

    def forward(self, x):
        return x * self.w.t().to(torch.float64)


def test_casts_and_transposes_of_parameters_are_folded():
    x = torch.rand(4, 3)
    program = edge(Transposed(), x)
    want = run(program, x)

    assert fold_constants(program) == 1

    assert count(program, aten.permute.default, aten._to_copy.default) == 0
    torch.testing.assert_close(run(program, x), want, rtol=0, atol=0)


def test_a_mask_made_of_literals_is_folded():
    x = torch.rand(4, 4)
    program = edge(lambda x: x * torch.full((4, 4), 2.0), x)
    assert fold_constants(program) == 1
    assert count(program, aten.full.default) == 0


def test_a_large_expansion_stays_arithmetic():
    n = MAX_GROWTH_NBYTES // 4 + 1
    program = edge(lambda x: x * torch.full((n,), 2.0), torch.rand(n))
    assert fold_constants(program) == 0


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(2))

    def forward(self, x):
        doubled = self.n * 2
        self.n.add_(1)
        return x + doubled


def test_mutable_state_is_not_a_constant():
    assert fold_constants(edge(Counter(), torch.rand(2))) == 0


def test_random_numbers_are_not_constants():
    program = edge(lambda x: x + torch.rand(2), torch.rand(2), keep={aten.rand.default})
    fold_constants(program)
    assert any("rand" in str(node.target) for node in program.graph.nodes)


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(200, 200))

    def forward(self, x):
        return x @ self.w @ self.w.t()


def test_a_large_weight_with_another_reader_is_not_doubled():
    program = edge(Tied(), torch.rand(2, 200), keep={aten.mm.default})
    assert fold_constants(program) == 0
