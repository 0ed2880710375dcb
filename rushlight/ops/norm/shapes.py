# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of norms. Twins of shapes.h here."""

from __future__ import annotations

from collections.abc import Sequence

Sizes = tuple[int, ...]


def _check(name: str, parameter: Sizes | None, expected: Sizes) -> None:
    if parameter is not None and tuple(parameter) != expected:
        raise ValueError(f"{name} is {list(parameter)}, expected {list(expected)}")


def layer_norm(
    input: Sizes,
    normalized_shape: Sequence[int],
    weight: Sizes | None,
    bias: Sizes | None,
) -> list[Sizes]:
    """Input's sizes, then twice those with 1 for each normalised dimension."""
    outer = len(input) - len(normalized_shape)
    inner = tuple(normalized_shape)
    if not inner or outer < 0 or tuple(input[outer:]) != inner:
        raise ValueError(f"{list(inner)} is not the end of {list(input)}")
    _check("weight", weight, inner)
    _check("bias", bias, inner)
    statistics = (*input[:outer], *(1 for _ in inner))
    return [input, statistics, statistics]


def group_norm(
    input: Sizes,
    weight: Sizes | None,
    bias: Sizes | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
) -> list[Sizes]:
    """Input's sizes, then twice [N, group]."""
    spatial = 1
    for n in input[2:]:
        spatial = spatial * n
    if len(input) < 2 or input[0] != N or input[1] != C or spatial != HxW:
        raise ValueError(f"input {list(input)} is not N = {N}, C = {C}, HxW = {HxW}")
    if group < 1 or C % group:
        raise ValueError(f"{C} channels do not split into {group} groups")
    _check("weight", weight, (C,))
    _check("bias", bias, (C,))
    return [input, (N, group), (N, group)]


def batch_norm(
    input: Sizes, weight: Sizes | None, bias: Sizes | None, training: bool
) -> list[Sizes]:
    """Input's sizes, then twice [0], or [C] if ``training``."""
    if len(input) < 2:
        raise ValueError(f"input has rank {len(input)}, expected 2")
    _check("weight", weight, (input[1],))
    _check("bias", bias, (input[1],))
    saved = (input[1] if training else 0,)
    return [input, saved, saved]


def batch_norm_inference(
    input: Sizes, weight: Sizes | None, bias: Sizes | None
) -> list[Sizes]:
    """The same without training."""
    return batch_norm(input, weight, bias, False)
