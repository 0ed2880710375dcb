# SPDX-License-Identifier: BSD-3-Clause
"""ExportedPrograms and their memory plans to the bytes of a Program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram

from rushlight.compiler.constants import ExternalData, Pool, constant_method
from rushlight.compiler.delegate_calls import add_named
from rushlight.compiler.lifetimes import place
from rushlight.compiler.linear import (
    CONSTANT,
    STATE,
    Delegate,
    Instruction,
    KernelCall,
    LinearMethod,
    NamedBytes,
    Storage,
    Tensor,
)
from rushlight.compiler.linearize import LinearizeOptions, linearize
from rushlight.compiler.plan import ALIGNMENT, Arena, Buffer, MemoryPlan, plan_memory
from rushlight.compiler.records import MethodRecords, Places
from rushlight.compiler.signature import KEY, container_texts, describe, encode
from rushlight.errors import EmitError
from rushlight.schema.record import Record
from rushlight.schema.writer import Segment, write_program

SHARED_STATE = "state"
"""Name of the arena that all methods' mutable buffers share, if they do."""


@dataclass(frozen=True)
class EmitConfig:
    """How methods become a file. Alignments in bytes, powers of two.

    ``linearize`` may be one for all methods or given by method name. ``share_state``
    puts mutable buffers of the same name at the same place of one arena in every method.
    """

    linearize: LinearizeOptions | Mapping[str, LinearizeOptions] = field(
        default_factory=LinearizeOptions
    )
    arenas: Sequence[Arena] = (Arena(),)
    alignment: int = ALIGNMENT
    constant_alignment: int = 16
    segment_alignment: int = 128
    delegate_alignment: int = 1
    delegates_inline: bool = False
    share_state: bool = False
    state_names: bool = False
    named_data: Mapping[str, bytes] = field(default_factory=dict)

    def options(self, method: str) -> LinearizeOptions:
        """The linearizer's options for one method."""
        if isinstance(self.linearize, LinearizeOptions):
            return self.linearize
        return self.linearize.get(method, LinearizeOptions())


@dataclass(frozen=True)
class PlacedMethod:
    """One emitted method, for reports: its instructions, its buffers and their plan."""

    name: str
    linear: LinearMethod
    buffers: tuple[Buffer, ...]
    plan: MemoryPlan

    def steps(self) -> list[dict[str, Any]]:
        """Instructions as plain data: op, graph node, source line."""
        return [_step(instruction) for instruction in self.linear.instructions]

    def table(self) -> list[dict[str, Any]]:
        """Buffers as plain data: name, nbytes, first, last, offset, arena."""
        rows = zip(self.buffers, self.plan.offsets, self.plan.arena_of, strict=True)
        return [
            {
                "name": buffer.name,
                "nbytes": buffer.nbytes,
                "first": buffer.first,
                "last": buffer.last,
                "offset": offset,
                "arena": self.plan.arenas[number].name,
            }
            for buffer, offset, number in rows
        ]


@dataclass(frozen=True)
class EmitResult:
    """The file's bytes, ``.ptd`` files by name without extension, and what is in them."""

    buffer: bytes
    external: Mapping[str, bytes]
    methods: Mapping[str, PlacedMethod]

    @property
    def plans(self) -> dict[str, MemoryPlan]:
        """Memory plans by method."""
        return {name: method.plan for name, method in self.methods.items()}


