# SPDX-License-Identifier: BSD-3-Clause
"""Programs that we write run in the stock runtime and say what eager says."""

import copy
import json
from functools import cache

import pytest
import torch
from torch.utils import _pytree as pytree

from rushlight.compiler.config import ExecutorchBackendConfig
from rushlight.compiler.emit import EmitConfig, emit_program
from rushlight.compiler.linearize import LinearizeOptions
from rushlight.compiler.pipeline import finish, optimise, to_edge_for
from rushlight.compiler.plan import Arena
from rushlight.errors import EmitError, PlanError, UnboundedDimError
from rushlight.schema.reader import read_program
from tests.compiler.models import MODELS, drawn
from tests.stock import stock

CONFIGS = {
    "planned": EmitConfig(),
    "caller-memory": EmitConfig(
        LinearizeOptions(plan_inputs=False, plan_outputs=False)
    ),
    "plain": EmitConfig(LinearizeOptions(elide_views=False, reuse_state=False)),
}


@cache
def edge_for_stock(name):
    """A case's program with torch's own decompositions, made once for all configs."""
    one = MODELS[name]
    return lower(copy.deepcopy(one.model), one.inputs, one.dynamic, one.kwargs)


def lower(model, inputs, dynamic=None, kwargs=None):
    exported = torch.export.export(
        model, inputs, kwargs or {}, dynamic_shapes=dynamic, strict=False
    )
    return exported.run_decompositions()


def flat(value):
    return pytree.tree_leaves(value)


def eager(model, calls, kwargs):
    """Flat results of each call on a fresh copy of the model, its state carried along."""
    model = copy.deepcopy(model).requires_grad_(False)
    return [
        copy.deepcopy(flat(model(*copy.deepcopy(c), **copy.deepcopy(kwargs))))
        for c in calls
    ]


def agree(got, want):
    assert len(got) >= len(want)
    got = got[len(got) - len(want) :]  # written-back inputs come first
    for one, other in zip(got, want, strict=True):
        if isinstance(other, torch.Tensor):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
        else:
            assert one == other and type(one) is type(other)


def run_stock(result, calls, kwargs=None, data=None):
    flat_calls = [("forward", flat((list(c), kwargs or {}))) for c in calls]
    return stock().run(result.buffer, flat_calls, data)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("name", MODELS)
def test_runs_in_stock_as_eager(name, config):
    one = MODELS[name]
    result = emit_program({"forward": edge_for_stock(name)}, config)
    got = run_stock(result, one.calls, one.kwargs)
    for mine, want in zip(got, eager(one.model, one.calls, one.kwargs), strict=True):
        agree(mine, want)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("name", MODELS)
def test_runs_in_ours_as_eager(name, config):
    one = MODELS[name]
    pytest.importorskip("rushlight._runtime", reason="the extension is not built")
    import rushlight

    result = emit_program({"forward": edge_for_ours(name)}, config)
    method = rushlight.load(result.buffer).method("forward")
    for call, want in zip(
        one.calls, eager(one.model, one.calls, one.kwargs), strict=True
    ):
        got = flat(method(*copy.deepcopy(call), **one.kwargs, output="torch"))
        agree(got, want)


@cache
def edge_for_ours(name):
    """A case's program in Edge dialect, as the pipeline makes it."""
    one = MODELS[name]
    exported = torch.export.export(
        copy.deepcopy(one.model), one.inputs, one.kwargs, dynamic_shapes=one.dynamic
    )
    return finish(optimise(to_edge_for(exported, ())), ExecutorchBackendConfig())


def ops_of(result, method="forward"):
    return [step["op"] for step in result.methods[method].steps()]


def emitted(name, config=None):
    return emit_program({"forward": edge_for_stock(name)}, config)


def test_the_same_model_gives_the_same_bytes():
    for name in ("lists", "cond_nested", "counters", "size_arithmetic"):
        anew = edge_for_stock.__wrapped__(name)  # torch counts some names up
        assert emit_program({"forward": anew}).buffer == emitted(name).buffer


def test_a_cache_is_updated_in_place_without_copies():
    assert "aten::copy_" not in ops_of(emitted("kv_cache"))
    assert ops_of(emitted("kv_cache"))[0] == "aten::index_put_"


def test_state_whose_old_value_is_read_later_is_copied_at_the_end():
    ops = ops_of(emitted("counters"))
    assert "aten::copy_" in ops


def test_static_reshapes_cost_nothing():
    steps = ops_of(emitted("shape_ops"))
    assert "aten::unsqueeze_copy.out" not in steps
    steps = ops_of(emitted("size_arithmetic"))
    assert "executorch_prim::et_view.default" in steps
    assert steps.count("aten::view_copy.out") == 1  # the one that is returned


def test_initial_state_is_stored_unless_it_is_zero():
    program = read_program(emitted("counters").buffer).program
    offsets = program.mutable_data[0].offsets
    assert len(offsets) == 2  # the dummy, and buffer a; b and n are zero


