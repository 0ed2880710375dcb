# SPDX-License-Identifier: BSD-3-Clause
"""Rows of convolutions, paddings and resamplings."""

from collections.abc import Sequence

from rushlight.ops.table import (
    BOOL,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    U8,
    Reject,
    Sample,
    T,
    op,
)

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

_PHASES = _conv(  # each phase of the first axis has one tap, in filters that are dense
    (2, 3, 3, 4), T((3, 5, 2, 1), order=(1, 2, 0, 3)), None, stride=(2, 1),
    transposed=True, types=_WIDE,
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
    samples=(*_CONVOLUTIONS, *_WIDE_CONVOLUTIONS, _PHASES),
    rejects=_REJECTED,
    # Sums of up to 630 products here, in another order than eager's (whose float64 sums
    # are plain loops: the larger part of the 32 is its own error); the narrow dtypes
    # round once.
    ulps={"float32": 8, "float64": 32, "float16": 1, "bfloat16": 1},
    source=f"{_DOCS}.functional.conv2d.html",
)

_ANY = (*FLOATS, I64, I32, I16, I8, U8)

op(
    "aten.pixel_shuffle",
    schema="(Tensor self, int upscale_factor) -> Tensor",
    out="pixel_shuffle.out",
    doc="Channels to pixels: [..., C f f, H, W] to [..., C, H f, W f].",
    types=(*_ANY, BOOL),
    shape="pixel_shuffle(self, upscale_factor)",
    kernels={"portable": "pixel_shuffle.cpp"},
    samples=(
        Sample(((2, 8, 3, 5), 2)),
        Sample(((9, 2, 3), 3)),
        Sample(((2, 3, 4, 1, 2), 2)),
        Sample(((0, 4, 3, 5), 2)),
    ),
    rejects=(
        Reject(Sample(((2, 6, 3, 5), 2)), "6 channels are not a multiple of 4"),
        Reject(Sample(((2, 8, 3, 5), 0)), "factor 0 is out of range"),
        Reject(Sample(((2, 8, 3, 5), 2**40)), "is out of range"),
        Reject(Sample(((8, 3), 2)), "self has rank 2"),
    ),
    source=f"{_DOCS}.PixelShuffle.html",
)

op(
    "aten.pixel_unshuffle",
    schema="(Tensor self, int downscale_factor) -> Tensor",
    out="pixel_unshuffle.out",
    doc="Pixels to channels: [..., C, H f, W f] to [..., C f f, H, W].",
    types=(*_ANY, BOOL),
    shape="pixel_unshuffle(self, downscale_factor)",
    kernels={"portable": "pixel_shuffle.cpp"},
    samples=(
        Sample(((2, 2, 6, 4), 2)),
        Sample(((1, 6, 9), 3)),
        # not (0, 4, 2, 4): eager returns an empty input as it is
    ),
    rejects=(
        Reject(Sample(((2, 2, 5, 4), 2)), "are not multiples of 2"),
        Reject(Sample(((2, 2, 6, 4), -1)), "factor -1 is out of range"),
        Reject(Sample(((6, 4), 2)), "self has rank 2"),
    ),
    source=f"{_DOCS}.PixelUnshuffle.html",
)

_IMAGE = (2, 3, 5, 6)
_RESIZE_REJECTS = (
    Reject(Sample((_IMAGE, None), {"scale_factors": None}), "expected one of"),
    Reject(Sample((_IMAGE, [3]), {"scale_factors": None}), "output_size has 1 items"),
    Reject(Sample((_IMAGE, [3, -4]), {"scale_factors": None}), "size -4 is out of"),
    Reject(Sample((_IMAGE, [3, 0]), {"scale_factors": None}), "cannot resize"),
    Reject(Sample((_IMAGE, None), {"scale_factors": [1e30, 1.0]}), "is out of range"),
    Reject(Sample((_IMAGE, None), {"scale_factors": [0.1, 1.0]}), "cannot resize"),
    Reject(Sample(((3, 5, 6), [3, 3]), {"scale_factors": None}), "input has rank 3"),
)

op(
    "aten.upsample_nearest2d.vec",
    schema="(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    out="upsample_nearest2d.vec_out",
    doc="The nearest element below each output's place in the input.",
    types=(*FLOATS, U8),
    shape="upsample2d(input, output_size, scale_factors)",
    kernels={"portable": "upsample.cpp"},
    samples=(
        Sample((_IMAGE, None, [2.0, 3.0])),
        Sample((_IMAGE, [7, 4], None)),
        Sample((_IMAGE, None, [1.7, 0.6])),
        Sample((_IMAGE, [1, 13], None)),
        Sample(((0, 3, 5, 6), [3, 3], None)),
    ),
    rejects=_RESIZE_REJECTS,
    source=f"{_DOCS}.functional.interpolate.html",
)

op(
    "aten.upsample_bilinear2d.vec",
    schema="(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    out="upsample_bilinear2d.vec_out",
    doc="The four neighbours of each output's place in the input, weighted by distance.",
    types=FLOATS,
    shape="upsample2d(input, output_size, scale_factors)",
    kernels={"portable": "upsample.cpp"},
    samples=(
        Sample((_IMAGE, None, False, [2.0, 3.0])),
        Sample((_IMAGE, [7, 4], False, None)),
        Sample((_IMAGE, [7, 4], True, None)),
        Sample((_IMAGE, None, True, [1.7, 0.6])),
        Sample((_IMAGE, [1, 13], True, None)),
        Sample(((1, 2, 1, 1), [3, 4], False, None)),
    ),
    rejects=tuple(
        Reject(
            Sample(r.sample.args, {**r.sample.kwargs, "align_corners": False}), r.text
        )
        for r in _RESIZE_REJECTS
    ),
    # Positions are float32: one unit of a place in [0, 8) is up to 8 in its fraction.
    ulps={"float32": 8, "float64": 8, "float16": 1, "bfloat16": 1},
    source=f"{_DOCS}.functional.interpolate.html",
)
