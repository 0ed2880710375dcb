# SPDX-License-Identifier: BSD-3-Clause
"""From a row's sample to a call in eager torch and to the same call of our kernel."""

import ast
import re
import zlib
from dataclasses import dataclass

import numpy as np
import torch

from rushlight.ops.table import Op, Sample, T

try:
    from rushlight._runtime import call_kernel, kernel_shapes
except ImportError:  # a source tree without the extension: samples can still be drawn
    call_kernel = kernel_shapes = None

NUMBERS = {
    "uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5,
    "float32": 6, "float64": 7, "bool": 11, "bfloat16": 15, "uint16": 27,
    "uint32": 28, "uint64": 29,
}  # fmt: skip
GUARD_NBYTES = 64
GUARD = 0xA5
MEMORY_FORMATS = [
    torch.contiguous_format,
    torch.preserve_format,
    torch.channels_last,
    torch.channels_last_3d,
]


def torch_dtype(name: str) -> torch.dtype:
    return getattr(torch, name)


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


@dataclass
class Block:
    """A tensor of ours: bytes between guards, in a dim order."""

    dtype: str
    sizes: tuple[int, ...]
    order: tuple[int, ...]
    memory: np.ndarray

    @classmethod
    def empty(cls, dtype: str, sizes, order=None) -> "Block":
        nbytes = int(np.prod(sizes, dtype=np.int64)) * torch_dtype(dtype).itemsize
        memory = np.full(nbytes + 2 * GUARD_NBYTES, GUARD, np.uint8)
        order = tuple(range(len(sizes))) if order is None else tuple(order)
        return cls(dtype, tuple(sizes), order, memory)

    @classmethod
    def of(cls, tensor: torch.Tensor, order=None) -> "Block":
        block = cls.empty(name_of(tensor.dtype), tuple(tensor.shape), order)
        dense = tensor.detach().permute(block.order).contiguous()
        if dense.numel():
            raw = dense.reshape(-1).view(torch.uint8).numpy()
            block.bytes[:] = raw
        return block

    @property
    def bytes(self) -> np.ndarray:
        return self.memory[GUARD_NBYTES : len(self.memory) - GUARD_NBYTES]

    def tensor(self) -> torch.Tensor:
        assert (self.memory[:GUARD_NBYTES] == GUARD).all(), "wrote before its memory"
        assert (self.memory[-GUARD_NBYTES:] == GUARD).all(), "wrote past its memory"
        if 0 in self.sizes:
            return torch.empty(self.sizes, dtype=torch_dtype(self.dtype))
        flat = torch.from_numpy(self.bytes.copy())
        inner = [self.sizes[d] for d in self.order]
        dense = flat.view(torch_dtype(self.dtype)).reshape(inner)
        back = [self.order.index(d) for d in range(len(inner))]
        return dense.permute(back)

    def argument(self) -> tuple:
        parts = (NUMBERS[self.dtype], list(self.sizes), list(self.order), self.bytes)
        return ("tensor", parts)


class Draw:
    """Tensors of a sample, drawn the same way in every run."""

    def __init__(self, op: Op, types: str | tuple[str, ...]):
        self.op, self.types, self.used = op, types, 0
        seed = zlib.crc32(f"{op.name} {types}".encode())
        self.generator = torch.Generator().manual_seed(seed)

    def next_dtype(self) -> str:
        if isinstance(self.types, str):
            return self.types
        self.used += 1
        return self.types[min(self.used, len(self.types)) - 1]

    def tensor(self, spec: T) -> torch.Tensor:
        dtype = torch_dtype(spec.dtype or self.next_dtype())
        if spec.values is not None:
            data = torch.tensor(list(spec.values), dtype=torch.float64)
            if not dtype.is_floating_point and dtype != torch.bool:
                data = torch.tensor([int(v) for v in spec.values])
            return data.to(dtype).reshape(spec.shape)
        low = self.op.domain[0] if spec.low is None else spec.low
        high = self.op.domain[1] if spec.high is None else spec.high
        if dtype == torch.bool:
            drawn = torch.randint(0, 2, spec.shape, generator=self.generator)
        elif dtype.is_floating_point:
            unit = torch.rand(spec.shape, generator=self.generator, dtype=torch.float64)
            drawn = low + unit * (high - low)
        else:
            top = int(high) if spec.high is not None else int(np.floor(high)) + 1
            bottom = int(np.ceil(low))
            if not dtype.is_signed:
                bottom = max(bottom, 0)
            drawn = torch.randint(bottom, top, spec.shape, generator=self.generator)
        return drawn.to(dtype)


def makes_any_dtype(op: Op) -> bool:
    """Whether the op makes a tensor of a given dtype from no tensor."""
    kinds = {p.name: p.type for p in op.parameters}
    has_input = any(kind.startswith("Tensor") for kind in kinds.values())
    return "dtype" in kinds and not has_input


