# SPDX-License-Identifier: BSD-3-Clause
"""Rows of rounding.cpp: signs, roundings, tests of one number."""

from rushlight.ops.elementwise.samples import ONE
from rushlight.ops.table import (
    ALL,
    FLOATS,
    NUMBERS,
    STORAGE,
    U16,
    U32,
    U64,
    Sample,
    T,
    op,
)

EDGES = Sample(
    (T((5,), values=(0.0, -0.0, float("inf"), float("-inf"), float("nan"))),),
    types=FLOATS,
)
HALVES = Sample((T((8,), values=(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 7.9, -7.9)),))
ROUNDABLE = (*NUMBERS, U16, U32, U64)
ROWS = {
    "abs": ("The magnitude; the lowest integer wraps to itself", NUMBERS, True),
    "neg": ("-self; the lowest integer wraps to itself", NUMBERS, True),
    "sign": ("-1, 0 or 1 by the sign of self; 0 for NaN", ALL, True),
    "ceil": ("The next whole number above", ROUNDABLE, True),
    "floor": ("The next whole number below", ROUNDABLE, True),
    "round": ("The nearest whole number, halves to even", ROUNDABLE, True),
    "trunc": ("self without its fraction", ROUNDABLE, True),
    "isnan": ("Whether self is NaN, as bool", STORAGE, False),
    "isinf": ("Whether self is infinite, as bool", STORAGE, False),
}

for name, (doc, dtypes, keeps_dtype) in ROWS.items():
    op(
        f"aten.{name}",
        schema="(Tensor self) -> Tensor",
        out=f"{name}.out",
        doc=f"{doc}.",
        types=dtypes,
        shape="same_as(self)",
        kernels={"portable": "rounding.cpp"},
        samples=(*ONE, EDGES, HALVES),
        alias=("self",) if keeps_dtype else (),
        domain=(-9.0, 9.0),
        source=f"https://docs.pytorch.org/docs/stable/generated/torch.{name}.html",
    )
