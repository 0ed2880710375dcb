# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the elementwise family, in one module per kernel file."""

from rushlight.ops.elementwise import (  # noqa: F401 (importing adds the rows)
    activation,
    arithmetic,
    comparison,
    copy,
    division,
    fill,
    functions,
    logic,
    power,
    rounding,
    selection,
)
