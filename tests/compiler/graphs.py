# SPDX-License-Identifier: BSD-3-Clause
"""Small Edge programs for tests, independent of which rows the op table has."""

import torch

from rushlight.compiler.edge import to_edge_dialect

aten = torch.ops.aten
KEEP = frozenset(
    {
        aten.add.Scalar,
        aten.cat.default,
        aten.add.Tensor,
        aten.addmm.default,
        aten.clamp.default,
        aten.clone.default,
        aten._to_copy.default,
        aten.convolution.default,
        aten.copy.default,
        aten.empty.memory_format,
        aten._native_batch_norm_legit_no_training.default,
        aten.expand.default,
        aten.full.default,
        aten.index_put.default,
        aten.linear.default,
        aten.max_pool2d_with_indices.default,
        aten.mul.Scalar,
        aten.mul.Tensor,
        aten.permute.default,
        aten.relu.default,
        aten.slice.Tensor,
        aten.sub.Tensor,
        aten.sum.dim_IntList,
        aten.view.default,
    }
)


class Function(torch.nn.Module):
    """A module around a function of its inputs."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def edge(model, *inputs, keep=(), **options):
    """The model (or function) in Edge dialect; `keep` names ops besides KEEP."""
    if not isinstance(model, torch.nn.Module):
        model = Function(model)
    exported = torch.export.export(model.eval(), inputs, **options)
    return to_edge_dialect(exported, KEEP | set(keep))


def count(program, *targets):
    """How many nodes of the main graph call one of the targets."""
    return sum(node.target in targets for node in program.graph.nodes)


def run(program, *inputs):
    """What the program returns, for torch.testing.assert_close."""
    with torch.no_grad():
        return program.module(check_guards=False)(*inputs)
