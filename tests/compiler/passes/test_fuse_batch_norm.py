# SPDX-License-Identifier: BSD-3-Clause
"""fuse_batch_norm: the norm goes into the convolution's weights."""

import pytest
import torch
from torch import nn

from rushlight.compiler.passes.fuse_batch_norm import BATCH_NORM, fuse_batch_norm
from tests.compiler.graphs import count, edge, run


def trained(norm):
    """A norm with statistics unlike those of a new one."""
    torch.manual_seed(0)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2)
    if norm.affine:
        nn.init.normal_(norm.weight)
        nn.init.normal_(norm.bias)
    return norm


CONVOLUTIONS = {
    "plain": nn.Conv2d(4, 6, 3),
    "no-bias": nn.Conv2d(4, 6, 3, bias=False),
    "depthwise": nn.Conv2d(4, 4, 3, groups=4),
    "grouped": nn.Conv2d(4, 6, 1, groups=2),
    "transposed": nn.ConvTranspose2d(4, 6, 3, stride=2),
    "transposed-grouped": nn.ConvTranspose2d(4, 6, 3, groups=2),
}


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_result_is_the_same_within_rounding(kind, affine):
    conv = CONVOLUTIONS[kind]
    norm = trained(nn.BatchNorm2d(conv.out_channels, affine=affine))
    x = torch.rand(2, 4, 7, 7)
    program = edge(nn.Sequential(conv, norm, nn.ReLU()), x)
    want = run(program, x)

    assert fuse_batch_norm(program) == 1

    assert count(program, BATCH_NORM) == 0
    torch.testing.assert_close(run(program, x), want, rtol=1e-5, atol=1e-5)


class Tapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4)

    def forward(self, x):
        y = self.conv(x)
        return y, self.norm(y)


def test_a_convolution_with_another_reader_is_left():
    assert fuse_batch_norm(edge(Tapped(), torch.rand(1, 3, 2, 2))) == 0


def test_a_norm_without_convolution_is_left():
    assert fuse_batch_norm(edge(nn.BatchNorm2d(3), torch.rand(1, 3, 2, 2))) == 0


def test_a_shared_convolution_keeps_its_weight_for_the_other_call():
    conv, norm = nn.Conv2d(3, 3, 1), trained(nn.BatchNorm2d(3))
    x = torch.rand(1, 3, 2, 2)
    program = edge(nn.Sequential(conv, norm, conv), x)
    want = run(program, x)
    assert fuse_batch_norm(program) == 1
    torch.testing.assert_close(run(program, x), want, rtol=1e-5, atol=1e-5)
