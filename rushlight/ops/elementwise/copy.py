# SPDX-License-Identifier: BSD-3-Clause
"""Rows of copy.cpp: copies with conversion of dtype and dim order."""

from rushlight.ops.elementwise.samples import ONE
from rushlight.ops.table import STORAGE, Reject, Sample, T, op

KERNELS = {"portable": "copy.cpp"}
OPTIONS = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None"
)
VALUES = T((2, 6), values=(-3.7, -1, -0.0, 0, 0.5, 1, 2.5, 100, 127, 0.1, 3, 7))

op(
    "aten._to_copy",
    schema=f"(Tensor self, *, {OPTIONS}, bool non_blocking=False, "
    "MemoryFormat? memory_format=None) -> Tensor",
    out="_to_copy.out",
    doc="self in another dtype. Floats to integers cut off the fraction.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=(
        *(Sample((VALUES,), {"dtype": t}) for t in STORAGE),
        Sample(((2, 3, 4, 5),), {"dtype": "float32"}),
        Sample(((0, 3),), {"dtype": "int8"}),
        Sample(((),), {"dtype": "float64"}),
        Sample(((2, 700),), {"dtype": "float16"}),
    ),
    alias=("self",),
    source="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html",
)
for name, doc in (
    ("_to_dim_order_copy", "self in out's dtype and dim order"),
    ("_clone_dim_order", "self in out's dim order"),
):
    op(
        f"dim_order_ops.{name}",
        schema="(Tensor self, *, bool non_blocking=False, int[]? dim_order=None) -> Tensor",
        out=f"{name}.out",
        doc=f"{doc}. The argument dim_order says again what out says.",
        types=STORAGE,
        shape="same_as(self)",
        kernels=KERNELS,
        samples=(*ONE, Sample(((2, 3),), {"dim_order": [0, 1]})),
        alias=("self",),
    )
op(
    "aten.clone",
    schema="(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
    out="clone.out",
    doc="self.",
    types=STORAGE,
    shape="same_as(self)",
    kernels=KERNELS,
    samples=ONE,
    alias=("self",),
    source="https://docs.pytorch.org/docs/stable/generated/torch.clone.html",
)
for name in ("lift_fresh_copy", "detach_copy", "alias_copy"):
    op(
        f"aten.{name}",
        schema="(Tensor self) -> Tensor",
        out=f"{name}.out",
        doc="self.",
        types=STORAGE,
        shape="same_as(self)",
        kernels=KERNELS,
        samples=ONE,
        alias=("self",),
    )
PAIRS = (
    Sample(((3, 5), (3, 5))),
    Sample(((3, 5), (5,))),
    Sample(((2, 3), ())),
    Sample(((0, 3), (3,))),
    Sample(((2, 3, 4, 5), (3, 1, 1))),
    Sample((T((3, 5)), T((3, 5), dtype="float32", low=0))),
)
NARROW = Reject(Sample(((3,), (2, 3))), "shape [2, 3] does not stretch to [3]")
op(
    "aten.copy",
    schema="(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
    out="copy.out",
    doc="src, stretched to self's sizes and in self's dtype; self is not read.",
    types=STORAGE,
    shape="stretch_to(self, src)",
    kernels=KERNELS,
    samples=PAIRS,
    rejects=(NARROW,),
    alias=("self",),
)
op(
    "aten.copy_",
    schema="(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
    out="copy_",
    doc="Writes src, stretched and converted, over self.",
    types=STORAGE,
    shape="",
    kernels=KERNELS,
    samples=PAIRS,
    rejects=(Reject(NARROW.sample, "shape [2, 3] does not stretch to out's [3]"),),
)
