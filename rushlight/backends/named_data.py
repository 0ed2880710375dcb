# SPDX-License-Identifier: BSD-3-Clause
"""Bytes stored beside the Program by key: a backend's weights, shared between delegates."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from rushlight.errors import CompileInputError


@dataclass(frozen=True)
class DataEntry:
    """Where one key's bytes are: ``buffers[buffer_index]``, aligned to ``alignment`` bytes."""

    buffer_index: int
    alignment: int
    tensor_layout: Any = None


@dataclass
class NamedDataStoreOutput:
    """What a store holds: each distinct byte string once, keys that point to them.

    ``pte_data`` goes into the program file, ``external_data[tag]`` into ``tag.ptd``.
    """

    buffers: list[bytes] = field(default_factory=list)
    pte_data: dict[str, DataEntry] = field(default_factory=dict)
    external_data: dict[str, dict[str, DataEntry]] = field(default_factory=dict)


class NamedDataStore:
    """Collects named bytes during lowering; equal bytes are stored once."""

    def __init__(self) -> None:
        self._output = NamedDataStoreOutput()
        self._by_digest: dict[bytes, int] = {}

    def add_named_data(
        self,
        key: str,
        data: Any,
        alignment: int | None = 1,
        external_tag: str | None = None,
        tensor_layout: Any = None,
    ) -> None:
        """Store bytes (or a tensor's bytes) under a key.

        Raises: CompileInputError if the key already names other bytes.
        """
        content = data if isinstance(data, bytes) else _bytes_of(data)
        digest = hashlib.sha256(content).digest()
        index = self._by_digest.setdefault(digest, len(self._output.buffers))
        if index == len(self._output.buffers):
            self._output.buffers.append(content)
        group = self._group(external_tag)
        known = group.get(key)
        if known is not None and known.buffer_index != index:
            raise CompileInputError(
                f"named data: key {key!r} already holds {self._nbytes(known)} other bytes"
            )
        widest = max(alignment or 1, known.alignment if known else 1)
        group[key] = DataEntry(index, widest, tensor_layout)

    def get_named_data_store_output(self) -> NamedDataStoreOutput:
        """Everything stored so far."""
        return self._output

    def merge_named_data_store(self, other: NamedDataStoreOutput) -> None:
        """Add all of another store."""
        groups = [(None, other.pte_data), *other.external_data.items()]
        for tag, entries in groups:
            for key, entry in entries.items():
                self.add_named_data(
                    key,
                    other.buffers[entry.buffer_index],
                    entry.alignment,
                    tag,
                    entry.tensor_layout,
                )

    def _group(self, tag: str | None) -> dict[str, DataEntry]:
        if tag is None:
            return self._output.pte_data
        return self._output.external_data.setdefault(tag, {})

    def _nbytes(self, entry: DataEntry) -> int:
        return len(self._output.buffers[entry.buffer_index])


def _bytes_of(tensor: Any) -> bytes:
    import torch

    flat = tensor.detach().cpu().contiguous().view(-1)
    return bytes(flat.view(torch.uint8).numpy().tobytes()) if flat.numel() else b""
