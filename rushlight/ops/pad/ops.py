# SPDX-License-Identifier: BSD-3-Clause
"""Rows of ops that put a margin around a tensor, or cut one off."""

from rushlight.ops.table import BOOL, F32, NUMBERS, STORAGE, Reject, Sample, T, op

_PAD = {"portable": "pad.cpp"}
_DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"
_LAST = (0, 2, 3, 1)  # channels-last

op(
    "aten.constant_pad_nd",
    schema="(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
    out="constant_pad_nd.out",
    doc="self inside a margin of `value`: pad has (before, after) per dimension, the last "
    "dimension first. Negative amounts cut off.",
    types=tuple(t for t in STORAGE if not t.startswith("uint") or t == "uint8"),
    shape="constant_pad(self, pad)",
    kernels=_PAD,
    samples=(
        Sample(((2, 3, 4), [1, 2])),
        Sample(((1, 2, 3, 4), [0, 1, 2, 0]), {"value": 1}),
        Sample(((3, 5), [-1, 2, 1, -2])),
        Sample(((2, 0, 3), [1, 1, 2, 0])),
        Sample((T((1, 3, 4, 5), order=_LAST), [1, 1, 0, 1])),
        Sample(((), [])),
        Sample((T((2, 3), F32), [1, 1]), {"value": float("-inf")}),
        Sample((T((2, 3), BOOL), [1, 1]), {"value": True}),
    ),
    rejects=(
        Reject(Sample(((2, 3), [1])), "pad has 1 items"),
        Reject(Sample(((3,), [1, 1, 1, 1])), "pad has 4 items"),
        Reject(Sample(((2, 3), [-2, -2])), "leaves nothing"),
    ),
    source=_DOCS,
)
for _dims in (1, 2, 3):
    _shape = (2, 3, 5, 4, 6)[: _dims + 2]
    op(
        f"aten.reflection_pad{_dims}d",
        schema=f"(Tensor self, SymInt[{2 * _dims}] padding) -> Tensor",
        out=f"reflection_pad{_dims}d.out",
        doc="self with a margin that mirrors it, the edge itself not repeated: (before, "
        "after) per dimension, the last dimension first.",
        types=NUMBERS,
        shape="reflection_pad(self, padding)",
        kernels=_PAD,
        samples=(
            Sample((_shape, [1, 2] * _dims)),
            Sample((_shape[1:], [0, 1] * _dims)),
            Sample((_shape, [3, 2, 1, 0, 2, 1][: 2 * _dims])),
            Sample(((0, *_shape[1:]), [1, 1] * _dims)),
        ),
        rejects=(
            Reject(Sample((_shape, [9, 0] * _dims)), "is not less than"),
            Reject(Sample(((4,), [1, 1] * _dims)), "items for self"),
        ),
        source=_DOCS,
    )
    op(
        f"aten.replication_pad{_dims}d",
        schema=f"(Tensor self, SymInt[{2 * _dims}] padding) -> Tensor",
        out=f"replication_pad{_dims}d.out",
        doc="self with a margin that repeats its edge: (before, after) per dimension, the "
        "last dimension first.",
        types=NUMBERS,
        shape="replication_pad(self, padding)",
        kernels=_PAD,
        samples=(
            Sample((_shape, [1, 2] * _dims)),
            Sample((_shape[1:], [7, 0] * _dims)),
            Sample((_shape, [3, -1, 1, 0, -2, 4][: 2 * _dims])),
            Sample(((0, *_shape[1:]), [1, 1] * _dims)),
        ),
        rejects=(Reject(Sample(((4,), [1, 1] * _dims)), "items for self"),),
        source=_DOCS,
    )
