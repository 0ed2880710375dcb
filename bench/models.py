# SPDX-License-Identifier: BSD-3-Clause
"""The models that benchmarks and stock comparisons share, by name, with seeded inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

torch.set_num_threads(1)


@dataclass(frozen=True)
class Case:
    """A module in eval mode and example inputs; ``calls`` are further inputs, in order, for stateful models."""

    model: nn.Module
    inputs: tuple[Any, ...]
    calls: tuple[tuple[Any, ...], ...] = ()
    dynamic_shapes: Any = None


MODELS: dict[str, Callable[[], Case]] = {}


def model(make: Callable[[], Case]) -> Callable[[], Case]:
    """Register a case under its function's name, built from seed 0."""

    def seeded() -> Case:
        torch.manual_seed(0)
        case = make()
        case.model.eval()
        return case

    MODELS[make.__name__] = seeded
    return seeded


def torchvision_model(network: str) -> nn.Module:
    """A torchvision network with random weights.

    PyPI's torchvision does not load its compiled ops beside a CPU torch; declaring the
    schemas it decorates is enough to import it.
    """
    if not hasattr(torch.ops.torchvision, "nms"):
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(
                f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
            )
        library.define(
            "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
            "SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor"
        )
        torchvision_model.library = library  # type: ignore[attr-defined]  # lives as long as the ops
    import torchvision

    made: nn.Module = getattr(torchvision.models, network)(weights=None)
    return made


IMAGE = (1, 3, 224, 224)


@model
def mobilenet_v2() -> Case:
    return Case(torchvision_model("mobilenet_v2"), (torch.randn(IMAGE),))


@model
def mobilenet_v3_small() -> Case:
    return Case(torchvision_model("mobilenet_v3_small"), (torch.randn(IMAGE),))


@model
def resnet18() -> Case:
    return Case(torchvision_model("resnet18"), (torch.randn(IMAGE),))


@model
def efficientnet_lite0() -> Case:
    from rushlight.tools.efficientnet import EfficientNetLite0

    return Case(EfficientNetLite0(), (torch.randn(IMAGE),))


class Encoder(nn.Module):
    """A BERT-like encoder: tokens [B, T] and mask [B, T] → features [B, T, 128]."""

    def __init__(self, width: int = 128, layers: int = 4, heads: int = 4) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(1000, width), nn.Embedding(64, width)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, activation="gelu", batch_first=True, dropout=0.0
        )
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        out: torch.Tensor = self.layers(x, src_key_padding_mask=~mask)
        return out


@model
def bert_like() -> Case:
    tokens = torch.randint(0, 1000, (1, 32))
    mask = torch.arange(32)[None] < 20
    return Case(Encoder(), (tokens, mask))


class Lstm(nn.Module):
    """x [B, T, 32] → logits [B, 10], from the last step of a two-layer LSTM."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(32, 64, num_layers=2, batch_first=True)
        self.head = nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.head(self.lstm(x)[0][:, -1])
        return out


@model
def lstm() -> Case:
    return Case(Lstm(), (torch.randn(1, 16, 32),))


class KvCache(nn.Module):
    """One attention step over a cache that the model keeps: x [1, 1, 32], position [1] → [1, 1, 32]."""

    def __init__(self, length: int = 16, heads: int = 4, width: int = 32) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads = heads
        shape = (1, heads, length, width // heads)
        self.register_buffer("keys", torch.zeros(shape))
        self.register_buffer("values", torch.zeros(shape))

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        self.keys[:, :, position] = k
        self.values[:, :, position] = v
        mask = torch.arange(self.keys.shape[2]) <= position
        mixed = nn.functional.scaled_dot_product_attention(
            q, self.keys, self.values, attn_mask=mask[None, None, None]
        )
        out: torch.Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out


@model
def kv_cache() -> Case:
    steps = tuple((torch.randn(1, 1, 32), torch.tensor([i])) for i in range(5))
    return Case(KvCache(), steps[0], steps)


class Mlp(nn.Sequential):
    """x [B, 64] → [B, 10], with a dynamic batch of 1 to 32."""


@model
def dynamic_mlp() -> Case:
    layers = Mlp(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10), nn.Softmax(-1))
    calls = tuple((torch.randn(n, 64),) for n in (3, 32, 1, 7))
    batch = torch.export.Dim("batch", min=1, max=32)
    return Case(layers, calls[0], calls, ({0: batch},))
