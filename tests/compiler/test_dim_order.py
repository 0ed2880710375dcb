# SPDX-License-Identifier: BSD-3-Clause
"""Dim orders from strides and back."""

import pytest
import torch

from rushlight.compiler.dim_order import dim_order_of, laid_out, of_memory_format


@pytest.mark.parametrize(
    ("tensor", "order"),
    [
        pytest.param(torch.empty(()), (), id="rank-0"),
        pytest.param(torch.empty(2, 3), (0, 1), id="row-major"),
        pytest.param(torch.empty(2, 3).t(), (1, 0), id="transposed"),
        pytest.param(
            torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last),
            (0, 2, 3, 1),
            id="channels-last",
        ),
        pytest.param(
            torch.empty(2, 1, 4, 5).to(memory_format=torch.channels_last),
            (0, 1, 2, 3),
            id="both-fit",
        ),
        pytest.param(torch.empty(4, 6)[:, ::2], (0, 1), id="with-gaps"),
        pytest.param(torch.empty(3, 1).expand(3, 4), (0, 1), id="expanded"),
        pytest.param(torch.empty(2, 0, 3), (0, 1, 2), id="no-elements"),
    ],
)
def test_order_of_strides(tensor, order):
    assert dim_order_of(tensor) == order


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 1, 0, 2)])
def test_a_tensor_laid_out_has_that_order_and_the_same_values(order):
    x = torch.rand(2, 3, 4, 5)
    y = laid_out(x, order)
    assert dim_order_of(y) == order
    assert torch.equal(x, y)
    assert laid_out(y, order) is y


def test_memory_formats_are_orders():
    assert of_memory_format(torch.channels_last, 4) == (0, 2, 3, 1)
    assert of_memory_format(torch.channels_last_3d, 5) == (0, 2, 3, 4, 1)
    assert of_memory_format(torch.contiguous_format, 3) == (0, 1, 2)
