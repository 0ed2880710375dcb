# SPDX-License-Identifier: BSD-3-Clause
"""Decompositions that torch has only in terms of its own primitives, in terms of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten


def vector_norm(
    x: torch.Tensor,
    ord: float = 2,
    dim: list[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """(sum |x|^ord)^(1/ord) over dim; max and min for infinite ord; the count for 0."""
    x = x if dtype is None else x.to(dtype)
    dims = list(range(x.dim())) if dim is None else dim
    if ord == math.inf:
        return torch.amax(x.abs(), dims, keepdim)
    if ord == -math.inf:
        return torch.amin(x.abs(), dims, keepdim)
    if ord == 0:
        return torch.sum((x != 0).to(x.dtype), dims, keepdim)
    if ord == 1:
        return torch.sum(x.abs(), dims, keepdim)
    if ord == 2:
        return torch.sqrt(torch.sum(x * x, dims, keepdim))
    return torch.pow(torch.sum(torch.pow(x.abs(), ord), dims, keepdim), 1 / ord)


def var_mean(
    x: torch.Tensor,
    dim: list[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Variance and mean over dim."""
    dims = list(range(x.dim())) if dim is None else dim
    variance = torch.var(x, dims, correction=correction, keepdim=keepdim)
    return variance, torch.mean(x, dims, keepdim)


def erfc(x: torch.Tensor) -> torch.Tensor:
    """1 - erf(x). Loses relative precision where erf(x) is near 1."""
    return 1 - torch.erf(x)


def exp2(x: torch.Tensor) -> torch.Tensor:
    """2 to the power x."""
    return torch.pow(2.0, x)


def hypot(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """sqrt(x^2 + y^2), without the overflow of the squares: the larger is factored out."""
    a, b = x.abs(), y.abs()
    large, small = torch.maximum(a, b), torch.minimum(a, b)
    ratio = small / torch.where(large == 0, torch.ones_like(large), large)
    return large * torch.sqrt(1 + ratio * ratio)


def index(x: torch.Tensor, indices: list[torch.Tensor | None]) -> Any:
    """Masks among the indices become the positions of their true elements.

    Masks make a result whose size only the run knows; ``nonzero`` is the one op that does.
    """
    masks = (torch.bool, torch.uint8)
    if not any(i is not None and i.dtype in masks for i in indices):
        return NotImplemented
    positions: list[torch.Tensor | None] = []
    for given in indices:
        if given is not None and given.dtype in masks:
            found = torch.nonzero(given)
            positions += [found.select(1, d) for d in range(given.dim())]
        else:
            positions.append(given)
    return aten.index.Tensor(x, positions)


def mean(
    x: torch.Tensor, *args: Any, dtype: torch.dtype | None = None, **kw: Any
) -> Any:
    """The kernel computes in its argument's dtype: one that has no mean is converted."""
    if dtype is None or x.is_floating_point():
        return NotImplemented
    return torch.mean(x.to(dtype), *args, **kw)


OWN: dict[Any, Callable[..., Any]] = {
    aten.linalg_vector_norm.default: vector_norm,
    aten.var_mean.correction: var_mean,
    aten.erfc.default: erfc,
    aten.exp2.default: exp2,
    aten.hypot.default: hypot,
}
"""By overload. A row of the same op goes before."""
PARTIAL: dict[Any, Callable[..., Any]] = {
    aten.index.Tensor: index,
    aten.mean.default: mean,
    aten.mean.dim: mean,
}
"""By overload; these go before the row, which serves where they are NotImplemented."""
