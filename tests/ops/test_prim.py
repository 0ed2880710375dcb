# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic on run-time numbers against Python's, and its errors."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.ops.against_eager import QUICK
from tests.ops.door import call_kernel

INT = st.integers(-(2**63), 2**63 - 1)
DOUBLE = st.floats()
NUMBER = INT | DOUBLE | st.integers(-9, 9)
TAGS = {bool: "bool", int: "int", float: "double"}


def prim(name: str, *values):
    inputs = [(TAGS[type(v)], v) for v in values]
    return call_kernel(f"executorch_prim::{name}", inputs, [])


def same(a, b) -> bool:
    if isinstance(a, float) and isinstance(b, float) and math.isnan(b):
        return math.isnan(a)
    return type(a) is type(b) and a == b


def python(name: str, a, b):
    """What Python computes; Double as soon as one operand is."""
    if isinstance(a, float) or isinstance(b, float):
        a, b = float(a), float(b)
    return {"add": a.__add__, "sub": a.__sub__, "mul": a.__mul__}[name](b)


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
@QUICK
@given(a=NUMBER, b=NUMBER)
def test_arithmetic(name, a, b):
    want = python(name, a, b)
    if isinstance(want, int) and not -(2**63) <= want < 2**63:
        with pytest.raises(RuntimeError, match="does not fit int64"):
            prim(f"{name}.Scalar", a, b)
    else:
        assert same(prim(f"{name}.Scalar", a, b), want)


@pytest.mark.parametrize("name", ["eq", "lt", "gt", "le", "ge"])
@QUICK
@given(a=NUMBER, b=NUMBER)
def test_comparisons_are_exact(name, a, b):
    assert prim(f"{name}.Scalar", a, b) is getattr(__import__("operator"), name)(a, b)


def test_an_int_beyond_double_differs_from_its_neighbour():
    assert prim("eq.Scalar", 2**53 + 1, float(2**53)) is False
    assert prim("gt.Scalar", 2**53 + 1, float(2**53)) is True
    assert prim("eq.Scalar", True, True) is True


@QUICK
@given(a=INT, b=INT)
def test_integer_division(a, b):
    names = ["floordiv.Scalar", "floordiv.int", "mod.Scalar", "mod.int"]
    if b == 0:
        for name in names:
            with pytest.raises(RuntimeError, match="by zero"):
                prim(name, a, b)
        return
    assume((a, b) != (-(2**63), -1))
    truncated = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    assert prim("floordiv.Scalar", a, b) == a // b
    assert prim("floordiv.int", a, b) == truncated
    assert prim("mod.int", a, b) == prim("mod.Scalar", a, b) == a - b * truncated


def test_the_quotient_that_does_not_fit_is_an_error():
    for name in ("floordiv.Scalar", "floordiv.int"):
        with pytest.raises(RuntimeError, match="does not fit int64"):
            prim(name, -(2**63), -1)
    assert prim("mod.int", -(2**63), -1) == 0
    with pytest.raises(RuntimeError, match="does not fit int64"):
        prim("neg.Scalar", -(2**63))


@QUICK
@given(a=DOUBLE, b=DOUBLE)
def test_floating_division(a, b):
    assume(b != 0)
    assert same(prim("truediv.Scalar", a, b), a / b)
    assert same(prim("floordiv.Scalar", a, b), a // b)


@pytest.mark.parametrize(
    ("a", "want"), [(1.0, math.inf), (-2.5, -math.inf), (0.0, math.nan)]
)
def test_floating_division_by_zero(a, want):
    assert same(prim("truediv.Scalar", a, 0.0), want)
    assert same(prim("floordiv.Scalar", a, 0.0), want)


@QUICK
@given(a=st.floats(-1e18, 1e18) | st.integers(-20, 20).map(lambda n: n / 2))
def test_rounding(a):
    assert prim("ceil.Scalar", a) == math.ceil(a)
    assert prim("trunc.Scalar", a) == math.trunc(a)
    assert prim("round.Scalar", a) == round(a)
    assert prim("sym_int.Scalar", a) == int(a)


@pytest.mark.parametrize("name", ["ceil", "trunc", "round"])
def test_rounding_refuses_ints_and_what_does_not_fit(name):
    with pytest.raises(RuntimeError, match="the argument is Int, expected Double"):
        prim(f"{name}.Scalar", 3)
    for value in (1e19, math.inf, math.nan):
        with pytest.raises(RuntimeError, match="does not fit int64"):
            prim(f"{name}.Scalar", value)


@QUICK
@given(a=INT, b=INT)
def test_choices(a, b):
    assert prim("sym_max.Scalar", a, b) == max(a, b)
    assert prim("sym_min.Scalar", a, b) == min(a, b)
    assert prim("sym_ite.Scalar", True, a, b) == a
    assert prim("sym_ite.Scalar", False, a, b) == b


@pytest.mark.parametrize("value", [True, False, 3, 2.5], ids=str)
def test_conversions(value):
    assert same(prim("sym_float.Scalar", value), float(value))
    assert same(prim("sym_int.Scalar", value), int(value))
    assert same(prim("sym_not.Scalar", value), not value)
    assert same(prim("sym_ite.Scalar", True, value, 7), value)
    if not isinstance(value, bool):
        assert same(prim("neg.Scalar", value), -value)
