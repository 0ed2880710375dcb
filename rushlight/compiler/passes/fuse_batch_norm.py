# SPDX-License-Identifier: BSD-3-Clause
"""batch_norm(conv(x, w, b)) == conv(x, w * s, (b - mean) * s + beta), s = gamma / sqrt(var + eps)."""

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from rushlight.compiler.passes.base import edge_pass
from rushlight.compiler.torch_compat import add_constant, fake_mode, stored_tensors

aten = torch.ops.aten
CONVOLUTION = aten.convolution.default
BATCH_NORM = aten._native_batch_norm_legit_no_training.default


@edge_pass
def fuse_batch_norm(program: ExportedProgram) -> int:
    """Fold a batch norm in evaluation mode into the convolution before it.

    Returns: batch norms removed.
    Requires: Edge dialect; the convolution's weights and the norm's statistics are
        constants, and nothing else reads the convolution.
    Keeps: outputs within float rounding: weights are scaled in float64 and rounded once.
    Raises: nothing.
    """
    norms = program.graph.find_nodes(op="call_function", target=BATCH_NORM)
    stored = stored_tensors(program) if norms else {}
    fused = sum(_fuse(program, norm, stored) for norm in norms)
    if fused:
        program.graph.eliminate_dead_code()
    return fused


def _fuse(
    program: ExportedProgram, norm: Node, stored: dict[str, torch.Tensor]
) -> bool:
    conv: Any = norm.args[0]
    given: list[Any] = [*conv.args[1:3], *norm.args[1:5]] if conv.args else []
    present = {n.name for n in given if n is not None}
    if not _are_alone(conv, norm) or not present <= set(stored):
        return False
    weight, bias, gamma, beta, mean, var = (_value(n, stored) for n in given)
    epsilon: Any = norm.args[6]
    scale = torch.rsqrt(var + epsilon) * _or(gamma, 1)
    shift = (_or(bias, 0) - mean) * scale + _or(beta, 0)
    dtype = stored[given[0].name].dtype
    scaled = _scale_channels(weight, scale, conv)
    _replace(program, conv, scaled.to(dtype), shift.to(dtype))
    for reader in list(norm.users):
        reader.replace_all_uses_with(conv)
    return True


def _are_alone(conv: Node, norm: Node) -> bool:
    """Only the norm reads the convolution, and only the norm's first result is read."""
    if conv.target is not CONVOLUTION or len(conv.users) != 1:
        return False
    return all(r.target is operator.getitem and r.args[1] == 0 for r in norm.users)


def _value(node: Node | None, stored: dict[str, torch.Tensor]) -> Any:
    return None if node is None else stored[node.name].double()


def _or(value: torch.Tensor | None, otherwise: float) -> Any:
    return otherwise if value is None else value


def _scale_channels(
    weight: torch.Tensor, scale: torch.Tensor, conv: Node
) -> torch.Tensor:
    """Multiply by output channel: dim 0, or dim 1 within each group if transposed."""
    transposed, groups = conv.args[6], conv.args[8]
    ones = [1] * (weight.dim() - 2)
    if not transposed:
        return weight * scale.view(-1, 1, *ones)
    grouped = weight.view(groups, -1, *weight.shape[1:])  # type: ignore[arg-type]
    scaled = grouped * scale.view(groups, 1, -1, *ones)  # type: ignore[arg-type]
    return scaled.view(weight.shape)


def _replace(
    program: ExportedProgram, conv: Node, weight: torch.Tensor, bias: torch.Tensor
) -> None:
    mode = fake_mode(program)
    old: Any = conv.args[1]
    stem = old.name.removeprefix("p_").removesuffix("_weight")
    new_weight = add_constant(program, f"{stem}_weight_with_norm", weight, mode)
    new_bias = add_constant(program, f"{stem}_bias_with_norm", bias, mode)
    conv.args = (conv.args[0], new_weight, new_bias, *conv.args[3:])
