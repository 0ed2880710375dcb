# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of pooling. Twins of shapes.h here."""

from __future__ import annotations

from collections.abc import Sequence

Sizes = tuple[int, ...]


def _item(name: str, values: Sequence[int], axis: int, low: int) -> int:
    if len(values) not in (1, 2):
        raise ValueError(f"{name} has {len(values)} items, expected 2")
    item = values[0 if len(values) == 1 else axis]
    if item < low:
        raise ValueError(f"{name} has item {item}, must be at least {low}")
    return item


def _windows(
    n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> int:
    if padding > kernel // 2:
        raise ValueError(f"padding {padding} is more than half of kernel size {kernel}")
    free = n + 2 * padding - dilation * (kernel - 1) - 1
    count = (free + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= n + padding:
        count = count - 1
    if n < 1 or free < 0 or count < 1:
        raise ValueError(f"input of size {n} is too small for kernel size {kernel}")
    return count


def max_pool2d(
    self: Sizes,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> list[Sizes]:
    """[..., C, H', W'] for the values and for the indices."""
    if len(self) not in (3, 4):
        raise ValueError(f"self has rank {len(self)}, expected 3 or 4")
    sizes = list(self[:-2])
    for axis in range(2):
        sizes.append(
            _windows(
                self[len(self) - 2 + axis],
                _item("kernel_size", kernel_size, axis, 1),
                _item("stride", stride or kernel_size, axis, 1),
                _item("padding", padding, axis, 0),
                _item("dilation", dilation, axis, 1),
                ceil_mode,
            )
        )
    return [tuple(sizes), tuple(sizes)]


def avg_pool2d(
    self: Sizes,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
) -> list[Sizes]:
    """[..., C, H', W']."""
    return max_pool2d(self, kernel_size, stride, padding, (1,), ceil_mode)[:1]


def adaptive_pool2d(self: Sizes, output_size: Sequence[int]) -> list[Sizes]:
    """[..., C, output_size]."""
    if len(self) not in (3, 4) or len(output_size) != 2:
        raise ValueError(f"cannot pool {list(self)} to {list(output_size)}")
    if self[-2] < 1 or self[-1] < 1 or min(output_size) < 0:
        raise ValueError(f"cannot pool {list(self)} to {list(output_size)}")
    return [(*self[:-2], *output_size)]