def test_methods_share_constants():
    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(drawn(64, 64))

        def forward(self, x):
            return x @ self.w

    once = emit_program({"a": lower(Two(), (drawn(2, 64),))})
    twice = emit_program(
        {"b": lower(Two(), (drawn(4, 64),)), "a": lower(Two(), (drawn(2, 64),))}
    )
    assert len(twice.buffer) - len(once.buffer) < 64 * 64 * 4
    names = [method.name for method in read_program(twice.buffer).program.methods]
    assert names == ["a", "b"]
    x = drawn(4, 64)
    (got,) = stock().run(twice.buffer, [("b", [x])])[0]
    torch.testing.assert_close(got, x @ drawn(64, 64), rtol=1e-4, atol=1e-4)


def test_constant_methods_return_their_values():
    values = {
        "get_n_layers": 3,
        "get_eos_ids": [1, 2],
        "name": "tiny",
        "ratio": 0.5,
        "use_kv_cache": True,
        "table": torch.arange(4.0),
    }
    program = lower(MODELS["mlp"].model, MODELS["mlp"].inputs)
    result = emit_program({"forward": program}, constant_methods=values)
    got = stock().run(result.buffer, [(name, []) for name in values])
    for mine, want in zip(got, values.values(), strict=True):
        agree(mine, flat(want))
    with pytest.raises(EmitError, match="constant method x returns a complex"):
        emit_program({}, constant_methods={"x": 1j})


def test_weights_live_in_a_file_of_their_own():
    one = MODELS["mlp"]
    options = LinearizeOptions(external=lambda node: "weights")
    program = lower(one.model, one.inputs)
    result = emit_program({"forward": program}, EmitConfig(options))
    assert list(result.external) == ["weights"]
    assert len(result.buffer) < len(emitted("mlp").buffer)
    got = run_stock(result, one.calls, data=result.external["weights"])
    agree(got[0], eager(one.model, one.calls, {})[0])


def test_what_does_not_fit_the_first_arena_goes_to_the_second():
    one = MODELS["conv_bn_relu"]
    arenas = (Arena("fast", 2048), Arena("slow"))
    result = emit_program(
        {"forward": lower(one.model, one.inputs)}, EmitConfig(arenas=arenas)
    )
    fast, slow = result.plans["forward"].arenas
    assert fast.nbytes <= 2048 and slow.nbytes >= 8 * 12 * 12 * 4
    agree(run_stock(result, one.calls)[0], eager(one.model, one.calls, {})[0])
    with pytest.raises(PlanError, match="budget of 2048 bytes"):
        emit_program(
            {"forward": lower(one.model, one.inputs)},
            EmitConfig(arenas=(Arena("fast", 2048),)),
        )


def test_a_node_may_choose_its_arena():
    one = MODELS["mlp"]
    options = LinearizeOptions(
        arena_of=lambda node: "slow" if "relu" in node.name else None
    )
    config = EmitConfig(options, arenas=(Arena("fast"), Arena("slow")))
    result = emit_program({"forward": lower(one.model, one.inputs)}, config)
    arenas = {row["name"]: row["arena"] for row in result.methods["forward"].table()}
    assert arenas["relu"] == "slow" and arenas["addmm"] == "fast"


def test_a_size_without_bound_names_the_input_and_the_remedy():
    class Sum(torch.nn.Module):
        def forward(self, x):
            return x.sum(0)

    program = lower(Sum(), (drawn(4, 3),), {"x": {0: torch.export.Dim("rows")}})
    with pytest.raises(UnboundedDimError, match=r"dimension 0 of input x .*max=\.\.\."):
        emit_program({"forward": program})


def test_source_lines_are_stored_without_private_paths():
    chain = read_program(emitted("mlp").buffer).program.methods[0].chains[0]
    files = {frame.file for trace in chain.traces for frame in trace.frames}
    assert files and not any(file.startswith("/") for file in files)
    lines = [step["line"] for step in emitted("mlp").methods["forward"].steps()]
    assert any(line.startswith("models.py:") for line in lines)
    bare = emitted("mlp", EmitConfig(LinearizeOptions(traces=False)))
    assert read_program(bare.buffer).program.methods[0].chains[0].traces is None


def test_argument_names_and_lower_bounds_are_stored():
    file = read_program(emitted("dynamic_batch").buffer)
    (blob,) = file.program.named_data
    said = json.loads(bytes(file.segments[blob.segment]))["methods"]["forward"]
    assert said == {"inputs": [{"min": [1, 6], "name": "x"}], "positional": 1}


def test_shared_state_has_one_place_in_every_method():
    class Step(torch.nn.Module):
        def __init__(self, by):
            super().__init__()
            self.by = by
            self.register_buffer("total", torch.zeros(4))

        def forward(self, x):
            self.total += x * self.by
            return self.total.clone()

    methods = {n: lower(Step(by), (drawn(4),)) for n, by in (("a", 1.0), ("b", 10.0))}
    result = emit_program(methods, EmitConfig(share_state=True))
    x = torch.ones(4)
    got = stock().run(result.buffer, [("a", [x]), ("b", [x]), ("a", [x])])
    assert [float(outputs[0][0]) for outputs in got] == [1.0, 11.0, 12.0]


def test_plans_stay_near_the_lower_bound():
    for name in MODELS:
        arena = emitted(name).plans["forward"].arenas[0]
        padding = 16 * len(emitted(name).methods["forward"].buffers)
        assert arena.nbytes <= 1.05 * arena.lower_bound + padding
