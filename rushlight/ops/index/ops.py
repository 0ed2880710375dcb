# SPDX-License-Identifier: BSD-3-Clause
"""Rows of ops that pick or place elements by index, mask or rank."""

from rushlight.ops.table import ALL, BOOL, F32, FLOATS, I32, I64, Reject, Sample, T, op


def _at(shape: tuple[int, ...], *values: int, dtype: str = I64) -> T:
    """Return an index tensor."""
    return T(shape, dtype=dtype, values=values)


op(
    "aten.embedding",
    schema="(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False,"
    " bool sparse=False) -> Tensor",
    out="embedding.out",
    doc="A row of weight for each index.",
    types=FLOATS,
    shape="embedding(weight, indices)",
    kernels={"portable": "rows.cpp"},
    layout="dense",
    samples=(
        Sample(((5, 3), _at((4,), 4, 0, 0, 2))),
        Sample(((5, 3), _at((2, 2), 1, 3, 0, 2, dtype=I32), 0)),
        Sample(((5, 3), _at((0,)))),
        Sample(((5, 3), _at((), 1))),
    ),
    rejects=(
        Reject(
            Sample(((5, 3), _at((2,), 1, 5))),
            "index 5 at position 1 is out of range for 5 rows",
        ),
        Reject(Sample(((5, 3), _at((1,), -1))), "index -1 at position 0"),
        Reject(Sample(((5,), _at((1,), 0))), "weight has rank 1, expected 2"),
        Reject(Sample(((5, 3), (2,))), "an index is float32, expected int64 or int32"),
    ),
)
_GAP = [_at((2,), 1, 0), None, _at((2,), -1, 2)]
op(
    "aten.index.Tensor",
    schema="(Tensor self, Tensor?[] indices) -> Tensor",
    out="index.Tensor_out",
    doc="self[indices] with tensors of indices; absent ones take the whole dimension.",
    types=ALL,
    shape="index(self, indices)",
    kernels={"portable": "index.cpp"},
    samples=(
        Sample(((4, 5), [_at((3,), 3, 0, -4)])),
        Sample(((4, 5), [_at((3,), 3, 0, -4), _at((2, 1), 4, -5)])),
        Sample(((2, 3, 4), [None, _at((2, 2), 0, 1, 2, -1)])),
        Sample(((2, 3, 4, 5), [None, _at((2,), 0, 1), _at((2,), 3, 0)])),
        Sample(((2, 3, 4), _GAP)),
        Sample(((4, 5), [_at((), 2), _at((2,), 0, 1, dtype=I32)])),
        Sample(((4, 5), [_at((0,))])),
    ),
    rejects=(
        Reject(
            Sample(((4, 5), [None, _at((2,), 0, 5)])),
            "index 5 at position 1 is out of range for dim 1 of size 5",
        ),
        Reject(Sample(((4,), [_at((1,), 0), _at((1,), 0)])), "2 indices for rank 1"),
        Reject(
            Sample(((4, 5), [_at((2,), 0, 1), _at((3,), 0, 1, 2)])), "do not broadcast"
        ),
    ),
)
_PUT = "Tensor?[] indices, Tensor values, bool accumulate=False"
_MASK = T((4,), dtype=BOOL, values=[1, 0, 1, 1])
_PUTS = (
    Sample(((4, 5), [_at((3,), 3, 0, -3)], (3, 5))),
    Sample(((4, 5), [_at((3,), 3, 0, -3)], ())),
    Sample(((2, 3, 4), [None, _at((2,), 0, 2)], (2, 2, 4))),
    Sample(((2, 3, 4), [_at((2,), 0, 1), None, _at((2,), 3, 0)], (2, 1))),
    Sample(((4, 5), [_at((3,), 1, 1, 1), _at((3,), 0, 0, 2)], (3,), True)),
    Sample(((4, 5), [_at((2,), 1, 1, dtype=I32)], (5,), True)),
    Sample(((4, 5), [_MASK], (3, 5))),
    Sample(((5, 4), [None, _MASK], ())),
    Sample(((5, 4), [None, _MASK], (5, 3), True)),
    Sample(((2, 2, 3), [T((2, 2), dtype=BOOL, values=[0, 1, 1, 0])], (2, 3))),
    Sample(((4, 5), [_at((0,))], (0, 5))),
)
_BAD_PUTS = (
    Reject(
        Sample(((4, 5), [_at((1,), 4)], (5,))),
        "index 4 at position 0 is out of range for dim 0 of size 4",
    ),
    Reject(Sample(((4, 5), [_at((1,), 1)], (3,))), "do not stretch to [1, 5]"),
    Reject(
        Sample(((4, 5), [_at((1,), 1)], T((5,), dtype="float64"))),
        "values is float64, expected float32",
    ),
    Reject(Sample(((5, 5), [_MASK], ())), "a mask of sizes [4] does not fit [5, 5]"),
)
op(
    "aten.index_put",
    schema=f"(Tensor self, {_PUT}) -> Tensor",
    out="index_put.out",
    doc="self with self[indices] replaced by, or increased by, values.",
    types=ALL,
    shape="same_as(self)",
    kernels={"portable": "index_put.cpp"},
    alias=("self",),
    samples=_PUTS,
    rejects=_BAD_PUTS,
)
op(
    "aten.index_put_",
    schema=f"(Tensor(a!) self, {_PUT}) -> Tensor(a!)",
    out="aten::index_put_",
    doc="index_put in place.",
    types=ALL,
    shape="",
    kernels={"portable": "index_put.cpp"},
    samples=_PUTS,
    rejects=_BAD_PUTS,
)
op(
    "aten.index_select",
    schema="(Tensor self, int dim, Tensor index) -> Tensor",
    out="index_select.out",
    doc="The slices of dim that index lists.",
    types=ALL,
    shape="index_select(self, dim, index)",
    kernels={"portable": "rows.cpp"},
    samples=(
        Sample(((4, 5), 0, _at((3,), 3, 0, 3))),
        Sample(((2, 3, 4), -1, _at((2,), 3, 0, dtype=I32))),
        Sample(((4, 5), 1, _at((), 2))),
        Sample(((), 0, _at((1,), 0))),
        Sample(((4, 5), 1, _at((0,)))),
    ),
    rejects=(
        Reject(
            Sample(((4, 5), 1, _at((2,), 0, 5))),
            "index 5 at position 1 is out of range for dim 1 of size 5",
        ),
        Reject(Sample(((4, 5), 1, _at((1, 1), 0))), "index has rank 2, more than 1"),
    ),
)
_ALONG = _at((2, 3), 1, 0, 3, 2, 2, 0)
op(
    "aten.gather",
    schema="(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    out="gather.out",
    doc="self[i, index[i, j], ...], the index standing in dim.",
    types=ALL,
    shape="gather(self, dim, index)",
    kernels={"portable": "gather.cpp"},
    samples=(
        Sample(((4, 5), 0, _ALONG)),
        Sample(((2, 4), 1, _ALONG)),
        Sample(((3, 4, 2), 1, T((2, 300, 2), dtype=I64, low=0, high=4))),
        Sample(((), 0, _at((), 0))),
        Sample(((4, 5), 0, _at((0, 5)))),
    ),
    rejects=(
        Reject(
            Sample(((4, 5), 1, _at((2, 2), 0, 4, 2, 5))),
            "index 5 at position 3 is out of range for dim 1 of size 5",
        ),
        Reject(Sample(((4, 5), 1, _at((2, 1), 0, -1))), "index -1 at position 1"),
        Reject(Sample(((1, 5), 1, _ALONG)), "index has sizes [2, 3], which do not fit"),
        Reject(Sample(((4, 5), 1, (2, 3))), "an index is float32"),
    ),
)
_OUT_OF_RANGE = _at((1, 2), 0, 4)
op(
    "aten.scatter.src",
    schema="(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    out="scatter.src_out",
    doc="self with self[i, index[i, j], ...] = src[i, j, ...].",
    types=ALL,
    shape="scatter(self, dim, index, src)",
    kernels={"portable": "gather.cpp"},
    alias=("self",),
    samples=(
        Sample(((4, 5), 0, _at((2, 3), 1, 0, 3, 2, 2, 0), (3, 3))),
        Sample(((2, 4), -1, _at((2, 2), 1, 0, 3, 2, dtype=I32), (2, 2))),
        Sample(((), 0, _at((), 0), ())),
        Sample(((4, 5), 0, _at((0, 2)), (2, 2))),
    ),
    rejects=(
        Reject(
            Sample(((4, 5), 0, _OUT_OF_RANGE, (1, 2))),
            "index 4 at position 1 is out of range for dim 0 of size 4",
        ),
        Reject(Sample(((4, 5), 0, _ALONG, (1, 3))), "which do not fit [1, 3]"),
        Reject(
            Sample(((4, 5), 0, _ALONG, T((2, 3), dtype="float64"))),
            "src is float64, expected float32",
        ),
    ),
)
op(
    "aten.scatter.value",
    schema="(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
    out="scatter.value_out",
    doc="self with self[i, index[i, j], ...] = value.",
    types=ALL,
    shape="scatter_value(self, dim, index)",
    kernels={"portable": "gather.cpp"},
    alias=("self",),
    samples=(
        Sample(((4, 5), 0, _ALONG, 1)),
        Sample(((4, 5), 0, _ALONG, 1.25), types=FLOATS),
    ),
    rejects=(Reject(Sample(((4, 5), 0, _OUT_OF_RANGE, 1)), "index 4 at position 1"),),
)
op(
    "aten.scatter_add",
    schema="(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    out="scatter_add.out",
    doc="self with self[i, index[i, j], ...] += src[i, j, ...].",
    types=tuple(t for t in ALL if t != BOOL),
    shape="scatter(self, dim, index, src)",
    kernels={"portable": "gather.cpp"},
    alias=("self",),
    samples=(
        Sample(((4, 5), 0, _ALONG, (2, 3))),
        Sample(((2, 4), 1, _at((2, 3), 1, 1, 1, 0, 2, 0), (3, 3))),
        Sample(((4, 5), 0, _at((0, 2)), (2, 2))),
    ),
    ulps={"float16": 1.0, "bfloat16": 1.0},  # eager rounds the sum of equal places once
    rejects=(
        Reject(Sample(((4, 5), 0, _OUT_OF_RANGE, (1, 2))), "index 4 at position 1"),
    ),
)
op(
    "aten.masked_scatter",
    schema="(Tensor self, Tensor mask, Tensor source) -> Tensor",
    out="masked_scatter.out",
    doc="self with the elements where mask is true replaced by those of source in order.",
    types=ALL,
    shape="broadcast(self, mask)",
    kernels={"portable": "mask.cpp"},
    samples=(
        Sample(((2, 4), T((2, 4), dtype=BOOL), (9,))),
        Sample(((2, 4), _MASK, (3, 2))),
        Sample(((4,), T((3, 1), dtype=BOOL, values=[1, 0, 1]), (8,))),
        Sample(((0, 4), _MASK, (0,))),
    ),
    rejects=(
        Reject(Sample(((4,), _MASK, (2,))), "source has 2 elements, fewer than mask"),
        Reject(Sample(((4,), (4,), (4,))), "mask is float32, expected bool"),
    ),
)
# The results of these three depend on data: the kernels size them.
op(
    "aten.nonzero",
    schema="(Tensor self) -> Tensor",
    out="nonzero.out",
    doc="[count, rank] (int64): the positions of elements that are not zero, row-major.",
    types=ALL,
    shape="",
    kernels={"portable": "mask.cpp"},
    layout="dense",
    samples=(),
)
op(
    "aten.masked_select",
    schema="(Tensor self, Tensor mask) -> Tensor",
    out="masked_select.out",
    doc="The elements where mask is true, row-major.",
    types=ALL,
    shape="",
    kernels={"portable": "mask.cpp"},
    layout="dense",
    samples=(),
)
op(
    "aten.repeat_interleave.Tensor",
    schema="(Tensor repeats, *, SymInt? output_size=None) -> Tensor",
    out="repeat_interleave.Tensor_out",
    doc="0 repeats[0] times, 1 repeats[1] times, ...",
    types=(I64, I32),
    shape="",
    kernels={"portable": "mask.cpp"},
    layout="dense",
    samples=(),
)
_DISTINCT = T((2, 6), values=[5, 3, 1, 6, 2, 4, 0, 7, 9, 8, 10, 11])
_NUMBERS = tuple(t for t in ALL if t != BOOL)
op(
    "aten.topk",
    schema="(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True)"
    " -> (Tensor values, Tensor indices)",
    out="topk.values",
    doc="The k largest (or smallest) elements along dim, best first, and where they are.",
    types=_NUMBERS,
    shape="topk(self, k, dim)",
    kernels={"portable": "topk.cpp"},
    samples=(
        Sample((_DISTINCT, 3)),
        Sample((_DISTINCT, 1, 0, False)),
        Sample((_DISTINCT, 6, 1, False)),
        Sample((_DISTINCT, 0)),
        Sample((T((), values=[2]), 1)),
        Sample((T((500,)), 20), types=(F32, "float64")),
        Sample((T((4,), values=[1, float("nan"), 3, -1]), 2), types=FLOATS),
    ),
    rejects=(
        Reject(Sample((_DISTINCT, 7)), "k = 7 is not within 0 to 6"),
        Reject(Sample((_DISTINCT, 1)), "indices is float32, expected int64"),
    ),
)
op(
    "aten.sort",
    schema="(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    out="sort.values",
    doc="self in order along dim, and where each element was. Stable; NaN is the largest.",
    types=ALL,
    shape="along_twice(self, dim)",
    kernels={"portable": "topk.cpp"},
    samples=(
        Sample((_DISTINCT,), types=_NUMBERS),
        Sample((_DISTINCT, 0, True), types=_NUMBERS),
        Sample((T((300,)),), types=(F32, "float64")),
        Sample(((0, 2), 0)),
    ),
    rejects=(Reject(Sample((_DISTINCT,)), "indices is float32, expected int64"),),
)
