# SPDX-License-Identifier: BSD-3-Clause
"""Rows of softmax and of layer, group and batch norm."""

from rushlight.ops.table import BF16, F16, F32, F64, FLOATS, Reject, Sample, T, op

_DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.nn"
_INF, _NAN = float("inf"), float("nan")
_SPECIAL = T((4, 3), values=(1, -_INF, 2, -_INF, -_INF, -_INF, _NAN, 1, 2, _INF, 1, 2))
_SOFTMAX = (
    Sample(((3, 5), 1, False)),
    Sample(((3, 5), 0, False)),
    Sample(((2, 200), -1, False)),
    Sample(((2, 3, 70), 1, False)),
    Sample(((2, 3, 4, 5), 2, False)),
    Sample((T((2, 70), low=-90, high=90), 1, False)),
    Sample((T((70, 2), low=-90, high=90), 0, False)),
    Sample((_SPECIAL, 1, False)),
    Sample(((), 0, False)),
    Sample(((2, 0, 4), 1, False)),
    Sample(((2, 0, 4), 2, False)),
)
_SOFTMAX_REJECTS = (
    Reject(Sample(((3, 5), 2, False)), "dim 2 is not in [-2, 1]"),
    Reject(Sample(((3, 5), -(2**62), False)), "is not in [-2, 1]"),
    Reject(Sample(((3, 5), 1, True)), "self is float32, expected float16"),
    Reject(Sample((T((3, 5), "int32"), 1, False)), ""),
)

op(
    "aten._softmax",
    schema="(Tensor self, int dim, bool half_to_float) -> Tensor",
    out="_softmax.out",
    doc="exp(self) / sum of exp(self) along dim, shifted by the maximum.",
    types=FLOATS,
    shape="same_as(self)",
    kernels={"portable": "softmax.cpp"},
    samples=_SOFTMAX,
    rejects=_SOFTMAX_REJECTS,
    alias=("self",),
    # Our exponential is within 2; eager's within 1.
    ulps={"float32": 4, "float64": 4, "float16": 1, "bfloat16": 1},
    source=f"{_DOCS}.functional.softmax.html",
)

op(
    "aten._log_softmax",
    schema="(Tensor self, int dim, bool half_to_float) -> Tensor",
    out="_log_softmax.out",
    doc="self minus the logarithm of the sum of exp(self) along dim.",
    types=FLOATS,
    shape="same_as(self)",
    kernels={"portable": "softmax.cpp"},
    samples=_SOFTMAX,
    rejects=_SOFTMAX_REJECTS,
    alias=("self",),
    ulps={"float32": 4, "float64": 4, "float16": 1, "bfloat16": 1},
    source=f"{_DOCS}.functional.log_softmax.html",
)

_NORM_TYPES = (
    F32, F64, F16, BF16, (F16, F32, F32), (BF16, F32, F32),
)  # fmt: skip
# Eager takes means in float32 and folds mean and scale into one multiply-add.
_NORM_ULPS = {"float32": 16, "float64": 16, "float16": 2, "bfloat16": 2}

op(
    "aten.native_layer_norm",
    schema="(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
    out="native_layer_norm.out",
    doc="Zero mean and unit variance over the last dimensions, then weight and bias; also the means and 1 / sqrt(variance + eps).",
    types=_NORM_TYPES,
    shape="layer_norm(input, normalized_shape, weight, bias)",
    kernels={"portable": "norm.cpp"},
    samples=(
        Sample(((3, 5), [5], (5,), (5,), 1e-5)),
        Sample(((2, 3, 130), [130], (130,), (130,), 1e-5)),
        Sample(((2, 3, 4), [3, 4], (3, 4), (3, 4), 0.1)),
        Sample(((2, 3, 4), [2, 3, 4], (2, 3, 4), None, 1e-5)),
        Sample(((0, 4), [4], (4,), (4,), 1e-5)),
        Sample(((3, 0), [0], (0,), (0,), 1e-5)),
        Sample(((2, 7), [7], None, None, 1e-5), types=FLOATS),
    ),
    rejects=(
        Reject(Sample(((3, 5), [4], None, None, 1e-5)), "is not the end of input"),
        Reject(Sample(((3, 5), [], None, None, 1e-5)), "is not the end of input"),
        Reject(Sample(((5,), [1, 5], None, None, 1e-5)), "is not the end of input"),
        Reject(Sample(((3, 5), [5], (4,), None, 1e-5)), "weight is [4]"),
        Reject(Sample(((3, 5), [5], (5,), (1, 5), 1e-5)), "bias is [1, 5]"),
        Reject(Sample(((3, 5), [5], T((5,), "float64"), None, 1e-5)), "parameters are"),
        Reject(
            Sample(((3, 5), [5], (5,), T((5,), "float16"), 1e-5)), "bias is float16"
        ),
    ),
    ulps=_NORM_ULPS,
    source=f"{_DOCS}.LayerNorm.html",
)

