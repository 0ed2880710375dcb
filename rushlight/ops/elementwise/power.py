# SPDX-License-Identifier: BSD-3-Clause
"""Rows of power.cpp."""

from rushlight.ops.elementwise.samples import BAD_PAIR
from rushlight.ops.table import ALL, BOOL, FLOATS, I32, I64, Reject, Sample, T, op
from rushlight.ops.table import NUMBERS as NUMERIC

KERNELS = {"portable": "power.cpp"}
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.pow.html"
ULPS = {"float32": 2, "float64": 1, "float16": 1, "bfloat16": 1}

op(
    "aten.pow.Tensor_Tensor",
    schema="(Tensor self, Tensor exponent) -> Tensor",
    out="pow.Tensor_Tensor_out",
    doc="self to the power of exponent. Integers wrap; a negative exponent cuts off.",
    types=NUMERIC,
    shape="broadcast(self, exponent)",
    kernels=KERNELS,
    samples=(
        Sample((T((4, 5), low=0, high=5), T((4, 5), low=0, high=4))),
        Sample(((4, 5), (5,))),
        Sample(((0,), (0,))),
        Sample((T((2, 3, 4, 5), low=1, high=9), ())),
        Sample(((3, 4), T((3, 4), dtype=I64))),
    ),
    rejects=(
        *BAD_PAIR,
        Reject(Sample((T((2,), dtype=BOOL), T((2,), dtype=BOOL))), "is not defined"),
    ),
    alias=("self", "exponent"),
    ulps=ULPS,
    source=DOCS,
)
op(
    "aten.pow.Tensor_Scalar",
    schema="(Tensor self, Scalar exponent) -> Tensor",
    out="pow.Tensor_Scalar_out",
    doc="self to the power of a number. Integers refuse negative integer exponents.",
    types=ALL,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(
        *(Sample((T((4, 5), low=0, high=5), e)) for e in (0, 1, 2, 3, 0.5, 2.5)),
        *(Sample((T((9,), low=0.5, high=4), e), types=FLOATS) for e in (-1, -2, -0.5)),
        Sample(((2, 3, 4, 5), 2)),
    ),
    rejects=(
        Reject(Sample((T((3,), dtype=I32), -1)), "to negative integer powers are not"),
    ),
    alias=("self",),
    ulps=ULPS,
    source=DOCS,
)
op(
    "aten.pow.Scalar",
    schema="(Scalar self, Tensor exponent) -> Tensor",
    out="pow.Scalar_out",
    doc="A number to the power of exponent.",
    types=ALL,
    shape="same_as(exponent)",
    kernels=KERNELS,
    samples=(
        *(Sample((base, T((4, 5), low=0, high=4)), types=NUMERIC) for base in (2, 1.5)),
        Sample((3, (2, 3, 4, 5))),
        Sample((2.5, (7,))),
    ),
    alias=("exponent",),
    ulps=ULPS,
    source=DOCS,
)
