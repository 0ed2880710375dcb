# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions of the elementwise family. Twins of shapes.h here."""

from __future__ import annotations

import math

from rushlight.ops.shapes import Sizes


def arange(start: float, end: float, step: float) -> list[Sizes]:
    """One result with the count of start, start + step, … before end."""
    if step == 0:
        raise ValueError("step is 0, expected a number but 0")
    if (end < start) if step > 0 else (end > start):
        raise ValueError(f"step {step} does not lead from {start} to {end}")
    if any(isinstance(x, float) for x in (start, end, step)):
        return [(math.ceil((end - start) / step),)]
    return [((end - start + step - (1 if step > 0 else -1)) // step,)]  # type: ignore[list-item]


def arange_to(end: float) -> list[Sizes]:
    """The same from 0 in steps of 1."""
    return arange(0, end, 1)
