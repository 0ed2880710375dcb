# SPDX-License-Identifier: BSD-3-Clause
"""Rows of division.cpp: quotients and remainders."""

from rushlight.ops.elementwise.samples import (
    BAD_PAIR,
    MIXED,
    NUMBERS,
    QUOTIENTS,
    SAME_DTYPE,
    ZERO_QUOTIENTS,
)
from rushlight.ops.table import ALL, I32, STORAGE, Reject, Sample, T, op
from rushlight.ops.table import NUMBERS as NUMERIC

KERNELS = {"portable": "division.cpp"}
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch."
MODES = ("trunc", "floor")


def by_zero(*extra: object) -> Reject:
    """An int32 divided by a zero."""
    pair = (T((3,), dtype=I32), T((), dtype=I32, values=(0,)))
    return Reject(Sample((*pair, *extra)), "integer division by zero")


op(
    "aten.div.Tensor",
    schema="(Tensor self, Tensor other) -> Tensor",
    out="div.out",
    doc="self / other in floating point; integers and bools become float32.",
    types=STORAGE,
    shape="broadcast(self, other)",
    kernels=KERNELS,
    samples=(*SAME_DTYPE, *(Sample(s.args, types=ALL) for s in MIXED), *ZERO_QUOTIENTS),
    rejects=BAD_PAIR,
    alias=("self", "other"),
    source=DOCS + "div.html",
)
op(
    "aten.div.Scalar",
    schema="(Tensor self, Scalar other) -> Tensor",
    out="div.Scalar_out",
    doc="self / other, other a number.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(*NUMBERS, Sample(((4,), 3.3))),
    alias=("self",),
    ulps=1,
    source=DOCS + "div.html",
)
op(
    "aten.div.Tensor_mode",
    schema="(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    out="div.out_mode",
    doc='self / other rounded to zero ("trunc") or down ("floor"); None: not rounded.',
    types=NUMERIC,
    shape="broadcast(self, other)",
    kernels=KERNELS,
    samples=tuple(
        Sample((*s.args, mode), types=s.types)
        for mode in (*MODES, None)
        for s in (*QUOTIENTS, *ZERO_QUOTIENTS)
    ),
    rejects=(
        *(by_zero(mode) for mode in MODES),
        Reject(Sample(((2,), (2,), "up")), "rounding_mode is up, expected trunc or"),
    ),
    alias=("self", "other"),
    source=DOCS + "div.html",
)
op(
    "aten.div.Scalar_mode",
    schema="(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
    out="div.Scalar_mode_out",
    doc="The same, other a number.",
    types=NUMERIC,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=tuple(
        Sample((T((3, 5), low=-9, high=9), n, mode))
        for mode in (*MODES, None)
        for n in (3, -2, 1.5)
    ),
    rejects=(Reject(Sample((T((3,), dtype=I32), 0, "floor")), "division by zero"),),
    alias=("self",),
    source=DOCS + "div.html",
)
op(
    "aten.floor_divide",
    schema="(Tensor self, Tensor other) -> Tensor",
    out="floor_divide.out",
    doc="floor(self / other).",
    types=NUMERIC,
    shape="broadcast(self, other)",
    kernels=KERNELS,
    samples=(*QUOTIENTS, *ZERO_QUOTIENTS),
    rejects=(*BAD_PAIR, by_zero()),
    alias=("self", "other"),
    source=DOCS + "floor_divide.html",
)
for name, whose in (("remainder", "other"), ("fmod", "self")):
    op(
        f"aten.{name}.Tensor",
        schema="(Tensor self, Tensor other) -> Tensor",
        out=f"{name}.Tensor_out",
        doc=f"self modulo other, with {whose}'s sign.",
        types=NUMERIC,
        shape="broadcast(self, other)",
        kernels=KERNELS,
        samples=(*QUOTIENTS, *ZERO_QUOTIENTS),
        rejects=(*BAD_PAIR, by_zero()),
        alias=("self", "other"),
        source=DOCS + f"{name}.html",
    )
    op(
        f"aten.{name}.Scalar",
        schema="(Tensor self, Scalar other) -> Tensor",
        out=f"{name}.Scalar_out",
        doc=f"self modulo other, with {whose}'s sign, other a number.",
        types=ALL,
        shape="same_as(self)",
        kernels=KERNELS,
        samples=(
            *(Sample((T((3, 5), low=-9, high=9), n), types=NUMERIC) for n in (3, -2)),
            Sample((T((3, 5), low=-9, high=9), 1.5)),
            Sample(((3,), 2)),
        ),
        rejects=(Reject(Sample((T((3,), dtype=I32), 0)), "integer division by zero"),),
        alias=("self",),
        source=DOCS + f"{name}.html",
    )
