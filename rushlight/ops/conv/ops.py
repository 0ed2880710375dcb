# SPDX-License-Identifier: BSD-3-Clause
"""Rows of convolutions, paddings and resamplings."""

from collections.abc import Sequence

from rushlight.ops.table import FLOATS, I8, I16, I32, I64, U8, Reject, Sample, T, op

_DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.nn"
_CONV = ((2, 3, 7, 9), (5, 3, 3, 3), (5,))


def _conv(
    *tensors: object,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    transposed: bool = False,
    output_padding: Sequence[int] = (0, 0),
    groups: int = 1,
    types: tuple[str, ...] = (),
) -> Sample:
    """Return a sample; spatial arguments by name."""
    lists = (list(stride), list(padding), list(dilation))
    arguments = (*tensors, *lists, transposed, list(output_padding), groups)
    return Sample(arguments, types=types)


_CONVOLUTIONS = (
    _conv(*_CONV),
    _conv(*_CONV, stride=(2, 3), padding=(1, 2)),
    _conv((1, 20, 6, 5), (17, 20, 1, 1), None),  # pointwise
    _conv((2, 70, 5, 5), (70, 70, 3, 3), (70,), padding=(1, 1)),  # several blocks
    _conv((1, 6, 9, 8), (6, 1, 3, 3), (6,), padding=(1, 1), groups=6),  # depthwise
    _conv((1, 70, 9, 70), (70, 1, 5, 5), None, stride=(2, 2), padding=(2, 2), groups=70),
    _conv((2, 6, 5, 6), (12, 2, 2, 3), (12,), groups=3),
    _conv((0, 3, 5, 5), (4, 3, 3, 3), (4,)),  # zero elements
    _conv((2, 4, 19), (5, 4, 4), (5,), stride=(2,), padding=(3,), dilation=(1,), output_padding=(0,)),
    _conv((1, 2, 4, 5, 6), (8, 2, 3, 2, 3), (8,), stride=(1, 2, 1), padding=(1, 0, 2),
          dilation=(1, 1, 1), output_padding=(0, 0, 0)),
    _conv((2, 3, 7, 9), (5, 3, 3, 3), (5,), padding=(4, 4)),  # taps wholly outside
    Sample(((1, 3, 6, 6), T((8, 3, 3, 3), order=(0, 2, 3, 1)), (8,), [1], [1], [1], False, [0], 1)),
)  # fmt: skip

_WIDE = (*FLOATS, I64)  # eager neither dilates nor transposes the narrow integers
_WIDE_CONVOLUTIONS = (
    _conv(*_CONV, dilation=(2, 3), types=_WIDE),
    _conv((2, 4, 4, 5), (4, 6, 3, 3), (6,), stride=(2, 3), padding=(1, 1),
          output_padding=(1, 2), transposed=True, types=_WIDE),
    _conv((1, 4, 5, 4), (4, 3, 3, 2), None, stride=(3, 2), dilation=(2, 1),
          transposed=True, types=_WIDE, groups=2),
    _conv((1, 8, 5, 5), (8, 1, 4, 4), (8,), stride=(2, 2), padding=(1, 1),
          transposed=True, types=_WIDE, groups=8),
    _conv((1, 2, 3, 3), (2, 5, 1, 1), (5,), stride=(4, 3), transposed=True, types=_WIDE),  # bias between
    _conv((2, 3, 5), (3, 4, 3), (4,), stride=(2,), padding=(1,), dilation=(1,),
          output_padding=(1,), transposed=True, types=_WIDE),
)  # fmt: skip

_X, _W, _B = _CONV
_REJECTED = (
    Reject(_conv(*_CONV, stride=(0, 1)), "stride has item 0, must be at least 1"),
    Reject(_conv(*_CONV, stride=(1, 1, 1)), "stride has 3 items"),
    Reject(_conv(*_CONV, padding=(-1, 0)), "padding has item -1"),
    Reject(_conv(*_CONV, padding=(2**40, 0)), "padding has item 1099511627776"),
    Reject(_conv(*_CONV, dilation=(1, 0)), "dilation has item 0"),
    Reject(_conv(*_CONV, dilation=(1, 2**31 - 1)), "too small for 3 taps"),
    Reject(_conv(*_CONV, groups=0), "groups is 0, out of range"),
    Reject(_conv(*_CONV, groups=-3), "groups is -3"),
    Reject(_conv(*_CONV, groups=2**62), "out of range"),
    Reject(_conv(_X, (5, 4, 3, 3), None), "input of 3 channels does not fit weight"),
    Reject(_conv(_X, (5, 3, 3), None), "weight has rank 3, expected 4"),
    Reject(_conv((3, 7), (5, 3), None), "input has rank 2"),
    Reject(_conv(_X, _W, (4,)), "bias is [4], expected [5]"),
    Reject(_conv(_X, (5, 3, 8, 3), None), "too small for 8 taps"),
    Reject(_conv(_X, (5, 3, 0, 3), None), "has no taps"),
    Reject(_conv(_X, T(_W, "float64"), _B), "weight is float64, expected float32"),
    Reject(_conv(_X, _W, T(_B, "int32")), "bias is int32, expected float32"),
    Reject(
        _conv(_X, (3, 5, 3, 3), None, transposed=True, output_padding=(1, 0)),
        "output_padding 1 is not less than",
    ),
    Reject(
        _conv(_X, (3, 5, 3, 3), None, transposed=True, padding=(9, 9)), "is too small"
    ),
    Reject(_conv(T(_X, "bool"), T(_W, "bool"), None), "no kernel for dtype bool"),
)

op(
    "aten.convolution",
    schema="(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
    out="convolution.out",
    doc="Convolution over one to three spatial dimensions, grouped, dilated, transposed.",
    types=(*FLOATS, I64, I32, I16, I8, U8),
    shape="convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)",
    kernels={"portable": "convolution.cpp"},
    samples=(*_CONVOLUTIONS, *_WIDE_CONVOLUTIONS),
    rejects=_REJECTED,
    # Sums of up to 630 products here, in another order than eager's (whose float64 sums
    # are plain loops: the larger part of the 32 is its own error); the narrow dtypes
    # round once.
    ulps={"float32": 8, "float64": 32, "float16": 1, "bfloat16": 1},
    source=f"{_DOCS}.functional.conv2d.html",
)
