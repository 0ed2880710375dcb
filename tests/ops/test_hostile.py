# SPDX-License-Identifier: BSD-3-Clause
"""Calls as a hostile file could make them: right tags, everything else altered.

Each ends in a result or in an error, and no byte beside a tensor's memory changes. Under
the address sanitizer this also finds reads beside it.
"""

import random

import pytest

from rushlight.ops.table import load_table
from tests.ops.door import NUMBERS, Block, Call, call_kernel, kernel_shapes

TABLE = load_table()
ROUNDS = 12
EXTREMES = (0, 1, -1, 2, 3, -2, 7, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
NAMES = tuple(NUMBERS)


class Altered:
    """A call's arguments with some of them changed at random."""

    def __init__(self, call: Call, chance: random.Random):
        self.call, self.chance, self.blocks = call, chance, []

    def block(self, dtype: str, sizes) -> Block:
        sizes = [*sizes]
        if sizes and self.chance.random() < 0.1:
            sizes[self.chance.randrange(len(sizes))] = self.chance.choice((0, 1, 2, 9))
        if self.chance.random() < 0.1:
            sizes = sizes[1:] if self.chance.random() < 0.5 else [2, *sizes]
        if self.chance.random() < 0.15:
            dtype = self.chance.choice(NAMES)
        order = [*range(len(sizes))]
        if self.chance.random() < 0.5:
            self.chance.shuffle(order)
        block = Block.empty(dtype, sizes, order)
        if self.chance.random() < 0.5:
            block.bytes[:] = [self.chance.randrange(256) for _ in block.bytes]
        else:
            block.bytes[:] = 0
        self.blocks.append(block)
        return block

    def value(self, item: tuple) -> tuple:
        tag, value = item
        if tag == "tensor":
            number, sizes, _, _ = value
            dtype = next(n for n, code in NUMBERS.items() if code == number)
            block = self.block(dtype, sizes)
            if block.bytes.shape == value[3].shape and self.chance.random() < 0.7:
                block.bytes[:] = value[3]
            return block.argument()
        if isinstance(value, list) and tag in ("ints", "tensors", "optional_tensors"):
            items = [self.value(v) for v in value]
            if self.chance.random() < 0.1:
                items = items[1:] if self.chance.random() < 0.5 else items * 2
            return (tag, items)
        if tag == "int" and self.chance.random() < 0.25:
            return (tag, self.chance.choice(EXTREMES))
        return item

    def results(self, name: str, inputs: list) -> list:
        returns = [r for r in self.call.op.returns if r.startswith("Tensor")]
        if any("!" in r for r in returns):
            return []
        count = self.chance.choice((0, 1, 2, 3))
        holders = [Block.empty("float32", ()).argument() for _ in returns]
        if returns == ["Tensor[]"]:
            holders = [("tensors", [Block.empty("float32", ()).argument()] * count)]
        sizes = kernel_shapes(name, inputs, holders)
        if any(_numel(s) > 1 << 16 for s in sizes):
            raise RuntimeError("too large to try")
        made = [self.result(s) for s in sizes]
        return [("tensors", made)] if returns == ["Tensor[]"] else made

    def result(self, sizes) -> tuple:
        if self.blocks and self.chance.random() < 0.2:  # the memory of an argument
            other = self.chance.choice(self.blocks)
            if _numel(other.sizes) >= _numel(sizes):
                wanted = Block.empty(other.dtype, sizes)
                wanted.memory = other.memory[: len(wanted.memory)]
                return wanted.argument()
        if self.chance.random() < 0.4:
            dtype = self.chance.choice(("int64", "bool", "float64"))
        else:
            dtype = self.blocks[0].dtype if self.blocks else "float32"
        order = [*range(len(sizes))]
        self.chance.shuffle(order)
        block = Block.empty(dtype, sizes, order)
        self.blocks.append(block)
        return block.argument()


def _numel(sizes) -> int:
    numel = 1
    for n in sizes:
        numel *= n
    return numel


@pytest.mark.parametrize("op", [*TABLE.values()], ids=lambda op: op.symbol)
def test_altered_calls_end_cleanly(op):
    chance = random.Random(op.name)
    for sample in op.samples:
        types = sample.types[0] if sample.types else op.types[0]
        for _ in range(ROUNDS):
            call = Call.make(op, sample, types)
            altered = Altered(call, chance)
            inputs = [altered.value(i) for i in call.inputs(call.orders)[0]]
            try:
                call_kernel(op.wire_name, inputs, altered.results(op.wire_name, inputs))
            except RuntimeError:
                pass
            for block in altered.blocks:
                block.tensor()
