# SPDX-License-Identifier: BSD-3-Clause
"""What the rows of norms and softmax cannot say: state, extremes, accuracy of exp."""

import pytest
import torch

from tests.ops.door import Block, call_kernel


def encoded(*values) -> list:
    kinds = {bool: "bool", float: "double", int: "int", type(None): "none"}
    return [
        v.argument() if isinstance(v, Block) else (kinds[type(v)], v) for v in values
    ]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_training_moves_the_running_statistics(dtype):
    torch.manual_seed(0)
    x = torch.randn(4, 3, 5, dtype=dtype)
    mean, var = torch.randn(3, dtype=dtype), torch.rand(3, dtype=dtype)
    name = str(dtype).removeprefix("torch.")
    running = [Block.of(mean), Block.of(var)]
    outs = [Block.empty(name, s) for s in ((4, 3, 5), (3,), (3,))]
    arguments = encoded(Block.of(x), None, None, *running, True, 0.3, 1e-5)
    call_kernel(
        "aten::_native_batch_norm_legit.out", arguments, [o.argument() for o in outs]
    )
    torch.ops.aten._native_batch_norm_legit(x, None, None, mean, var, True, 0.3, 1e-5)
    torch.testing.assert_close(running[0].tensor(), mean, rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(running[1].tensor(), var, rtol=1e-6, atol=1e-7)


def softmax(x: torch.Tensor, dim: int, to_float: bool = False) -> torch.Tensor:
    name = "float32" if to_float else str(x.dtype).removeprefix("torch.")
    out = Block.empty(name, tuple(x.shape))
    arguments = encoded(Block.of(x), dim, to_float)
    call_kernel("aten::_softmax.out", arguments, [out.argument()])
    return out.tensor()


def test_softmax_of_half_to_float():
    x = torch.linspace(-30, 5, 70).reshape(2, 35).half()
    got = softmax(x, 1, to_float=True)
    torch.testing.assert_close(got, x.float().softmax(1), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("dim", [0, 1])
def test_exponentials_are_within_two_units_down_to_subnormals(dim):
    # Each slice is [0, x]: its softmax is exp(x) / (1 + exp(x)).
    x = -torch.linspace(0, 103, 20001)
    pair = torch.stack([torch.zeros_like(x), x], dim=dim)
    got = softmax(pair, dim).select(dim, 1).double()
    want = x.double().exp() / (1 + x.double().exp())
    unit = torch.exp2(torch.floor(torch.log2(want)).clamp(min=-126)) * 2.0**-23
    assert ((got - want).abs() / unit).max() <= 2.5


def test_layer_norm_of_a_large_offset_keeps_its_variance():
    torch.manual_seed(0)
    x = torch.randn(3, 1000) + 1000
    outs = [Block.empty("float32", s) for s in ((3, 1000), (3, 1), (3, 1))]
    arguments = encoded(Block.of(x), None, None, 1e-5)
    arguments.insert(1, ("ints", [("int", 1000)]))
    call_kernel("aten::native_layer_norm.out", arguments, [o.argument() for o in outs])
    want = torch.nn.functional.layer_norm(x.double(), (1000,))
    torch.testing.assert_close(outs[0].tensor().double(), want, rtol=0, atol=1e-4)
