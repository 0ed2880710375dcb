# SPDX-License-Identifier: BSD-3-Clause
"""Every row of the op table against eager torch, through the kernels of this build.

For each row and dtype: every sample, its shape twins, other dim orders where the row's
layout allows them, in place where ``alias`` allows it; and every rejected call.
"""

import pytest
import torch

from rushlight.ops import shapes
from rushlight.ops.table import Op, load_table
from tests.ops.door import Block, Call, call_kernel, kernel_shapes, name_of

torch.set_num_threads(1)
TABLE = load_table()
SKIPPED: dict[str, str] = dict.fromkeys(
    (
        "aten.nonzero.default",
        "aten.masked_select.default",
        "aten.repeat_interleave.Tensor",
    ),
    "ops/test_index.py: the kernel sizes the result",
)
"""Rows whose reference is not one torch call: name → the test that covers it."""


def cases():
    for op in TABLE.values():
        if op.name.startswith("executorch_prim.") or op.name in SKIPPED:
            continue
        for types in op.types:
            label = types if isinstance(types, str) else "+".join(types)
            yield pytest.param(op, types, id=f"{op.symbol}-{label}")


def rejects():
    for op in TABLE.values():
        for i, reject in enumerate(op.rejects):
            yield pytest.param(op, reject, id=f"{op.symbol}-{i}")


def first_type(op: Op):
    return op.types[0] if op.types else "float32"


def result_order(op: Op, blocks: dict[str, Block], rank: int):
    """Row-major, or that of the first tensor argument of the result's rank."""
    if op.layout == "any":
        for block in blocks.values():
            if len(block.sizes) == rank:
                return block.order
    return tuple(range(rank))


def is_in_place(op: Op) -> bool:
    return any("!" in r for r in op.returns)


def symbolic(op: Op) -> bool:
    return any(not r.startswith("Tensor") for r in op.returns)


def run(call: Call, want: list, orders: dict, alias: str | None = None):
    """Our results as tensors; sizes come from the C++ shape function."""
    op = call.op
    inputs, blocks = call.inputs(orders)
    if is_in_place(op):
        call_kernel(op.wire_name, inputs, [])
        return [next(iter(blocks.values())).tensor()]
    if symbolic(op):
        return [call_kernel(op.wire_name, inputs, [])]
    dtypes = [name_of(w.dtype) for w in want]
    is_list = op.returns == ("Tensor[]",)
    holders = [Block.empty(d, ()) for d in dtypes]
    sizes = kernel_shapes(op.wire_name, inputs, destinations(holders, is_list))
    outs = []
    for dtype, size in zip(dtypes, sizes, strict=True):
        outs.append(Block.empty(dtype, size, result_order(op, blocks, len(size))))
    if alias:
        assert blocks[alias].dtype == outs[0].dtype, "alias with another dtype"
        outs[0] = blocks[alias]
    call_kernel(op.wire_name, inputs, destinations(outs, is_list))
    return [block.tensor() for block in outs]


def destinations(blocks: list[Block], is_list: bool) -> list:
    arguments = [b.argument() for b in blocks]
    return [("tensors", arguments)] if is_list else arguments


def ulp_errors(got: torch.Tensor, want: torch.Tensor, per_element: bool):
    """|got - want| in units of the last place: of each element, or of the largest."""
    a, b = got.to(torch.float64), want.to(torch.float64)
    same = (a == b) | (a.isnan() & b.isnan())
    info = torch.finfo(want.dtype)
    size = b.abs() if per_element else b.abs().nan_to_num(0, 0, 0).max().expand_as(b)
    size = size.clamp(min=info.smallest_normal)
    unit = torch.exp2(torch.floor(torch.log2(size))) * info.eps
    errors = ((a - b).abs() / unit).nan_to_num(torch.inf, torch.inf, torch.inf)
    return torch.where(same, torch.zeros_like(errors), errors)


