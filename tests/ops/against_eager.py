# SPDX-License-Identifier: BSD-3-Clause
"""Drawn calls of a row, checked against eager torch in drawn dim orders."""

import torch
from hypothesis import settings
from hypothesis import strategies as st

from rushlight.ops.table import load_table
from tests.ops.door import Call
from tests.test_ops import check, check_twin

TABLE = load_table()
QUICK = settings(max_examples=60, deadline=None, derandomize=True)
DTYPES = (torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool)


def shapes(min_rank: int = 0, max_rank: int = 4, min_size: int = 0):
    return st.lists(st.integers(min_size, 5), min_size=min_rank, max_size=max_rank).map(
        tuple
    )


def tensor(data, shape, dtype=torch.float32) -> torch.Tensor:
    seed = data.draw(st.integers(0, 1 << 30))
    generator = torch.Generator().manual_seed(seed)
    values = torch.randint(-9, 10, shape, generator=generator)
    return (values.abs() if dtype == torch.uint8 else values).to(dtype)


def compare(data, name: str, **arguments) -> None:
    """Call the row with drawn dim orders; the result must be eager's, sizes included."""
    call = Call(TABLE[name], arguments, {})
    want = call.eager()
    if call.op.shape:
        check_twin(call, want, name)
    orders = {}
    for key, value in arguments.items():
        if isinstance(value, torch.Tensor) and call.op.layout != "contiguous":
            orders[key] = tuple(data.draw(st.permutations(range(value.ndim))))
    check(call, want, f"{name} {orders}", orders)
