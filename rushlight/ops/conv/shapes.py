# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of convolutions, paddings and resamplings. Twins of shapes.h here."""

from __future__ import annotations

import math
from collections.abc import Sequence

Sizes = tuple[int, ...]


def _items(name: str, values: Sequence[int], axes: int, low: int) -> list[int]:
    """One item per axis, each at least ``low``."""
    items = list(values) * axes if len(values) == 1 else list(values)
    if len(items) != axes:
        raise ValueError(f"{name} has {len(items)} items for {axes} spatial dimensions")
    for item in items:
        if item < low:
            raise ValueError(f"{name} has item {item}, must be at least {low}")
    return items


def _channels(input: Sizes, weight: Sizes, transposed: bool, groups: int) -> int:
    """Output channels of a weight that fits the input."""
    if groups < 1:
        raise ValueError(f"groups is {groups}, out of range")
    wanted = weight[0] if transposed else weight[1] * groups
    channels = weight[1] * groups if transposed else weight[0]
    if wanted != input[1] or channels % groups or input[1] % groups:
        raise ValueError(f"weight {list(weight)} does not fit {groups} groups")
    return channels


def convolution(
    input: Sizes,
    weight: Sizes,
    bias: Sizes | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> list[Sizes]:
    """[N, O, spatial] of an input [N, C, spatial]."""
    axes = len(input) - 2
    if not 1 <= axes <= 3 or len(weight) != len(input):
        raise ValueError(f"input {list(input)} does not fit weight {list(weight)}")
    strides = _items("stride", stride, axes, 1)
    pads = _items("padding", padding, axes, 0)
    dilations = _items("dilation", dilation, axes, 1)
    extras = _items("output_padding", output_padding, axes, 0) if transposed else []
    channels = _channels(input, weight, transposed, groups)
    if bias is not None and tuple(bias) != (channels,):
        raise ValueError(f"bias is {list(bias)}, expected [{channels}]")
    sizes = []
    for i, n in enumerate(input[2:]):
        reach = dilations[i] * (weight[2 + i] - 1) + 1
        if transposed:
            sizes.append((n - 1) * strides[i] - 2 * pads[i] + reach + extras[i])
        else:
            sizes.append((n + 2 * pads[i] - reach) // strides[i] + 1)
    if any(n < 1 for n in sizes):
        raise ValueError(f"input {list(input)} is too small for {list(weight)}")
    return [(input[0], channels, *sizes)]


def constant_pad(self: Sizes, pad: Sequence[int]) -> list[Sizes]:
    """Self's sizes plus the pads, which go by pairs from the last dimension."""
    if len(pad) % 2 or len(pad) // 2 > len(self):
        raise ValueError(f"pad has {len(pad)} items for {list(self)}")
    sizes = list(self)
    for pair in range(len(pad) // 2):
        d = len(self) - 1 - pair
        before, after = pad[2 * pair], pad[2 * pair + 1]
        sizes[d] = sizes[d] + before + after
        if before + self[d] < 0 or after + self[d] < 0 or sizes[d] < 0:
            raise ValueError(f"pad {list(pad)} leaves nothing of {list(self)}")
    return [tuple(sizes)]


def _edge_pad(self: Sizes, padding: Sequence[int], reflects: bool) -> list[Sizes]:
    axes = len(padding) // 2
    if not 1 <= axes <= 3 or len(self) not in (axes + 1, axes + 2):
        raise ValueError(f"padding has {len(padding)} items for {list(self)}")
    [sizes] = constant_pad(self, padding)
    for i, pad in enumerate(padding):
        d = len(self) - 1 - i // 2
        if self[d] == 0 or sizes[d] == 0:
            raise ValueError(f"{list(self)} has nothing to pad from")
        if reflects and pad >= self[d]:
            raise ValueError(f"padding {pad} is not less than size {self[d]}")
    return [sizes]


def reflection_pad(self: Sizes, padding: Sequence[int]) -> list[Sizes]:
    """Self's sizes plus pads of one to three last dimensions, each less than its size."""
    return _edge_pad(self, padding, True)


def replication_pad(self: Sizes, padding: Sequence[int]) -> list[Sizes]:
    """Self's sizes plus pads of one to three last dimensions."""
    return _edge_pad(self, padding, False)


def pixel_shuffle(self: Sizes, upscale_factor: int) -> list[Sizes]:
    """[..., C / f^2, H * f, W * f]."""
    f = upscale_factor
    if len(self) < 3 or f < 1 or self[-3] % (f * f):
        raise ValueError(f"{list(self)} does not shuffle by {f}")
    return [(*self[:-3], self[-3] // (f * f), self[-2] * f, self[-1] * f)]


def pixel_unshuffle(self: Sizes, downscale_factor: int) -> list[Sizes]:
    """[..., C * f^2, H / f, W / f]."""
    f = downscale_factor
    if len(self) < 3 or f < 1 or self[-2] % f or self[-1] % f:
        raise ValueError(f"{list(self)} does not unshuffle by {f}")
    return [(*self[:-3], self[-3] * f * f, self[-2] // f, self[-1] // f)]


def resize2d(input: Sizes, output_size: Sequence[int]) -> list[Sizes]:
    """[N, C, output_size]."""
    if len(input) != 4 or len(output_size) != 2:
        raise ValueError(f"cannot resize {list(input)} to {list(output_size)}")
    sizes = (*input[:2], *output_size)
    if input[2] < 1 or input[3] < 1 or sizes[2] < 1 or sizes[3] < 1:
        raise ValueError(f"cannot resize {list(input)} to {list(output_size)}")
    return [sizes]


def upsample2d(
    input: Sizes,
    output_size: Sequence[int] | None,
    scale_factors: Sequence[float] | None,
) -> list[Sizes]:
    """[N, C, output_size], or the spatial sizes times the factors, rounded down."""
    if (output_size is None) == (scale_factors is None):
        raise ValueError("expected one of output_size and scale_factors")
    if output_size is None:
        factors = scale_factors or ()
        output_size = [
            n * int(f) if f == int(f) else math.floor(n * f)
            for n, f in zip(input[2:], factors, strict=True)
        ]
    return resize2d(input, output_size)
