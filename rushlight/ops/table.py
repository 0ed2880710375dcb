# SPDX-License-Identifier: BSD-3-Clause
"""The op table: what an operator is, one row per ATen overload. Standard library only."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

F64, F32, F16, BF16 = "float64", "float32", "float16", "bfloat16"
I64, I32, I16, I8, U8, BOOL = "int64", "int32", "int16", "int8", "uint8", "bool"
U16, U32, U64 = "uint16", "uint32", "uint64"

FLOATS = (F32, F64, F16, BF16)
SIGNED = (I64, I32, I16, I8)
INTEGERS = (*SIGNED, U8)
NUMBERS = (*FLOATS, *INTEGERS)
ALL = (*NUMBERS, BOOL)
"""What eager computes with. The wider unsigned types are storage-only in most ops."""
STORAGE = (*ALL, U16, U32, U64)
"""Every dtype a tensor can have here: for ops that only move bytes."""

PORTABLE = "portable"


@dataclass(frozen=True)
class Sample:
    """One call that must work.

    Positional arguments in schema order. A tuple of ints is the shape of a tensor
    drawn from the row's ``domain`` in the dtype under test; ``T(shape, dtype=…,
    values=…)`` says more; a list of tuples is a Tensor[]; anything else is passed as it
    is (write an int[] as a list of ints). ``types``, unless empty, are the only dtypes of
    the row that it is for.
    """

    args: tuple[object, ...] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    types: tuple[str | tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class T:
    """A tensor of a sample whose dtype or values matter.

    ``dtype`` None means the dtype under test. ``values`` are given flat, or
    ``low``/``high`` bound a uniform draw (integers: high exclusive). ``order`` is a dim
    order, for memory formats other than row-major.
    """

    shape: tuple[int, ...]
    dtype: str | None = None
    values: Sequence[float] | None = None
    low: float | None = None
    high: float | None = None
    order: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Reject:
    """One call that must fail at run time, and a part of the message it must give."""

    sample: Sample
    text: str


@dataclass(frozen=True)
class Parameter:
    """One schema argument: ``type`` as the schema spells it (``Tensor?``, ``int[2]``)."""

    name: str
    type: str
    default: str | None

    @property
    def cpp(self) -> str:
        """The C++ type a kernel takes for it."""
        base = re.sub(r"\[\d*\]", "[]", self.type).replace("SymInt", "int")
        base = re.sub(r"\(\w!\)", "(a!)", re.sub(r"\(\w\)", "", base))
        return CPP_TYPES[base]


PREFIXES = {"aten": "", "dim_order_ops": "", "executorch_prim": "prim_"}
"""Namespaces whose name does not go into the C++ symbol as it is."""

TENSOR_OPTIONS = {"dtype", "layout", "device", "pin_memory"}
"""What a functional op that makes a tensor takes together and its out-variant does not."""

CPP_TYPES = {
    "Tensor": "const Tensor&",
    "Tensor(a!)": "Tensor&",
    "Tensor?": "const Tensor*",
    "Tensor[]": "TensorList",
    "Tensor?[]": "OptionalTensorList",
    "int": "int64_t",
    "int?": "Optional<int64_t>",
    "float": "double",
    "float?": "Optional<double>",
    "bool": "bool",
    "bool?": "Optional<bool>",
    "Scalar": "Scalar",
    "Scalar?": "Optional<Scalar>",
    "str": "Text",
    "str?": "Optional<Text>",
    "int[]": "IntList",
    "int[]?": "Optional<IntList>",
    "float[]": "Span<const double>",
    "float[]?": "Optional<Span<const double>>",
    "bool[]": "Span<const uint8_t>",
    "ScalarType?": "Optional<int64_t>",
    "ScalarType": "int64_t",
    "MemoryFormat?": "Optional<int64_t>",
    "Layout?": "Optional<int64_t>",
}


@dataclass(frozen=True)
class Op:
    """One row. See ``op`` for the fields."""

    name: str
    schema: str
    out: str
    doc: str
    types: tuple[str | tuple[str, ...], ...]
    shape: str
    kernels: Mapping[str, str]
    samples: tuple[Sample, ...]
    rejects: tuple[Reject, ...]
    layout: str
    alias: tuple[str, ...]
    scratch: str | None
    domain: tuple[float, float]
    ulps: Mapping[str, float]
    source: str
    family: str

    @cached_property
    def symbol(self) -> str:
        """The C++ function: ``aten.add.Tensor`` is ``add``, ``aten.add.Scalar`` ``add_Scalar``."""
        space, base, overload = (*self.name.split("."), "")[:3]
        prefix = PREFIXES.get(space, space + "_")
        is_plain = overload in ("", "default", "Tensor")
        if overload == "Tensor" and f"{space}.{base}.default" in TABLE:
            is_plain = False  # aten.clamp.Tensor beside aten.clamp.default
        tail = "" if is_plain else "_" + overload
        return prefix + base.lstrip("_") + tail

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Schema arguments in order, without the destinations."""
        return _parse_parameters(self.schema)

    @cached_property
    def wire_parameters(self) -> tuple[Parameter, ...]:
        """The same as calls in files have them: out says dtype, layout and device."""
        names = {p.name for p in self.parameters}
        return tuple(
            p
            for p in self.parameters
            if not TENSOR_OPTIONS <= names or p.name not in TENSOR_OPTIONS
        )

    @cached_property
    def returns(self) -> tuple[str, ...]:
        """Types of the results: ``("Tensor", "Tensor")``."""
        text = self.schema.rpartition("->")[2].strip().strip("()")
        return tuple(part.split()[0] for part in text.split(",") if part.strip())

    @cached_property
    def wire_name(self) -> str:
        """The full name in files: ``aten::add.out``."""
        space = self.name.split(".")[0]
        return self.out if "::" in self.out else f"{space}::{self.out}"

    def mixes(self) -> bool:
        """Whether ``types`` lists combinations of input dtypes instead of single ones."""
        return any(isinstance(t, tuple) for t in self.types)


