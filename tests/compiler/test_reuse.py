# SPDX-License-Identifier: BSD-3-Clause
"""Random programs with state, views and reused memory say what eager says, call after call."""

import copy

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from rushlight.compiler.config import ExecutorchBackendConfig
from rushlight.compiler.emit import EmitConfig, emit_program
from rushlight.compiler.linearize import LinearizeOptions
from rushlight.compiler.pipeline import finish, optimise, to_edge_for
from tests.compiler.models import drawn

pytest.importorskip("rushlight._runtime", reason="the extension is not built")

SHAPES = [(4, 6), (6, 4), (24,), (2, 3, 4)]
UNARY = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "neg": torch.neg,
    "clone": torch.clone,
    "half": lambda x: x * 0.5,
    "permuted": lambda x: x.transpose(0, -1).contiguous().view(x.shape),
}
BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "halves": lambda a, b: torch.cat([a.flatten()[:12], b.flatten()[12:]]),
}


class Drawn(nn.Module):
    """Runs ``steps`` over a growing list of values, the inputs and state first."""

    def __init__(self, steps, returned):
        super().__init__()
        self.steps, self.returned = steps, returned
        self.register_buffer("a", drawn(4, 6, seed=5))
        self.register_buffer("b", torch.zeros(24))

    def forward(self, x, y):
        values = [x, y]
        for kind, name, i, j in self.steps:
            one, other = values[i % len(values)], values[j % len(values)]
            values.append(self.step(kind, name, one, other))
        return [values[i % len(values)] for i in self.returned]

    def step(self, kind, name, one, other):
        if kind == "unary":
            return UNARY[name](one)
        if kind == "binary":
            return BINARY[name](one.reshape(4, 6), other.reshape(4, 6))
        if kind == "view":
            return one.reshape(SHAPES[name])
        if kind == "branch":
            return torch.cond(
                other.sum() > 0, lambda v: v.relu() + 1, lambda v: v.tanh(), (one,)
            )
        state = getattr(self, name)
        if kind == "read":
            return state.reshape(one.shape) + 0.0
        if kind == "write":
            state.copy_(one.reshape(state.shape))
        elif kind == "add":
            state.add_(one.reshape(state.shape))
        else:
            rows = state.view(4, 6)
            rows[torch.tensor([1, 3])] = one.reshape(4, 6)[:2]
        return state.reshape(other.shape).clone()


index = st.integers(0, 30)
step = st.one_of(
    st.tuples(st.just("unary"), st.sampled_from(list(UNARY)), index, index),
    st.tuples(st.just("binary"), st.sampled_from(list(BINARY)), index, index),
    st.tuples(st.just("view"), st.integers(0, 3), index, index),
    st.tuples(st.just("branch"), st.just(""), index, index),
    st.tuples(
        st.sampled_from(["read", "write", "add", "put"]),
        st.sampled_from(["a", "b"]),
        index,
        index,
    ),
)
CONFIGS = [
    EmitConfig(),
    EmitConfig(LinearizeOptions(plan_inputs=False, plan_outputs=False)),
]


@settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(step, min_size=2, max_size=14), st.lists(index, min_size=1, max_size=4))
def test_random_programs_keep_their_values(steps, returned):
    import rushlight

    model = Drawn(steps, returned)
    inputs = drawn(4, 6, seed=1), drawn(24, seed=2)
    exported = torch.export.export(copy.deepcopy(model), inputs)
    edge = finish(optimise(to_edge_for(exported, ())), ExecutorchBackendConfig())
    methods = [
        rushlight.load(emit_program({"forward": edge}, c).buffer).method("forward")
        for c in CONFIGS
    ]
    for seed in (3, 4, 5):
        call = drawn(4, 6, seed=seed), drawn(24, seed=seed + 10)
        want = [v.clone() for v in model(*copy.deepcopy(call))]
        for method in methods:
            got = method(*copy.deepcopy(call), output="torch")
            torch.testing.assert_close(list(got), want, rtol=1e-5, atol=1e-6)
