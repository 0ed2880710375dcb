# SPDX-License-Identifier: BSD-3-Clause
"""Rows of arithmetic on run-time numbers, and helpers that are not ATen ops."""

from rushlight.ops.table import ALL, I64, STORAGE, Reject, Sample, T, op

_SYMBOLIC = {"portable": "symbolic.cpp"}
_TENSORS = {"portable": "tensors.cpp"}


def _prim(name: str, parameters: str, result: str, doc: str) -> None:
    """Add a row whose operands and result are numbers. tests/ops/test_prim.py has the calls."""
    op(
        f"executorch_prim.{name}",
        schema=f"({parameters}) -> {result}",
        out=f"executorch_prim::{name}",
        doc=doc,
        types=(),
        shape="",
        kernels=_SYMBOLIC,
        samples=(),
    )


_TWO = "Scalar a, Scalar b"
_prim("add.Scalar", _TWO, "Scalar", "a + b: Int if both are, else Double.")
_prim("sub.Scalar", _TWO, "Scalar", "a - b, as add.")
_prim("mul.Scalar", _TWO, "Scalar", "a * b, as add.")
_prim("floordiv.Scalar", _TWO, "Scalar", "a // b, rounded down.")
_prim("floordiv.int", "int a, int b", "SymInt", "a / b, truncated.")
_prim("truediv.Scalar", _TWO, "Scalar", "a / b as Double.")
_prim("mod.Scalar", "int a, int b", "SymInt", "The remainder with the sign of a.")
_prim("mod.int", "int a, int b", "SymInt", "The remainder with the sign of a.")
_prim("eq.Scalar", _TWO, "bool", "a == b.")
_prim("gt.Scalar", _TWO, "bool", "a > b.")
_prim("lt.Scalar", _TWO, "bool", "a < b.")
_prim("ge.Scalar", _TWO, "bool", "a >= b.")
_prim("le.Scalar", _TWO, "bool", "a <= b.")
_prim("neg.Scalar", "Scalar a", "Scalar", "-a.")
_prim("sym_float.Scalar", "Scalar a", "Scalar", "a as Double.")
_prim("sym_int.Scalar", "Scalar a", "Scalar", "a as Int, truncated.")
_prim("ceil.Scalar", "Scalar a", "Scalar", "The least Int not below a Double.")
_prim("trunc.Scalar", "Scalar a", "Scalar", "A Double rounded towards zero, as Int.")
_prim(
    "round.Scalar", "Scalar a", "Scalar", "The Int nearest to a Double, halves to even."
)
_prim("sym_max.Scalar", _TWO, "Scalar", "The larger one.")
_prim("sym_min.Scalar", _TWO, "Scalar", "The smaller one.")
_prim("sym_not.Scalar", "Scalar a", "bool", "Not a.")
_prim("sym_ite.Scalar", "bool b, Scalar t, Scalar f", "Scalar", "t if b, else f.")

op(
    "executorch_prim.et_view",
    schema="(Tensor self, SymInt[] size) -> Tensor",
    out="executorch_prim::et_view.default",
    doc="self's elements under other sizes, without a copy where the memory is the same.",
    types=STORAGE,
    shape="",  # the kernel sets the sizes together with the memory
    kernels=_TENSORS,
    layout="contiguous",
    samples=(),
)
op(
    "executorch_prim.et_copy_index.tensor",
    schema="(Tensor(a!) to, Tensor from, SymInt index) -> ()",
    out="executorch_prim::et_copy_index.tensor",
    doc="Writes from as row number index of to, whose first size becomes index + 1.",
    types=STORAGE,
    shape="",
    kernels=_TENSORS,
    samples=(),
)
op(
    "aten.sym_size.int",
    schema="(Tensor self, int dim) -> SymInt",
    out="aten::sym_size.int",
    doc="The size of one dimension.",
    types=STORAGE,
    shape="",
    kernels=_TENSORS,
    samples=(Sample(((2, 5), 1)), Sample(((2, 0), -1))),
    rejects=(
        Reject(Sample(((2, 5), 2)), "dim 2 is not in [-2, 1]"),
        Reject(Sample(((), 0)), "self has rank 0"),
    ),
)
op(
    "aten.sym_numel",
    schema="(Tensor self) -> SymInt",
    out="aten::sym_numel",
    doc="The number of elements.",
    types=STORAGE,
    shape="",
    kernels=_TENSORS,
    samples=(Sample(((2, 5),)), Sample(((),)), Sample(((0, 3),))),
)
op(
    "aten._local_scalar_dense",
    schema="(Tensor self) -> Scalar",
    out="aten::_local_scalar_dense",
    doc="The first element, as Int, Double or Bool after self's dtype.",
    types=ALL,
    shape="",
    kernels=_TENSORS,
    samples=(
        Sample(((),)),
        Sample(((1, 1),)),
        Sample((T((), values=[1 << 62]),), types=(I64,)),
    ),
    rejects=(Reject(Sample(((0,),)), "self has no elements"),),
)
for _name in ("_h2d_copy", "_d2h_copy"):
    op(
        f"et_copy.{_name}",
        schema="(Tensor self) -> Tensor",
        out=f"{_name}.out",
        doc="A copy from, or to, a device. The host copies to itself.",
        types=STORAGE,
        shape="same_as(self)",
        kernels=_TENSORS,
        alias=("self",),
        samples=(Sample(((2, 3, 4),)), Sample(((0,),))),
    )
