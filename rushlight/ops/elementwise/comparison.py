# SPDX-License-Identifier: BSD-3-Clause
"""Rows of comparison.cpp."""

from rushlight.ops.elementwise.samples import (
    BAD_PAIR,
    MIXED,
    MIXED_BOOL,
    NUMBERS,
    SAME_DTYPE,
)
from rushlight.ops.table import ALL, I8, Reject, Sample, T, op

SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

for name, mark in SIGNS.items():
    op(
        f"aten.{name}.Tensor",
        schema="(Tensor self, Tensor other) -> Tensor",
        out=f"{name}.Tensor_out",
        doc=f"self {mark} other, as bool, both in their promoted dtype.",
        types=ALL,
        shape="broadcast(self, other)",
        kernels={"portable": "comparison.cpp"},
        samples=(*SAME_DTYPE, *MIXED, *MIXED_BOOL),
        rejects=BAD_PAIR,
        source=f"https://docs.pytorch.org/docs/stable/generated/torch.{name}.html",
    )
    op(
        f"aten.{name}.Scalar",
        schema="(Tensor self, Scalar other) -> Tensor",
        out=f"{name}.Scalar_out",
        doc=f"self {mark} other, other a number that self's dtype can hold.",
        types=ALL,
        shape="same_as(self)",
        kernels={"portable": "comparison.cpp"},
        samples=NUMBERS,
        rejects=(
            Reject(Sample((T((3,), dtype=I8), 300)), "other = 300 does not fit int8"),
        ),
        source=f"https://docs.pytorch.org/docs/stable/generated/torch.{name}.html",
    )
