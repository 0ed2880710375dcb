# SPDX-License-Identifier: BSD-3-Clause
"""Rows of reductions and of cumsum."""

from rushlight.ops.table import (
    ALL,
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    U8,
    Reject,
    Sample,
    T,
    op,
)  # fmt: skip

_NAN = float("nan")
_INF = float("inf")
# Sums are exact to the last place here; eager rounds on the way.
_ULPS = {F32: 4.0, F64: 8.0, F16: 1.0, BF16: 1.0}
_DIMS = (
    Sample(((2, 3, 4), [1])),
    Sample(((2, 3, 4), [0, -1], True)),
    Sample(((5, 70), [0])),
    Sample(((3, 300), [1])),
    Sample(((2, 5, 4, 6), [2, 3])),
    Sample(((2, 20, 4, 6), [2, 3], True)),
    Sample(((), [0])),
)
_ALL_DIMS = (Sample(((4, 5), [])), Sample(((4, 5), None, True)))
_NONE = (Sample(((0, 3), [0])), Sample(((2, 0), [0])))
_TWICE = Reject(Sample(((2, 3), [0, -2])), "dim -2 is listed twice")
_RANGE = Reject(Sample(((2, 3), [2])), "dim 2 is not in [-2, 1]")
_EMPTY = Reject(Sample(((0, 3), 0)), "dim 0 has size 0")
_ONE_DIM = (
    Sample(((2, 3, 4), 1)),
    Sample(((2, 3, 4), -1, True)),
    Sample(((5, 70), 0)),
    Sample(((3, 300), 1)),
    Sample(((), 0)),
    Sample(((2, 0), 0)),
)
_SPECIAL = Sample((T((2, 3), values=[1, _NAN, 2, _INF, -_INF, 0]), 1), types=FLOATS)
_DTYPE = "ScalarType? dtype=None"

op(
    "aten.sum.dim_IntList",
    schema=f"(Tensor self, int[1]? dim, bool keepdim=False, *, {_DTYPE}) -> Tensor",
    out="sum.IntList_out",
    doc="The sum over dim (all dimensions if absent or empty); integers as int64.",
    types=ALL,
    shape="reduce_dims(self, dim, keepdim)",
    kernels={"portable": "sum.cpp"},
    samples=(
        *_DIMS,
        *_ALL_DIMS,
        *_NONE,
        Sample((T((2, 2), values=[1, _INF, -_INF, 0]), [0]), types=FLOATS),
        Sample(((3, 4), [1], False), {"dtype": F32}),
        Sample(((3, 4), [1], False), {"dtype": I32}, types=(I64, I32, BOOL)),
    ),
    rejects=(_TWICE, _RANGE),
    ulps=_ULPS,
)
op(
    "aten.mean.dim",
    schema=f"(Tensor self, int[1]? dim, bool keepdim=False, *, {_DTYPE}) -> Tensor",
    out="mean.out",
    doc="The mean over dim (all dimensions if absent or empty). NaN for no elements.",
    types=FLOATS,
    shape="reduce_dims(self, dim, keepdim)",
    kernels={"portable": "sum.cpp"},
    samples=(*_DIMS, *_ALL_DIMS, *_NONE, Sample(((3, 4), [1]), {"dtype": F64})),
    rejects=(_TWICE, _RANGE),
    ulps=_ULPS,
)
op(
    "aten.mean",
    schema=f"(Tensor self, *, {_DTYPE}) -> Tensor",
    out="mean.dtype_out",
    doc="The mean of all elements. NaN if there are none.",
    types=FLOATS,
    shape="scalar()",
    kernels={"portable": "sum.cpp"},
    samples=(Sample(((4, 5),)), Sample(((0,),)), Sample(((),))),
    ulps=_ULPS,
)
op(
    "aten.prod.dim_int",
    schema=f"(Tensor self, int dim, bool keepdim=False, *, {_DTYPE}) -> Tensor",
    out="prod.int_out",
    doc="The product along one dimension; integers as int64. 1 for no elements.",
    types=ALL,
    shape="reduce_dim(self, dim, keepdim)",
    kernels={"portable": "sum.cpp"},
    samples=(
        Sample(((2, 3, 4), 1)),
        Sample(((2, 3, 4), -1, True)),
        Sample(((5, 70), 0)),
        Sample(((0, 3), 0)),
        Sample(((), 0)),
    ),
    ulps={F32: 8.0, F64: 8.0, F16: 2.0, BF16: 2.0},
)
op(
    "aten.prod",
    schema=f"(Tensor self, *, {_DTYPE}) -> Tensor",
    out="prod.out",
    doc="The product of all elements; integers as int64. 1 if there are none.",
    types=ALL,
    shape="scalar()",
    kernels={"portable": "sum.cpp"},
    samples=(Sample(((2, 5),)), Sample(((0,),)), Sample(((),))),
    ulps={F32: 8.0, F64: 8.0, F16: 2.0, BF16: 2.0},
)
for _name, _word in (("amax", "largest"), ("amin", "smallest")):
    op(
        f"aten.{_name}",
        schema="(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
        out=f"{_name}.out",
        doc=f"The {_word} element over dim (all dimensions if empty). NaN wins.",
        types=ALL,
        shape="reduce_dims(self, dim, keepdim)",
        kernels={"portable": "extreme.cpp"},
        samples=(*_DIMS, Sample(((4, 5),)), Sample(((2, 0), [0])), _SPECIAL),
        rejects=(
            Reject(Sample(((0, 3), [0])), "dim 0 has size 0"),
            Reject(Sample(((0, 3),)), "dim 0 has size 0"),
            _TWICE,
        ),
    )
