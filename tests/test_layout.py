# SPDX-License-Identifier: BSD-3-Clause
"""The tree keeps its rules: arrows between rooms, sizes, orphans, names, doc links."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "rushlight"

# A room may use the rooms listed; `*` is everything but tools and tests.
ARROWS = {
    "errors.py": set(),
    "schema": {"errors.py", "runtime/core"},
    "ops": {"errors.py", "runtime/core"},
    "runtime/core": set(),
    "runtime": {"runtime/core", "schema", "ops", "backends", "errors.py"},
    "host": {"runtime", "runtime/core", "schema", "ops", "backends"},
    "compiler": {"ops", "schema", "backends", "errors.py", "runtime"},
    "quantize": {"compiler", "errors.py", "ops"},
    "bindings": {"host", "runtime", "runtime/core", "ops", "backends", "schema"},
    "backends": {"compiler", "runtime", "runtime/core", "ops", "errors.py", "schema"},
    "ports": {"runtime", "runtime/core"},
    "compat": {"*"},
    "tools": {"*"},
    "__init__.py": {"*"},
}
FORBIDDEN_NAMES = re.compile(r"util|common|helper|misc")
CODE = [
    p
    for p in sorted(PACKAGE.rglob("*"))
    if p.suffix in {".py", ".h", ".cpp"} and "__pycache__" not in p.parts
]


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return "runtime/core" if parts[:2] == ("runtime", "core") else parts[0]


def module_room(name: str) -> str:
    parts = name.split(".")
    if len(parts) == 1:
        return "__init__.py"
    if parts[1] == "_runtime":
        return "bindings"
    return f"{parts[1]}.py" if (PACKAGE / f"{parts[1]}.py").exists() else parts[1]


def python_uses(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "rushlight":
            names |= {f"rushlight.{a.name}" for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    ours = {module_room(n) for n in names if n.split(".")[0] == "rushlight"}
    known = {p.name for p in PACKAGE.iterdir()} | {"bindings", "__init__.py"}
    return {"__init__.py" if r not in known else r for r in ours}


def cpp_uses(path: Path) -> set[str]:
    includes = re.findall(r'#include "rushlight/([^"]+)"', path.read_text())
    return {
        "runtime/core" if i.startswith("runtime/core/") else i.split("/")[0]
        for i in includes
    }


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_arrows_point_the_right_way(path):
    source, uses = room(path), cpp_uses(path)
    if path.suffix == ".py":
        uses = python_uses(path)
        if source == "runtime":
            uses.discard("bindings")  # runtime/__init__.py is the face over them
    permitted = ARROWS[source] | {source}
    if "*" in permitted:
        uses = uses & {"tools", "tests"} - {source}
    wrong = uses - permitted
    assert not wrong, f"{name_of(path)} is in room {source} and must not use {wrong}"


def test_rows_import_nothing_but_the_standard_library():
    for path in [PACKAGE / "ops/table.py", *PACKAGE.glob("ops/*/ops.py")]:
        tree = ast.parse(path.read_text())
        names = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {a.name for a in node.names}
        assert not {n for n in names if n and n.split(".")[0] in {"torch", "numpy"}}


def test_every_kernel_file_belongs_to_a_row():
    from rushlight.ops.table import load_table

    named = {
        f"{row.family}/{file}"
        for row in load_table().values()
        for file in row.kernels.values()
    }
    for path in PACKAGE.glob("ops/*/*.cpp"):
        key = f"{path.parent.name}/{path.name}"
        shared = path.with_suffix(".h").exists()
        assert key in named or shared, f"{key}: no row names it, no header shares it"


def test_no_drawers():
    for path in CODE:
        found = FORBIDDEN_NAMES.search(path.name.lower())
        assert not found, f"{name_of(path)}: name it after what it holds"


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_files_fit_in_the_head(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= 500, f"{len(lines)} lines, the budget is 500"
    assert not lines or "SPDX-License-Identifier" in lines[0], "no licence line"


def reasoned(lines: list[str], start: int) -> bool:
    """A `// size: reason` stands just above the function."""
    return any("size: " in line for line in lines[max(0, start - 4) : start + 1])


def test_functions_fit_on_a_screen():
    import lizard

    over = []
    for result in lizard.analyze_files([str(p) for p in CODE]):
        limit = 40 if result.filename.endswith(".py") else 60
        lines = Path(result.filename).read_text().splitlines()
        for f in result.function_list:
            # ruff's C901 counts the paths of Python functions.
            is_tangled = f.cyclomatic_complexity > 10 and limit == 60
            is_long = f.nloc > limit or is_tangled
            if is_long and not reasoned(lines, f.start_line):
                where = f"{name_of(Path(result.filename))}:{f.start_line} {f.name}"
                over.append(f"{where}: {f.nloc} lines, {f.cyclomatic_complexity} paths")
    assert not over, "budget: 40 lines Python, 60 C++, 10 paths:\n" + "\n".join(over)


def test_links_in_the_documents_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    pages += [*ROOT.glob("docs/**/*.md"), *PACKAGE.rglob("README.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            exists = "://" in target or (page.parent / target).exists()
            assert exists, f"{page.relative_to(ROOT)} links to {target}"
