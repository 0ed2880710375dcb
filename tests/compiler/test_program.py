# SPDX-License-Identifier: BSD-3-Clause
"""The managers under stock's names: signatures as stock has them, steps that leave no trace."""

import inspect
import io

import pytest
import torch

import rushlight
from rushlight.compiler.config import EdgeCompileConfig, ExecutorchBackendConfig
from rushlight.compiler.delegation import to_backend
from rushlight.compiler.passes.base import edge_pass
from rushlight.compiler.program import (
    EdgeProgramManager,
    ExecutorchProgramManager,
    to_edge,
    to_edge_transform_and_lower,
)
from rushlight.errors import CompileInputError, IllegalOpError, UnboundedDimError
from tests.compiler.graphs import Function, aten
from tests.compiler.test_partition import Tags, lowered, only


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = torch.nn.Linear(4, 3), torch.nn.Linear(3, 2)

    def forward(self, x):
        return self.b(torch.flatten(self.a(x), 1))


X = torch.rand(5, 4)


def exported(model=None, *inputs, **options):
    return torch.export.export((model or Small()).eval(), inputs or (X,), **options)


def parameters(function):
    return set(inspect.signature(inspect.unwrap(function)).parameters)


@pytest.mark.parametrize(
    "ours",
    [
        to_edge,
        to_edge_transform_and_lower,
        EdgeProgramManager.__init__,
        EdgeProgramManager.exported_program,
        EdgeProgramManager.transform,
        EdgeProgramManager.to_backend,
        EdgeProgramManager.to_executorch,
        ExecutorchProgramManager.__init__,
        ExecutorchProgramManager.save,
        ExecutorchProgramManager.write_to_file,
        ExecutorchProgramManager.write_tensor_data_to_file,
        ExecutorchProgramManager.dump_executorch_program,
        EdgeCompileConfig.__init__,
        ExecutorchBackendConfig.__init__,
    ],
    ids=lambda f: f.__qualname__,
)
def test_every_argument_of_stock_is_known(ours):
    exir = pytest.importorskip("executorch.exir")
    owner, _, name = ours.__qualname__.rpartition(".")
    theirs = getattr(getattr(exir, owner) if owner else exir, name)
    assert parameters(theirs) - {"args", "kwargs"} <= parameters(ours)


def test_from_program_to_a_result():
    manager = to_edge(exported()).to_executorch()
    program = rushlight.load(manager.buffer)
    torch.testing.assert_close(torch.from_numpy(program(X)), Small()(X).detach())


def test_same_model_same_bytes():
    first, second = (to_edge(exported()).to_executorch().buffer for _ in range(2))
    assert first == second


def test_a_manager_can_be_written_twice():
    edge = to_edge_transform_and_lower(exported())
    before = str(edge.exported_program())
    assert edge.to_executorch().buffer == edge.to_executorch().buffer
    assert str(edge.exported_program()) == before


def test_several_methods_and_constants():
    programs = {"encode": exported(), "decode": exported()}
    edge = to_edge(programs, constant_methods={"get_dim": 4})
    assert (edge.methods, edge.config_methods) == ({"encode", "decode"}, {"get_dim"})
    program = rushlight.load(edge.to_executorch().buffer)
    assert set(program.methods) == {"encode", "decode", "get_dim"}


def test_a_constant_with_the_name_of_a_method_is_refused():
    with pytest.raises(CompileInputError, match="forward would be both"):
        to_edge(exported(), constant_methods={"forward": 1})


def test_an_unknown_method_is_told_with_the_known_ones():
    with pytest.raises(CompileInputError, match=r"no method 'run'; there are: forward"):
        to_edge(exported()).exported_program("run")


def test_something_else_than_a_program_is_refused():
    with pytest.raises(CompileInputError, match=r"got Small; call torch\.export"):
        to_edge(Small())


@edge_pass
def halve(program):
    """Replace the second linear's weight by half of it: to see that it ran."""
    program.state_dict["b.weight"] = torch.nn.Parameter(
        program.state_dict["b.weight"] / 2
    )
    return 0