op(
    "aten.native_group_norm",
    schema="(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
    out="native_group_norm.out",
    doc="Layer norm over each group of channels; weight and bias per channel.",
    types=_NORM_TYPES,
    shape="group_norm(input, weight, bias, N, C, HxW, group)",
    kernels={"portable": "norm.cpp"},
    samples=(
        Sample(((2, 6, 3, 5), (6,), (6,), 2, 6, 15, 3, 1e-5)),
        Sample(((1, 4, 70), (4,), (4,), 1, 4, 70, 1, 1e-5)),
        Sample(((2, 4), (4,), (4,), 2, 4, 1, 2, 1e-5)),
        Sample(((0, 4, 3), (4,), (4,), 0, 4, 3, 2, 1e-5)),
        Sample(((2, 4, 3), None, None, 2, 4, 3, 2, 1e-5), types=FLOATS),
    ),
    rejects=(
        Reject(Sample(((2, 6, 3), None, None, 2, 6, 4, 3, 1e-5)), "HxW = 4"),
        Reject(Sample(((2, 6, 3), None, None, 2, 6, 3, 4, 1e-5)), "into 4 groups"),
        Reject(Sample(((2, 6, 3), None, None, 2, 6, 3, 0, 1e-5)), "into 0 groups"),
        Reject(Sample(((6,), None, None, 6, 1, 1, 1, 1e-5)), "input [6] is not"),
        Reject(Sample(((2, 6, 3), (5,), None, 2, 6, 3, 2, 1e-5)), "weight is [5]"),
    ),
    ulps=_NORM_ULPS,
    source=f"{_DOCS}.GroupNorm.html",
)

_POSITIVE = T((6,), low=0.5, high=2.0)
_BATCH_TYPES = (
    F32, F64, F16, BF16, (F16, F32, F32, F32, F32), (BF16, F32, F32, F32, F32),
)  # fmt: skip

op(
    "aten._native_batch_norm_legit_no_training",
    schema="(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    out="_native_batch_norm_legit_no_training.out",
    doc="(input - running_mean) / sqrt(running_var + eps) * weight + bias per channel.",
    types=_BATCH_TYPES,
    shape="batch_norm_inference(input, weight, bias)",
    kernels={"portable": "norm.cpp"},
    samples=(
        Sample(((2, 6, 3, 5), (6,), (6,), (6,), _POSITIVE, 0.1, 1e-5)),
        Sample(((3, 6), (6,), (6,), (6,), _POSITIVE, 0.1, 1e-3)),
        Sample(((0, 6, 3), (6,), (6,), (6,), _POSITIVE, 0.1, 1e-5)),
        Sample(((1, 6, 70), None, None, (6,), _POSITIVE, 0.1, 1e-5), types=FLOATS),
    ),
    rejects=(
        Reject(Sample(((6,), None, None, (6,), (6,), 0.1, 1e-5)), "rank 1"),
        Reject(Sample(((2, 6), (5,), None, (6,), (6,), 0.1, 1e-5)), "weight is [5]"),
        Reject(Sample(((2, 6), None, None, (5,), (6,), 0.1, 1e-5)), "running_mean is"),
        Reject(
            Sample(((2, 6), None, None, (6,), T((6,), "float64"), 0.1, 1e-5)),
            "running_var is float64",
        ),
    ),
    ulps=_NORM_ULPS,
    source=f"{_DOCS}.BatchNorm2d.html",
)

op(
    "aten._native_batch_norm_legit",
    schema="(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    out="_native_batch_norm_legit.out",
    doc="Batch norm; in training with the batch's statistics, which move the running ones.",
    types=_BATCH_TYPES,
    shape="batch_norm(input, weight, bias, training)",
    kernels={"portable": "norm.cpp"},
    samples=(
        Sample(((2, 6, 3, 5), (6,), (6,), (6,), _POSITIVE, True, 0.1, 1e-5)),
        Sample(((4, 6, 3), (6,), (6,), (6,), _POSITIVE, False, 0.1, 1e-5)),
    ),
    rejects=(
        Reject(
            Sample(((0, 6), None, None, (6,), (6,), True, 0.1, 1e-5)),
            "training needs an element",
        ),
    ),
    ulps=_NORM_ULPS,
    source=f"{_DOCS}.BatchNorm2d.html",
)

op(
    "aten._native_batch_norm_legit.no_stats",
    schema="(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    out="_native_batch_norm_legit.no_stats_out",
    doc="Batch norm with the batch's statistics alone.",
    types=_NORM_TYPES,
    shape="batch_norm(input, weight, bias, training)",
    kernels={"portable": "norm.cpp"},
    samples=(
        Sample(((2, 6, 3, 5), (6,), (6,), True, 0.1, 1e-5)),
        Sample(((2, 6, 5), None, None, True, 0.1, 1e-5), types=FLOATS),
    ),
    rejects=(
        Reject(
            Sample(((2, 6), None, None, False, 0.1, 1e-5)), "statistics are missing"
        ),
    ),
    ulps=_NORM_ULPS,
    source=f"{_DOCS}.InstanceNorm2d.html",
)
