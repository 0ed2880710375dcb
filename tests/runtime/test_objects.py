# SPDX-License-Identifier: BSD-3-Clause
"""What runs on a microcontroller needs no heap, unwinder, RTTI or start-up code: proved on the built objects.

The objects are built here, with each compiler that is installed, in a folder that is
kept from run to run (``build/objects-…``).
"""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# What a library for bare metal supplies, and what a compiler calls of its own accord.
PERMITTED = re.compile(
    r"_?(mem(cpy|set|move|cmp)|str(cmp|len|ncmp|str)"  # <string.h>
    r"|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail"
    r"|__aeabi_\w+|__[a-z]+(df|sf|di|si|ti|xf|tf)\d|__(ext|trunc)\w+2"  # libgcc arithmetic
    r"|(l?l?rint|nearbyint|round|floor|ceil|trunc|fmod|remainder|ldexp|frexp|scalbn|fabs|fma|fmin|fmax|copysign"
    r"|exp|exp2|expm1|log|log2|log10|log1p|pow|sqrt|cbrt|hypot|sin|cos|sincos|tan|asin|acos|atan|atan2"
    r"|sinh|cosh|tanh|asinh|acosh|atanh|erf|erfc|tgamma|lgamma|lgamma_r|nextafter)[fl]?"
    r"|__(log|exp|pow|sqrt|fmod|exp2|log2|log10)f?_finite)"
)
FORBIDDEN_SECTIONS = (
    ".init_array",
    ".ctors",
    ".preinit_array",
    ".fini_array",
    ".tbss",
    ".tdata",
)
TARGETS = ("rushlight_runtime", "rushlight_kernels")
CORE_TEXT_NBYTES = 20_000
"""Limit of the runtime's objects for a Cortex-M33, message text left out."""


def tool(prefix: str, name: str) -> str:
    return shutil.which(prefix + name) or pytest.skip(
        f"{prefix}{name} is not installed"
    )


@cache
def build(preset: str) -> Path:
    """Folder with the libraries of one preset of CMakePresets.json."""
    for program in ("cmake", "ninja"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    folder = ROOT / "build" / f"objects-{preset}"
    configure = [
        "cmake",
        "--preset",
        preset,
        "-B",
        str(folder),
        "-DRUSHLIGHT_TESTS=OFF",
    ]
    jobs = str(min(os.cpu_count() or 1, 4))
    make = ["cmake", "--build", str(folder), "-j", jobs, "--target", *TARGETS]
    for command in (configure, make):
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return folder


def libraries(preset: str) -> list[Path]:
    return [next(build(preset).rglob(f"lib{name}.a")) for name in TARGETS]


PRESETS = [
    pytest.param("host", "", id="host"),
    pytest.param("cortex-m", "arm-none-eabi-", id="cortex-m"),
    pytest.param("size", "arm-none-eabi-", id="size"),
]


@pytest.mark.parametrize(("preset", "prefix"), PRESETS)
def test_nothing_is_called_that_allocates_throws_or_guards(preset, prefix):
    nm = tool(prefix, "nm")
    defined, undefined = set(), {}
    for library in libraries(preset):
        text = subprocess.run(
            [nm, "-A", library], check=True, capture_output=True, text=True
        )
        for line in text.stdout.splitlines():
            place, *_, kind, name = line.split()
            if kind in "Uw":
                undefined.setdefault(name, place)
            else:
                defined.add(name)
    ours = re.compile(r"_ZN?K?9rushlight|_Z\w*N9rushlight")
    wrong = {
        name: place
        for name, place in undefined.items()
        if name not in defined
        and not PERMITTED.fullmatch(name)
        and not ours.match(name)
    }
    assert not wrong


@pytest.mark.parametrize(("preset", "prefix"), PRESETS)
def test_nothing_runs_at_start_up(preset, prefix):
    objdump = tool(prefix, "objdump")
    for library in libraries(preset):
        text = subprocess.run(
            [objdump, "-h", library], check=True, capture_output=True, text=True
        )
        found = [
            s
            for s in FORBIDDEN_SECTIONS
            if re.search(rf"\s{re.escape(s)}", text.stdout)
        ]
        assert not found, f"{library.name}: {found}"


@pytest.mark.parametrize(("preset", "prefix"), PRESETS)
def test_nothing_is_kept_between_calls(preset, prefix):
    """No writable data: everything that changes is in the caller's memory."""
    nm = tool(prefix, "nm")
    for library in libraries(preset):
        text = subprocess.run([nm, library], check=True, capture_output=True, text=True)
        names = [line.split() for line in text.stdout.splitlines()]
        # Constants that hold addresses are "d" in position-independent code: .data.rel.ro.
        writable = [
            n[-1]
            for n in names
            if len(n) == 3 and n[1] in "bBdDcC" and preset != "host"
        ]
        assert not writable, library.name


def test_the_core_is_small_on_a_cortex_m33():
    size = tool("arm-none-eabi-", "size")
    library = libraries("size")[0]
    text = subprocess.run(
        [size, "-t", library], check=True, capture_output=True, text=True
    )
    total = int(text.stdout.splitlines()[-1].split()[0])
    print(f"{total} bytes of text")
    assert total < CORE_TEXT_NBYTES