def emit_program(
    methods: Mapping[str, ExportedProgram],
    config: EmitConfig | None = None,
    constant_methods: Mapping[str, Any] | None = None,
) -> EmitResult:
    """Edge programs by method name to one file.

    Methods are written in the byte order of their names, then the constant methods as
    given. Same programs and config, same bytes.

    Raises: EmitError for what a Program cannot hold, UnboundedDimError for sizes without
    a bound, PlanError for memory that cannot be planned.
    """
    config = config or EmitConfig()
    names = sorted(methods, key=str.encode)
    linear = [_linear(methods[name], name, config) for name in names]
    if config.share_state:
        linear_state = [state for method in linear for state in method.states]
        shared = _plan_state(linear_state, config)
    else:
        shared = {}
    placed, places = _place_all(linear, config, shared)
    file = _File(config)
    file.take(linear)
    records = [
        file.method(one, one_places)
        for one, one_places in zip(placed, places, strict=True)
    ]
    for name, value in (constant_methods or {}).items():
        if name in methods:
            raise EmitError(f"emit: {name} is both a method and a constant method")
        records.append(constant_method(name, value, file.constants))
    signatures = {
        method.name: describe(methods[method.name], method.written_back)
        for method in linear
    }
    data = file.write(records, encode(signatures))
    return EmitResult(data, file.external.write(), {p.name: p for p in placed})


def _linear(program: ExportedProgram, name: str, config: EmitConfig) -> LinearMethod:
    method = linearize(program, name, config.options(name))
    method.inputs_text, method.outputs_text = container_texts(program)
    if config.share_state:
        for state in method.states:
            state.arena = SHARED_STATE
    return method


