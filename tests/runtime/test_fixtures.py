# SPDX-License-Identifier: BSD-3-Clause
"""Programs made by the stock exporter run here and match eager, call after call."""

import pytest

import rushlight
from tests.support import recorded_programs

PORTABLE = recorded_programs()


@pytest.mark.parametrize("how", ["path", "bytes"])
@pytest.mark.parametrize("program", PORTABLE, ids=lambda p: p.name)
def test_calls_match_eager(program, how):
    read = {"path": lambda p: p, "bytes": lambda p: p.read_bytes()}[how]
    loaded = rushlight.load(read(program.path), data=[read(p) for p in program.data])
    assert set(loaded.methods) == set(program.methods)
    for call in program.calls:
        method = loaded.method(call["method"])
        raw = method.run_flat(program.inputs(call))
        program.check(call, raw)


@pytest.mark.parametrize("program", PORTABLE, ids=lambda p: p.name)
def test_stock_names_give_torch_tensors(program):
    torch = pytest.importorskip("torch")
    from rushlight.runtime import Runtime

    data_path = program.data[0] if program.data else None
    loaded = Runtime.get().load_program(program.path, data_path=data_path)
    methods = {name: loaded.load_method(name) for name in program.methods}
    for call in program.calls:
        inputs = [
            torch.from_numpy(x) if hasattr(x, "shape") else x
            for x in program.inputs(call)
        ]
        outputs = methods[call["method"]].execute(inputs)
        as_numpy = [o.numpy() if isinstance(o, torch.Tensor) else o for o in outputs]
        program.check(call, as_numpy)


def test_a_program_without_its_data_file_says_so():
    program = next(p for p in PORTABLE if p.data)
    with pytest.raises(rushlight.errors.RuntimeFailure) as failure:
        rushlight.load(program.path).method("forward")
    assert failure.value.code in {"InvalidState", "NotFound", "InvalidExternalData"}
