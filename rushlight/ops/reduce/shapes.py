# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions of the reduce family. Twins of shapes.h."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.ops.shapes import Sizes, normalize_dim


def reduce_dims(self: Sizes, dims: Sequence[int] | None, keepdim: bool) -> list[Sizes]:
    """One result without ``dims`` (all, if absent or empty); 1 with keepdim."""
    return reduce_listed(self, dims or None, keepdim)


def reduce_dims_twice(
    self: Sizes, dims: Sequence[int] | None, keepdim: bool
) -> list[Sizes]:
    """Two results as of ``reduce_dims``."""
    return reduce_dims(self, dims, keepdim) * 2


def reduce_listed(
    self: Sizes, dims: Sequence[int] | None, keepdim: bool
) -> list[Sizes]:
    """One result without ``dims`` (all, if absent; none, if empty)."""
    listed = range(len(self)) if dims is None else dims
    gone = [normalize_dim(d, len(self)) for d in listed]
    if len(set(gone)) != len(gone):
        raise ValueError(f"dims {listed} repeat one")
    if keepdim:
        return [tuple(1 if d in gone else n for d, n in enumerate(self))]
    return [tuple(n for d, n in enumerate(self) if d not in gone)]


def reduce_dim(self: Sizes, dim: int | None, keepdim: bool) -> list[Sizes]:
    """One result without ``dim`` (all dimensions, if absent)."""
    return reduce_listed(self, None if dim is None else (dim,), keepdim)


def reduce_dim_twice(self: Sizes, dim: int | None, keepdim: bool) -> list[Sizes]:
    """Two results as of ``reduce_dim``."""
    return reduce_dim(self, dim, keepdim) * 2


def along(self: Sizes, dim: int) -> list[Sizes]:
    """One result with self's sizes; ``dim`` is one of self's."""
    normalize_dim(dim, len(self))
    return [self]
