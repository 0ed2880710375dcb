# SPDX-License-Identifier: BSD-3-Clause
"""Elementwise kernels where the row samples do not go: layouts of out, odd dtypes."""

import itertools

import numpy as np
import pytest
import torch

from rushlight.ops.table import ALL, STORAGE
from tests.ops.door import Block, call_kernel, torch_dtype

COPY = "dim_order_ops::_to_dim_order_copy.out"
COPY_TAIL = [("bool", False), ("none", None)]
ORDERS = [(0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0)]


def numbers(dtype: str, shape) -> torch.Tensor:
    count = int(np.prod(shape))
    values = torch.arange(count) % (2 if dtype == "bool" else 100)
    return values.reshape(shape).to(torch_dtype(dtype))


@pytest.mark.parametrize(("source", "target"), [*itertools.product(ORDERS, ORDERS)])
def test_copies_between_dim_orders(source, target):
    for dtype in ("uint8", "bfloat16", "float32", "float64"):
        x = numbers(dtype, (2, 3, 4, 5))
        out = Block.empty(dtype, x.shape, target)
        call_kernel(
            COPY, [Block.of(x, source).argument(), *COPY_TAIL], [out.argument()]
        )
        assert torch.equal(out.tensor(), x)


@pytest.mark.parametrize(("source", "target"), [*itertools.product(STORAGE, STORAGE)])
def test_copies_convert_and_reorder(source, target):
    x = numbers(source, (2, 3, 4, 50))
    out = Block.empty(target, x.shape, (0, 2, 3, 1))
    call_kernel(COPY, [Block.of(x).argument(), *COPY_TAIL], [out.argument()])
    assert torch.equal(out.tensor(), x.to(torch_dtype(target)))


def test_every_float16_survives_the_way_to_float32_and_back():
    bits = torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16)
    x = bits.view(torch.float16)
    wide = Block.empty("float32", x.shape)
    call_kernel(COPY, [Block.of(x).argument(), *COPY_TAIL], [wide.argument()])
    torch.testing.assert_close(wide.tensor(), x.float(), rtol=0, atol=0, equal_nan=True)
    back = Block.empty("float16", x.shape)
    call_kernel(COPY, [wide.argument(), *COPY_TAIL], [back.argument()])
    torch.testing.assert_close(back.tensor(), x, rtol=0, atol=0, equal_nan=True)


def test_float16_rounds_as_torch_does():
    generator = torch.Generator().manual_seed(0)
    bits = torch.randint(-(2**31), 2**31 - 1, (200_000,), generator=generator)
    x = bits.to(torch.int32).view(torch.float32)
    edges = torch.tensor([65504.0, 65519.99, 65520.0, 2.0**-25, 2.0**-24, 5.97e-8])
    x = torch.cat([x, edges, -edges, x.nan_to_num(0, 0, 0).clamp(-1, 1)])
    out = Block.empty("float16", x.shape)
    call_kernel(COPY, [Block.of(x).argument(), *COPY_TAIL], [out.argument()])
    torch.testing.assert_close(out.tensor(), x.half(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", ALL)
def test_result_is_cast_to_a_wider_out(dtype):
    x = numbers(dtype, (3, 130))
    out = Block.empty("float64", x.shape)
    one = ("int", 1)
    block = Block.of(x)
    call_kernel(
        "aten::add.out", [block.argument(), block.argument(), one], [out.argument()]
    )
    assert torch.equal(out.tensor(), (x + x).double())


@pytest.mark.parametrize(
    ("dtype", "out_dtype"),
    [("float32", "int64"), ("int32", "bool"), ("float64", "bool")],
)
def test_a_narrower_category_of_out_is_refused(dtype, out_dtype):
    x = Block.of(numbers(dtype, (3,)))
    out = Block.empty(out_dtype, (3,))
    with pytest.raises(RuntimeError, match=f"out is {out_dtype}, which cannot take"):
        call_kernel("aten::mul.out", [x.argument(), x.argument()], [out.argument()])


@pytest.mark.parametrize(("number", "name"), [(12, "qint8"), (9, "complex64")])
def test_dtypes_without_arithmetic_are_refused(number, name):
    odd = ("tensor", (number, [2], [0], np.zeros(16, np.uint8)))
    out = Block.empty("float32", (2,))
    with pytest.raises(RuntimeError, match=f"{name} is not a dtype to compute with"):
        call_kernel("aten::mul.out", [odd, odd], [out.argument()])
    with pytest.raises(RuntimeError, match=f"{name} does not convert to float32"):
        call_kernel(COPY, [odd, *COPY_TAIL], [out.argument()])


def test_bytes_of_bools_other_than_0_and_1_are_true():
    odd = ("tensor", (11, [4], [0], np.array([0, 1, 2, 255], np.uint8)))
    out = Block.empty("bool", (4,))
    call_kernel("aten::logical_not.out", [odd], [out.argument()])
    assert out.bytes.tolist() == [1, 0, 0, 0]


def test_out_may_be_an_input_in_another_dim_order():
    memory = Block.of(torch.rand(4, 6, 5, 3))
    other = Block(memory.dtype, memory.sizes, (3, 2, 1, 0), memory.memory)
    arguments = [memory.argument(), memory.argument(), ("int", 1)]
    call_kernel("aten::add.out", arguments, [other.argument()])
    other.tensor()  # the guards are whole; the values are nobody's promise


def test_integers_wrap_and_divide_at_their_ends():
    low = torch.iinfo(torch.int64).min
    x, minus = torch.tensor([low, low]), torch.tensor([-1, -1])
    for name, want in (
        ("aten::add.out", [2**63 - 1] * 2),
        ("aten::mul.out", [low] * 2),
        ("aten::floor_divide.out", [low] * 2),
        ("aten::remainder.Tensor_out", [0, 0]),
        ("aten::fmod.Tensor_out", [0, 0]),
    ):
        out = Block.empty("int64", (2,))
        alpha = [("int", 1)] if "add" in name else []
        inputs = [Block.of(x).argument(), Block.of(minus).argument(), *alpha]
        call_kernel(name, inputs, [out.argument()])
        assert out.tensor().tolist() == want, name