def _plan_state(
    states: Sequence[Storage], config: EmitConfig
) -> dict[str, tuple[int, int]]:
    """Offset and bytes of each shared mutable buffer, by its name in the model."""
    nbytes: dict[str, int] = {}
    for state in states:
        nbytes[state.fqn] = max(nbytes.get(state.fqn, 0), state.nbytes)
    places, end = {}, 0
    for fqn in sorted(nbytes):
        places[fqn] = (end, nbytes[fqn])
        end = -(-(end + nbytes[fqn]) // config.alignment) * config.alignment
    return places


def _place_all(
    methods: Sequence[LinearMethod],
    config: EmitConfig,
    shared: Mapping[str, tuple[int, int]],
) -> tuple[list[PlacedMethod], list[Places]]:
    placed, places = [], []
    for method in methods:
        one, where = _place(method, config, shared)
        placed.append(one)
        places.append(where)
    return placed, places


def _place(
    method: LinearMethod, config: EmitConfig, shared: Mapping[str, tuple[int, int]]
) -> tuple[PlacedMethod, Places]:
    """Plan one method's memory. Shared state is one buffer of its arena, laid out already."""
    options = config.options(method.name)
    storages, buffers = place(method, config.alignment, options.reuse_state)
    arenas = list(config.arenas)
    kept = [i for i, s in enumerate(storages) if s.kind != STATE or not shared]
    chosen = [buffers[i] for i in kept]
    if shared:
        end = max(offset + nbytes for offset, nbytes in shared.values())
        last = max((b.last for b in buffers), default=0)
        arenas.append(Arena(SHARED_STATE))
        chosen.append(
            Buffer(SHARED_STATE, end, 0, last, config.alignment, SHARED_STATE)
        )
    plan = plan_memory(chosen, arenas)
    where = {
        storages[i]: (plan.arena_of[k] + 1, plan.offsets[k]) for k, i in enumerate(kept)
    }
    for storage in storages:
        if shared and storage.kind == STATE:
            where[storage] = (len(arenas), shared[storage.fqn][0])
    return PlacedMethod(method.name, method, tuple(chosen), plan), where


class _File:
    """What the methods of one file share: constants, initial state, delegates, named data."""

    def __init__(self, config: EmitConfig) -> None:
        self._config = config
        self.constants = Pool(config.constant_alignment)
        self._state = Pool(1)
        self.external = ExternalData(config.segment_alignment)
        self._blobs: dict[bytes, int] = {}
        self._named: dict[str, NamedBytes] = {}

    def take(self, methods: Sequence[LinearMethod]) -> None:
        """Collect stored data and delegates' bytes in the order of first use."""
        for method in methods:
            for value in method.values:
                if isinstance(value, Tensor):
                    self._store(value)
            for delegate in method.delegates:
                self._blobs.setdefault(delegate.blob, len(self._blobs))
            for key, named in method.named_data.items():
                add_named(self._named, key, named)
        for key, data in self._config.named_data.items():
            add_named(self._named, key, NamedBytes(data))
        for key, named in self._named.items():
            if named.external is not None:
                self.external.add_named(key, named)

    def _store(self, tensor: Tensor) -> None:
        storage = tensor.storage
        if storage.data is None:
            return
        if storage.external is not None:
            self.external.add_tensor(storage, tensor)
        elif storage.kind == CONSTANT:
            self.constants.add(storage.data, storage.key)
        else:
            self._state.add(storage.data, storage.key)

    def method(self, placed: PlacedMethod, places: Places) -> Record:
        """The Method record."""
        index = {("constants", key): n for key, n in self.constants.index.items()}
        index |= {("state", key): n for key, n in self._state.index.items()}
        config = self._config
        records = MethodRecords(
            placed.linear,
            places,
            index,
            config.state_names,
            config.options(placed.name).traces,
        )
        nbytes = [arena.nbytes for arena in placed.plan.arenas]
        while nbytes and nbytes[-1] == 0 and len(nbytes) > 1:
            nbytes.pop()
        delegates = [self._delegate(delegate) for delegate in placed.linear.delegates]
        return records.record(nbytes, delegates)

    def _is_inline(self, blob: bytes) -> bool:
        return self._config.delegates_inline or not blob

    def _delegate(self, delegate: Delegate) -> Record:
        inline = self._is_inline(delegate.blob)
        peers = [blob for blob in self._blobs if self._is_inline(blob) == inline]
        number = peers.index(delegate.blob)
        first = 0 if inline else 1 + self._has_state
        return Record(
            "Delegate",
            backend=delegate.backend,
            blob=Record("BlobRef", kind=0 if inline else 1, index=first + number),
            specs=[
                Record("Spec", key=key, value=value) for key, value in delegate.specs
            ],
        )

    @property
    def _has_state(self) -> int:
        return int(self._state.nbytes > 0)

    def write(self, methods: list[Record], signature: bytes) -> bytes:
        """The file: constants, initial state, delegates and named data as segments."""
        segments = [Segment(self.constants.chunks)]
        program: dict[str, Any] = {
            "version": 0,
            "methods": methods,
            "inline_constants": [],
            "constants": Record(
                "SubOffsets", segment=0, offsets=self.constants.offsets
            ),
        }
        if self._has_state:
            state = Record("SubOffsets", segment=1, offsets=self._state.offsets)
            program["mutable_data"] = [state]
            segments.append(Segment(self._state.chunks))
        inline = [blob for blob in self._blobs if self._is_inline(blob)]
        program["inline_delegates"] = [Record("InlineBytes", bytes=b) for b in inline]
        for blob in self._blobs:
            if not self._is_inline(blob):
                segments.append(Segment(blob, self._config.delegate_alignment))
        program["named_data"] = self._named_records(segments, signature)
        return write_program(
            Record("Program", **program),
            segments,
            segment_alignment=self._config.segment_alignment,
        )

    def _named_records(self, segments: list[Segment], signature: bytes) -> list[Record]:
        """Append the named data's segments, equal ones once; returns their records."""
        named = {k: n for k, n in self._named.items() if n.external is None}
        named[KEY] = NamedBytes(signature)
        alignments: dict[bytes, int] = {}
        for key in sorted(named):
            one = named[key]
            alignments[one.data] = max(one.alignment, alignments.get(one.data, 1))
        numbers = {data: len(segments) + i for i, data in enumerate(alignments)}
        segments += [Segment(data, n) for data, n in alignments.items()]
        return [
            Record("NamedBlob", key=key, segment=numbers[named[key].data])
            for key in sorted(named)
        ]


def _step(instruction: Instruction) -> dict[str, Any]:
    op = (
        instruction.op
        if isinstance(instruction, KernelCall)
        else type(instruction).__name__
    )
    frame = instruction.frame
    line = f"{frame[0]}:{frame[1]}" if frame else ""
    return {"op": op, "node": instruction.origin, "line": line}
