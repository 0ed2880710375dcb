# SPDX-License-Identifier: BSD-3-Clause
"""The op table and its generator need the standard library and nothing else."""

import subprocess
import sys
from pathlib import Path

from rushlight.ops import generate
from rushlight.ops.generate import texts
from rushlight.ops.select import select
from rushlight.ops.table import load_table

BLOCKED = """
import sys
for name in ("torch", "numpy", "flatbuffers"):
    sys.modules[name] = None
from rushlight.ops.generate import texts
from rushlight.ops.select import select
from rushlight.ops.table import load_table
rows = select(load_table(), {})
assert rows and list(texts(rows, {}))
"""


def test_table_and_generator_work_without_torch():
    subprocess.run([sys.executable, "-c", BLOCKED], check=True)


def test_entries_are_sorted_by_name_as_bytes():
    names = [op.wire_name.encode() for op in select(load_table(), {})]
    assert names == sorted(names)
    assert len(names) == len(set(names))


SOURCES = Path(__file__).parents[2] / "rushlight" / "ops"


def test_selection_drops_rows_and_dtypes(monkeypatch):
    monkeypatch.setattr(generate, "HERE", SOURCES)  # an installed package has no .cpp
    selection = {"aten::leaky_relu.out": ("float32",)}
    rows = select(load_table(), selection)
    made = dict(texts(rows, selection))
    assert made["rushlight/ops/ops.inc"].count("RL_OP(") == 1
    declared = made["rushlight/ops/elementwise/ops_decl.inc"]
    assert "using leaky_relu = DTypeList<DType::Float32>;" in declared
