# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the elementwise family."""

from rushlight.ops.table import BF16, F32, Reject, Sample, op

op(
    "aten.leaky_relu",
    schema="(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    out="leaky_relu.out",
    doc="self where self >= 0, else negative_slope * self. NaN stays NaN.",
    types=(F32, BF16),
    shape="same_as(self)",
    kernels={"portable": "leaky_relu.cpp"},
    samples=(
        Sample(((3, 5),)),
        Sample(((2, 0, 4),)),  # zero elements
        Sample(((7,),), {"negative_slope": 0.2}),
    ),
    rejects=(
        Reject(Sample(((3,),), {"negative_slope": 1e40}), "does not fit float32"),
    ),
    alias=("self",),
    source="https://docs.pytorch.org/docs/stable/generated/torch.nn.LeakyReLU.html",
)
