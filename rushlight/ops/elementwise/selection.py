# SPDX-License-Identifier: BSD-3-Clause
"""Rows of selection.cpp: choosing between operands, keeping one within others."""

from rushlight.ops.elementwise.samples import BAD_PAIR
from rushlight.ops.table import (
    ALL,
    BOOL,
    F32,
    FLOATS,
    I8,
    I64,
    NUMBERS,
    STORAGE,
    Reject,
    Sample,
    T,
    op,
)

KERNELS = {"portable": "selection.cpp"}
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch."
NAN = float("nan")


def mask(*shape: int) -> T:
    """A bool tensor."""
    return T(shape, dtype=BOOL)


op(
    "aten.where.self",
    schema="(Tensor condition, Tensor self, Tensor other) -> Tensor",
    out="where.self_out",
    doc="self where condition is true, else other.",
    types=tuple((BOOL, t) for t in STORAGE),
    shape="broadcast3(condition, self, other)",
    kernels=KERNELS,
    samples=(
        Sample(((3, 5), (3, 5), (3, 5))),
        Sample(((5,), (3, 5), ())),
        Sample(((3, 1), (5,), (1, 1))),
        Sample(((0,), (0,), (0,))),
        Sample(((2, 3, 4, 5), (2, 3, 4, 5), (1, 3, 1, 1))),
        *(
            Sample(
                ((3, 5), (3, 5), T(shape, dtype=d)), types=tuple((BOOL, t) for t in ALL)
            )
            for d in (I64, F32)
            for shape in ((3, 5), ())
        ),
    ),
    rejects=(
        Reject(Sample(((2,), (3,), (3,))), "do not broadcast"),
        Reject(Sample((T((2,), dtype=I64), (2,), (2,))), "condition is int64"),
    ),
    alias=("self", "other"),
    source=DOCS + "where.html",
)
op(
    "aten.masked_fill.Scalar",
    schema="(Tensor self, Tensor mask, Scalar value) -> Tensor",
    out="masked_fill.Scalar_out",
    doc="value where mask is true, else self.",
    types=ALL,
    shape="broadcast(self, mask)",
    kernels=KERNELS,
    samples=(
        Sample(((3, 5), mask(3, 5), 1)),
        Sample(((3, 5), mask(5), 0)),
        Sample(((5,), mask(3, 1), True)),
        Sample(((0,), mask(0), 1)),
        Sample(((2, 3, 4, 5), mask(2, 1, 4, 5), 1)),
        Sample(((3, 5), mask(3, 5), float("-inf")), types=FLOATS),
    ),
    rejects=(
        Reject(
            Sample((T((3,), dtype=I8), mask(3), 300)), "value = 300 does not fit int8"
        ),
        Reject(Sample(((3,), T((3,), dtype=I64), 1)), "mask is int64, expected bool"),
    ),
    alias=("self",),
    source=DOCS + "Tensor.masked_fill.html",
)
op(
    "aten.clamp",
    schema="(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    out="clamp.out",
    doc="self kept in [min, max]; max wins where min is larger. NaN stays NaN.",
    types=ALL,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(
        Sample(((3, 5), 0, 1)),
        Sample(((3, 5), None, 1)),
        Sample(((3, 5), 0)),
        Sample(((3, 5), -0.5, 1.5)),
        Sample(((3, 5), 1, 0)),
        Sample(((0,), 0, 1)),
        Sample(((2, 3, 4, 5), 0, 1)),
        Sample((T((3,), values=(NAN, 1, -3)), 0, 1), types=FLOATS),
    ),
    rejects=(Reject(Sample(((3,),)), "neither min nor max is given"),),
    alias=("self",),
    source=DOCS + "clamp.html",
)
op(
    "aten.clamp.Tensor",
    schema="(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    out="clamp.Tensor_out",
    doc="The same with tensors as bounds; a NaN on any side wins.",
    types=NUMBERS,
    shape="broadcast_optional(self, min, max)",
    kernels=KERNELS,
    samples=(
        Sample(((3, 5), (3, 5), (3, 5))),
        Sample(((3, 5), (5,), None)),
        Sample(((3, 5), None, ())),
        Sample(((5,), (3, 1), (1,))),
        Sample(((0,), (0,), None)),
        Sample(((2, 3, 4, 5), (1, 3, 1, 1), (2, 3, 4, 5))),
        Sample(((3, 5), T((3, 5), dtype=I64), None)),
        Sample(((3,), T((3,), values=(NAN, 1, 0)), None), types=FLOATS),
    ),
    rejects=(
        Reject(Sample(((3,),)), "neither min nor max is given"),
        *BAD_PAIR,
    ),
    alias=("self",),
    source=DOCS + "clamp.html",
)
