# SPDX-License-Identifier: BSD-3-Clause
"""drop_dead_code: unread nodes and constants go, inputs stay."""

import torch

from rushlight.compiler.passes.drop_dead_code import drop_dead_code
from tests.compiler.graphs import edge, run


class Spare(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = (torch.nn.Parameter(torch.rand(2)) for _ in "ab")

    def forward(self, x, y):
        return x + self.used


def test_an_unread_parameter_goes_and_an_unread_input_stays():
    x = torch.rand(2)
    program = edge(Spare(), x, x)
    drop_dead_code(program)
    signature = program.graph_signature
    assert list(signature.inputs_to_parameters.values()) == ["used"]
    assert list(signature.user_inputs) == ["x", "y"]
    run(program, x, x)
