# SPDX-License-Identifier: BSD-3-Clause
"""Reductions on drawn shapes and dims against eager, and sums against float64."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.against_eager import DTYPES, QUICK, TABLE, compare, shapes, tensor
from tests.ops.door import Call
from tests.test_ops import run

DATA = st.data()
DTYPE = st.sampled_from(DTYPES)
KEEP = st.booleans()


def dims_of(data, x: torch.Tensor) -> list[int]:
    return data.draw(st.lists(st.integers(0, max(x.ndim - 1, 0)), unique=True))


@QUICK
@given(DATA, DTYPE, KEEP)
def test_sum_and_mean(data, dtype, keep):
    x = tensor(data, data.draw(shapes()), dtype)
    dims = {"dim": dims_of(data, x), "keepdim": keep}
    compare(data, "aten.sum.dim_IntList", self=x, **dims, dtype=None)
    as_float = {"dtype": "float32"} if not dtype.is_floating_point else {"dtype": None}
    compare(data, "aten.mean.dim", self=x, **dims, **as_float)


@QUICK
@given(DATA, DTYPE, KEEP)
def test_extremes(data, dtype, keep):
    x = tensor(data, data.draw(shapes(min_size=1)), dtype)
    dims = {"dim": dims_of(data, x), "keepdim": keep}
    compare(data, "aten.amax.default", self=x, **dims)
    compare(data, "aten.amin.default", self=x, **dims)
    compare(data, "aten.any.dims", self=x, **dims)
    dim = data.draw(st.integers(0, max(x.ndim - 1, 0)))
    compare(data, "aten.max.dim", self=x, dim=dim, keepdim=keep)
    compare(data, "aten.min.dim", self=x, dim=dim, keepdim=keep)
    if dtype != torch.bool:
        some = data.draw(st.none() | st.just(dim))
        compare(data, "aten.argmax.default", self=x, dim=some, keepdim=keep)
        compare(data, "aten.argmin.default", self=x, dim=some, keepdim=keep)


@QUICK
@given(DATA, st.sampled_from([torch.int64, torch.uint8, torch.bool]))
def test_cumsum_and_prod_of_integers(data, dtype):
    x = tensor(data, data.draw(shapes()), dtype)
    dim = data.draw(st.integers(0, max(x.ndim - 1, 0)))
    compare(data, "aten.cumsum.default", self=x, dim=dim, dtype=None)
    compare(data, "aten.prod.dim_int", self=x, dim=dim, keepdim=False, dtype=None)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1)], ids=["nchw", "nhwc"])
@pytest.mark.parametrize("name", ["aten.sum.dim_IntList", "aten.mean.dim"])
def test_long_float32_sums_are_at_least_as_exact_as_eager(name, order):
    x = torch.rand(2, 24, 90, 110, generator=torch.Generator().manual_seed(1))
    arguments = {"self": x, "dim": [2, 3], "keepdim": False, "dtype": None}
    call = Call(TABLE[name], arguments, {})
    eager = call.eager()
    exact = Call(TABLE[name], arguments | {"self": x.double()}, {}).eager()[0]
    (got,) = run(call, eager, {"self": order})
    assert (got - exact).abs().max() <= (eager[0] - exact).abs().max()
    torch.testing.assert_close(got, exact.float(), rtol=1e-7, atol=0)


def test_integer_sums_wrap():
    x = torch.tensor([2**63 - 1, 1])
    call = Call(
        TABLE["aten.sum.dim_IntList"],
        {"self": x, "dim": None, "keepdim": False, "dtype": None},
        {},
    )
    assert run(call, call.eager(), {})[0].item() == -(2**63)


def test_variance_of_a_large_mean_keeps_its_digits():
    x = torch.tensor([1e7, 1e7 + 1, 1e7 + 2])
    arguments = {"self": x, "dim": None, "correction": 1, "keepdim": False}
    call = Call(TABLE["aten.var.correction"], arguments, {})
    assert run(call, call.eager(), {})[0].item() == 1.0


@pytest.mark.parametrize("first", [0, 1, 2])
def test_first_nan_wins(first):
    x = torch.tensor([3.0, 1.0, 2.0, float("nan")])
    x[first] = float("nan")
    for name in ("aten.argmax.default", "aten.argmin.default"):
        call = Call(TABLE[name], {"self": x, "dim": None, "keepdim": False}, {})
        assert run(call, call.eager(), {})[0].item() == first
