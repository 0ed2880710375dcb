# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions of the index family. Twins of shapes.h."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.ops.shapes import MAX_RANK, Sizes, normalize_dim, stretch


def _bounded(sizes: Sizes) -> list[Sizes]:
    """Return one result; the rank must be one a tensor can have."""
    if len(sizes) > MAX_RANK:
        raise ValueError(f"rank {len(sizes)} is more than {MAX_RANK}")
    return [sizes]


def embedding(weight: Sizes, indices: Sizes) -> list[Sizes]:
    """One result: a row of ``weight`` for each index."""
    if len(weight) != 2:
        raise ValueError(f"weight has rank {len(weight)}, expected 2")
    return [(*indices, weight[1])]


def index(self: Sizes, indices: Sequence[Sizes | None]) -> list[Sizes]:
    """One result with the indexed dimensions replaced by the indices' common sizes."""
    present = {d: i for d, i in enumerate(indices) if i is not None}
    if not present or len(indices) > len(self):
        raise ValueError(f"{len(present)} indices for rank {len(self)}")
    common: Sizes = ()
    for sizes in present.values():
        common = stretch(common, sizes)
    first, last = min(present), max(present)
    at = first if last - first == len(present) - 1 else 0
    rest = [n for d, n in enumerate(self) if d not in present]
    return _bounded((*rest[:at], *common, *rest[at:]))


def index_select(self: Sizes, dim: int, index: Sizes) -> list[Sizes]:
    """One result with as many slices of ``dim`` as there are indices."""
    d = normalize_dim(dim, len(self))
    if len(index) > 1:
        raise ValueError(f"index has rank {len(index)}, more than 1")
    count = index[0] if index else 1
    if not self:
        if count != 1:
            raise ValueError("self has rank 0: one index only")
        return [()]
    return [(*self[:d], count, *self[d + 1 :])]


def _expect_within(index: Sizes, sizes: Sizes, skip: int | None) -> None:
    if any(n == 0 for n in index):
        return
    fits = len(index) == len(sizes) and all(
        d == skip or index[d] <= sizes[d] for d in range(len(index))
    )
    if not fits:
        raise ValueError(f"index has sizes {index}, which do not fit {sizes}")


def gather(self: Sizes, dim: int, index: Sizes) -> list[Sizes]:
    """One result with index's sizes."""
    _expect_within(index, self, normalize_dim(dim, len(self)))
    return [index]


def scatter(self: Sizes, dim: int, index: Sizes, src: Sizes) -> list[Sizes]:
    """One result with self's sizes; index fits src."""
    _expect_within(index, src, None)
    return scatter_value(self, dim, index)


def scatter_value(self: Sizes, dim: int, index: Sizes) -> list[Sizes]:
    """One result with self's sizes; index fits self but in ``dim``."""
    _expect_within(index, self, normalize_dim(dim, len(self)))
    return [self]


def topk(self: Sizes, k: int, dim: int) -> list[Sizes]:
    """Two results with ``k`` elements at ``dim``."""
    d = normalize_dim(dim, len(self))
    have = self[d] if self else 1
    if k < 0 or k > have:
        raise ValueError(f"k = {k} is not within 0 to {have}")
    return [(*self[:d], k, *self[d + 1 :]) if self else ()] * 2


def along_twice(self: Sizes, dim: int) -> list[Sizes]:
    """Two results with self's sizes."""
    normalize_dim(dim, len(self))
    return [self, self]
