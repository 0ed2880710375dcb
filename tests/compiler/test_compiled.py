# SPDX-License-Identifier: BSD-3-Clause
"""compile(): one call from a model to results, and what it says on the way."""

import json
import warnings

import numpy as np
import pytest
import torch

import rushlight
from rushlight.backends.null import BACKEND
from rushlight.compiler import Call
from rushlight.compiler.compiled import STAGES
from rushlight.compiler.config import ExecutorchBackendConfig
from rushlight.compiler.plan import Arena
from rushlight.errors import (
    CompileInputError,
    EmitError,
    ExportError,
    PlanError,
    UnboundedDimError,
)
from tests.compiler.graphs import Function
from tests.compiler.test_program import Small, X, exported


def same(got, want):
    np.testing.assert_allclose(got, want.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_module_runs():
    model = Small().eval()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program = rushlight.compile(model, (X,))
    same(program(X), model(X))


def test_recurrent_layers_compile_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rushlight.compile(torch.nn.LSTM(4, 4).eval(), (torch.ones(2, 1, 4),))


def test_training_mode_is_said_and_given_back():
    model = Small()
    with pytest.warns(UserWarning, match="Small is in training mode"):
        rushlight.compile(model, (X,))
    assert model.training
    assert model.a.training


def test_an_exported_program_and_a_dict_of_them_run():
    same(rushlight.compile(exported())(X), Small()(X))
    program = rushlight.compile({"one": exported(), "two": exported()})
    same(program.method("two")(X), Small()(X))


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def encode(self, x):
        return self.linear(x)

    def decode(self, code):
        return torch.flatten(code, 0)


def test_methods_of_a_module_are_entry_points():
    model = Two().eval()
    program = rushlight.compile(
        model, methods={"encode": (X,), "decode": Call(kwargs={"code": X})}
    )
    same(program.encode(X), model.encode(X))
    same(program.decode(code=X), model.decode(X))
    assert "forward" not in vars(model)


def test_sizes_within_bounds_are_taken():
    model, n = Small().eval(), torch.export.Dim("n", min=1, max=8)
    program = rushlight.compile(model, (X,), dynamic_shapes={"x": {0: n}})
    for rows in (1, 8):
        x = torch.rand(rows, 4)
        same(program(x), model(x))


def test_a_size_without_bound_is_named():
    n = torch.export.Dim("n", min=1)
    with pytest.raises(UnboundedDimError, match=r"dimension 0 of input x.*max="):
        rushlight.compile(Small().eval(), (X,), dynamic_shapes={"x": {0: n}})


def test_stages_are_told_in_order():
    told = []
    program = rushlight.compile(Small().eval(), (X,), progress=told.append)
    assert tuple(told) == STAGES
    assert set(program.report().stages) == set(STAGES)


def test_the_report_tells_ops_memory_and_reasons():
    report = rushlight.compile(Small().eval(), (X,), backends=["null"]).report()
    method = report.methods["forward"]
    assert method.ops["aten::linear.out"] == 2
    assert method.lower_bound_nbytes <= method.arena_nbytes
    assert {left.reasons["NullBackend"] for left in method.left} == {"runs nothing"}
    assert "NullBackend left 2 aten.linear.default" in str(report)
    json.dumps(report.to_dict())


def test_it_saves_what_it_is(tmp_path):
    program = rushlight.compile(Small().eval(), (X,))
    path = program.save(tmp_path / "small.pte")
    assert path.read_bytes() == program.buffer
    same(rushlight.load(path)(X), Small()(X))


def test_backends_come_by_name_object_or_partitioner():
    for backend in ("null", "NullBackend", BACKEND):
        rushlight.compile(exported(), backends=[backend])
    with pytest.raises(
        CompileInputError, match=r"no backend 'none'; there are: .*Null"
    ):
        rushlight.compile(exported(), backends=["none"])
    with pytest.raises(CompileInputError, match="expected a name, a Backend"):
        rushlight.compile(exported(), backends=[3])


def test_failures_of_capture_are_ours():
    def branches_on_data(x):
        return x + 1 if x.sum() > 0 else x

    with pytest.raises(
        ExportError, match=r"could not capture Function\.forward"
    ) as caught:
        rushlight.compile(Function(branches_on_data).eval(), (X,))
    assert caught.value.__cause__ is not None


def test_memory_spills_from_a_small_arena_to_the_next():
    model, x = Small().eval(), torch.rand(40, 4)
    arenas = (Arena("sram", budget=512), Arena("dram"))
    program = rushlight.compile(
        model, (x,), config=ExecutorchBackendConfig(arenas=arenas)
    )
    blocks = program.report().methods["forward"].blocks
    assert {block["arena"] for block in blocks} == {"sram", "dram"}
    same(program(x), model(x))


def test_a_budget_that_cannot_be_kept_is_an_error():
    config = ExecutorchBackendConfig(arenas=[Arena("sram", budget=64)])
    with pytest.raises(PlanError, match="sram"):
        rushlight.compile(Small().eval(), (torch.rand(40, 4),), config=config)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("model", (X,)), "expected a torch.nn.Module.*got str"),
        ((Small().eval(), X), r"expected a tuple .* got Tensor; write \(x,\)"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(CompileInputError, match=message):
        rushlight.compile(*arguments)


def test_wrong_methods_are_named():
    with pytest.raises(CompileInputError, match="Two has no method 'run'"):
        rushlight.compile(Two().eval(), methods={"run": (X,)})
    with pytest.raises(CompileInputError, match=r"methods\['encode'\]: .*got Tensor"):
        rushlight.compile(Two().eval(), methods={"encode": X})


def test_one_tensor_given_twice_is_two_inputs():
    class Difference(torch.nn.Module):
        def forward(self, a, b):
            return a - b

    program = rushlight.compile(Difference().eval(), (X, X))
    same(program(X + 1, X), torch.ones_like(X))


def test_violated_constraints_come_with_torchs_suggestions():
    class Even(torch.nn.Module):
        def forward(self, x):
            return x.view(2, -1)

    dim = torch.export.Dim("n", min=2, max=64)
    with pytest.raises(ExportError, match="n = 2\\*_n"):
        rushlight.compile(Even().eval(), (torch.ones(6),), dynamic_shapes=({0: dim},))


def test_a_number_that_may_vary_is_refused_by_name():
    class Scale(torch.nn.Module):
        def forward(self, x, n):
            return x * n

    shapes = (None, torch.export.Dim.DYNAMIC(max=8))
    with pytest.raises(EmitError, match=r"argument n is a number that may vary"):
        rushlight.compile(Scale().eval(), (torch.ones(3), 2), dynamic_shapes=shapes)
