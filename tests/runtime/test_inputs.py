# SPDX-License-Identifier: BSD-3-Clause
"""What a method accepts: any strides, any library's arrays, and what it refuses."""

import array

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight.errors import InputError
from rushlight.runtime.arrays import DTYPE_NAMES
from tests.runtime.programs import (
    TensorSlot,
    call_of,
    describe,
    pass_through,
    ramp,
    tuple_of,
)
from tests.support import has_dim_order, in_dim_order

LEAF = describe(0)
X = TensorSlot("float32", (2, 3))


class OnlyDlpack:
    """An array of a library that nobody has heard of."""

    def __init__(self, values):
        self.array = np.asarray(values)

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("is_planned", [True, False], ids=["planned", "in-place"])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 1, 0, 2)])
def test_any_strides_arrive_in_the_slots_layout(order, is_planned):
    slot = TensorSlot("float32", (2, 3, 4, 5), order, is_planned=is_planned)
    program = rushlight.load(pass_through(slot, result=LEAF))
    x = ramp(2, 3, 4, 5)
    wide = ramp(4, 3, 8, 5)
    inputs = [
        (x, x),
        (in_dim_order(x, [0, 2, 3, 1]), x),
        (in_dim_order(x, order), x),
        (wide[::2, :, ::-2], wide[::2, :, ::-2]),
        (np.broadcast_to(x[:1, :, :1], x.shape), x[:1, :, :1] + np.zeros_like(x)),
    ]
    for given, want in inputs:
        got = program(given)
        np.testing.assert_array_equal(got, want)
        assert has_dim_order(got, order)


@pytest.mark.parametrize("name", [n for n in DTYPE_NAMES if n[0] not in "q"])
def test_every_dtype_goes_through(name):
    program = rushlight.load(pass_through(TensorSlot(name, (5,)), result=LEAF))
    slot = program.method().inputs[0]
    assert str(slot) == f"{name} [5]"
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = getattr(ml_dtypes, name, None)
    if dtype is None:
        pytest.skip("numpy has no such type")
    x = np.array([0, 1, 2, 1, 0]).astype(dtype)
    got = program(x)
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(got, x)


def test_bfloat16_as_bits_or_from_torch():
    torch = pytest.importorskip("torch")
    program = rushlight.load(
        pass_through(TensorSlot("bfloat16", (2, 2), (1, 0)), result=LEAF)
    )
    t = torch.tensor([[1.5, -2.0], [0.25, 7.0]], dtype=torch.bfloat16)
    got = program(t)
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(got.astype(np.float32), t.float().numpy())
    back = program(t.t().contiguous().t(), output="torch")
    assert back.dtype == torch.bfloat16
    assert torch.equal(back, t)


def test_other_libraries_arrays():
    program = rushlight.load(pass_through(TensorSlot("float64", (3,)), result=LEAF))
    values = array.array("d", [1, 2, 3])
    read_only = np.array([1.0, 2, 3])
    read_only.flags.writeable = False
    for given in (values, memoryview(values), read_only, OnlyDlpack(values)):
        np.testing.assert_array_equal(program(given), [1, 2, 3])


def test_torch_tensors_of_all_habits():
    torch = pytest.importorskip("torch")
    program = rushlight.load(pass_through(X, result=LEAF))
    t = torch.arange(6.0).reshape(2, 3)
    parameter = torch.nn.Parameter(t)
    transposed = t.t().contiguous().t()
    for given in (t, parameter, transposed, t.requires_grad_()):
        np.testing.assert_array_equal(program(given), ramp(2, 3))
    negative = torch.view_as_complex(torch.ones(2, 3, 2)).conj().imag
    np.testing.assert_array_equal(program(negative), -np.ones((2, 3)))


def test_zero_elements_and_rank_zero():
    slots = (TensorSlot("int64", (0, 3)), TensorSlot("float32", ()))
    result = tuple_of(LEAF, LEAF)
    program = rushlight.load(pass_through(*slots, result=result))
    empty, scalar = program(np.zeros((0, 3), "int64"), np.float32(2.5))
    assert empty.shape == (0, 3)
    assert (scalar.shape, float(scalar)) == ((), 2.5)


def test_unaligned_memory_is_copied():
    program = rushlight.load(
        pass_through(TensorSlot("float32", (3,), is_planned=False), result=LEAF)
    )
    raw = bytearray(13)
    x = np.frombuffer(memoryview(raw)[1:], "float32")
    x[:] = [1, 2, 3]
    np.testing.assert_array_equal(program(x), [1, 2, 3])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (ramp(2, 3, dtype="float64"), "got float64 [2, 3]"),
        (ramp(6), "got float32 [6]"),
        (ramp(2, 4), "got float32 [2, 4]"),
        (3, "got the int 3"),
        (None, "got None"),
        ([1.0, 2.0], "got a list"),
        ("text", "got the str 'text'"),
        (np.array(["a"]), "got <U1 [1]"),
        (ramp(2, 3).astype(">f4"), "got >f4 [2, 3]"),
    ],
    ids=str,
)
def test_a_wrong_tensor_is_refused_by_name(given, text):
    program = rushlight.load(pass_through(X, call=call_of(x=LEAF), result=LEAF))
    with pytest.raises(InputError) as failure:
        program(x=given)
    assert str(failure.value).startswith("forward() got x: expected float32 [2, 3]")
    assert text in str(failure.value)
    assert failure.value.input == "x"


def test_bounds_hold_in_each_dimension():
    slot = TensorSlot("float32", (4, 6), is_dynamic=True)
    program = rushlight.load(pass_through(slot, result=LEAF))
    assert program(ramp(3, 6)).shape == (3, 6)
    assert program(ramp(4, 6)).shape == (4, 6)
    with pytest.raises(InputError, match=r"expected float32 of at most \[4, 6\]"):
        program(ramp(2, 12))  # fewer elements than the bound, but too wide


def test_declared_lower_bounds_hold_too():
    slot = TensorSlot("float32", (4, 6), is_dynamic=True)
    signature = {"inputs": [{"name": "x", "min": [2, 6]}]}
    program = rushlight.load(pass_through(slot, result=LEAF, signature=signature))
    assert program(ramp(2, 6)).shape == (2, 6)
    with pytest.raises(InputError, match=r"got x: expected float32 \[2\.\.4, 6\]"):
        program(ramp(1, 6))


@pytest.mark.parametrize(
    ("recorded", "given", "text"),
    [
        (3, 4, "expected the int 3, as at export, got the int 4"),
        (3, 2**70, "expected the int 3"),
        (3, 3.0, "got the float 3.0"),
        (3, True, "got the bool True"),
        (True, False, "expected the bool True, as at export, got the bool False"),
        (0.5, 0.6, "expected the float 0.5"),
        ("sum", "mean", "expected the str 'sum'"),
        (None, 1, "expected None, got the int 1"),
        (3, ramp(2), r"got float32 \[2\]"),
    ],
)
def test_a_number_must_be_the_one_of_the_export(recorded, given, text):
    program = rushlight.load(pass_through(recorded, result=LEAF))
    with pytest.raises(InputError, match=text):
        program(given)
    np.testing.assert_equal(program(recorded), recorded)


def test_numpy_numbers_count_as_numbers():
    program = rushlight.load(pass_through(3, 2.0, result=tuple_of(LEAF, LEAF)))
    assert program(np.int64(3), 2) == (3, 2.0)