def compare(op: Op, got, want, label: str) -> None:
    if not isinstance(want, torch.Tensor):
        assert got == want and type(got) is type(want), f"{label}: {got}, not {want}"
        return
    assert got.shape == want.shape, f"{label}: {got.shape}, not {want.shape}"
    assert got.dtype == want.dtype, f"{label}: {got.dtype}, not {want.dtype}"
    if not want.dtype.is_floating_point or want.numel() == 0:
        assert torch.equal(got, want), f"{label}:\n{got}\nnot\n{want}"
        return
    errors = ulp_errors(got, want, per_element=op.family == "elementwise")
    allowed = op.ulps.get(name_of(want.dtype), 0.0)
    worst = int(errors.argmax())
    assert errors.max() <= allowed, (
        f"{label}: {errors.max():.4g} ulps, allowed {allowed:g}: "
        f"{got.flatten()[worst]} not {want.flatten()[worst]}"
    )


def check(call: Call, want: list, label: str, orders: dict, alias=None) -> None:
    try:
        got = run(call, want, orders, alias)
    except RuntimeError as error:
        raise AssertionError(f"{label}: {error}") from None
    assert len(got) == len(want), f"{label}: {len(got)} results, not {len(want)}"
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        compare(call.op, g, w, f"{label}, result {i}")


def permuted(call: Call) -> dict:
    """A dim order other than row-major for every tensor of rank 2 or more."""
    orders = {}
    for name, value in call.arguments.items():
        if isinstance(value, torch.Tensor) and value.ndim >= 2:
            rank = value.ndim
            orders[name] = (0, *range(2, rank), 1) if rank >= 3 else (1, 0)
    return orders


def twin_arguments(call: Call) -> dict:
    def sizes(value):
        if isinstance(value, torch.Tensor):
            return tuple(value.shape)
        if isinstance(value, list) and any(isinstance(v, torch.Tensor) for v in value):
            return [None if v is None else tuple(v.shape) for v in value]
        return value

    return {name: sizes(value) for name, value in call.arguments.items()}


def check_twin(call: Call, want: list, label: str) -> None:
    if call.op.shape:
        sizes = shapes.result_sizes(call.op.shape, twin_arguments(call))
        expected = [tuple(w.shape) for w in want]
        assert [tuple(s) for s in sizes] == expected, f"{label}: shapes.py: {sizes}"


@pytest.mark.parametrize(("op", "types"), [*cases()])
def test_row_agrees_with_eager(op, types):
    assert op.samples, "a row needs samples"
    for i, sample in enumerate(op.samples):
        if sample.types and types not in sample.types:
            continue
        call = Call.make(op, sample, types)
        label = f"sample {i}"
        want = call.eager()
        check_twin(call, want, label)
        check(call, want, label, call.orders)
        other = permuted(call)
        if op.layout in ("any", "dense") and other:
            check(call, want, f"{label} permuted", other)
            first = next(iter(other))
            check(call, want, f"{label} first permuted", {first: other[first]})
        for name in op.alias:
            value = call.arguments[name]
            if isinstance(value, torch.Tensor) and (value.dtype, value.shape) == (
                want[0].dtype,
                want[0].shape,
            ):
                check(call, want, f"{label} in place of {name}", call.orders, name)


@pytest.mark.parametrize(("op", "reject"), [*rejects()])
def test_row_rejects_with_its_text(op, reject):
    call = Call.make(op, reject.sample, first_type(op))
    inputs, blocks = call.inputs(call.orders)
    first = next(iter(blocks.values()), None)
    dtype = first.dtype if first else "float32"
    holders = [Block.empty(dtype, ()) for r in op.returns if r == "Tensor"]
    if is_in_place(op):
        holders = []
    with pytest.raises(RuntimeError) as caught:
        sizes = kernel_shapes(op.wire_name, inputs, [h.argument() for h in holders])
        outs = [Block.empty(dtype, s) for s in sizes]
        call_kernel(op.wire_name, inputs, [o.argument() for o in outs])
    assert reject.text in str(caught.value)
    assert f"{op.wire_name}: " in str(caught.value)
