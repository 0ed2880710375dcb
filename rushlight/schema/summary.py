# SPDX-License-Identifier: BSD-3-Clause
"""What a ``.pte`` file holds, as plain data: for `rushlight inspect` and for scripts."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rushlight.schema.reader import ProgramFile, read_program
from rushlight.schema.record import Record

DTYPES = {
    0: "uint8",
    1: "int8",
    2: "int16",
    3: "int32",
    4: "int64",
    5: "float16",
    6: "float32",
    7: "float64",
    8: "complex32",
    9: "complex64",
    10: "complex128",
    11: "bool",
    12: "qint8",
    13: "quint8",
    14: "qint32",
    15: "bfloat16",
    16: "quint4x2",
    17: "quint2x4",
    23: "float8_e5m2",
    24: "float8_e4m3fn",
    25: "float8_e5m2fnuz",
    26: "float8_e4m3fnuz",
    27: "uint16",
    28: "uint32",
    29: "uint64",
}
"""PyTorch's scalar type numbers, as files store them."""

SCALARS = {"Int": "value", "Bool": "value", "Double": "value", "String": "value"}


def summarize(data: bytes) -> dict[str, Any]:
    """The file's methods, operators, delegates, segments and sizes in bytes.

    Reads stock's files and ours. Raises InvalidProgramError.
    """
    file = read_program(data)
    program = file.program
    return {
        "file_nbytes": len(data),
        "flatbuffer_nbytes": file.layout.flatbuffer_nbytes,
        "methods": [_method(m, file) for m in program.methods],
        "segments": _segments(file),
        "constants": max(0, len(_offsets(program.constants)) - 1),
        "named_data": [
            {"key": n.key, "segment": n.segment} for n in program.named_data or ()
        ],
    }


def operator_name(record: Record) -> str:
    """``aten::add.out`` of an OperatorName record."""
    return f"{record.name}.{record.overload}" if record.overload else str(record.name)


def describe(value: Record) -> dict[str, Any]:
    """One value of a method: its kind, and for tensors dtype, sizes, dim order and placement."""
    if value.type_name in SCALARS:
        return {"kind": value.type_name.lower(), "value": value.value}
    if value.type_name != "Tensor":
        return {"kind": value.type_name.lower()}
    out: dict[str, Any] = {
        "kind": "tensor",
        "dtype": DTYPES.get(value.dtype, f"dtype {value.dtype}"),
        "shape": list(value.sizes),
    }
    if list(value.dim_order) != list(range(len(value.sizes))):
        out["dim_order"] = list(value.dim_order)
    if value.dynamism:
        out["dynamic"] = True
    if value.placement is not None:
        out["arena"] = value.placement.memory_id
    return out


def _offsets(sub: Record | None) -> list[int]:
    return list(sub.offsets or ()) if sub is not None else []


def _values(method: Record, indices: list[int]) -> list[dict[str, Any]]:
    values = method.values
    known = range(len(values))
    return [
        describe(values[i]) if i in known else {"kind": f"no value {i}"}
        for i in indices
    ]


def _method(method: Record, file: ProgramFile) -> dict[str, Any]:
    operators, calls = method.operators or [], Counter[str]()
    counts = Counter[str]()
    for chain in method.chains:
        for instruction in chain.instructions:
            counts[instruction.type_name] += 1
            if instruction.type_name == "KernelCall":
                known = 0 <= instruction.operator < len(operators)
                name = operator_name(operators[instruction.operator]) if known else "?"
                calls[name] += 1
    return {
        "name": method.name,
        "inputs": _values(method, method.inputs),
        "outputs": _values(method, method.outputs),
        "values": len(method.values),
        "instructions": {_words(k): n for k, n in sorted(counts.items())},
        "operators": dict(sorted(calls.items(), key=lambda kv: (-kv[1], kv[0]))),
        "delegates": [_delegate(d, file) for d in method.delegates],
        "arena_nbytes": list(method.arena_nbytes)[1:],
    }


def _words(type_name: str) -> str:
    return {
        "KernelCall": "kernel calls",
        "DelegateCall": "delegate calls",
        "Move": "moves",
        "JumpFalse": "jumps",
        "Free": "frees",
    }[type_name]


def _delegate(delegate: Record, file: ProgramFile) -> dict[str, Any]:
    blob = delegate.blob
    inline = blob.kind == 0
    nbytes: int | None = None
    if inline:
        blobs = file.program.inline_delegates or []
        if blob.index < len(blobs):
            nbytes = len(blobs[blob.index].bytes or b"")
    elif blob.index < len(file.segments):
        nbytes = len(file.segments[blob.index])
    place = "inline" if inline else f"segment {blob.index}"
    return {"backend": delegate.backend, "place": place, "nbytes": nbytes}


def _segments(file: ProgramFile) -> list[dict[str, Any]]:
    program = file.program
    use: dict[int, list[str]] = {}
    if program.constants is not None and len(_offsets(program.constants)) > 1:
        use.setdefault(program.constants.segment, []).append("constants")
    for mutable in program.mutable_data or ():
        use.setdefault(mutable.segment, []).append("initial state")
    for named in program.named_data or ():
        use.setdefault(named.segment, []).append(f"named data {named.key}")
    for method in program.methods:
        for delegate in method.delegates:
            if delegate.blob.kind == 1:
                users = use.setdefault(delegate.blob.index, [])
                users.append(f"{delegate.backend} payload")
    base = file.layout.segment_base
    return [
        {
            "offset": base + s.offset,
            "nbytes": s.nbytes,
            "holds": sorted(set(use.get(i, []))),
        }
        for i, s in enumerate(program.segments or ())
    ]
