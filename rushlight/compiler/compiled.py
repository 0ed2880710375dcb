# SPDX-License-Identifier: BSD-3-Clause
"""One call from a model to a Program that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from torch.export import ExportedProgram

from rushlight.compiler import pipeline
from rushlight.compiler.capture import Call, Model, capture
from rushlight.compiler.config import ExecutorchBackendConfig, Pass
from rushlight.compiler.emit import EmitResult
from rushlight.compiler.partition import Partitioner
from rushlight.compiler.passes.base import run_passes
from rushlight.compiler.program import named_programs
from rushlight.compiler.report import Report, make_report
from rushlight.errors import CompileInputError
from rushlight.runtime import Program

Progress = Callable[[str], None]
"""Called with a stage's name as it begins."""

STAGES = ("export", "to edge", "optimise", "delegate", "check", "plan and emit", "load")
"""Names of the stages, in order."""


class CompiledProgram(Program):
    """A Program just made: it runs, it can be saved, it tells how it came to be."""

    def __init__(
        self,
        emitted: EmitResult,
        report: Report,
        programs: Mapping[str, ExportedProgram],
    ) -> None:
        super().__init__(emitted.buffer, list(emitted.external.values()))
        self._emitted, self._report, self._programs = emitted, report, programs

    @property
    def buffer(self) -> bytes:
        """The bytes of the ``.pte`` file."""
        return self._emitted.buffer

    @property
    def external(self) -> Mapping[str, bytes]:
        """The bytes of ``.ptd`` files, by name without extension."""
        return self._emitted.external

    def save(self, path: str | Path) -> Path:
        """Write the ``.pte`` file, and its ``.ptd`` files beside it; returns the path."""
        path = Path(path)
        path.write_bytes(self.buffer)
        for name, content in self.external.items():
            path.with_name(f"{name}.ptd").write_bytes(content)
        return path

    def exported_program(self, name: str = "forward") -> ExportedProgram:
        """The method as it was emitted: Edge dialect, after all passes."""
        return self._programs[name]

    def report(self) -> Report:
        """Stages' times, ops, delegates, what was left and why, and the memory plan."""
        return self._report


def compile(
    model: Model,
    example_inputs: Sequence[Any] = (),
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    methods: Mapping[str, Any] | None = None,
    constant_methods: Mapping[str, Any] | None = None,
    backends: Sequence[Any] = (),
    partitioner: Partitioner | Sequence[Partitioner] | None = None,
    passes: Sequence[Pass] = (),
    config: ExecutorchBackendConfig | None = None,
    progress: Progress | None = None,
) -> CompiledProgram:
    """A PyTorch model to a Program.

    model: an nn.Module, an ExportedProgram, or a dict of ExportedPrograms by method.
    example_inputs, kwargs: one call's arguments; sizes not in ``dynamic_shapes`` are fixed.
    methods: several entry points of a module: name to example inputs, or to a ``Call``.
    constant_methods: name to value, for metadata that the host reads.
    backends: ids, folder names, ``Backend`` objects or partitioners, first choice first.
    passes: rewrites of the Edge programs, before ours.
    config: how the file is written; by default with the model's source lines, so that an
        error at run time names one.
    progress: called with each stage's name (``STAGES``) as it begins.

    Raises: ExportError if torch cannot capture the model; IllegalOpError if something in
        it cannot run on the target; UnboundedDimError for a dynamic dimension without
        upper bound; BackendError, PartitionError, PlanError, EmitError.

    >>> program = compile(model, (torch.rand(1, 3, 224, 224),))  # doctest: +SKIP
    >>> program(torch.rand(1, 3, 224, 224))  # doctest: +SKIP
    """
    clock = _Clock(progress)
    config = config or ExecutorchBackendConfig(emit_stacktrace=True)
    chosen = pipeline.partitioners_for([*backends, *_listed(partitioner)])
    with clock.stage("export"):
        call = Call(_inputs(example_inputs), kwargs or {}, dynamic_shapes)
        programs = named_programs(capture(model, call, methods))
        pipeline.check_constant_names(programs, constant_methods or {})
    programs = _lower(programs, chosen, passes, config, clock)
    with clock.stage("plan and emit"):
        emitted = pipeline.emit(programs, config, constant_methods or {})
    with clock.stage("load"):
        report = make_report(programs, emitted, clock.seconds)
        return CompiledProgram(emitted, report, programs)


def _lower(
    programs: Mapping[str, ExportedProgram],
    partitioners: Sequence[Partitioner],
    passes: Sequence[Pass],
    config: ExecutorchBackendConfig,
    clock: _Clock,
) -> dict[str, ExportedProgram]:
    """Every method through the stages between capture and emission."""
    lowered = {}
    for name, program in programs.items():
        with clock.stage("to edge"):
            edge = pipeline.to_edge_for(program, partitioners)
        with clock.stage("optimise"):
            edge = pipeline.optimise(run_passes(edge, passes))
        with clock.stage("delegate"):
            edge = pipeline.delegate(edge, partitioners)
        with clock.stage("check"):
            lowered[name] = pipeline.finish(edge, config)
    return lowered


class _Clock:
    """Seconds by stage, summed over methods; tells ``progress`` of each beginning."""

    def __init__(self, progress: Progress | None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        if self._progress is not None:
            self._progress(name)
        start = perf_counter()
        try:
            yield
        finally:
            spent = perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent


def _inputs(given: Any) -> tuple[Any, ...]:
    if not isinstance(given, (tuple, list)):
        raise CompileInputError(
            f"example_inputs: expected a tuple of one call's arguments, got "
            f"{type(given).__name__}; write (x,) for a single one"
        )
    return tuple(given)


def _listed(partitioner: Any) -> list[Partitioner]:
    if partitioner is None:
        return []
    if callable(getattr(partitioner, "partition", None)):
        return [partitioner]
    return list(partitioner)
