# SPDX-License-Identifier: BSD-3-Clause
"""Rows of fill.cpp: tensors made of a number, of nothing, or of a sequence."""

from rushlight.ops.table import F32, FLOATS, I8, NUMBERS, STORAGE, Reject, Sample, T, op

KERNELS = {"portable": "fill.cpp"}
OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None"
)
DOCS = "https://docs.pytorch.org/docs/stable/generated/torch."
SHAPES: tuple[list[int], ...] = ([3, 5], [], [0, 2], [2, 3, 4, 5])
NEGATIVE = Reject(Sample(([2, -1],)), "size -1 is out of range")

op(
    "aten.full",
    schema=f"(SymInt[] size, Scalar fill_value, *, {OPTIONS}) -> Tensor",
    out="full.out",
    doc="fill_value everywhere.",
    types=STORAGE,
    shape="from_list(size)",
    kernels=KERNELS,
    samples=(
        *(Sample((shape, 1)) for shape in SHAPES),
        Sample(([3], 2.5)),
        Sample(([3], True)),
    ),
    rejects=(
        Reject(Sample(([2, -1], 1)), "size -1 is out of range"),
        Reject(Sample(([2], 1e40)), "fill_value = 1e+40 does not fit float32"),
    ),
    source=DOCS + "full.html",
)
op(
    "aten.full_like",
    schema=f"(Tensor self, Scalar fill_value, *, {OPTIONS}, "
    "MemoryFormat? memory_format=None) -> Tensor",
    out="full_like.out",
    doc="fill_value everywhere, in self's sizes; self is not read.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(Sample(((3, 5), 1)), Sample(((0,), 1)), Sample(((2, 3, 4, 5), 2))),
    rejects=(Reject(Sample((T((2,), dtype=I8), 300)), "does not fit int8"),),
    source=DOCS + "full_like.html",
)
op(
    "aten.fill.Scalar",
    schema="(Tensor self, Scalar value) -> Tensor",
    out="fill.Scalar_out",
    doc="value everywhere, in self's sizes; self is not read.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(Sample(((3, 5), 1)), Sample(((0,), 1)), Sample(((), 2.5))),
    alias=("self",),
)
op(
    "aten.fill.Tensor",
    schema="(Tensor self, Tensor value) -> Tensor",
    out="fill.Tensor_out",
    doc="The one element of value everywhere, in self's sizes; self is not read.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(
        Sample(((3, 5), ())),
        Sample(((0,), ())),
        Sample(((4,), T((), dtype=F32, values=(1.5,)))),
    ),
    rejects=(
        Reject(Sample(((3,), (3,))), "value has sizes [3], expected one element"),
    ),
    alias=("self",),
)
for name in ("zeros", "ones"):
    op(
        f"aten.{name}",
        schema=f"(SymInt[] size, *, {OPTIONS}) -> Tensor",
        out=f"{name}.out",
        doc=f"All {name}.",
        types=STORAGE,
        shape="from_list(size)",
        kernels=KERNELS,
        samples=tuple(Sample((shape,)) for shape in SHAPES),
        rejects=(NEGATIVE,),
        source=DOCS + f"{name}.html",
    )
op(
    "aten.scalar_tensor",
    schema=f"(Scalar s, *, {OPTIONS}) -> Tensor",
    out="scalar_tensor.out",
    doc="A tensor of rank 0.",
    types=STORAGE,
    shape="scalar()",
    kernels=KERNELS,
    samples=(Sample((1,)), Sample((2.5,)), Sample((True,))),
)
op(
    "aten.empty.memory_format",
    schema=f"(SymInt[] size, *, {OPTIONS}, MemoryFormat? memory_format=None) -> Tensor",
    out="empty.out",
    doc="Whatever its memory holds.",
    types=STORAGE,
    shape="from_list(size)",
    kernels=KERNELS,
    samples=(Sample(([0, 2],)),),
    rejects=(NEGATIVE,),
)
op(
    "dim_order_ops._empty_dim_order",
    schema="(SymInt[] size, *, int[]? dim_order=None) -> Tensor",
    out="_empty_dim_order.out",
    doc="Whatever its memory holds, in out's dim order.",
    types=(F32,),
    shape="from_list(size)",
    kernels=KERNELS,
    samples=(Sample(([0, 2],)),),
    rejects=(NEGATIVE,),
)
op(
    "aten.arange",
    schema=f"(Scalar end, *, {OPTIONS}) -> Tensor",
    out="arange.out",
    doc="0, 1, 2, … below end.",
    types=NUMBERS,
    shape="arange_to(end)",
    kernels=KERNELS,
    samples=(Sample((7,)), Sample((0,)), Sample((4.5,), types=FLOATS), Sample((100,))),
    rejects=(
        Reject(Sample((-1,)), "step 1 does not lead from 0 to -1"),
        Reject(Sample((1e12,)), "is out of range"),
    ),
    source=DOCS + "arange.html",
)
op(
    "aten.arange.start_step",
    schema=f"(Scalar start, Scalar end, Scalar step=1, *, {OPTIONS}) -> Tensor",
    out="arange.start_out",
    doc="start, start + step, … before end.",
    types=NUMBERS,
    shape="arange(start, end, step)",
    kernels=KERNELS,
    samples=(
        Sample((2, 9)),
        Sample((2, 9, 3)),
        Sample((9, 2, -2)),
        Sample((3, 3)),
        Sample((0.5, 3, 0.25), types=FLOATS),
    ),
    rejects=(
        Reject(Sample((0, 3, 0)), "step is 0"),
        Reject(Sample((0, 3, -1)), "step -1 does not lead from 0 to 3"),
    ),
    source=DOCS + "arange.html",
)
