# SPDX-License-Identifier: BSD-3-Clause
"""Programs that we write run in the stock runtime and say what eager says."""

import copy

import pytest
import torch
from torch.utils import _pytree as pytree

from rushlight.compiler.emit import EmitConfig, emit_program
from rushlight.compiler.linearize import LinearizeOptions
from tests.compiler.models import MODELS
from tests.stock import stock

CONFIGS = {
    "planned": EmitConfig(),
    "caller-memory": EmitConfig(
        LinearizeOptions(plan_inputs=False, plan_outputs=False)
    ),
    "plain": EmitConfig(LinearizeOptions(elide_views=False, reuse_state=False)),
}


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
    program = lower(copy.deepcopy(one.model), one.inputs, one.dynamic, one.kwargs)
    result = emit_program({"forward": program}, config)
    got = run_stock(result, one.calls, one.kwargs)
    for mine, want in zip(got, eager(one.model, one.calls, one.kwargs), strict=True):
        agree(mine, want)