for _name, _word in (("max", "largest"), ("min", "smallest")):
    op(
        f"aten.{_name}.dim",
        schema="(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        out=f"{_name}.dim_{_name}",
        doc=f"The {_word} element along dim and (int64) where it is first. NaN wins.",
        types=ALL,
        shape="reduce_dim_twice(self, dim, keepdim)",
        kernels={"portable": "extreme.cpp"},
        samples=(*_ONE_DIM, _SPECIAL),
        # Both results have self's dtype in a reject: that dtype check comes first.
        rejects=(
            Reject(Sample(((2, 3), 2)), "dim 2 is not in [-2, 1]"),
            Reject(Sample(((2, 3), 1)), "the index result is float32, expected int64"),
        ),
    )
    op(
        f"aten.{_name}",
        schema="(Tensor self) -> Tensor",
        out=f"{_name}.unary_out",
        doc=f"The {_word} of all elements, of which there must be one. NaN wins.",
        types=ALL,
        shape="scalar()",
        kernels={"portable": "extreme.cpp"},
        samples=(Sample(((4, 50),)), Sample(((),))),
        rejects=(Reject(Sample(((0, 3),)), "dim 0 has size 0"),),
    )
    op(
        f"aten.arg{_name}",
        schema="(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
        out=f"arg{_name}.out",
        doc=f"Where (int64) the {_word} element is first, along dim or row-major. NaN wins.",
        types=(*FLOATS, I64, I32, I16, I8, U8),
        shape="reduce_dim(self, dim, keepdim)",
        kernels={"portable": "extreme.cpp"},
        samples=(
            *_ONE_DIM,
            _SPECIAL,
            Sample(((3, 4, 5),)),
            Sample(((3, 4), None, True)),
            Sample((T((2, 3), values=[1, 2, 2, 2, 0, 0]),)),
        ),
        rejects=(
            Reject(Sample(((2, 3), 2)), "dim 2 is not in [-2, 1]"),
            Reject(Sample(((2, 3), 1)), "the index result is float32, expected int64"),
        ),
    )
