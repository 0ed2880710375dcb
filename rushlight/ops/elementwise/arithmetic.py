# SPDX-License-Identifier: BSD-3-Clause
"""Rows of arithmetic.cpp: sums, products, extremes and atan2."""

from rushlight.ops.elementwise.samples import (
    BAD_PAIR,
    MIXED,
    MIXED_BOOL,
    NUMBERS,
    SAME_DTYPE,
)
from rushlight.ops.table import (
    ALL,
    FLOATS,
    I32,
    INTEGERS,
    STORAGE,
    Reject,
    Sample,
    T,
    op,
)
from rushlight.ops.table import NUMBERS as NUMERIC

KERNELS = {"portable": "arithmetic.cpp"}
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch."
ALPHAS = (Sample(((3, 4), (3, 4)), {"alpha": 2}), Sample(((3, 4), ()), {"alpha": -1}))
FRACTION = Reject(
    Sample((T((2,), dtype=I32), T((2,), dtype=I32)), {"alpha": 0.5}),
    "alpha = 0.5 with int32 operands, expected an integer",
)

op(
    "aten.add.Tensor",
    schema="(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    out="add.out",
    doc="self + alpha * other. Integers wrap; bools: or.",
    types=ALL,
    shape="broadcast(self, other)",
    kernels=KERNELS,
    samples=(*SAME_DTYPE, *MIXED, *MIXED_BOOL, *ALPHAS[:1]),
    rejects=(*BAD_PAIR, FRACTION),
    alias=("self", "other"),
    source=DOCS + "add.html",
)
op(
    "aten.add.Scalar",
    schema="(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    out="add.Scalar_out",
    doc="self + alpha * other, other a number.",
    types=ALL,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(*NUMBERS, Sample(((3, 5), 2), {"alpha": 2})),
    alias=("self",),
    source=DOCS + "add.html",
)
op(
    "aten.sub.Tensor",
    schema="(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    out="sub.out",
    doc="self - alpha * other. Integers wrap; bools are refused.",
    types=NUMERIC,
    shape="broadcast(self, other)",
    kernels=KERNELS,
    samples=(*SAME_DTYPE, *MIXED, *ALPHAS),
    rejects=(
        *BAD_PAIR,
        FRACTION,
        Reject(Sample((T((2,), dtype="bool"), T((2,)))), "subtraction with a bool"),
    ),
    alias=("self", "other"),
    source=DOCS + "sub.html",
)
for name, doc in (("sub", "self - alpha * other"), ("rsub", "other - alpha * self")):
    op(
        f"aten.{name}.Scalar",
        schema="(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
        out=f"{name}.Scalar_out",
        doc=f"{doc}, other a number.",
        types=NUMERIC,
        shape="same_as(self)",
        kernels=KERNELS,
        samples=(*NUMBERS, Sample(((3, 5), 2), {"alpha": 2})),
        alias=("self",),
        source=DOCS + f"{name}.html",
    )
op(
    "aten.mul.Tensor",
    schema="(Tensor self, Tensor other) -> Tensor",
    out="mul.out",
    doc="self * other. Integers wrap; bools: and.",
    types=STORAGE,
    shape="broadcast(self, other)",
    kernels=KERNELS,
    samples=(
        *SAME_DTYPE,
        *(Sample(s.args, types=ALL) for s in (*MIXED, *MIXED_BOOL)),
    ),
    rejects=BAD_PAIR,
    alias=("self", "other"),
    source=DOCS + "mul.html",
)
op(
    "aten.mul.Scalar",
    schema="(Tensor self, Scalar other) -> Tensor",
    out="mul.Scalar_out",
    doc="self * other, other a number.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=NUMBERS,
    alias=("self",),
    source=DOCS + "mul.html",
)
NANS = Sample(
    (
        T((4,), values=(1, float("nan"), float("inf"), -0.0)),
        T((4,), values=(float("nan"), 2, 3, 0.0)),
    ),
    types=FLOATS,
)
for name, doc in (("maximum", "The larger"), ("minimum", "The smaller")):
    op(
        f"aten.{name}",
        schema="(Tensor self, Tensor other) -> Tensor",
        out=f"{name}.out",
        doc=f"{doc} operand; NaN if either is NaN.",
        types=ALL,
        shape="broadcast(self, other)",
        kernels=KERNELS,
        samples=(*SAME_DTYPE, *MIXED, *MIXED_BOOL, NANS),
        rejects=BAD_PAIR,
        alias=("self", "other"),
        source=DOCS + f"{name}.html",
    )
op(
    "aten.atan2",
    schema="(Tensor self, Tensor other) -> Tensor",
    out="atan2.out",
    doc="The angle of the point (other, self), in (-pi, pi].",
    types=(*FLOATS, *INTEGERS),
    shape="broadcast(self, other)",
    kernels=KERNELS,
    samples=(*SAME_DTYPE, *MIXED),
    rejects=BAD_PAIR,
    alias=("self", "other"),
    ulps={"float32": 2, "float64": 2, "float16": 1, "bfloat16": 1},
    source=DOCS + "atan2.html",
)