def test_transform_runs_passes_on_a_copy():
    edge = to_edge(exported())
    changed = edge.transform([halve])
    halved = changed.exported_program().state_dict["b.weight"]
    torch.testing.assert_close(
        halved * 2, edge.exported_program().state_dict["b.weight"]
    )


def test_transform_takes_passes_by_method():
    edge = to_edge({"one": exported(), "two": exported()}).transform({"two": [halve]})
    one, two = (edge.exported_program(n).state_dict["b.weight"] for n in ("one", "two"))
    torch.testing.assert_close(two * 2, one)


class Renaming:
    """A pass in stock's form: GraphModule to a result with ``graph_module``."""

    def __call__(self, graph_module):
        self.seen = graph_module
        self.graph_module = graph_module
        return self


def test_transform_takes_stock_style_passes():
    renaming = Renaming()
    to_edge(exported()).transform([renaming])
    assert isinstance(renaming.seen, torch.fx.GraphModule)


def test_a_pass_that_returns_something_else_is_refused():
    with pytest.raises(CompileInputError, match="returned int, expected a PassResult"):
        to_edge(exported()).transform([lambda graph_module: 3])


def test_to_backend_gives_partitions_away():
    edge = to_edge(exported())
    given = edge.to_backend(Tags(only(aten.linear.default, aten.view.default)))
    assert len(lowered(given.exported_program())) == 1
    assert not lowered(edge.exported_program())
    calls = given.to_executorch().delegate_map["forward"]
    assert calls[0]["name"] == "RecordingBackend"


def test_to_backend_as_a_function():
    edge = to_edge(exported()).exported_program()
    assert (
        len(
            lowered(
                to_backend(edge, Tags(only(aten.linear.default, aten.view.default)))
            )
        )
        == 1
    )
    whole = to_backend("RecordingBackend", edge, [])
    assert whole.processed_bytes.count(b"linear") == 2
    with pytest.raises(CompileInputError, match="got int"):
        to_backend(3)


def test_partitioner_at_once():
    edge = to_edge_transform_and_lower(
        exported(), partitioner=[Tags(only(aten.linear.default, aten.view.default))]
    )
    assert len(lowered(edge.exported_program())) == 1


BESSEL = Function(torch.special.bessel_j0)


def test_what_cannot_run_is_an_error_before_there_is_a_file():
    with pytest.raises(IllegalOpError, match="bessel_j0"):
        to_edge_transform_and_lower(exported(BESSEL, X))
    with pytest.raises(IllegalOpError, match="bessel_j0"):
        to_edge(exported(BESSEL, X)).to_executorch()


def test_the_check_can_be_turned_off():
    config = EdgeCompileConfig(_check_ir_validity=False)
    to_edge_transform_and_lower(exported(BESSEL, X), compile_config=config)


def test_a_dim_without_bound_is_named():
    dims = {"x": {0: torch.export.Dim("n", min=1)}}
    with pytest.raises(
        UnboundedDimError, match="dimension 0 of input x has no upper bound"
    ):
        to_edge_transform_and_lower(exported(dynamic_shapes=dims))


def test_files_are_written(tmp_path):
    manager = to_edge(exported()).to_executorch(
        ExecutorchBackendConfig(external_constants=True)
    )
    manager.save(tmp_path / "m.pte")
    stream = io.BytesIO()
    manager.write_to_file(stream)
    assert (tmp_path / "m.pte").read_bytes() == manager.buffer == stream.getvalue()
    (data,) = tmp_path.glob("*.ptd")
    program = rushlight.load(tmp_path / "m.pte", data)
    torch.testing.assert_close(torch.from_numpy(program(X)), Small()(X).detach())


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(CompileInputError, match=r"'m\.bin' must end in \.pte"):
        to_edge(exported()).to_executorch().save(tmp_path / "m.bin")


def test_instructions_can_be_printed():
    out = io.StringIO()
    to_edge(exported()).to_executorch().dump_executorch_program(out=out)
    assert out.getvalue().count("aten::linear.out") == 2


def test_the_program_table_can_be_read():
    assert to_edge(exported()).to_executorch().executorch_program is not None
