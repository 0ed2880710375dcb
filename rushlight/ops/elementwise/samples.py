# SPDX-License-Identifier: BSD-3-Clause
"""Samples that rows of this family share: each a way that operands can meet."""

from rushlight.ops.table import BF16, BOOL, F16, F32, F64, I64, U8, Reject, Sample, T

ONE = (
    Sample(((3, 5),)),
    Sample(((),)),
    Sample(((2, 0, 4),)),  # zero elements
    Sample(((2, 3, 4, 5),)),
    Sample(((2, 700),)),  # more than a block
)
"""One operand."""

SAME_DTYPE = (
    Sample(((3, 5), (3, 5))),
    Sample(((2, 0, 4), (2, 0, 4))),
    Sample(((2, 3, 4), (4,))),
    Sample(((3, 1), (1, 4))),
    Sample(((4,), (2, 3, 4))),
    Sample(((2, 3), ())),
    Sample(((), (3,))),
    Sample(((), ())),
    Sample(((2, 3, 4, 5), (1, 3, 1, 1))),
    Sample(((2, 700), (2, 700))),
    Sample(((3, 2, 130), (2, 1))),
)
"""Two operands, every manner of broadcasting."""

MIXED = tuple(
    Sample((T((3, 4)), T(shape, dtype=dtype)))
    for dtype in (I64, F16, U8, F64)
    for shape in ((3, 4), (), (4,))
)
"""Two operands of different dtypes; rank 0 promotes less."""

MIXED_BOOL = (
    Sample((T((3, 4)), T((3, 4), dtype=BOOL))),
    Sample((T((3, 4), dtype=BOOL), T(()))),
)

NUMBERS = (
    Sample(((3, 5), 2)),
    Sample(((3, 5), 1.5)),
    Sample(((), 3)),
    Sample(((0,), 1)),
    Sample(((2, 3, 4, 5), 1)),
)
"""A tensor and a number of either kind."""

BAD_PAIR = (Reject(Sample(((2, 3), (4,))), "shapes [2, 3] and [4] do not broadcast"),)

DIVISORS = (-3, -2, -1, 1, 2, 3)
"""Never 0, so that integers divide; as uint8 they wrap, as bool they are true."""

QUOTIENTS = (
    Sample((T((5, 6), low=-9, high=9), T((6,), values=DIVISORS))),
    Sample((T((3,), low=-9, high=9), T((), values=(2,)))),
    Sample((T((0,)), T((0,)))),
    Sample((T((2, 3, 4, 3), low=-9, high=9), T((1, 3, 1, 1), values=(3, -2, 1)))),
    *(
        Sample((T((4, 6), low=-9, high=9), T((6,), dtype=d, values=DIVISORS)))
        for d in (I64, F32, F16)
    ),
)
"""Two operands, the second without zeros."""

ZERO_QUOTIENTS = (
    Sample(
        (T((4,), values=(1, -1, 0, 2)), T((4,), values=(0, 0, 0, -0.0))),
        types=(F32, F64, F16, BF16),
    ),
)
"""Division by zero, which only floats have."""
