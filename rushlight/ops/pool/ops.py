# SPDX-License-Identifier: BSD-3-Clause
"""Rows of pooling."""

from rushlight.ops.table import FLOATS, I64, INTEGERS, Reject, Sample, T, op

_DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.nn"
_NAN = float("nan")
_INF = float("inf")
_X = (2, 3, 7, 9)

op(
    "aten.max_pool2d_with_indices",
    schema="(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    out="max_pool2d_with_indices.out",
    doc="The largest value of each window, and its index in the plane. NaN is the largest.",
    types=(*FLOATS, *INTEGERS),
    shape="max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode)",
    kernels={"portable": "max_pool.cpp"},
    samples=(
        Sample((_X, [2, 2])),
        Sample((_X, [3, 2], [2, 3], [1, 1])),
        Sample((_X, [3], [2], [1])),
        Sample((_X, [2, 3], [1, 2], [0, 1], [3, 2])),
        Sample((_X, [3, 3], [2, 2], [1, 1], [1, 1], True)),
        Sample(((3, 7, 9), [2, 2], [3, 3], [0, 0], [1, 1], True)),
        Sample(((0, 3, 7, 9), [2, 2])),
        Sample((T((1, 2, 3), values=(1, _NAN, 2, _NAN, 5, 6)), [2, 2], [1, 1]), types=FLOATS),
        Sample((T((1, 2, 2), values=(-_INF,) * 4), [2, 2]), types=FLOATS),
    ),
    rejects=(
        Reject(Sample((_X, [0, 2])), "kernel_size has item 0"),
        Reject(Sample((_X, [2, 2, 2])), "kernel_size has 3 items"),
        Reject(Sample((_X, [2, 2], [0, 1])), "stride has item 0"),
        Reject(Sample((_X, [2, 2], [1, 1], [2, 0])), "padding 2 is more than half"),
        Reject(Sample((_X, [2, 2], [1, 1], [-1, 0])), "padding has item -1"),
        Reject(Sample((_X, [2, 2], [1, 1], [0, 0], [0, 1])), "dilation has item 0"),
        Reject(Sample((_X, [8, 2])), "too small for kernel size 8"),
        Reject(Sample((_X, [2**40, 2])), "kernel_size has item 1099511627776"),
        Reject(Sample(((7, 9), [2, 2])), "self has rank 2"),
        Reject(Sample(((1, 0, 9), [1, 1])), "size 0 is too small"),
    ),
    source=f"{_DOCS}.MaxPool2d.html",
)  # fmt: skip

op(
    "aten.avg_pool2d",
    schema="(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    out="avg_pool2d.out",
    doc="The mean of each window; integers are divided towards zero.",
    types=(*FLOATS, I64),
    shape="avg_pool2d(self, kernel_size, stride, padding, ceil_mode)",
    kernels={"portable": "avg_pool.cpp"},
    samples=(
        Sample((_X, [2, 2])),
        Sample((_X, [3, 2], [2, 3], [1, 1])),
        Sample((_X, [3, 3], [2, 2], [1, 1], False, False)),
        Sample((_X, [3, 3], [2, 2], [1, 1], True, True)),
        Sample((_X, [2, 2], [2, 2], [1, 1], True, False)),
        Sample(((3, 7, 9), [7, 9], [1, 1], [0, 0], False, True, 5)),
        Sample(((3, 7, 9), [2, 2], [], [0, 0], False, True, -3)),
        Sample(((0, 3, 7, 9), [2, 2])),
        Sample(((1, 2, 3, 40), [2, 37], [1, 1])),
    ),
    rejects=(
        Reject(Sample((_X, [2, 0])), "kernel_size has item 0"),
        Reject(Sample((_X, [2, 2], [1, -1])), "stride has item -1"),
        Reject(Sample((_X, [2, 2], [1, 1], [2, 0])), "padding 2 is more than half"),
        Reject(Sample((_X, [2, 2], [], [0], False, True, 0)), "divisor_override is 0"),
        Reject(Sample((_X, [8, 2])), "too small for kernel size 8"),
    ),
    ulps={"float32": 4, "float64": 4, "float16": 1, "bfloat16": 1},
    source=f"{_DOCS}.AvgPool2d.html",
)

op(
    "aten._adaptive_avg_pool2d",
    schema="(Tensor self, SymInt[2] output_size) -> Tensor",
    out="_adaptive_avg_pool2d.out",
    doc="The mean of each of output_size windows that share the plane evenly.",
    types=FLOATS,
    shape="adaptive_pool2d(self, output_size)",
    kernels={"portable": "avg_pool.cpp"},
    samples=(
        Sample((_X, [3, 4])),
        Sample((_X, [1, 1])),
        Sample((_X, [10, 11])),
        Sample(((3, 7, 9), [7, 9])),
        Sample((_X, [0, 3])),
        Sample(((0, 3, 7, 9), [2, 2])),
    ),
    rejects=(
        Reject(Sample((_X, [-1, 2])), "size -1 is out of range"),
        Reject(Sample((_X, [2])), "output_size has 1 items"),
        Reject(Sample(((1, 0, 5), [2, 2])), "has nothing to pool"),
        Reject(Sample(((5, 5), [2, 2])), "self has rank 2"),
    ),
    ulps={"float32": 4, "float64": 4, "float16": 1, "bfloat16": 1},
    source=f"{_DOCS}.AdaptiveAvgPool2d.html",
)
