# SPDX-License-Identifier: BSD-3-Clause
"""Stored data of a file: constants once each, ``.ptd`` files, and constant methods."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from rushlight.compiler.linear import (
    LinearMethod,
    NamedBytes,
    Number,
    Storage,
    Tensor,
)
from rushlight.compiler.records import MethodRecords
from rushlight.compiler.tensors import (
    DTYPES,
    content_key,
    dim_order,
    dtype_number,
    memory_bytes,
)
from rushlight.errors import EmitError
from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_ptd


class Pool:
    """Byte strings behind each other, each once; entry 0 is the dummy that means none."""

    def __init__(self, alignment: int) -> None:
        self._alignment = alignment
        self.index: dict[str, int] = {}
        self.offsets: list[int] = [0]
        self.chunks: list[bytes] = []
        self.nbytes = 0

    def add(self, data: bytes, key: str) -> int:
        """The index of this content, added if it is new."""
        if key not in self.index:
            padding = -self.nbytes % self._alignment
            if padding:
                self.chunks.append(bytes(padding))
            self.offsets.append(self.nbytes + padding)
            self.chunks.append(data)
            self.nbytes += padding + len(data)
            self.index[key] = len(self.offsets) - 1
        return self.index[key]


class ExternalData:
    """What lives in ``.ptd`` files: tensors and delegates' data, by file and key."""

    def __init__(self, segment_alignment: int) -> None:
        self._alignment = segment_alignment
        self._files: dict[str, dict[str, tuple[Record | None, NamedBytes]]] = {}

    def add_tensor(self, storage: Storage, tensor: Tensor) -> None:
        """One stored tensor under its name in the model."""
        layout = Record(
            "PtdLayout", dtype=tensor.dtype, sizes=list(tensor.sizes),
            dim_order=list(tensor.dim_order),
        )  # fmt: skip
        self._add(
            storage.fqn, NamedBytes(storage.data or b"", 16, storage.external), layout
        )

    def add_named(self, key: str, named: NamedBytes) -> None:
        """One delegate's data."""
        self._add(key, named, None)

    def _add(self, key: str, named: NamedBytes, layout: Record | None) -> None:
        entries = self._files.setdefault(named.external or "", {})
        found = entries.setdefault(key, (layout, named))
        if found[1].data != named.data:
            raise EmitError(f"emit: external data {key} is given twice, differently")

    def write(self) -> dict[str, bytes]:
        """The files' bytes by name without extension. Raises: EmitError for a name taken."""
        return {name: self._file(self._files[name]) for name in sorted(self._files)}

    def _file(self, entries: dict[str, tuple[Record | None, NamedBytes]]) -> bytes:
        numbers: dict[bytes, int] = {}
        alignments: dict[bytes, int] = {}
        records = []
        for key in sorted(entries):
            layout, named = entries[key]
            number = numbers.setdefault(named.data, len(numbers))
            alignments[named.data] = max(
                named.alignment, alignments.get(named.data, 16)
            )
            records.append(Record("PtdEntry", key=key, segment=number, layout=layout))
        segments = [Segment(data, alignments[data]) for data in numbers]
        ptd = Record("Ptd", version=0, entries=records)
        return write_ptd(ptd, segments, segment_alignment=self._alignment)


def constant_method(name: str, value: Any, constants: Pool) -> Record:
    """A method that only returns `value`: numbers, texts, dtypes, tensors, nested or not.

    Raises: EmitError for a leaf that no slot can hold.
    """
    leaves, spec = pytree.tree_flatten(value)
    method = LinearMethod(name, outputs_text=str(pytree.treespec_dumps(spec)))
    for leaf in leaves:
        method.outputs.append(method.add(_leaf(name, leaf, constants)))
    index = {("constants", key): n for key, n in constants.index.items()}
    return MethodRecords(method, {}, index).record([], [])


def _leaf(method: str, leaf: Any, constants: Pool) -> Number | Tensor:
    if isinstance(leaf, torch.Tensor):
        return _tensor(method, leaf, constants)
    if isinstance(leaf, torch.dtype):
        return Number(DTYPES[leaf])
    if isinstance(leaf, torch.layout):
        return Number(0)
    if leaf is None or isinstance(leaf, (bool, int, float, str)):
        return Number(leaf)
    raise EmitError(
        f"emit: constant method {method} returns a {type(leaf).__name__}, expected "
        "numbers, texts, tensors, or tuples, lists and dicts of them"
    )


def _tensor(method: str, tensor: torch.Tensor, constants: Pool) -> Tensor:
    sizes = tuple(tensor.shape)
    order = dim_order(sizes, tensor.stride()) or tuple(range(tensor.dim()))
    data = memory_bytes(tensor, order)
    key = content_key(data)
    constants.add(data, key)
    storage = Storage(method, len(data), "constant", data=data, key=key)
    return Tensor(
        dtype_number(tensor.dtype, method), tensor.dtype.itemsize, sizes, order, storage
    )
