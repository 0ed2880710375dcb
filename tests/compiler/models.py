# SPDX-License-Identifier: BSD-3-Clause
"""Small models, one per thing that a Program can hold, with inputs for several calls."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.export import Dim

MODELS: dict[str, "Case"] = {}
F = nn.functional


@dataclass
class Case:
    """A model with its example inputs; ``calls`` are made in order, on one instance."""

    model: nn.Module
    inputs: tuple
    calls: list[tuple] = field(default_factory=list)
    dynamic: Any = None
    kwargs: dict = field(default_factory=dict)


def case(*inputs, calls=(), dynamic=None, **kwargs):
    """Register the model class under its name in words."""

    def register(cls):
        torch.manual_seed(0)
        name = "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__)
        model = cls().eval()
        MODELS[name[1:]] = Case(model, inputs, list(calls) or [inputs], dynamic, kwargs)
        return cls

    return register


def drawn(*shape, seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@case(drawn(2, 8))
class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


@case(drawn(1, 3, 12, 12))
class ConvBnRelu(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()
        )

    def forward(self, x):
        return self.layers(x)


@case(drawn(2, 1, 4), drawn(3, 1), torch.arange(4))
class BroadcastMixed(nn.Module):
    def forward(self, x, y, n):
        return x + y, x * 2.5, x + n, n * 3


@case(drawn(3, 4), calls=[(drawn(3, 4),), (-drawn(3, 4).abs(),)])
class CondBranch(nn.Module):
    def forward(self, x):
        taken = torch.cond(
            x.sum() > 0, lambda x: torch.relu(x) + 1, lambda x: x.sin() * 2, (x,)
        )
        return taken * 3


@case(
    drawn(2, 3),
    calls=[(drawn(2, 3),), (-drawn(2, 3).abs(),), (-drawn(2, 3).abs() - 9,)],
)
class CondNested(nn.Module):
    def forward(self, x):
        def low(x):
            return torch.cond(
                x.sum() < -20,
                lambda x: (x * 2, x.sin()),
                lambda x: (x.exp(), x.cos()),
                (x,),
            )

        a, b = torch.cond(x.sum() > 0, lambda x: (x.clone(), x + 1), low, (x,))
        return a + b, x


@case(
    drawn(4, 6),
    calls=[(drawn(4, 6),), (drawn(1, 6),), (drawn(16, 6),)],
    dynamic={"x": {0: Dim("batch", min=1, max=16)}},
)
class DynamicBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 5)

    def forward(self, x):
        y = self.a(x).relu()
        return torch.softmax(y, -1), x.sum(0)


@case(
    drawn(2, 6, 8),
    calls=[(drawn(2, 6, 8),), (drawn(3, 2, 8),)],
    dynamic={"x": {0: Dim("b", min=1, max=4), 1: Dim("t", min=2, max=10)}},
)
class SizeArithmetic(nn.Module):
    def forward(self, x):
        b, t, d = x.shape
        y = x.view(b * t, d) * (t + 1)
        z = y.relu().view(b, t, 2, d // 2).transpose(1, 2)
        return z.reshape(b, 2 * t, d // 2), torch.zeros(t, b) + t, b * t


@case(torch.tensor([[1, 4, 0], [7, 7, 2]]))
class EmbeddingMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(8, 5)

    def forward(self, ids):
        return self.table(ids).mean(1)


@case(
    drawn(1, 1, 4),
    torch.tensor([0]),
    calls=[(drawn(1, 1, 4, seed=s), torch.tensor([s % 6])) for s in (0, 1, 2, 5)],
)
class KvCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.full((1, 6, 4), 0.5))

    def forward(self, x, at):
        self.cache[:, at] = x
        return self.cache.sum(1), (self.cache * x).mean()


@case(drawn(3), calls=[(drawn(3, seed=s),) for s in range(3)])
class Counters(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.tensor([1.0, 2.0, 3.0]))
        self.register_buffer("b", torch.zeros(3))
        self.register_buffer("n", torch.tensor(0))

    def forward(self, x):
        old = self.a.clone()
        self.a.copy_(self.b)  # the two change places through x
        self.b.copy_(old + x)
        self.n += 1
        return old.view(3, 1) + self.b, self.n.clone(), self.a * 2


@case(drawn(2, 3), calls=[(drawn(2, 3, seed=s),) for s in range(3)])
class OldStateOut(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.ones(2, 3))

    def forward(self, x):
        before = self.last.view(6).clone()
        self.last.mul_(0.5).add_(x)
        return before, self.last


@case(drawn(2, 5, 8))
class LayernormGelu(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        return F.gelu(self.norm(x) + x)


@case(drawn(4, 6), torch.tensor([2, 0]), drawn(2, 6))
class Lists(nn.Module):
    def forward(self, x, at, y):
        a, b, c = torch.split(x, [1, 2, 3], dim=1)
        d = torch.cat([c, a, b], dim=1)
        return (
            d.index_put((at,), y),
            x[at],
            torch.stack([a[:, 0], b[:, 1]]),
            x.unbind(0),
        )


class Answer(NamedTuple):
    high: torch.Tensor
    low: torch.Tensor


@case({"a": drawn(2, 3), "b": [drawn(3), drawn(1)]}, drawn(2, 3, seed=2))
class Nested(nn.Module):
    def forward(self, d, y):
        s = d["a"] + y
        return {"sum": s, "all": [s * 2, (d["b"][0], s)], "x": d["b"][1]}, None


@case(drawn(1, 2, 9, 9))
class Pooling(nn.Module):
    def forward(self, x):
        return F.max_pool2d(x, 3, 2), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 1)


@case(drawn(3, 3))
class ScalarArithmetic(nn.Module):
    def forward(self, x):
        y = torch.add(x, x, alpha=3) * 2 - 1
        return y / 4, x**2, x.clamp(-0.5, 0.5), 3 - x, x > 0.25


@case(drawn(2, 2), 3, 0.5, True, None)
class ScalarInputs(nn.Module):
    def forward(self, x, n: int, f: float, b: bool, nothing):
        return (x * n + f) if b else x, n, f


@case(drawn(2, 3, 4))
class ShapeOps(nn.Module):
    def forward(self, x):
        y = x.permute(2, 0, 1).reshape(4, 6)
        z = y.unsqueeze(0).expand(3, 4, 6)[:, 1:3]
        return z.squeeze(), x.flatten(1) + 1, x.select(1, 2).t(), x.relu().view(-1)


@case(drawn(3, 7))
class Reductions(nn.Module):
    def forward(self, x):
        return (
            torch.softmax(x, 1), torch.log_softmax(x, 0), x.sum(1, keepdim=True),
            x.mean(), x.amax(0), x.var(1), x.argmax(1), x.max(1),
        )  # fmt: skip


@case(drawn(5, 1, 3))
class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 4)

    def forward(self, x):
        y, (h, c) = self.cell(x)
        return y, h, c


@case(drawn(2, 3))
class IntBoolOutputs(nn.Module):
    def forward(self, x):
        return (x > 0), x.to(torch.int64), x.shape[0], True, None, (x > 0).any()


@case(drawn(2, 3), drawn(3))
class PassThrough(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("c", torch.arange(3.0))

    def forward(self, x, unused):
        y = x + 1
        return x, y, y, self.c, y.view(6)


@case(drawn(2, 3), calls=[(drawn(2, 3, seed=s),) for s in range(2)])
class MutatedInput(nn.Module):
    def forward(self, x):
        y = x.sin()
        x.add_(1)
        return y + x


@case(
    torch.tensor([2]), drawn(3), calls=[(torch.tensor([n]), drawn(3)) for n in (2, 7)]
)
class Item(nn.Module):
    def forward(self, n, x):
        k = n.item()
        return x * k, k + 1


@case(drawn(4, 3), drawn(3))
class Mapped(nn.Module):
    def forward(self, xs, y):
        from functorch.experimental.control_flow import map as mapped

        return mapped(lambda x, y: (x + y).relu(), xs, y) * 2


@case(drawn(5, 3), calls=[(drawn(5, 3, seed=s),) for s in range(2)])
class Scanned(nn.Module):
    def forward(self, xs):
        from torch._higher_order_ops.scan import scan

        def step(carry, x):
            total = carry + x
            return total, total * 2

        return scan(step, torch.zeros(3), xs)


@case(torch.tensor(0), drawn(3), calls=[(torch.tensor(n), drawn(3)) for n in (0, 3, 9)])
class WhileLoop(nn.Module):
    def forward(self, i, x):
        from torch._higher_order_ops.while_loop import while_loop

        def body(i, a, b):
            return i + 1, b.clone(), a + b

        return while_loop(lambda i, a, b: i < 5, body, (i, x, x * 2))


@case(drawn(1, 4, 6, 6).to(memory_format=torch.channels_last))
class ChannelsLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 8, 1)

    def forward(self, x):
        return self.conv(x).relu()


@case(drawn(6), calls=[(drawn(6, seed=s),) for s in range(3)])
class DataDependent(nn.Module):
    def forward(self, x):
        return (x > 0).nonzero()


@case(drawn(2, 4), scale=drawn(4, seed=3))
class KeywordArgument(nn.Module):
    def forward(self, x, *, scale):
        return x * scale


@case(drawn(3), calls=[(drawn(3),), (drawn(3, seed=4),)])
class WhileCounts(nn.Module):
    """Carries that change places, one that a kernel must save first, and an outer weight."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(drawn(3, seed=7))

    def forward(self, x):
        from torch._higher_order_ops.while_loop import while_loop

        def body(n, a, b):
            return n * 2, b * self.w, (a - b).view(3)

        n, a, b = while_loop(
            lambda n, a, b: n.sum() < 40, body, (torch.ones(2), x, x + 1)
        )
        return a.view(1, 3) + b, n, x