def default_of(text: str | None):
    if text is None:
        raise TypeError("an argument without a default is missing")
    if text in ("contiguous_format", "Mean"):
        return 0
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def is_shape(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(n, int) for n in value)


@dataclass
class Call:
    """One sample of a row: arguments as torch takes them, by parameter name."""

    op: Op
    arguments: dict[str, object]
    orders: dict[str, tuple[int, ...] | None]  # of T with an order

    @classmethod
    def make(cls, op: Op, sample: Sample, types: str | tuple[str, ...]) -> "Call":
        draw = Draw(op, types)
        given = dict(zip((p.name for p in op.parameters), sample.args, strict=False))
        given.update(sample.kwargs)
        if makes_any_dtype(op):
            given.setdefault("dtype", types)
        assert len(sample.args) <= len(op.parameters), "too many arguments"
        arguments, orders = {}, {}
        for p in op.parameters:
            value = given.pop(p.name) if p.name in given else default_of(p.default)
            if p.type.startswith("Tensor") and value is not None:
                is_list = "[" in p.type
                items = value if is_list else [value]
                specs = [v if isinstance(v, T) or v is None else T(v) for v in items]
                made = [None if s is None else draw.tensor(s) for s in specs]
                arguments[p.name] = made if is_list else made[0]
                orders[p.name] = None if is_list else specs[0].order
            else:
                arguments[p.name] = fit_list(p.type, value)
        assert not given, f"no such parameters: {sorted(given)}"
        return cls(op, arguments, orders)

    def eager(self):
        """What torch gives, always as a list of tensors or numbers."""
        function = REFERENCES.get(self.op.name) or torch_op(self.op.name)
        keywords = {}
        for p in self.op.parameters:
            keywords[p.name] = for_torch(p.type, self.arguments[p.name])
        result = function(**keywords)
        return list(result) if isinstance(result, (tuple, list)) else [result]

    def inputs(self, orders: dict) -> tuple[list, dict[str, Block]]:
        """Arguments as call_kernel takes them, and the blocks by name."""
        blocks, encoded = {}, []
        for p in self.op.wire_parameters:
            value = self.arguments[p.name]
            if isinstance(value, torch.Tensor):
                blocks[p.name] = Block.of(value, orders.get(p.name))
                encoded.append(blocks[p.name].argument())
            else:
                encoded.append(encode(p.type, value))
        return encoded, blocks


def fit_list(kind: str, value):
    """One int stands for an int[2], as in torch."""
    sized = re.search(r"(?:int|SymInt)\[(\d+)\]", kind)
    if sized and isinstance(value, int):
        return [value] * int(sized.group(1))
    return list(value) if isinstance(value, tuple) else value


def for_torch(kind: str, value):
    if kind.startswith("ScalarType") and isinstance(value, str):
        return torch_dtype(value)
    if kind.startswith("MemoryFormat") and value is not None:
        return MEMORY_FORMATS[value]
    if isinstance(value, torch.Tensor):
        return value.clone()
    return value


def encode(kind: str, value) -> tuple:
    """A value that is not a tensor, with the tag that the file would give it."""
    base = re.sub(r"\[\d*\]", "[]", kind).replace("SymInt", "int").rstrip("?")
    if value is None:
        return ("none", None)
    if base == "Tensor?[]" or (base == "Tensor[]" and None in value):
        items = [("none", None) if t is None else Block.of(t).argument() for t in value]
        return ("optional_tensors", items)
    if base == "Tensor[]":
        return ("tensors", [Block.of(t).argument() for t in value])
    if base == "int[]":
        return ("ints", [("int", int(v)) for v in value])
    if base in ("float[]", "bool[]"):
        return ("doubles" if base == "float[]" else "bools", list(value))
    if base == "ScalarType" and isinstance(value, str):
        return ("int", NUMBERS[value])
    if base == "float":
        return ("double", float(value))
    by_type = {bool: "bool", int: "int", float: "double", str: "str"}
    return (by_type[type(value)], value)


def torch_op(name: str):
    space, base, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, space), base), overload)


def _to_dim_order(self, *, non_blocking=False, dim_order=None):
    return self.clone()


def _empty_dim_order(size, *, dim_order=None):
    return torch.empty(size)


# What rows outside torch compute, by row name, with torch's functions.
REFERENCES = {
    "dim_order_ops._to_dim_order_copy.default": _to_dim_order,
    "dim_order_ops._clone_dim_order.default": _to_dim_order,
    "et_copy._h2d_copy.default": torch.ops.aten.clone,
    "et_copy._d2h_copy.default": torch.ops.aten.clone,
    "dim_order_ops._empty_dim_order.default": _empty_dim_order,
}

__all__ = [
    "Block",
    "Call",
    "call_kernel",
    "kernel_shapes",
    "name_of",
    "torch_dtype",
]
