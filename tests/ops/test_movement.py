# SPDX-License-Identifier: BSD-3-Clause
"""Movement ops on drawn shapes, arguments, dtypes and dim orders, against eager."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.against_eager import DTYPES, QUICK, compare, shapes, tensor

DATA = st.data()
DTYPE = st.sampled_from(DTYPES)


def drawn(data, **limits) -> torch.Tensor:
    return tensor(data, data.draw(shapes(**limits)), data.draw(DTYPE))


def dim_of(data, rank: int) -> int:
    return data.draw(st.integers(-rank, rank - 1))


@QUICK
@given(DATA)
def test_permute_and_transpose(data):
    x = drawn(data, max_rank=5)
    dims = data.draw(st.permutations(range(x.ndim)))
    compare(data, "aten.permute.default", self=x, dims=list(dims))
    if x.ndim:
        a, b = dim_of(data, x.ndim), dim_of(data, x.ndim)
        compare(data, "aten.transpose.int", self=x, dim0=a, dim1=b)


@pytest.mark.parametrize("sizes", [(65, 130), (3, 40, 50), (34, 2, 33)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transposes_of_several_tiles(sizes, dtype):
    x = torch.arange(math.prod(sizes)).reshape(sizes).to(dtype)

    class NoChoice:
        def draw(self, strategy):
            return range(len(sizes))

    dims = list(reversed(range(len(sizes))))
    compare(NoChoice(), "aten.permute.default", self=x, dims=dims)


@QUICK
@given(DATA)
def test_view_between_any_factorisations(data):
    factors = data.draw(st.lists(st.sampled_from([1, 2, 3, 5]), max_size=6))

    def grouped(items):
        sizes, rest = [], list(items)
        while rest:
            n = data.draw(st.integers(1, len(rest)))
            sizes.append(math.prod(rest[:n]))
            rest = rest[n:]
        return sizes[:5] if len(sizes) <= 5 else [math.prod(sizes)]

    x = tensor(data, tuple(grouped(factors)), data.draw(DTYPE))
    size = grouped(data.draw(st.permutations(factors)))
    compare(data, "aten.view.default", self=x, size=size)


@QUICK
@given(DATA)
def test_slices(data):
    x = drawn(data, min_rank=1)
    dim = dim_of(data, x.ndim)
    bound = st.none() | st.integers(-8, 8) | st.just(2**63 - 1)
    start, end = data.draw(bound), data.draw(bound)
    step = data.draw(st.integers(1, 4))
    arguments = {"dim": dim, "start": start, "end": end, "step": step}
    compare(data, "aten.slice.Tensor", self=x, **arguments)
    window = torch.ops.aten.slice.Tensor(x, **arguments)
    source = tensor(data, tuple(window.shape), x.dtype)
    compare(data, "aten.slice_scatter.default", self=x, src=source, **arguments)


@QUICK
@given(DATA)
def test_select_and_its_scatter(data):
    x = drawn(data, min_rank=1, min_size=1)
    dim = dim_of(data, x.ndim)
    index = data.draw(st.integers(-x.shape[dim], x.shape[dim] - 1))
    compare(data, "aten.select.int", self=x, dim=dim, index=index)
    source = tensor(data, tuple(x.select(dim, index).shape), x.dtype)
    arguments = {"src": source, "dim": dim, "index": index}
    compare(data, "aten.select_scatter.default", self=x, **arguments)


@QUICK
@given(DATA)
def test_expand_and_repeat(data):
    x = drawn(data)
    front = data.draw(shapes(max_rank=2))
    size = [*front]
    for n in x.shape:
        size.append(data.draw(st.integers(0, 4)) if n == 1 else n)
    compare(data, "aten.expand.default", self=x, size=size, implicit=False)
    repeats = [data.draw(st.integers(0, 3)) for _ in size]
    compare(data, "aten.repeat.default", self=x, repeats=repeats)


@QUICK
@given(DATA)
def test_flip_and_roll(data):
    x = drawn(data, min_rank=1)
    dims = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True))
    compare(data, "aten.flip.default", self=x, dims=dims)
    shifts = [data.draw(st.integers(-12, 12)) for _ in dims] or [3]
    compare(data, "aten.roll.default", self=x, shifts=shifts, dims=dims)


@QUICK
@given(DATA)
def test_diagonal_unfold_and_triangles(data):
    x = drawn(data, min_rank=2)
    a, b = data.draw(st.permutations(range(x.ndim)))[:2]
    offset = data.draw(st.integers(-6, 6))
    compare(data, "aten.diagonal.default", self=x, offset=offset, dim1=a, dim2=b)
    size = data.draw(st.integers(0, x.shape[a]))
    step = data.draw(st.integers(1, 3))
    arguments = {"dimension": a, "size": size, "step": step}
    compare(data, "aten.unfold.default", self=x, **arguments)
    compare(data, "aten.tril.default", self=x, diagonal=offset)
    compare(data, "aten.triu.default", self=x, diagonal=offset)


@QUICK
@given(DATA)
def test_joins_promote(data):
    shape = data.draw(shapes(min_rank=1, max_rank=3))
    dim = dim_of(data, len(shape))
    tensors = []
    for _ in range(data.draw(st.integers(1, 4))):
        sizes = list(shape)
        sizes[dim] = data.draw(st.integers(0, 4))
        tensors.append(tensor(data, tuple(sizes), data.draw(DTYPE)))
    compare(data, "aten.cat.default", tensors=tensors, dim=dim)
    same = [tensor(data, shape, data.draw(DTYPE)) for _ in tensors]
    compare(data, "aten.stack.default", tensors=same, dim=dim)


@QUICK
@given(DATA)
def test_splits(data):
    x = drawn(data, min_rank=1)
    dim = dim_of(data, x.ndim)
    piece = data.draw(st.integers(1, 6))
    compare(data, "aten.split.Tensor", self=x, split_size=piece, dim=dim)
    compare(data, "aten.unbind.int", self=x, dim=dim)
    cut = data.draw(st.integers(0, x.shape[dim]))
    sizes = [cut, 0, x.shape[dim] - cut]
    compare(data, "aten.split_with_sizes.default", self=x, split_sizes=sizes, dim=dim)