@case(drawn(4, 3), drawn(4, 2))
class ScanTwo(nn.Module):
    """Two carries, two sequences, a stacked result that is a carry."""

    def forward(self, xs, ys):
        from torch._higher_order_ops.scan import scan

        def step(carry, rows):
            a, b = carry
            x, y = rows
            total = a + x
            return (total, b * 0.5 + y), (total.clone(), x.relu())

        (a, b), (totals, positive) = scan(step, (xs[0] * 0, ys[0] * 0), (xs, ys))
        return a, b, totals.view(12), positive.sum(0)


@case(drawn(2, 4), calls=[(drawn(2, 4),), (-drawn(2, 4).abs(),)])
class CondWeights(nn.Module):
    """Branches that use stored tensors, give views, and a loop inside one of them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        from torch._higher_order_ops.while_loop import while_loop

        def grow(x):
            (y,) = while_loop(
                lambda y: y.sum() < 50, lambda y: (y * 2 + 1,), (self.a(x),)
            )
            return y.view(8) + 0, x.sum(1)

        def other(x):
            y = self.b(x)
            return y.relu().view(8), y.sum(1)

        flat, sums = torch.cond(x.sum() > 0, grow, other, (x,))
        return flat.view(4, 2) * 3, sums + self.a.bias[:2]


@case(
    drawn(3, 4),
    calls=[(drawn(3, 4),), (drawn(7, 4),), (-drawn(2, 4).abs(),)],
    dynamic={"x": {0: Dim("rows", min=1, max=8)}},
)
class CondDynamic(nn.Module):
    """Branch results whose size is known at run time only."""

    def forward(self, x):
        y = torch.cond(
            x.sum() > 0, lambda x: x.relu() + 1, lambda x: (x * 2).tanh(), (x,)
        )
        return y.reshape(-1), y.unsqueeze(1) * 2, x.shape[0] * 2


@case(drawn(2, 3))
class CopyOfAnInput(nn.Module):
    """The copy is all there is; its memory may be the input's."""

    def __init__(self):
        super().__init__()
        self.drop = nn.AlphaDropout(0.5)

    def forward(self, x):
        return self.drop(x)


@case(
    drawn(2, 1, 4),
    calls=[(drawn(n, 1, 4),) for n in (1, 5)],
    dynamic=({0: Dim("n", max=5)},),
)
class ListOfOne(nn.Module):
    def forward(self, x):
        (row,) = x.unbind(1)
        return (row.unsqueeze(0) + 1).sum(0)


@case(
    drawn(3, 4), calls=[(drawn(3, 4, seed=s),) for s in (2, 3)] + [(-torch.ones(3, 4),)]
)
class IndexByMask(nn.Module):
    """As many rows as elements are true, between whole dimensions and other indices."""

    def forward(self, x):
        rows = x[:, 0] > 0
        return x[x > 0], x[rows], x.T[:, rows], x[rows, 1] * 2


@case(drawn(4))
class LinearOfAVector(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(3, 2, bias=False)

    def forward(self, x):
        return self.b(self.a(x))
