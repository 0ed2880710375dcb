# SPDX-License-Identifier: BSD-3-Clause
"""Rows of logic.cpp: truth values and bits."""

from rushlight.ops.elementwise.samples import (
    BAD_PAIR,
    MIXED,
    MIXED_BOOL,
    ONE,
    SAME_DTYPE,
)
from rushlight.ops.table import (
    ALL,
    BOOL,
    F32,
    I16,
    I64,
    INTEGERS,
    U8,
    U16,
    U32,
    U64,
    Reject,
    Sample,
    T,
    op,
)

KERNELS = {"portable": "logic.cpp"}
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch."
BITS = (*INTEGERS, BOOL)
WIDE_BITS = (*BITS, U16, U32, U64)
MIXED_BITS = (
    *(Sample((T((3, 4)), T((3, 4), dtype=d)), types=BITS) for d in (I64, U8, BOOL)),
    Sample((T((3, 4)), T((), dtype=I64)), types=BITS),
)

for name in ("and", "or", "xor"):
    op(
        f"aten.bitwise_{name}.Tensor",
        schema="(Tensor self, Tensor other) -> Tensor",
        out=f"bitwise_{name}.Tensor_out",
        doc=f"self {name} other, bit by bit.",
        types=WIDE_BITS,
        shape="broadcast(self, other)",
        kernels=KERNELS,
        samples=(*SAME_DTYPE, *MIXED_BITS),
        rejects=(
            *BAD_PAIR,
            Reject(Sample((T((2,), dtype=F32), T((2,)))), "operands are float32"),
        ),
        alias=("self", "other"),
        source=DOCS + f"bitwise_{name}.html",
    )
    op(
        f"aten.bitwise_{name}.Scalar",
        schema="(Tensor self, Scalar other) -> Tensor",
        out=f"bitwise_{name}.Scalar_out",
        doc=f"self {name} other, bit by bit, other a number.",
        types=WIDE_BITS,
        shape="same_as(self)",
        kernels=KERNELS,
        samples=tuple(Sample((shape, n)) for shape in ((3, 5), (0,)) for n in (1, 5)),
        rejects=(Reject(Sample(((2,), 0.5)), "operands are float32"),),
        alias=("self",),
        source=DOCS + f"bitwise_{name}.html",
    )
COUNTS = Sample((T((9,), low=-100, high=100), T((9,), values=range(9))))
PAST = Sample((T((6,), low=-100, high=100), T((6,), values=(7, 8, 15, 31, 32, 63))))
NEGATIVE = Sample(
    (T((3,), values=(100, -100, 7)), T((3,), values=(-1, -1, -8))),
    types=(I16, I64),
)
for name, mark in (("left", "<<"), ("right", ">>")):
    op(
        f"aten.bitwise_{name}_shift.Tensor",
        schema="(Tensor self, Tensor other) -> Tensor",
        out=f"bitwise_{name}_shift.Tensor_out",
        doc=f"self {mark} other. Counts outside the dtype's width shift all bits out.",
        types=INTEGERS,
        shape="broadcast(self, other)",
        kernels=KERNELS,
        samples=(COUNTS, PAST, NEGATIVE, Sample(((0,), (0,)))),
        rejects=BAD_PAIR,
        alias=("self", "other"),
        source=DOCS + f"bitwise_{name}_shift.html",
    )
    op(
        f"aten.bitwise_{name}_shift.Tensor_Scalar",
        schema="(Tensor self, Scalar other) -> Tensor",
        out=f"bitwise_{name}_shift.Tensor_Scalar_out",
        doc=f"self {mark} other, other a number.",
        types=INTEGERS,
        shape="same_as(self)",
        kernels=KERNELS,
        samples=tuple(Sample((T((9,), low=-99, high=99), n)) for n in (0, 1, 5, 70)),
        alias=("self",),
        source=DOCS + f"bitwise_{name}_shift.html",
    )
op(
    "aten.bitwise_not",
    schema="(Tensor self) -> Tensor",
    out="bitwise_not.out",
    doc="Every bit of self turned; bools: not.",
    types=BITS,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=ONE,
    rejects=(Reject(Sample((T((2,), dtype=F32),)), "operands are float32"),),
    alias=("self",),
    source=DOCS + "bitwise_not.html",
)
for name in ("and", "or", "xor"):
    op(
        f"aten.logical_{name}",
        schema="(Tensor self, Tensor other) -> Tensor",
        out=f"logical_{name}.out",
        doc=f"self {name} other, as bool; everything but zero is true.",
        types=ALL,
        shape="broadcast(self, other)",
        kernels=KERNELS,
        samples=(*SAME_DTYPE, *MIXED, *MIXED_BOOL),
        rejects=BAD_PAIR,
        source=DOCS + f"logical_{name}.html",
    )
op(
    "aten.logical_not",
    schema="(Tensor self) -> Tensor",
    out="logical_not.out",
    doc="self == 0, as bool.",
    types=ALL,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=ONE,
    source=DOCS + "logical_not.html",
)
