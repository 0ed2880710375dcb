# SPDX-License-Identifier: BSD-3-Clause
"""Text from rows: the declarations, the sorted table and the list of kernel files.

    python -m rushlight.ops.generate --out build/generated [--select ops.txt]

writes, under ``rushlight/ops/`` of the output folder,

- ``<family>/ops_decl.inc``: per row, the kernel's declaration and ``types::<symbol>``,
- ``ops_decl.inc`` and ``ops_shapes.inc``: includes of every family's declarations,
- ``ops.inc``: ``RL_OP(name, kernel, shape, scratch, inputs, outputs, slots, writes)``,
  sorted,

and ``kernels.cmake``. A file whose text is unchanged is not touched.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from rushlight.ops import shapes
from rushlight.ops.table import PORTABLE, Op, load_table

HERE = Path(__file__).parent
DTYPE_NAMES = {
    "float64": "Float64", "float32": "Float32", "float16": "Float16",
    "bfloat16": "BFloat16", "int64": "Int64", "int32": "Int32", "int16": "Int16",
    "int8": "Int8", "uint8": "UInt8", "bool": "Bool", "uint16": "UInt16",
    "uint32": "UInt32", "uint64": "UInt64",
}  # fmt: skip
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"
Selection = Mapping[str, tuple[str, ...]]


def read_selection(file: str) -> Selection:
    """Names to keep, each with the dtypes to keep (none: all), from ``--select``."""
    lines = Path(file).read_text().splitlines() if file else []
    words = [line.partition("#")[0].split() for line in lines]
    return {w[0]: tuple(w[1:]) for w in words if w}


def select(table: Mapping[str, Op], selection: Selection) -> list[Op]:
    """Rows that ``selection`` names by wire or ATen name (empty: all), by wire name."""
    known = {n for op in table.values() for n in (op.name, op.wire_name)}
    if unknown := sorted(set(selection) - known):
        raise SystemExit(f"--select: no such operator: {', '.join(unknown)}")
    rows = [
        op
        for op in table.values()
        if not selection or selection.keys() & {op.name, op.wire_name}
    ]
    return sorted(rows, key=lambda op: op.wire_name.encode())


def destinations(op: Op) -> tuple[str, ...]:
    """C++ types of the destinations: none for ops that work in place."""
    types = {"Tensor": "Tensor&", "Tensor[]": "TensorList"}
    return tuple(types[r] for r in op.returns if r in types)


def is_symbolic(op: Op) -> bool:
    """Whether the result is a number, written to the slot itself."""
    return any(not r.startswith("Tensor") for r in op.returns)


def is_prim(op: Op) -> bool:
    """Whether a call ends with the kernel's last parameter, without a return slot."""
    return is_symbolic(op) or op.name.startswith("executorch_prim.")


def slot_count(op: Op) -> int:
    """Exact length of a call's argument vector."""
    return (
        len(op.parameters)
        + len(destinations(op))
        + (is_symbolic(op) or not is_prim(op))
    )


def written_slots(op: Op) -> int:
    """Bit i: the kernel writes to the tensors in slot i.

    A prim with a destination of its own (``et_view``) makes it a view and writes nothing.
    """
    first = len(op.parameters)
    written = {i for i, p in enumerate(op.parameters) if p.cpp == "Tensor&"}
    if not is_prim(op):
        written |= {first + i for i in range(len(destinations(op)))}
    return sum(1 << i for i in written)


def declaration(op: Op, is_selected: bool, keep: tuple[str, ...]) -> str:
    """The C++ declaration of a row's kernel, scratch function and dtypes.

    A row that is not selected has no dtypes: its kernel shares a file with others.
    """
    types = [p.cpp for p in op.parameters]
    types += [*destinations(op)] + ["EValue&"] * is_symbolic(op)
    lines = [f"Error {op.symbol}({', '.join(['KernelContext&', *types])});"]
    if op.scratch:
        lines.append(
            f"Error {op.scratch}({', '.join(['KernelContext&', *types, 'size_t*'])});"
        )
    dtypes = dict.fromkeys(t if isinstance(t, str) else t[0] for t in op.types)
    kept = [t for t in dtypes if is_selected and (not keep or t in keep)]
    listed = ", ".join(f"DType::{DTYPE_NAMES[t]}" for t in kept)
    lines.append(f"namespace types {{\nusing {op.symbol} = DTypeList<{listed}>;\n}}")
    return "\n".join(lines)


