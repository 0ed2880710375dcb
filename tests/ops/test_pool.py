# SPDX-License-Identifier: BSD-3-Clause
"""Pooling on drawn windows, dtypes and dim orders, against eager."""

import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.ops.against_eager import QUICK, compare, tensor

DATA = st.data()
PAIR = st.lists(st.integers(1, 3), min_size=2, max_size=2)


def drawn_input(data, dtypes) -> torch.Tensor:
    leading = tuple(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=2)))
    plane = (data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9)))
    return tensor(data, (*leading, *plane), data.draw(st.sampled_from(dtypes)))


def drawn_window(data, x: torch.Tensor, dilation=(1, 1)) -> dict:
    kernel = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=2))
    padding = [data.draw(st.integers(0, k // 2)) for k in kernel]
    for n, k, p, d in zip(x.shape[-2:], kernel, padding, dilation, strict=True):
        assume(n + 2 * p >= d * (k - 1) + 1)
    stride = data.draw(st.sampled_from([[], [1, 1], [2, 1], [3, 2]]))
    ceil_mode = data.draw(st.booleans())
    return dict(kernel_size=kernel, stride=stride, padding=padding, ceil_mode=ceil_mode)


@QUICK
@given(DATA)
def test_max_pool(data):
    x = drawn_input(data, [torch.float32, torch.bfloat16, torch.int64, torch.uint8])
    assume(0 not in x.shape[-3:])  # eager refuses planes without channels
    if x.dtype == torch.float32 and data.draw(st.booleans()):
        x = torch.where(x > 7, torch.nan, torch.where(x < -5, -torch.inf, x))
    dilation = data.draw(PAIR)
    window = drawn_window(data, x, dilation)
    name = "aten.max_pool2d_with_indices.default"
    compare(data, name, self=x, dilation=dilation, **window)


@QUICK
@given(DATA)
def test_avg_pool(data):
    x = drawn_input(data, [torch.float32, torch.bfloat16, torch.int64])
    assume(0 not in x.shape[-3:])
    compare(
        data,
        "aten.avg_pool2d.default",
        self=x,
        **drawn_window(data, x),
        count_include_pad=data.draw(st.booleans()),
        divisor_override=data.draw(st.sampled_from([None, None, 1, 7, -2])),
    )


@QUICK
@given(DATA)
def test_adaptive_avg_pool(data):
    x = drawn_input(data, [torch.float32, torch.float16])
    assume(0 not in x.shape[-3:])
    sizes = [data.draw(st.integers(1, 12)) for _ in range(2)]
    compare(data, "aten._adaptive_avg_pool2d.default", self=x, output_size=sizes)
