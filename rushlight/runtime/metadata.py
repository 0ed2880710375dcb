# SPDX-License-Identifier: BSD-3-Clause
"""A method's metadata under ExecuTorch's names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rushlight.runtime.slots import Slot


class TensorInfo:
    """Sizes, dtype, planning and bytes of one tensor input or output."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot

    def sizes(self) -> tuple[int, ...]:
        """The shape, or its upper bound."""
        return self._slot.sizes

    def dtype(self) -> int:
        """PyTorch's number of the scalar type: 6 is float32."""
        return self._slot.dtype_number

    def dim_order(self) -> tuple[int, ...]:
        """The dimensions from outermost to innermost in memory."""
        return self._slot.dim_order

    def is_memory_planned(self) -> bool:
        """Whether the data lives in an arena."""
        return self._slot.is_planned

    def nbytes(self) -> int:
        """Bytes at the upper bound."""
        return self._slot.nbytes

    def __repr__(self) -> str:
        return (
            f"TensorInfo(sizes={list(self.sizes())}, dtype={self._slot.dtype}, "
            f"is_memory_planned={self.is_memory_planned()}, nbytes={self.nbytes()})"
        )


@dataclass(frozen=True, repr=False)
class MethodMeta:
    """What a method takes, gives and plans, known without loading it."""

    _name: str
    _inputs: Sequence[Slot]
    _outputs: Sequence[Slot]
    _arena_nbytes: Sequence[int]

    def name(self) -> str:
        """The method's name."""
        return self._name

    def num_inputs(self) -> int:
        """Flat inputs, of all kinds."""
        return len(self._inputs)

    def num_outputs(self) -> int:
        """Flat outputs, of all kinds."""
        return len(self._outputs)

    def input_tensor_meta(self, index: int) -> TensorInfo:
        """Of input index. IndexError out of range, TypeError if it is not a tensor."""
        return _info(self._inputs, index, "input")

    def output_tensor_meta(self, index: int) -> TensorInfo:
        """Of output index. IndexError out of range, TypeError if it is not a tensor."""
        return _info(self._outputs, index, "output")

    def num_memory_planned_buffers(self) -> int:
        """How many arenas the method plans."""
        return len(self._arena_nbytes)

    def memory_planned_buffer_size(self, index: int) -> int:
        """Bytes of arena index."""
        if not 0 <= index < len(self._arena_nbytes):
            raise IndexError(f"arena {index} of {len(self._arena_nbytes)}")
        return self._arena_nbytes[index]

    def __repr__(self) -> str:
        takes = [TensorInfo(s) if s.is_tensor else s.dtype for s in self._inputs]
        gives = [TensorInfo(s) if s.is_tensor else s.dtype for s in self._outputs]
        return (
            f"MethodMeta(name={self._name!r}, num_inputs={len(takes)}, "
            f"input_tensor_meta={takes}, num_outputs={len(gives)}, "
            f"output_tensor_meta={gives})"
        )


def _info(slots: Sequence[Slot], index: int, what: str) -> TensorInfo:
    if not 0 <= index < len(slots):
        raise IndexError(f"{what} {index} of {len(slots)}")
    if not slots[index].is_tensor:
        raise TypeError(f"{what} {index} is {slots[index].dtype}, not a tensor")
    return TensorInfo(slots[index])
