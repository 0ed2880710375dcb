# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions of the movement family. Twins of shapes.h."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.ops.shapes import MAX_RANK, Sizes, normalize_dim


def _dim_of(self: Sizes, dim: int) -> int:
    """Normalize ``dim``; a rank-0 tensor has none."""
    if not self:
        raise ValueError(f"self has rank 0: there is no dim {dim}")
    return normalize_dim(dim, len(self))


def _product(sizes: Sequence[int]) -> int:
    numel = 1
    for n in sizes:
        numel = numel * n
    return numel


def _bounded(sizes: Sequence[int]) -> list[Sizes]:
    """Return one result; the rank must be one a tensor can have."""
    if len(sizes) > MAX_RANK:
        raise ValueError(f"rank {len(sizes)} is more than {MAX_RANK}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"sizes {list(sizes)} are out of range")
    return [tuple(sizes)]


def view(self: Sizes, size: Sequence[int]) -> list[Sizes]:
    """One result of ``size``, in which one -1 is inferred."""
    numel = _product(self)
    inferred = [i for i, n in enumerate(size) if isinstance(n, int) and n == -1]
    result = list(size)
    if len(inferred) == 1:
        known = _product([n for i, n in enumerate(size) if i != inferred[0]])
        if known == 0 or numel % known != 0:
            raise ValueError(f"sizes {result} do not hold the elements of {self}")
        result[inferred[0]] = numel // known
    elif _product(result) != numel:
        raise ValueError(f"sizes {result} do not hold the elements of {self}")
    return _bounded(result)


def permute(self: Sizes, dims: Sequence[int]) -> list[Sizes]:
    """One result: size i is self's at ``dims[i]``."""
    order = [normalize_dim(d, len(self)) for d in dims]
    if sorted(order) != list(range(len(self))):
        raise ValueError(f"dims {list(dims)} are not those of rank {len(self)}")
    return [tuple(self[d] for d in order)]


def transpose(self: Sizes, dim0: int, dim1: int) -> list[Sizes]:
    """One result with two sizes exchanged."""
    a, b = normalize_dim(dim0, len(self)), normalize_dim(dim1, len(self))
    result = list(self)
    if self:
        result[a], result[b] = result[b], result[a]
    return [tuple(result)]


def reversed(self: Sizes) -> list[Sizes]:
    """One result with the sizes turned round; rank at most 2."""
    if len(self) > 2:
        raise ValueError(f"self has rank {len(self)}, more than 2")
    return [self[::-1]]


def expand(self: Sizes, size: Sequence[int]) -> list[Sizes]:
    """One result of ``size``; -1 keeps self's, 1 stretches."""
    added = len(size) - len(self)
    if added < 0:
        raise ValueError(f"{len(size)} sizes given for rank {len(self)}")
    result = list(size)
    for i, have in enumerate(self, added):
        if isinstance(size[i], int) and size[i] == -1:
            result[i] = have
        elif have != 1 and have != size[i]:
            raise ValueError(f"size {have} of self does not expand to {size[i]}")
    return _bounded(result)


def _clamp(at: int, size: int) -> int:
    if at < 0:
        at = at + size
    return 0 if at < 0 else size if at > size else at


def slice(
    self: Sizes, dim: int, start: int | None, end: int | None, step: int
) -> list[Sizes]:
    """One result with every ``step``-th element of ``dim`` from start to end."""
    d = _dim_of(self, dim)
    if step < 1:
        raise ValueError(f"step {step} must be positive")
    first = 0 if start is None else _clamp(start, self[d])
    last = self[d] if end is None else _clamp(end, self[d])
    count = (last - first + step - 1) // step if last > first else 0
    return [(*self[:d], count, *self[d + 1 :])]


def narrow(self: Sizes, dim: int, start: int, length: int) -> list[Sizes]:
    """One result with ``length`` elements of ``dim``."""
    d = _dim_of(self, dim)
    first = start + self[d] if start < 0 else start
    if first < 0 or length < 0 or first + length > self[d]:
        raise ValueError(f"{length} elements from {start} are not within {self[d]}")
    return [(*self[:d], length, *self[d + 1 :])]


def select(self: Sizes, dim: int, index: int) -> list[Sizes]:
    """One result without ``dim``."""
    d = _dim_of(self, dim)
    if isinstance(index, int) and not -self[d] <= index < self[d]:
        raise ValueError(f"index {index} is out of range for size {self[d]}")
    return [(*self[:d], *self[d + 1 :])]


def unsqueeze(self: Sizes, dim: int) -> list[Sizes]:
    """One result with a new dimension of size 1."""
    d = normalize_dim(dim, len(self) + 1)
    return _bounded((*self[:d], 1, *self[d:]))


def squeeze_dim(self: Sizes, dim: int) -> list[Sizes]:
    """One result without ``dim``, if its size is 1."""
    return squeeze_dims(self, (dim,))


def squeeze_dims(self: Sizes, dims: Sequence[int]) -> list[Sizes]:
    """One result without those of ``dims`` whose size is 1."""
    listed = [normalize_dim(d, len(self)) for d in dims]
    if len(set(listed)) != len(listed):
        raise ValueError(f"dims {list(dims)} repeat one")
    return [tuple(n for d, n in enumerate(self) if n != 1 or d not in listed)]


def diagonal(self: Sizes, offset: int, dim1: int, dim2: int) -> list[Sizes]:
    """One result with the two dimensions replaced by their diagonal, last."""
    a, b = _dim_of(self, dim1), _dim_of(self, dim2)
    if a == b:
        raise ValueError(f"dim1 and dim2 are both {a}")
    count = max(min(self[a] + min(offset, 0), self[b] - max(offset, 0)), 0)
    return [(*(n for d, n in enumerate(self) if d not in (a, b)), count)]


def as_strided(
    self: Sizes, size: Sequence[int], stride: Sequence[int], offset: int | None
) -> list[Sizes]:
    """One result of ``size``, whose strides stay within self's elements."""
    first = offset or 0
    if len(size) != len(stride) or first < 0 or any(s < 0 for s in stride):
        raise ValueError(f"strides {list(stride)} do not fit sizes {list(size)}")
    last = first + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if all(n != 0 for n in size) and last >= _product(self):
        raise ValueError(f"the view reaches beyond self's {_product(self)} elements")
    return _bounded(size)


def unfold(self: Sizes, dim: int, size: int, step: int) -> list[Sizes]:
    """One result with windows of ``size`` along ``dim`` as a new last dimension."""
    d = normalize_dim(dim, len(self))
    have = self[d] if self else 1
    if size < 0 or size > have:
        raise ValueError(f"size {size} is not within 0 to {have}")
    if step < 1:
        raise ValueError(f"step {step} must be positive")
    if not self:
        return [(size,)]
    return _bounded((*self[:d], (have - size) // step + 1, *self[d + 1 :], size))


def repeat(self: Sizes, repeats: Sequence[int]) -> list[Sizes]:
    """One result with every size multiplied."""
    added = len(repeats) - len(self)
    if added < 0:
        raise ValueError(f"{len(repeats)} repeats given for rank {len(self)}")
    padded = (1,) * added + self
    return _bounded([n * r for n, r in zip(padded, repeats, strict=True)])


def _is_skipped(sizes: Sizes) -> bool:
    return len(sizes) == 1 and bool(sizes[0] == 0)


def cat(tensors: Sequence[Sizes], dim: int) -> list[Sizes]:
    """One result with the sizes of ``dim`` added up; tensors of sizes (0,) skipped."""
    if not tensors:
        raise ValueError("the list of tensors is empty")
    first, *others = [t for t in tensors if not _is_skipped(t)] or [(0,)]
    d = _dim_of(first, dim)
    around = (*first[:d], *first[d + 1 :])
    for t in others:
        if len(t) != len(first) or (*t[:d], *t[d + 1 :]) != around:
            raise ValueError(f"sizes {t} do not fit {first} before it")
    return [(*first[:d], first[d] + sum(t[d] for t in others), *first[d + 1 :])]


def stack(tensors: Sequence[Sizes], dim: int) -> list[Sizes]:
    """One result with a new dimension, which counts the tensors."""
    if not tensors or any(t != tensors[0] for t in tensors):
        raise ValueError(f"cannot stack {list(tensors)}")
    d = normalize_dim(dim, len(tensors[0]) + 1)
    return _bounded((*tensors[0][:d], len(tensors), *tensors[0][d:]))


def split(self: Sizes, split_size: int, dim: int) -> list[Sizes]:
    """One result for each piece of ``split_size``; the last may be smaller."""
    d = _dim_of(self, dim)
    if split_size < 0 or (split_size == 0 and self[d] > 0):
        raise ValueError(f"split_size {split_size} is out of range")
    count = max((self[d] + split_size - 1) // split_size, 1) if split_size else 1
    sizes = [split_size] * (count - 1)
    sizes.append(self[d] - split_size * (count - 1))
    return [(*self[:d], n, *self[d + 1 :]) for n in sizes]


def split_with_sizes(self: Sizes, sizes: Sequence[int], dim: int) -> list[Sizes]:
    """One result for each of ``sizes``."""
    d = _dim_of(self, dim)
    if any(n < 0 for n in sizes) or sum(sizes) != self[d]:
        raise ValueError(f"split sizes {list(sizes)} do not add up to {self[d]}")
    return [(*self[:d], n, *self[d + 1 :]) for n in sizes]


def unbind(self: Sizes, dim: int) -> list[Sizes]:
    """One result without ``dim`` for each of its indices."""
    d = _dim_of(self, dim)
    return [(*self[:d], *self[d + 1 :])] * self[d]


def matrices(self: Sizes) -> list[Sizes]:
    """One result with self's sizes; self has rank 2 or more."""
    if len(self) < 2:
        raise ValueError(f"self has rank {len(self)}, less than 2")
    return [self]