op(
    "aten.any",
    schema="(Tensor self) -> Tensor",
    out="any.all_out",
    doc="Whether any element is not zero. NaN is not zero.",
    types=ALL,
    shape="scalar()",
    kernels={"portable": "any.cpp"},
    samples=(
        Sample(((4, 5),)),
        Sample(((0,),)),
        Sample((T((200,), values=[0] * 199 + [1]),)),
        Sample((T((3,), values=[0] * 3),)),
        Sample((T((2,), values=[0, _NAN]),), types=FLOATS),
    ),
)
op(
    "aten.any.dim",
    schema="(Tensor self, int dim, bool keepdim=False) -> Tensor",
    out="any.out",
    doc="Whether any element along dim is not zero.",
    types=ALL,
    shape="reduce_dim(self, dim, keepdim)",
    kernels={"portable": "any.cpp"},
    samples=(*_ONE_DIM, Sample((T((2, 3), values=[0, 0, 0, 0, 1, 0]), 1))),
)
op(
    "aten.any.dims",
    schema="(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    out="any.dims_out",
    doc="Whether any element over dim (all dimensions if absent, none if empty) is not zero.",
    types=ALL,
    shape="reduce_listed(self, dim, keepdim)",
    kernels={"portable": "any.cpp"},
    samples=(*_DIMS, Sample(((4, 5),)), Sample((T((2,), values=[0, 3]), []))),
    rejects=(_TWICE, _RANGE),
)
_VARIANCE = (
    "Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False"
)
_CORRECTED = (
    *_ALL_DIMS[:1],
    Sample(((2, 3, 4), [1])),
    Sample(((2, 3, 4), [0, -1]), {"correction": 0, "keepdim": True}),
    Sample(((5, 70), [0]), {"correction": 0.5}),
    Sample(((3, 300), [1])),
    Sample((T((2, 200), low=1000.0, high=1001.0), [1]), types=(F32, F64)),
    Sample(((1, 3), [0])),
    Sample(((0, 3), [0])),
)
op(
    "aten.var.correction",
    schema=f"({_VARIANCE}) -> Tensor",
    out="var.correction_out",
    doc="Squared deviations from the mean, summed, over max(0, n - correction).",
    types=FLOATS,
    shape="reduce_dims(self, dim, keepdim)",
    kernels={"portable": "variance.cpp"},
    samples=_CORRECTED,
    ulps={F32: 16.0, F64: 1024.0, F16: 1.0, BF16: 1.0},
)
op(
    "aten.var.dim",
    schema="(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    out="var.out",
    doc="The variance over dim, with n - 1 if unbiased, else n.",
    types=FLOATS,
    shape="reduce_dims(self, dim, keepdim)",
    kernels={"portable": "variance.cpp"},
    samples=(Sample(((2, 3, 4), [1], False)), Sample(((5, 30), [0], True, True))),
    ulps={F32: 16.0, F64: 1024.0, F16: 1.0, BF16: 1.0},
)
op(
    "aten.var_mean.correction",
    schema=f"({_VARIANCE}) -> (Tensor, Tensor)",
    out="var_mean.correction_out",
    doc="The variance as var.correction, and the mean.",
    types=FLOATS,
    shape="reduce_dims_twice(self, dim, keepdim)",
    kernels={"portable": "variance.cpp"},
    samples=_CORRECTED,
    ulps={F32: 16.0, F64: 1024.0, F16: 1.0, BF16: 1.0},
)
op(
    "aten.cumsum",
    schema=f"(Tensor self, int dim, *, {_DTYPE}) -> Tensor",
    out="cumsum.out",
    doc="Running sums along dim; integers as int64, floats accumulated in double.",
    types=ALL,
    shape="along(self, dim)",
    kernels={"portable": "cumsum.cpp"},
    samples=(
        Sample(((3, 4), 0)),
        Sample(((2, 300), -1)),
        Sample(((), 0)),
        Sample(((0, 3), 0)),
        Sample(((3, 4), 1), {"dtype": F32}),
    ),
    rejects=(Reject(Sample(((2, 3), 2)), "dim 2 is not in [-2, 1]"),),
    ulps={F32: 4.0, F64: 4.0, F16: 1.0, BF16: 1.0},
)