def _parse_parameters(schema: str) -> tuple[Parameter, ...]:
    inside = schema.partition("->")[0].strip()[1:-1]
    depth, parts, current = 0, [], ""
    for c in inside + ",":
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    parameters = []
    for part in parts:
        if part and part != "*":
            spec, _, default = part.partition("=")
            kind, _, name = spec.strip().rpartition(" ")
            parameters.append(Parameter(name, kind, default.strip() or None))
    return tuple(parameters)


TABLE: dict[str, Op] = {}
"""Every row by name. Filled by ``load_table()``."""


def op(
    name: str,
    *,
    schema: str,
    out: str,
    doc: str,
    types: Sequence[str | tuple[str, ...]],
    shape: str,
    kernels: Mapping[str, str],
    samples: Sequence[Sample],
    rejects: Sequence[Reject] = (),
    layout: str = "any",
    alias: Sequence[str] = (),
    scratch: str | None = None,
    domain: tuple[float, float] = (-2.0, 2.0),
    ulps: float | Mapping[str, float] = 0.0,
    source: str = "",
) -> None:
    """Add a row.

    name: ATen overload as the Edge graph has it, ``aten.add.Tensor``; ``.default`` may be left out.
    schema: ATen's own schema without the name, ``(Tensor self, *, Scalar alpha=1) -> Tensor``.
    out: the out-variant's name in files without namespace, ``add.out``.
    types: dtypes of the first tensor input, or tuples giving one dtype per tensor input where they differ.
    shape: a call of a function of ``shapes`` on parameter names, ``broadcast(self, other)``; "" if there is none to set.
    kernels: kernel set → file beside the row; ``portable`` is required.
    layout: "any" — every dim order is read, the result takes that of the first tensor argument of its rank;
        "dense" — every dim order is read, the result is row-major;
        "contiguous" — the kernel reads row-major only (the compiler inserts a copy).
    alias: parameters whose memory the (first) result may take over, element for element.
    scratch: name of the C++ function in the kernel's file that states scratch bytes, or None.
    domain: range of drawn sample values. ulps: allowed difference from eager, in units of the
        last place of the result's dtype, one number or by dtype; 0 is exact.
    """
    family = _caller_family()
    by_dtype = (
        dict(ulps) if isinstance(ulps, Mapping) else dict.fromkeys(FLOATS, float(ulps))
    )
    full = name if name.count(".") == 2 else name + ".default"
    if full in TABLE:
        raise ValueError(f"op table: {full} has two rows")
    TABLE[full] = Op(
        full, schema, out, doc, tuple(types), shape, dict(kernels), tuple(samples), tuple(rejects),
        layout, tuple(alias), scratch, domain, by_dtype, source, family,
    )  # fmt: skip


_current_family = ""


def _caller_family() -> str:
    return _current_family


def load_table() -> dict[str, Op]:
    """Import every family's rows once and return the table."""
    global _current_family
    if not TABLE:
        here = Path(__file__).parent
        for file in sorted(here.glob("*/ops.py")):
            _current_family = file.parent.name
            importlib.import_module(f"rushlight.ops.{file.parent.name}.ops")
    return TABLE
