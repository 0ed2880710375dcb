# SPDX-License-Identifier: BSD-3-Clause
"""Compiled models are called as the model is, and answer as it does."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import rushlight  # noqa: E402
from rushlight.errors import InputError  # noqa: E402


@dataclasses.dataclass
class Boxes:
    scores: torch.Tensor
    count: int
    note: object = None


class Both(NamedTuple):
    low: torch.Tensor
    high: torch.Tensor


torch.export.register_dataclass(Boxes)


class Model(torch.nn.Module):
    """forward is the function it is given."""

    def __init__(self, function):
        super().__init__()
        self.function = function


def model(function):
    cls = type("Model", (Model,), {"forward": lambda self, *a, **k: None})
    cls.forward = function
    return cls(function).eval()


def same(got, want):
    np.testing.assert_allclose(got, want.detach().numpy(), rtol=1e-6)


def test_dataclasses_in_and_out():
    def forward(self, boxes, shift):
        return Boxes(scores=boxes.scores + shift, count=3)

    net = model(forward)
    boxes, shift = Boxes(torch.rand(4), 3), torch.ones(4)
    program = rushlight.compile(net, (boxes, shift))
    result = program(Boxes(boxes.scores.numpy(), 3), shift=shift)
    assert type(result) is Boxes
    assert (result.count, result.note) == (3, None)
    same(result.scores, boxes.scores + 1)
    with pytest.raises(InputError, match=r"got boxes\.scores: expected float32 \[4\]"):
        program(Boxes(np.zeros(5, "float32"), 3), shift)


def test_named_tuples_and_keywords():
    def forward(self, x, *, scale):
        return Both(low=x - scale, high=x + scale)

    x, scale = torch.rand(2, 3), torch.rand(3)
    program = rushlight.compile(model(forward), (x,), kwargs={"scale": scale})
    result = program(x, scale=scale)
    assert isinstance(result, Both)
    same(result.low, x - scale)
    same(result.high, x + scale)
    with pytest.raises(InputError, match="by name"):
        program(x, scale, 3)


def test_numbers_and_none_are_those_of_the_export():
    def forward(self, x, times, flag, extra):
        return x * times if flag and extra is None else x

    x = torch.rand(3)
    program = rushlight.compile(model(forward), (x, 2, True, None))
    same(program(x, 2, True, None), x * 2)
    same(program(x, times=2, flag=True, extra=None), x * 2)
    with pytest.raises(
        InputError, match=r"got times: expected the int 2, as at export"
    ):
        program(x, 3, True, None)
    with pytest.raises(InputError, match="got extra: expected None"):
        program(x, 2, True, x)


def test_dynamic_dims_have_both_bounds():
    def forward(self, x):
        return torch.relu(x), x.shape[0]

    n = torch.export.Dim("n", min=2, max=6)
    program = rushlight.compile(
        model(forward), (torch.rand(4, 3),), dynamic_shapes=({0: n},)
    )
    for rows in (2, 3, 6):
        x = torch.randn(rows, 3)
        result, count = program(x)
        same(result, torch.relu(x))
        assert count == rows
    for shape in ((1, 3), (7, 3), (3, 2)):
        with pytest.raises(InputError, match=r"got x: expected float32 \[2\.\.6, 3\]"):
            program(torch.rand(shape))


def test_channels_last_inputs_need_no_permute_by_the_caller():
    def forward(self, x):
        return x * 2

    x = torch.rand(1, 3, 4, 5).to(memory_format=torch.channels_last)
    program = rushlight.compile(model(forward), (x,))
    for given in (x, x.contiguous(), x.numpy(), np.ascontiguousarray(x.numpy())):
        same(program(given), x * 2)


def test_state_stays_and_resets():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.ones(2))

        def forward(self, x):
            self.total.add_(x)
            return self.total.clone()

    program = rushlight.compile(Counter().eval(), (torch.ones(2),))
    method = program.method()
    for want in (2, 3):
        np.testing.assert_array_equal(method(torch.ones(2)), [want, want])
    method.reset()
    np.testing.assert_array_equal(method(torch.ones(2)), [2, 2])


class Sum(torch.nn.Module):
    def forward(self, x, y):
        return x + y.sum(1)


def test_one_dimension_of_two_inputs_has_one_size():
    batch = torch.export.Dim("batch", max=8)
    shapes = {"x": {0: batch}, "y": {0: batch}}
    example = torch.ones(3), torch.ones(3, 2)
    program = rushlight.compile(Sum().eval(), example, dynamic_shapes=shapes)
    assert program(np.ones(5, np.float32), np.ones((5, 2), np.float32)).shape == (5,)
    with pytest.raises(
        InputError, match="got y: size 1 at dim 0, but x has 5"
    ) as caught:
        program(np.ones(5, np.float32), np.ones((1, 2), np.float32))
    assert caught.value.input == "y"
