# SPDX-License-Identifier: BSD-3-Clause
"""Text from rows: the declarations, the sorted table and the list of kernel files.

    python -m rushlight.ops.generate --out build/generated [--select ops.txt]

writes, under ``rushlight/ops/`` of the output folder,

- ``<family>/ops_decl.inc``: per row, the kernel's declaration and ``types::<symbol>``,
- ``ops_decl.inc`` and ``ops_shapes.inc``: includes of every family's declarations,
- ``ops.inc``: ``RL_OP(name, kernel, shape, scratch, inputs, outputs, slots, writes,
  aliases)``, sorted,

and ``kernels.cmake``. A file whose text is unchanged is not touched.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from rushlight.ops import shapes
from rushlight.ops.calls import (
    aliased_slots,
    destinations,
    is_prim,
    is_symbolic,
    slot_count,
    written_slots,
)
from rushlight.ops.select import Selection, read_selection, select
from rushlight.ops.table import PORTABLE, Op, load_table

HERE = Path(__file__).parent
DTYPE_NAMES = {
    "float64": "Float64", "float32": "Float32", "float16": "Float16",
    "bfloat16": "BFloat16", "int64": "Int64", "int32": "Int32", "int16": "Int16",
    "int8": "Int8", "uint8": "UInt8", "bool": "Bool", "uint16": "UInt16",
    "uint32": "UInt32", "uint64": "UInt64",
}  # fmt: skip
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"


def input_dtypes(op: Op) -> list[list[str]]:
    """Dtypes of the first tensor input, and of the others where a row mixes them."""
    rows = [(t,) if isinstance(t, str) else t for t in op.types]
    count = max(map(len, rows), default=1)
    return [list(dict.fromkeys(r[k] for r in rows if k < len(r))) for k in range(count)]


def type_lists(op: Op, keep: Callable[[str], bool]) -> Iterator[str]:
    """``types::<symbol>``, and ``types::<symbol>_input<k>`` of a row that mixes dtypes."""
    for k, dtypes in enumerate(input_dtypes(op)):
        kept = [f"DType::{DTYPE_NAMES[t]}" for t in dtypes if keep(t)]
        suffix = f"_input{k}" if k else ""
        yield f"using {op.symbol}{suffix} = DTypeList<{', '.join(kept)}>;"


def declaration(op: Op, keep: Callable[[str], bool]) -> str:
    """The C++ declaration of a row's kernel, scratch function and dtypes."""
    types = ["KernelContext&", *(p.cpp for p in op.wire_parameters)]
    types += [*destinations(op)] + ["EValue&"] * is_symbolic(op)
    lines = [f"Error {op.symbol}({', '.join(types)});"]
    if op.scratch:
        lines.append(f"Error {op.scratch}({', '.join([*types, 'size_t*'])});")
    return "\n".join([*lines, "namespace types {", *type_lists(op, keep), "}"])


def shape_entry(op: Op) -> str:
    """The row's shape function as a C++ expression."""
    if not op.shape:
        return "nullptr"
    name, parameters = shapes.parse(op.shape)
    names = [p.name for p in op.wire_parameters]
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
    counts = f"{len(op.wire_parameters)}, {len(destinations(op))}, {slot_count(op)}"
    tail = f"{scratch}, {counts}, {written_slots(op):#x}, {aliased_slots(op):#x}"
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
    """The declarations of a family: of all its rows, since kernels share files.

    A row that is not selected has no dtypes.
    """
    lines = [LICENCE + "#pragma once\nnamespace rushlight::ops {"]
    for op in load_table().values():
        if op.family == family:
            listed = selection.get(op.wire_name, ()) or selection.get(op.name, ())
            dtypes = (listed or DTYPE_NAMES) if op in rows else ()
            lines.append(declaration(op, dtypes.__contains__))
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
