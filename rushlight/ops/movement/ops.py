# SPDX-License-Identifier: BSD-3-Clause
"""Rows of ops that only move elements: views copied out, joins, splits, repetitions."""

from rushlight.ops.table import ALL, F32, I32, I64, STORAGE, Reject, Sample, op

_VIEWS = {"portable": "views.cpp"}
_JOIN = {"portable": "join.cpp"}
_REARRANGE = {"portable": "rearrange.cpp"}

op(
    "aten.view",
    schema="(Tensor self, SymInt[] size) -> Tensor",
    out="view_copy.out",
    doc="self's elements, in row-major order, under other sizes. One -1 is inferred.",
    types=STORAGE,
    shape="view(self, size)",
    kernels={"portable": "view_copy.cpp"},
    layout="dense",
    alias=("self",),
    samples=(
        Sample(((2, 3, 4), [6, -1])),
        Sample(((2, 3, 4, 5), [2, 3, 20])),
        Sample(((4, 6), [3, 8])),
        Sample(((2, 3, 4), [2, 3, 4])),
        Sample(((2, 0, 4), [0, 7])),
        Sample(((), [1, 1])),
    ),
    rejects=(
        Reject(Sample(((2, 3), [4, -1])), "do not hold the 6 elements"),
        Reject(Sample(((0, 3), [0, -1])), "do not hold the 0 elements"),
        Reject(Sample(((2, 3), [-2, 3])), "out of range"),
    ),
)
op(
    "aten.permute",
    schema="(Tensor self, int[] dims) -> Tensor",
    out="permute_copy.out",
    doc="self with its dimensions in the order dims.",
    types=STORAGE,
    shape="permute(self, dims)",
    kernels=_VIEWS,
    layout="dense",
    samples=(
        Sample(((2, 3, 4, 5), [0, 2, 3, 1])),
        Sample(((40, 70), [1, 0])),
        Sample(((2, 3, 4), [-1, 0, 1])),
        Sample(((2, 0, 4), [2, 1, 0])),
        Sample(((), [])),
    ),
    rejects=(
        Reject(Sample(((2, 3), [0])), "1 dims given for rank 2"),
        Reject(Sample(((2, 3), [0, 0])), "dim 0 is given twice"),
        Reject(Sample(((2, 3), [0, 2])), "dim 2 is not in [-2, 1]"),
    ),
)
op(
    "aten.transpose.int",
    schema="(Tensor self, int dim0, int dim1) -> Tensor",
    out="transpose_copy.int_out",
    doc="self with two dimensions exchanged.",
    types=STORAGE,
    shape="transpose(self, dim0, dim1)",
    kernels=_VIEWS,
    layout="dense",
    samples=(
        Sample(((2, 3, 4), 0, -1)),
        Sample(((33, 35), 1, 0)),
        Sample(((3,), 0, 0)),
        Sample(((), 0, -1)),
    ),
    rejects=(Reject(Sample(((2, 3), 0, 2)), "dim 2 is not in [-2, 1]"),),
)
op(
    "aten.t",
    schema="(Tensor self) -> Tensor",
    out="t_copy.out",
    doc="The transpose of a matrix; a vector or a scalar as it is.",
    types=STORAGE,
    shape="reversed(self)",
    kernels=_VIEWS,
    layout="dense",
    samples=(Sample(((3, 5),)), Sample(((4,),)), Sample(((),)), Sample(((0, 2),))),
    rejects=(Reject(Sample(((2, 3, 4),)), "self has rank 3, more than 2"),),
)
op(
    "aten.expand",
    schema="(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor",
    out="expand_copy.out",
    doc="self with dimensions of size 1 stretched, and new ones in front. -1 keeps a size.",
    types=STORAGE,
    shape="expand(self, size)",
    kernels=_VIEWS,
    samples=(
        Sample(((3, 1), [2, 3, 4])),
        Sample(((3, 1, 2), [-1, 5, -1])),
        Sample(((), [2, 2])),
        Sample(((1, 2), [0, 2])),
    ),
    rejects=(
        Reject(Sample(((3, 2), [3, 4])), "size 2 of self does not expand to 4"),
        Reject(Sample(((3, 2), [2])), "1 sizes given for rank 2"),
        Reject(Sample(((3,), [-1, 3])), "out of range"),
    ),
)
op(
    "aten.slice.Tensor",
    schema="(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
    out="slice_copy.Tensor_out",
    doc="self[start:end:step] in one dimension.",
    types=STORAGE,
    shape="slice(self, dim, start, end, step)",
    kernels=_VIEWS,
    samples=(
        Sample(((5, 4),)),
        Sample(((5, 4), 0, 1, 4, 2)),
        Sample(((2, 3, 6), -1, -4, 9223372036854775807, 3)),
        Sample(((5, 4), 1, 3, 1)),
        Sample(((5,), 0, -100, 100)),
    ),
    rejects=(
        Reject(Sample(((5,), 0, 0, 5, 0)), "step 0 must be positive"),
        Reject(Sample(((), 0, 0, 1)), "self has rank 0"),
    ),
)
op(
    "aten.narrow_copy",
    schema="(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
    out="narrow_copy.out",
    doc="length elements of one dimension, from start on.",
    types=STORAGE,
    shape="narrow(self, dim, start, length)",
    kernels=_VIEWS,
    samples=(
        Sample(((5, 4), 0, 1, 3)),
        Sample(((5, 4), -1, -2, 2)),
        Sample(((5, 4), 1, 4, 0)),
    ),
    rejects=(
        Reject(Sample(((5,), 0, 3, 3)), "3 elements from 3 are not within size 5"),
    ),
)
op(
    "aten.select.int",
    schema="(Tensor self, int dim, SymInt index) -> Tensor",
    out="select_copy.int_out",
    doc="self[index] in one dimension, which goes away.",
    types=STORAGE,
    shape="select(self, dim, index)",
    kernels=_VIEWS,
    samples=(
        Sample(((5, 4, 3), 0, 2)),
        Sample(((5, 4, 3), -1, -3)),
        Sample(((3,), 0, 1)),
        Sample(((0, 2), 1, 1)),
    ),
    rejects=(
        Reject(Sample(((5, 4), 1, 4)), "index 4 is out of range for dim 1 of size 4"),
        Reject(Sample(((), 0, 0)), "self has rank 0"),
    ),
)
op(
    "aten.unsqueeze",
    schema="(Tensor self, int dim) -> Tensor",
    out="unsqueeze_copy.out",
    doc="self with a new dimension of size 1.",
    types=STORAGE,
    shape="unsqueeze(self, dim)",
    kernels=_VIEWS,
    layout="dense",
    samples=(
        Sample(((2, 3), 0)),
        Sample(((2, 3), 1)),
        Sample(((2, 3), -1)),
        Sample(((), 0)),
    ),
    rejects=(Reject(Sample(((2,), 2)), "dim 2 is not in [-2, 1]"),),
)
op(
    "aten.squeeze.dim",
    schema="(Tensor self, int dim) -> Tensor",
    out="squeeze_copy.dim_out",
    doc="self without dim if its size is 1.",
    types=STORAGE,
    shape="squeeze_dim(self, dim)",
    kernels=_VIEWS,
    layout="dense",
    samples=(Sample(((2, 1, 3), 1)), Sample(((2, 1, 3), -1)), Sample(((), 0))),
    rejects=(Reject(Sample(((2,), 1)), "dim 1 is not in [-1, 0]"),),
)
op(
    "aten.squeeze.dims",
    schema="(Tensor self, int[] dim) -> Tensor",
    out="squeeze_copy.dims_out",
    doc="self without those of dim whose size is 1.",
    types=STORAGE,
    shape="squeeze_dims(self, dim)",
    kernels=_VIEWS,
    layout="dense",
    samples=(
        Sample(((2, 1, 3, 1), [1, -1])),
        Sample(((2, 1, 3), [0, 1])),
        Sample(((1, 2), [])),
    ),
    rejects=(Reject(Sample(((1, 2), [0, -2])), "dim 0 is given twice"),),
)
op(
    "aten.diagonal",
    schema="(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    out="diagonal_copy.out",
    doc="The diagonal of two dimensions, as the last dimension.",
    types=STORAGE,
    shape="diagonal(self, offset, dim1, dim2)",
    kernels=_VIEWS,
    layout="dense",
    samples=(
        Sample(((4, 5),)),
        Sample(((4, 5, 3), 1, 0, 2)),
        Sample(((4, 5, 3), -2, -1, 1)),
        Sample(((4, 5), 9)),
    ),
    rejects=(Reject(Sample(((4, 5), 0, 1, -1)), "dim1 and dim2 are both 1"),),
)
op(
    "aten.as_strided",
    schema="(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
    out="as_strided_copy.out",
    doc="The elements of self's memory that sizes, strides and offset describe.",
    types=STORAGE,
    shape="as_strided(self, size, stride, storage_offset)",
    kernels=_VIEWS,
    layout="contiguous",
    samples=(
        Sample(((4, 5), [2, 3], [5, 1], 6)),
        Sample(((4, 5), [3, 4], [1, 1])),
        Sample(((4, 5), [0, 3], [5, 1], 100)),
    ),
    rejects=(
        Reject(Sample(((4, 5), [2, 3], [5, 1], 13)), "reaches beyond self's 20"),
        Reject(Sample(((4, 5), [2, 3], [5])), "2 sizes but 1 strides"),
        Reject(
            Sample(((4, 5), [2147483647, 2147483647], [1 << 62, 1 << 62])),
            "reaches beyond",
        ),
        Reject(Sample(((4, 5), [2], [-1], 3)), "negative strides"),
    ),
)
op(
    "aten.unfold",
    schema="(Tensor self, int dimension, int size, int step) -> Tensor",
    out="unfold_copy.out",
    doc="Windows of size along one dimension, step apart, as a new last dimension.",
    types=STORAGE,
    shape="unfold(self, dimension, size, step)",
    kernels=_VIEWS,
    layout="dense",
    samples=(
        Sample(((2, 7), 1, 3, 2)),
        Sample(((7, 2), 0, 4, 1)),
        Sample(((7, 2), -2, 0, 3)),
    ),
    rejects=(
        Reject(Sample(((3,), 0, 4, 1)), "size 4 is not within 0 to 3"),
        Reject(Sample(((3,), 0, 2, 0)), "step 0 must be positive"),
    ),
)
op(
    "aten.repeat",
    schema="(Tensor self, SymInt[] repeats) -> Tensor",
    out="repeat.out",
    doc="self tiled repeats[d] times in each dimension; new dimensions in front.",
    types=STORAGE,
    shape="repeat(self, repeats)",
    kernels=_REARRANGE,
    samples=(
        Sample(((2, 3), [2, 3])),
        Sample(((2, 3), [2, 1, 4])),
        Sample(((), [3])),
        Sample(((2, 3), [0, 1])),
    ),
    rejects=(
        Reject(Sample(((2, 3), [2])), "1 repeats given for rank 2"),
        Reject(Sample(((2,), [-1])), "repeats[0] = -1 is out of range"),
        Reject(Sample(((2,), [1 << 40])), "out of range"),
    ),
)
op(
    "aten.flip",
    schema="(Tensor self, int[] dims) -> Tensor",
    out="flip.out",
    doc="self read backwards in each of dims.",
    types=ALL,
    shape="same_as(self)",
    kernels=_REARRANGE,
    samples=(
        Sample(((2, 3, 4), [0])),
        Sample(((2, 3, 4), [-1, 1])),
        Sample(((2, 3), [])),
        Sample(((0, 3), [0])),
    ),
    rejects=(Reject(Sample(((2, 3), [1, -1])), "dim 1 is given twice"),),
)
op(
    "aten.roll",
    schema="(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
    out="roll.out",
    doc="self shifted and wrapped round in each of dims; without dims as one row.",
    types=ALL,
    shape="same_as(self)",
    kernels=_REARRANGE,
    samples=(
        Sample(((4, 5), [2], [1])),
        Sample(((4, 5, 3), [-1, 7, 4], [0, -1, 1])),
        Sample(((4, 5), [3])),
        Sample(((4, 5), [-43])),
        Sample(((4,), [0], [0])),
        Sample(((0, 2), [1], [0])),
    ),
    rejects=(
        Reject(Sample(((4, 5), [1, 2], [0])), "2 shifts but 1 dims"),
        Reject(Sample(((4, 5), [1, 2])), "2 shifts given without dims"),
    ),
)
op(
    "aten.cat",
    schema="(Tensor[] tensors, int dim=0) -> Tensor",
    out="cat.out",
    doc="The tensors one after the other, in their common dtype. Sizes [0] are skipped.",
    types=(*STORAGE, (F32, I64), (I32, I64)),
    shape="cat(tensors, dim)",
    kernels=_JOIN,
    samples=(
        Sample(([(2, 3), (4, 3)],)),
        Sample(([(2, 3, 2), (2, 1, 2), (2, 0, 2)], 1)),
        Sample(([(2, 3), (0,), (2, 2)], -1)),
        Sample(([(0,), (0,)],)),
        Sample(([(3,)],)),
    ),
    rejects=(
        Reject(Sample(([],)), "the list of tensors is empty"),
        Reject(Sample(([(2, 3), (2, 4)],)), "tensor 1 has sizes [2, 4]"),
        Reject(Sample(([(), ()],)), "tensor 0 has rank 0"),
        Reject(Sample(([(2,), (2,)], 1)), "dim 1 is not in [-1, 0]"),
    ),
)
op(
    "aten.stack",
    schema="(Tensor[] tensors, int dim=0) -> Tensor",
    out="stack.out",
    doc="The tensors along a new dimension, in their common dtype.",
    types=(*ALL, (F32, I64)),
    shape="stack(tensors, dim)",
    kernels=_JOIN,
    layout="dense",
    samples=(
        Sample(([(2, 3), (2, 3)],)),
        Sample(([(2, 3), (2, 3), (2, 3)], -1)),
        Sample(([(), ()],)),
        Sample(([(0, 2)], 1)),
    ),
    rejects=(
        Reject(Sample(([],)), "the list of tensors is empty"),
        Reject(Sample(([(2, 3), (3, 2)],)), "tensor 1 has sizes [3, 2]"),
    ),
)
op(
    "aten.split.Tensor",
    schema="(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
    out="split_copy.Tensor_out",
    doc="Pieces of split_size along dim; the last one may be smaller.",
    types=STORAGE,
    shape="split(self, split_size, dim)",
    kernels=_JOIN,
    samples=(
        Sample(((7, 2), 3)),
        Sample(((2, 6), 2, -1)),
        Sample(((2, 3), 9)),
        Sample(((0, 3), 2)),
    ),
)
op(
    "aten.split_with_sizes",
    schema="(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
    out="split_with_sizes_copy.out",
    doc="Pieces of the given sizes along dim.",
    types=STORAGE,
    shape="split_with_sizes(self, split_sizes, dim)",
    kernels=_JOIN,
    samples=(
        Sample(((7, 2), [3, 0, 4])),
        Sample(((2, 6), [5, 1], -1)),
        Sample(((0, 3), [0])),
    ),
)
op(
    "aten.unbind.int",
    schema="(Tensor self, int dim=0) -> Tensor[]",
    out="unbind_copy.int_out",
    doc="self[i] for each index of dim, which goes away.",
    types=STORAGE,
    shape="unbind(self, dim)",
    kernels=_JOIN,
    samples=(Sample(((3, 2),)), Sample(((2, 4, 3), -2)), Sample(((2,), 0))),
)
for _name, _relation in (("tril", "<="), ("triu", ">=")):
    op(
        f"aten.{_name}",
        schema="(Tensor self, SymInt diagonal=0) -> Tensor",
        out=f"{_name}.out",
        doc=f"self[..., i, j] where j {_relation} i + diagonal, else 0.",
        types=ALL,
        shape="matrices(self)",
        kernels={"portable": "triangle.cpp"},
        alias=("self",),
        samples=(
            Sample(((4, 5),)),
            Sample(((2, 3, 4), 1)),
            Sample(((2, 5, 3), -2)),
            Sample(((3, 3), -100)),
            Sample(((0, 3),)),
        ),
        rejects=(Reject(Sample(((3,),)), "self has rank 1, less than 2"),),
    )
