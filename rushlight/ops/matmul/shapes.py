# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of matrix products. Twins of shapes.h here."""

from __future__ import annotations

Sizes = tuple[int, ...]


def _product(a: Sizes, b: Sizes, rank: int) -> list[Sizes]:
    if len(a) != rank or len(b) != rank or a[-1] != b[-2] or a[:-2] != b[:-2]:
        raise ValueError(f"matrices {list(a)} and {list(b)} do not multiply")
    return [(*a[:-1], b[-1])]


def mm(self: Sizes, mat2: Sizes) -> list[Sizes]:
    """[M, N] of [M, K] and [K, N]."""
    return _product(self, mat2, 2)


def bmm(self: Sizes, mat2: Sizes) -> list[Sizes]:
    """[B, M, N] of [B, M, K] and [B, K, N]."""
    return _product(self, mat2, 3)


def addmm(self: Sizes, mat1: Sizes, mat2: Sizes) -> list[Sizes]:
    """The same as mm, to which ``self`` must stretch."""
    [sizes] = _product(mat1, mat2, 2)
    last = sizes[2 - len(self) :] if len(self) <= 2 else ()
    if len(self) > 2 or any(n != 1 and n != m for n, m in zip(self, last, strict=True)):
        raise ValueError(f"self {list(self)} does not stretch to {list(sizes)}")
    return [sizes]


def linear(input: Sizes, weight: Sizes, bias: Sizes | None) -> list[Sizes]:
    """[..., N] of [..., K] and weight [N, K]."""
    if not input or len(weight) != 2 or input[-1] != weight[1]:
        raise ValueError(f"input {list(input)} does not fit weight {list(weight)}")
    if bias is not None and (len(bias) != 1 or bias[0] != weight[0]):
        raise ValueError(f"bias is {list(bias)}, expected [{weight[0]}]")
    return [(*input[:-1], weight[0])]
