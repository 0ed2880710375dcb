# SPDX-License-Identifier: BSD-3-Clause
"""Convolutions and matrix products on drawn parameters, dtypes and dim orders, against eager.

Values are small integers, so that every sum is exact in float32 and results must be equal.
"""

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.ops.against_eager import QUICK, compare, tensor

DATA = st.data()
EXACT = st.sampled_from([torch.float32, torch.float64, torch.int64])


def items(data, axes: int, low: int, high: int) -> list[int]:
    return data.draw(st.lists(st.integers(low, high), min_size=axes, max_size=axes))


def drawn_channels(data) -> tuple[int, int, int]:
    """Groups, and channels of each: few, many (several blocks), depthwise."""
    groups, inner, outer = data.draw(
        st.sampled_from([(1, 3, 5), (1, 2, 1), (2, 2, 3), (6, 1, 1), (3, 1, 2), (1, 9, 70), (70, 1, 1), (2, 70, 4)])
    )  # fmt: skip
    return groups, inner, outer


@QUICK
@given(DATA)
def test_convolution(data):
    axes = data.draw(st.integers(1, 3))
    groups, inner, outer = drawn_channels(data)
    transposed = data.draw(st.booleans())
    dtype = data.draw(EXACT)
    kernel = items(data, axes, 1, 4)
    stride = items(data, axes, 1, 3)
    dilation = items(data, axes, 1, 3)
    padding = items(data, axes, 0, 3)
    spatial = items(data, axes, 1, 20 if axes == 1 else 8)
    extra = [data.draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation, strict=True)] if transposed else [0] * axes  # fmt: skip
    for n, k, s, d, p, e in zip(spatial, kernel, stride, dilation, padding, extra, strict=True):  # fmt: skip
        reach = d * (k - 1) + 1
        assume((n - 1) * s - 2 * p + reach + e >= 1 if transposed else n + 2 * p >= reach)  # fmt: skip
    channels = (groups * inner, outer) if transposed else (groups * outer, inner)
    batch = data.draw(st.integers(0, 2))
    has_bias = data.draw(st.booleans())
    compare(
        data,
        "aten.convolution.default",
        input=tensor(data, (batch, groups * inner, *spatial), dtype),
        weight=tensor(data, (*channels, *kernel), dtype),
        bias=tensor(data, (groups * outer,), dtype) if has_bias else None,
        stride=stride,
        padding=padding,
        dilation=dilation,
        transposed=transposed,
        output_padding=extra,
        groups=groups,
    )


@QUICK
@given(DATA)
def test_linear(data):
    dtype = data.draw(EXACT)
    leading = tuple(data.draw(st.lists(st.integers(0, 5), max_size=3)))
    k = data.draw(st.sampled_from([0, 1, 3, 63, 64, 65, 200]))
    n = data.draw(st.sampled_from([1, 2, 5, 16, 17, 70]))
    compare(
        data,
        "aten.linear.default",
        input=tensor(data, (*leading, k), dtype),
        weight=tensor(data, (n, k), dtype),
        bias=tensor(data, (n,), dtype) if data.draw(st.booleans()) else None,
    )


@QUICK
@given(DATA)
def test_bmm_and_addmm(data):
    dtype = data.draw(EXACT)
    size = st.sampled_from([0, 1, 2, 4, 5, 17, 66])
    b, m, n, k = data.draw(st.integers(0, 3)), *(data.draw(size) for _ in range(3))
    a, c = tensor(data, (b, m, k), dtype), tensor(data, (b, k, n), dtype)
    compare(data, "aten.bmm.default", self=a, mat2=c)
    sizes = data.draw(st.sampled_from([(m, n), (1, n), (m, 1), (n,), (1,), ()]))
    compare(
        data,
        "aten.addmm.default",
        self=tensor(data, sizes, dtype),
        mat1=tensor(data, (m, k), dtype),
        mat2=tensor(data, (k, n), dtype),
        beta=data.draw(st.integers(-2, 2)),
        alpha=data.draw(st.integers(-2, 2)),
    )


@pytest.mark.parametrize("depth", [100, 3000], ids=str)
def test_long_float32_sums_are_at_least_as_accurate_as_eager(depth):
    from tests.ops.door import Block, call_kernel

    generator = torch.Generator().manual_seed(0)
    a = torch.randn(20, depth, generator=generator)
    b = torch.randn(depth, 40, generator=generator)
    out = Block.empty("float32", (20, 40))
    operands = [Block.of(a).argument(), Block.of(b).argument()]
    call_kernel("aten::mm.out", operands, [out.argument()])
    exact = a.double() @ b.double()
    ours, eager = (
        (x.double() - exact).pow(2).mean().sqrt() for x in (out.tensor(), a @ b)
    )
    assert ours <= 1.1 * eager  # fmt: skip
