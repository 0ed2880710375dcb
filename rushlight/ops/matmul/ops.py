# SPDX-License-Identifier: BSD-3-Clause
"""Rows of matrix products."""

from rushlight.ops.table import FLOATS, INTEGERS, Reject, Sample, T, op

_DOCS = "https://docs.pytorch.org/docs/stable/generated/torch"
_TYPES = (*FLOATS, *INTEGERS)
# In units of the largest result: sums of up to 300 products, in another order than
# eager's. The narrow dtypes round once.
_ULPS = {"float32": 8, "float64": 8, "float16": 1, "bfloat16": 1}

op(
    "aten.mm",
    schema="(Tensor self, Tensor mat2) -> Tensor",
    out="mm.out",
    doc="Matrix product [M, K] [K, N].",
    types=_TYPES,
    shape="mm(self, mat2)",
    kernels={"portable": "mm.cpp"},
    samples=(
        Sample(((5, 7), (7, 19))),
        Sample(((70, 300), (300, 33))),  # several blocks each way
        Sample(((1, 130), (130, 5))),
        Sample(((9, 130), (130, 1))),
        Sample(((1, 1), (1, 1))),
        Sample(((3, 0), (0, 4))),  # an empty sum is zero
        Sample(((0, 3), (3, 4))),
    ),
    rejects=(
        Reject(Sample(((5, 7), (6, 3))), "matrices [5, 7] and [6, 3] do not multiply"),
        Reject(Sample(((5, 7), (7,))), "expected rank 2"),
        Reject(Sample(((5, 7), T((7, 3), "float64"))), "mat2 is float64, expected"),
        Reject(Sample((T((5, 7), "bool"), T((7, 3), "bool"))), "no kernel for dtype"),
    ),
    ulps=_ULPS,
    source=f"{_DOCS}.mm.html",
)

op(
    "aten.bmm",
    schema="(Tensor self, Tensor mat2) -> Tensor",
    out="bmm.out",
    doc="Matrix products [B, M, K] [B, K, N], one by one.",
    types=_TYPES,
    shape="bmm(self, mat2)",
    kernels={"portable": "mm.cpp"},
    samples=(
        Sample(((3, 5, 7), (3, 7, 9))),
        Sample(((2, 1, 70), (2, 70, 18))),
        Sample(((0, 5, 7), (0, 7, 9))),
        Sample(((2, 5, 0), (2, 0, 9))),
    ),
    rejects=(
        Reject(Sample(((2, 5, 7), (3, 7, 9))), "batches of [2, 5, 7] and [3, 7, 9]"),
        Reject(Sample(((2, 5, 7), (2, 8, 9))), "do not multiply"),
        Reject(Sample(((5, 7), (7, 9))), "expected rank 3"),
    ),
    ulps=_ULPS,
    source=f"{_DOCS}.bmm.html",
)

op(
    "aten.addmm",
    schema="(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    out="addmm.out",
    doc="beta * self + alpha * (mat1 mat2); self stretches to the product. beta = 0 ignores self.",
    types=_TYPES,
    shape="addmm(self, mat1, mat2)",
    kernels={"portable": "mm.cpp"},
    samples=(
        Sample(((9,), (5, 7), (7, 9))),
        Sample(((5, 9), (5, 7), (7, 9)), {"beta": 2, "alpha": 3}),
        Sample(((5, 1), (5, 70), (70, 9)), {"beta": 0}),
        Sample(((1,), (2, 70), (70, 9)), {"alpha": -1}),
        Sample(((), (2, 3), (3, 2))),
        Sample(((4,), (0, 3), (3, 4))),
        Sample(((4,), (3, 0), (0, 4))),
        Sample(((3,), (5, 7), (7, 3)), {"beta": 0.5, "alpha": 1.5}, types=FLOATS),
    ),
    rejects=(
        Reject(Sample(((8,), (5, 7), (7, 9))), "self [8] does not stretch to [5, 9]"),
        Reject(Sample(((1, 5, 9), (5, 7), (7, 9))), "does not stretch"),
        Reject(Sample(((9,), (5, 7), (7, 9)), {"alpha": 1e40}), "alpha = 1e+40"),
        Reject(
            Sample(tuple(T(s, "int32") for s in ((9,), (5, 7), (7, 9))), {"beta": 0.5}),
            "beta = 0.5 must be an integer",
        ),
        Reject(Sample((T((9,), "float64"), (5, 7), (7, 9))), "mat1 is float32"),
    ),
    ulps={"float32": 8, "float64": 8, "float16": 2, "bfloat16": 2},
    source=f"{_DOCS}.addmm.html",
)

op(
    "aten.linear",
    schema="(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    out="linear.out",
    doc="input [..., K] times the transpose of weight [N, K], plus bias [N].",
    types=_TYPES,
    shape="linear(input, weight, bias)",
    kernels={"portable": "mm.cpp"},
    samples=(
        Sample(((5, 7), (9, 7), (9,))),
        Sample(((2, 3, 70), (33, 70), None)),
        Sample(((2, 3, 4, 5), (6, 5), (6,))),
        Sample(((300,), (11, 300), (11,))),
        Sample(((1, 130), (67, 130), (67,))),
        Sample(((6, 130), (2, 130), (2,))),
        Sample(((0, 7), (9, 7), (9,))),
        Sample(((3, 0), (9, 0), (9,))),
    ),
    rejects=(
        Reject(Sample(((5, 7), (9, 8), None)), "input [5, 7] does not fit weight"),
        Reject(Sample(((), (9, 8), None)), "does not fit weight"),
        Reject(Sample(((5, 7), (9, 7), (8,))), "bias is [8], expected [9]"),
        Reject(Sample(((5, 7), (9, 7), T((9,), "int64"))), "bias is int64"),
        Reject(Sample(((5, 7), T((9, 7), "bfloat16"), None)), "weight is bfloat16"),
    ),
    ulps=_ULPS,
    source=f"{_DOCS}.nn.functional.linear.html",
)
