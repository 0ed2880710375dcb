# SPDX-License-Identifier: BSD-3-Clause
"""Rows of activation.cpp."""

from rushlight.ops.elementwise.samples import ONE
from rushlight.ops.table import FLOATS, I32, NUMBERS, SIGNED, Reject, Sample, T, op

KERNELS = {"portable": "activation.cpp"}
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.nn."
EDGES = Sample(
    (T((5,), values=(0.0, -0.0, float("inf"), float("-inf"), float("nan"))),),
    types=FLOATS,
)

op(
    "aten.relu",
    schema="(Tensor self) -> Tensor",
    out="relu.out",
    doc="max(self, 0). NaN stays NaN.",
    types=NUMBERS,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(*ONE, EDGES),
    alias=("self",),
    source=DOCS + "ReLU.html",
)
op(
    "aten.hardtanh",
    schema="(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    out="hardtanh.out",
    doc="self kept in [min_val, max_val]. NaN stays NaN.",
    types=(*FLOATS, *SIGNED),
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(
        *ONE,
        EDGES,
        Sample(((3, 5), 0, 6)),
        Sample(((3, 5), -0.3, 0.7), types=FLOATS),
    ),
    rejects=(
        Reject(Sample((T((3,), dtype="int8"), -300, 1)), "min_val = -300 does not fit"),
    ),
    alias=("self",),
    domain=(-9.0, 9.0),
    source=DOCS + "Hardtanh.html",
)
op(
    "aten.leaky_relu",
    schema="(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    out="leaky_relu.out",
    doc="self where self > 0, else negative_slope * self. NaN stays NaN.",
    types=FLOATS,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(*ONE, EDGES, Sample(((7,),), {"negative_slope": 0.2})),
    rejects=(
        Reject(Sample(((3,),), {"negative_slope": 1e40}), "does not fit float32"),
    ),
    alias=("self",),
    source=DOCS + "LeakyReLU.html",
)
op(
    "aten.elu",
    schema="(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
    out="elu.out",
    doc="scale * self where self > 0, else scale * alpha * (exp(input_scale * self) - 1).",
    types=FLOATS,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(*ONE, EDGES, Sample(((3, 5), 1.5, 2, 0.5))),
    alias=("self",),
    ulps=1,
    source=DOCS + "ELU.html",
)
op(
    "aten.gelu",
    schema="(Tensor self, *, str approximate='none') -> Tensor",
    out="gelu.out",
    doc='self * P(X <= self), X standard normal; "tanh": by the formula with tanh.',
    types=FLOATS,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(*ONE, *(Sample(s.args, {"approximate": "tanh"}) for s in ONE)),
    rejects=(
        Reject(Sample(((3,),), {"approximate": "fast"}), "expected none or tanh"),
        Reject(Sample((T((3,), dtype=I32),)), "which cannot take a result in float32"),
    ),
    alias=("self",),
    ulps={"float32": 64, "float64": 64, "float16": 1, "bfloat16": 1},  # of 1 + erf
    source=DOCS + "GELU.html",
)