def shape_entry(op: Op) -> str:
    """The row's shape function as a C++ expression."""
    if not op.shape:
        return "nullptr"
    name, parameters = shapes.parse(op.shape)
    names = [p.name for p in op.parameters]
    if name not in shapes.functions():
        raise SystemExit(f"{op.name}: no shape function is called {name}")
    if unknown := [p for p in parameters if p not in names]:
        raise SystemExit(
            f"{op.name}: shape {op.shape} names {unknown[0]}, not a parameter"
        )
    slots = "".join(f", {names.index(p)}" for p in parameters)
    return f"(shape_boxed<&shapes::{name}, {slot_count(op)}{slots}>)"


def entry(op: Op) -> str:
    """The row's line of ops.inc."""
    convention = "Prim" if is_prim(op) else "Kernel"
    kernel = f"(boxed<&ops::{op.symbol}, Convention::{convention}>)"
    scratch = (
        f"(scratch_boxed<&ops::{op.scratch}, Convention::{convention}>)"
        if op.scratch
        else "nullptr"
    )
    counts = f"{len(op.parameters)}, {len(destinations(op))}, {slot_count(op)}"
    tail = f"{scratch}, {counts}, {written_slots(op):#x}"
    return f'RL_OP("{op.wire_name}", {kernel}, {shape_entry(op)}, {tail})'


def kernel_file(op: Op) -> Path:
    """The file of a row's portable kernel; SystemExit if it is not there."""
    file = HERE / op.family / op.kernels[PORTABLE]
    if not file.is_file():
        raise SystemExit(f"{op.name}: its row names {file}, which does not exist")
    return file


def shared_files() -> Iterator[Path]:
    """What kernels share: the files with a header of the same stem beside them."""
    for file in sorted(HERE.glob("*/*.cpp")):
        if file.with_suffix(".h").is_file():
            yield file


def cmake(rows: list[Op]) -> str:
    """The kernel files of every family, for CMake."""
    files = {kernel_file(op) for op in rows} | set(shared_files())
    families = sorted({file.parent.name for file in files})
    lines = [f"set(RUSHLIGHT_KERNEL_FAMILIES {' '.join(families)})"]
    for family in families:
        listed = sorted(str(f) for f in files if f.parent.name == family)
        lines.append(f"set(RUSHLIGHT_KERNELS_{family}\n  " + "\n  ".join(listed) + ")")
    return "\n".join(lines) + "\n"


def declarations(family: str, rows: list[Op], selection: Selection) -> str:
    """The declarations of a family: of all its rows, since kernels share files."""
    lines = [LICENCE + "#pragma once\nnamespace rushlight::ops {"]
    for op in load_table().values():
        if op.family == family:
            keep = selection.get(op.wire_name, ()) or selection.get(op.name, ())
            lines.append(declaration(op, op in rows, keep))
    return "\n".join([*lines, "}  // namespace rushlight::ops\n"])


def texts(rows: list[Op], selection: Selection) -> Iterator[tuple[str, str]]:
    """Path under the output folder and text of every file."""
    families = sorted(file.parent.name for file in HERE.glob("*/ops.py"))
    for family in families:
        yield (
            f"rushlight/ops/{family}/ops_decl.inc",
            declarations(family, rows, selection),
        )
    includes = "".join(f'#include "rushlight/ops/{f}/ops_decl.inc"\n' for f in families)
    yield "rushlight/ops/ops_decl.inc", LICENCE + includes
    headers = sorted({header for _, header in shapes.functions().values()})
    yield (
        "rushlight/ops/ops_shapes.inc",
        LICENCE + "".join(f'#include "{h}"\n' for h in headers),
    )
    yield "rushlight/ops/ops.inc", LICENCE + "".join(entry(op) + "\n" for op in rows)
    yield "kernels.cmake", cmake(rows)


def main() -> None:
    """Write every file whose text changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of generated files"
    )
    parser.add_argument(
        "--select", default="", help="file naming the operators to build"
    )
    arguments = parser.parse_args()
    selection = read_selection(arguments.select)
    rows = select(load_table(), selection)
    for path, text in texts(rows, selection):
        file = arguments.out / path
        if not file.is_file() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


if __name__ == "__main__":
    main()
