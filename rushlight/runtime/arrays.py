# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of any library to the runtime and back, without importing that library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

# In the order of the format's numbers.
DTYPE_NAMES = (
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex32",
    "complex64",
    "complex128",
    "bool",
    "qint8",
    "quint8",
    "qint32",
    "bfloat16",
    "quint4x2",
    "quint2x4",
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "bits8",
    "bits16",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "uint16",
    "uint32",
    "uint64",
)
DTYPE_NUMBERS = {name: number for number, name in enumerate(DTYPE_NAMES)}
# What numpy calls the bits of a type it does not have.
STAND_INS = {
    "complex32": "uint32",
    "qint8": "int8",
    "qint32": "int32",
    "bits16": "uint16",
    "bfloat16": "uint16",
}
SELF_EXPLAINING = frozenset("?bBhHiIlLqQefdFD")  # numpy type characters that DLPack has
NUMPY = (np.ndarray, np.generic)
PLAIN = (bool, int, float, str, bytes)
# A tensor as the bindings hand it out: dtype number, sizes, dim order, bytes.
RawTensor = tuple[int, tuple[int, ...], tuple[int, ...], memoryview]


@cache
def element_nbytes(dtype: int) -> int:
    """Bytes of one element of the dtype with this number."""
    return _bits_dtype(DTYPE_NAMES[dtype]).itemsize


def _bits_dtype(name: str) -> np.dtype[Any]:
    # ml_dtypes, once imported, makes numpy know its names: ask for stand-ins first.
    if name in STAND_INS or name.startswith("float8"):
        return np.dtype(STAND_INS.get(name, "uint8"))
    try:
        return np.dtype(name)
    except TypeError:
        return np.dtype("uint8")  # the sub-byte and quantised types: their bytes


@cache
def numpy_dtype(dtype: int) -> np.dtype[Any]:
    """The numpy dtype of a dtype number.

    bfloat16, complex32 and the float8 types are ml_dtypes' if that package is
    installed, else their bits as unsigned integers.
    """
    name = DTYPE_NAMES[dtype]
    if name in STAND_INS or name.startswith("float8"):
        try:
            import ml_dtypes
        except ImportError:
            return _bits_dtype(name)
        if hasattr(ml_dtypes, name):
            found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
            return found
    return _bits_dtype(name)


def is_torch_tensor(value: object) -> bool:
    """Whether value is a torch tensor; False if nobody has imported torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ()))


def is_array(value: object) -> bool:
    """Whether value can be taken as a tensor: DLPack, buffer protocol, numpy scalar."""
    if isinstance(value, NUMPY) or hasattr(value, "__dlpack__"):
        return True
    if isinstance(value, PLAIN) or value is None:
        return False
    try:
        memoryview(value).release()  # type: ignore[arg-type]
    except TypeError:
        return hasattr(value, "__array__")
    return True


def present(value: Any) -> tuple[Any, int]:
    """(an object with DLPack or buffer protocol, dtype number or -1 if it says so itself).

    Shares value's memory. Raises TypeError for a tensor that is not in CPU memory.
    """
    if not isinstance(value, NUMPY):
        if is_torch_tensor(value):
            return _present_torch(value), -1
        if hasattr(value, "__dlpack__"):
            return value, -1
    return _present_numpy(np.asarray(value))


def _present_numpy(array: np.ndarray[Any, Any]) -> tuple[Any, int]:
    dtype = array.dtype
    if dtype.char in SELF_EXPLAINING and dtype.isnative:
        return array, -1
    number = DTYPE_NUMBERS.get(dtype.name)
    if number is None or not dtype.isnative:
        raise TypeError(f"numpy dtype {dtype!s} has no counterpart")
    return array.view(f"u{dtype.itemsize}"), number


def _present_torch(tensor: Any) -> Any:
    if tensor.device.type != "cpu":
        raise TypeError(f"the tensor is on {tensor.device}; move it with .cpu()")
    if str(tensor.layout) != "torch.strided":
        raise TypeError(f"the tensor's layout is {tensor.layout}; use .to_dense()")
    return tensor.detach().resolve_conj().resolve_neg()


def to_layout(array: Any, dim_order: Sequence[int]) -> Any:
    """A copy of array, from present(), that is dense in dim_order."""
    inverse = [0] * len(dim_order)
    for position, dim in enumerate(dim_order):
        inverse[dim] = position
    if is_torch_tensor(array):
        dense = array.permute(tuple(dim_order)).clone(
            memory_format=sys.modules["torch"].contiguous_format
        )
        return dense.permute(inverse)
    if not isinstance(array, np.ndarray):
        array = np.from_dlpack(array)
    return np.array(array.transpose(tuple(dim_order)), order="C").transpose(inverse)


def describe(value: object) -> str:
    """value as an error message calls it: ``float64 [1, 3]``, ``the int 3``, ``a list``."""
    if value is None:
        return "None"
    if isinstance(value, bool | int | float | str):
        return f"the {type(value).__name__} {value!r}"
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{str(dtype).removeprefix('torch.')} {list(shape)}"
    if is_array(value):
        return describe(np.asarray(value))
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


_ROW_MAJOR = tuple(range(16))


def _view(raw: RawTensor, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    _, sizes, dim_order, buffer = raw
    if dim_order == _ROW_MAJOR[: len(sizes)]:
        return np.ndarray(sizes, dtype, buffer)
    strides = [0] * len(sizes)
    step = dtype.itemsize
    for dim in reversed(dim_order):
        strides[dim] = step
        step *= max(1, sizes[dim])
    return np.ndarray(sizes, dtype, buffer, strides=strides)


def to_numpy(raw: RawTensor) -> np.ndarray[Any, Any]:
    """A numpy array over raw's memory, which it keeps alive; strides follow dim order."""
    return _view(raw, numpy_dtype(raw[0]))


def to_torch(raw: RawTensor) -> Any:
    """A torch tensor over raw's memory, which it keeps alive; strides follow dim order."""
    import torch

    name = DTYPE_NAMES[raw[0]]
    array = _view(raw, _bits_dtype(name))
    if not array.flags.writeable:
        array = array.copy(order="K")  # torch has no read-only tensors
    tensor = torch.from_numpy(array)
    return (
        tensor if str(tensor.dtype) == f"torch.{name}" else _reinterpret(tensor, name)
    )


def _reinterpret(tensor: Any, name: str) -> Any:
    dtype = getattr(sys.modules["torch"], name, None)
    is_plain = name.startswith(("bfloat", "float8", "complex"))
    return tensor.view(dtype) if dtype is not None and is_plain else tensor