op(
    "aten.slice_scatter",
    schema="(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
    out="slice_scatter.out",
    doc="self with self[start:end:step] in one dimension replaced by src.",
    types=(*ALL, (F32, I64)),
    shape="same_as(self)",
    kernels={"portable": "overwrite.cpp"},
    alias=("self",),
    samples=(
        Sample(((5, 4), (2, 4), 0, 1, 4, 2)),
        Sample(((5, 4), (5, 2), -1, -2)),
        Sample(((5, 4), (5, 0), 1, 2, 2)),
    ),
    rejects=(
        Reject(Sample(((5, 4), (3, 4), 0, 0, 2)), "the source has sizes [3, 4]"),
        Reject(Sample(((5, 4), (5, 4), 0, 0, 5, -1)), "step -1 must be positive"),
    ),
)
op(
    "aten.select_scatter",
    schema="(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
    out="select_scatter.out",
    doc="self with self[index] in one dimension replaced by src.",
    types=(*ALL, (F32, I64)),
    shape="same_as(self)",
    kernels={"portable": "overwrite.cpp"},
    alias=("self",),
    samples=(
        Sample(((5, 4), (4,), 0, 1)),
        Sample(((2, 3, 4), (2, 3), -1, -2)),
        Sample(((2,), (), 0, 1)),
    ),
    rejects=(
        Reject(Sample(((5, 4), (4,), 0, 5)), "index 5 is out of range"),
        Reject(Sample(((5, 4), (5,), 0, 0)), "the source has sizes [5]"),
    ),
)
