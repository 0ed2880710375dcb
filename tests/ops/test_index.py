# SPDX-License-Identifier: BSD-3-Clause
"""Index ops on drawn indices against eager, and results whose sizes depend on data."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.against_eager import DTYPES, QUICK, TABLE, compare, shapes, tensor
from tests.ops.door import Block, Call, call_kernel, name_of

DATA = st.data()
DTYPE = st.sampled_from(DTYPES)


def indices(data, shape, size: int, low: int = 0) -> torch.Tensor:
    seed = data.draw(st.integers(0, 1 << 30))
    generator = torch.Generator().manual_seed(seed)
    dtype = data.draw(st.sampled_from([torch.int64, torch.int32]))
    return torch.randint(low, size, shape, generator=generator).to(dtype)


@QUICK
@given(DATA, DTYPE)
def test_index_and_index_put(data, dtype):
    x = tensor(data, data.draw(shapes(min_rank=1, min_size=1)), dtype)
    common = data.draw(shapes(max_rank=2))
    listed = []
    for d in range(data.draw(st.integers(1, x.ndim))):
        n = x.shape[d]
        here = common[data.draw(st.integers(0, len(common))) :]
        absent = d > 0 and data.draw(st.booleans())
        listed.append(None if absent else indices(data, here, n, -n))
    compare(data, "aten.index.Tensor", self=x, indices=listed)
    for i, index in enumerate(listed):  # one place twice would make the result unclear
        if index is not None and index.numel() > 1:
            listed[i] = index.flatten()[:1]
    shape = torch.ops.aten.index.Tensor(x, listed).shape
    kept = data.draw(st.integers(0, len(shape)))
    values = tensor(data, tuple(shape[kept:]), dtype)
    accumulate = data.draw(st.booleans())
    arguments = {"indices": listed, "values": values, "accumulate": accumulate}
    compare(data, "aten.index_put.default", self=x, **arguments)


@QUICK
@given(DATA, DTYPE)
def test_index_put_with_a_mask(data, dtype):
    x = tensor(data, data.draw(shapes(min_rank=1)), dtype)
    first = data.draw(st.integers(0, x.ndim - 1))
    last = data.draw(st.integers(first + 1, x.ndim))
    mask = tensor(data, x.shape[first:last], torch.uint8) > 4
    rest = (int(mask.sum()), *x.shape[last:])
    values = tensor(data, data.draw(st.sampled_from([(), rest])), dtype)
    listed = [*([None] * first), mask]
    arguments = {"indices": listed, "values": values, "accumulate": False}
    compare(data, "aten.index_put.default", self=x, **arguments)


@QUICK
@given(DATA, DTYPE)
def test_gather_and_scatter(data, dtype):
    x = tensor(data, data.draw(shapes(min_rank=1, min_size=1)), dtype)
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    sizes = [data.draw(st.integers(0, n)) for n in x.shape]
    index = indices(data, sizes, x.shape[dim])
    arguments = {"self": x, "dim": dim, "index": index}
    compare(data, "aten.gather.default", **arguments, sparse_grad=False)
    compare(data, "aten.scatter.value", **arguments, value=3)
    source = tensor(data, tuple(sizes), dtype)
    if dtype not in (torch.bool, torch.bfloat16):
        compare(data, "aten.scatter_add.default", **arguments, src=source)
    rows = indices(data, (data.draw(st.integers(0, 6)),), x.shape[dim])
    compare(data, "aten.index_select.default", self=x, dim=dim, index=rows)


@QUICK
@given(DATA, st.booleans())
def test_topk_and_sort_of_distinct_values(data, largest):
    sizes = data.draw(shapes(min_rank=1, max_rank=3, min_size=1))
    count = torch.Size(sizes).numel()
    x = torch.tensor(data.draw(st.permutations(range(count)))).reshape(sizes).float()
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    k = data.draw(st.integers(0, sizes[dim]))
    arguments = {"k": k, "dim": dim, "largest": largest, "sorted": True}
    compare(data, "aten.topk.default", self=x, **arguments)
    compare(data, "aten.sort.default", self=x, dim=dim, descending=largest)


@QUICK
@given(DATA, DTYPE, st.booleans())
def test_sort_is_stable(data, dtype, descending):
    x = tensor(data, (data.draw(st.integers(0, 60)),), dtype)
    want = list(torch.sort(x, stable=True, descending=descending))
    blocks = [Block.empty(name_of(w.dtype), tuple(w.shape)) for w in want]
    inputs = [Block.of(x).argument(), ("int", -1), ("bool", descending)]
    call_kernel("aten::sort.values", inputs, [b.argument() for b in blocks])
    for block, expected in zip(blocks, want, strict=True):
        assert torch.equal(block.tensor(), expected)


def sized_by_kernel(name: str, arguments: dict, orders: dict | None = None) -> None:
    """The destination is given the right size; the kernel refuses any other."""
    call = Call(TABLE[name], arguments, {})
    (want,) = call.eager()
    inputs, _ = call.inputs(orders or {})
    block = Block.empty(name_of(want.dtype), tuple(want.shape))
    call_kernel(call.op.wire_name, inputs, [block.argument()])
    assert torch.equal(block.tensor(), want)
    wrong = Block.empty(name_of(want.dtype), (want.shape[0] + 1, *want.shape[1:]))
    with pytest.raises(RuntimeError, match="do not fit out's bound"):
        call_kernel(call.op.wire_name, inputs, [wrong.argument()])


@QUICK
@given(DATA, DTYPE)
def test_nonzero_and_masked_select(data, dtype):
    x = tensor(data, data.draw(shapes(max_rank=3)), dtype)
    x = torch.where(x.to(torch.int64) % 2 == 0, torch.zeros_like(x), x)
    order = tuple(data.draw(st.permutations(range(x.ndim))))
    sized_by_kernel("aten.nonzero.default", {"self": x}, {"self": order})
    mask = tensor(data, x.shape[data.draw(st.integers(0, x.ndim)) :], torch.uint8) > 4
    arguments = {"self": x, "mask": mask}
    sized_by_kernel("aten.masked_select.default", arguments, {"self": order})


@pytest.mark.parametrize("repeats", [[], [0], [2, 0, 3], [1] * 5], ids=str)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
def test_repeat_interleave(repeats, dtype):
    x = torch.tensor(repeats, dtype=dtype)
    for size in (None, sum(repeats)):
        arguments = {"repeats": x, "output_size": size}
        sized_by_kernel("aten.repeat_interleave.Tensor", arguments)


@pytest.mark.parametrize(
    ("repeats", "size", "text"),
    [
        ([1, -1], None, r"repeats\[1\] = -1 is out of range"),
        ([2**62, 2**62], None, r"repeats\[1\] = 4611686018427387904 is out of range"),
        ([1, 2], 4, "output_size is 4, but repeats add up to 3"),
    ],
    ids=["negative", "overflow", "sum"],
)
def test_repeat_interleave_refuses(repeats, size, text):
    size = ("none", None) if size is None else ("int", size)
    inputs = [Block.of(torch.tensor(repeats)).argument(), size]
    out = Block.empty("int64", (3,))
    with pytest.raises(RuntimeError, match=text):
        call_kernel("aten::repeat_interleave.Tensor_out", inputs, [out.argument()])
