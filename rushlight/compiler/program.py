# SPDX-License-Identifier: BSD-3-Clause
"""The compiler's stages as objects, under the names that ExecuTorch users know."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from torch.export import ExportedProgram

from rushlight.compiler import pipeline
from rushlight.compiler.config import EdgeCompileConfig, ExecutorchBackendConfig, Pass
from rushlight.compiler.edge import to_edge_dialect
from rushlight.compiler.emit import EmitResult
from rushlight.compiler.partition import Partitioner
from rushlight.compiler.passes.base import run_passes
from rushlight.compiler.torch_compat import copied
from rushlight.compiler.verify import verify_legal
from rushlight.errors import CompileInputError

Programs = ExportedProgram | Mapping[str, ExportedProgram]
Partitioners = Partitioner | Sequence[Partitioner]
Passes = Sequence[Pass] | Mapping[str, Sequence[Pass]]


class EdgeProgramManager:
    """Programs in Edge dialect, by method name. Each step gives a new manager."""

    def __init__(
        self,
        edge_programs: Programs,
        constant_methods: Mapping[str, Any] | None = None,
        compile_config: EdgeCompileConfig | None = None,
        core_aten_ops_exception_list: Sequence[Any] | None = None,
        preserve_ops: Sequence[Any] | None = None,
    ) -> None:
        self._programs = named_programs(edge_programs)
        self._constants = dict(constant_methods or {})
        self.compile_config = compile_config or EdgeCompileConfig()
        self._allow = {
            *self.compile_config._core_aten_ops_exception_list,
            *(core_aten_ops_exception_list or ()),
        }
        pipeline.check_constant_names(self._programs, self._constants)

    @property
    def methods(self) -> set[str]:
        """Names of the programs."""
        return set(self._programs)

    @property
    def config_methods(self) -> set[str]:
        """Names of the constant methods."""
        return set(self._constants)

    def exported_program(self, method_name: str = "forward") -> ExportedProgram:
        """The Edge program of one method.

        Raises: CompileInputError naming the methods if there is none of this name.
        """
        return _named(self._programs, method_name)

    def transform(
        self, passes: Passes, compile_config: EdgeCompileConfig | None = None
    ) -> EdgeProgramManager:
        """Run passes, the same on every method or by method name."""
        made = self._next(
            {
                name: run_passes(copied(program), _by_name(passes, name))
                for name, program in self._programs.items()
            }
        )
        made.compile_config = compile_config or self.compile_config
        return made

    def to_backend(
        self, partitioner: Partitioners | Mapping[str, Partitioners]
    ) -> EdgeProgramManager:
        """Give partitions to backends: one partitioner for all methods, or by method."""
        return self._next(
            {
                name: pipeline.delegate(
                    copied(program), _listed(_by_name(partitioner, name))
                )
                for name, program in self._programs.items()
            }
        )

    def to_executorch(
        self, config: ExecutorchBackendConfig | None = None
    ) -> ExecutorchProgramManager:
        """Plan memory and write the Program. This manager stays as it is.

        Raises: IllegalOpError if something has no kernel; UnboundedDimError, PlanError,
            EmitError if a method cannot be planned or written.
        """
        config = config or ExecutorchBackendConfig()
        check = self.compile_config._check_ir_validity
        finished = {
            name: pipeline.finish(
                copied(program), config, self._allow if check else None
            )
            for name, program in self._programs.items()
        }
        return ExecutorchProgramManager(finished, self._constants, config)

    def _next(self, programs: Mapping[str, ExportedProgram]) -> EdgeProgramManager:
        return EdgeProgramManager(
            programs, self._constants, self.compile_config, list(self._allow)
        )


class ExecutorchProgramManager:
    """One written Program: its bytes, its ``.ptd`` files and how memory was planned."""

    def __init__(
        self,
        execution_programs: Mapping[str, ExportedProgram],
        config_methods: Mapping[str, Any] | None = None,
        backend_config: ExecutorchBackendConfig | None = None,
        named_data: Any = None,
    ) -> None:
        self._programs = dict(execution_programs)
        self._constants = dict(config_methods or {})
        self._config = backend_config or ExecutorchBackendConfig()
        self._emitted = pipeline.emit(
            self._programs, self._config, self._constants, named_data
        )

    @property
    def emitted(self) -> EmitResult:
        """What the emitter says of the file: methods, plans, external data."""
        return self._emitted

    @property
    def methods(self) -> set[str]:
        """Names of the methods."""
        return set(self._programs)

    @property
    def config_methods(self) -> set[str]:
        """Names of the constant methods."""
        return set(self._constants)

    def exported_program(self, method_name: str = "forward") -> ExportedProgram:
        """The program that was written for one method."""
        return _named(self._programs, method_name)

    @property
    def buffer(self) -> bytes:
        """The bytes of the ``.pte`` file."""
        return self._emitted.buffer

    @property
    def executorch_program(self) -> Any:
        """The Program table as read back from the bytes: see ``rushlight.schema.reader``."""
        from rushlight.schema.reader import read_program

        return read_program(self.buffer)

    @property
    def debug_handle_map(self) -> dict[int, list[int]]:
        """Empty: source lines are stored with instructions (``emit_stacktrace``)."""
        return {}

    @property
    def delegate_map(self) -> dict[str, dict[int, dict[str, Any]]]:
        """By method: delegate number to the backend's id and the call's name."""
        return {
            name: {
                number: {"name": call.backend, "node": call.node}
                for number, call in enumerate(pipeline.delegate_calls(program))
            }
            for name, program in self._programs.items()
        }

    def save(self, path: str | Path) -> None:
        """Write the ``.pte`` file, and any ``.ptd`` files beside it.

        Raises: CompileInputError if the name does not end in ``.pte``.
        """
        path = Path(path)
        if path.suffix != ".pte":
            raise CompileInputError(f"save: {path.name!r} must end in .pte")
        path.write_bytes(self.buffer)
        self.write_tensor_data_to_file(path.parent)

    def write_to_file(self, open_file: io.BufferedIOBase | Any) -> None:
        """Write the bytes to a file opened in binary mode."""
        open_file.write(self.buffer)

    def write_tensor_data_to_file(self, outdir: str | Path) -> None:
        """Write each ``.ptd`` file into a folder; nothing if all constants are inside."""
        for name, content in self._emitted.external.items():
            (Path(outdir) / f"{name}.ptd").write_bytes(content)

    def dump_executorch_program(
        self, verbose: bool = False, out: TextIO | None = None
    ) -> None:
        """Print the methods' instructions, one a line; ``verbose`` adds the graphs."""
        out = out or sys.stdout
        for name, method in self._emitted.methods.items():
            print(f"method {name}", file=out)
            for number, step in enumerate(method.steps()):
                print(f"  {number:4} {step['op']}  {step['line']}", file=out)
            if verbose:
                print(self._programs[name], file=out)


def to_edge(
    programs: Programs,
    constant_methods: Mapping[str, Any] | None = None,
    compile_config: EdgeCompileConfig | None = None,
    generate_etrecord: bool = False,
) -> EdgeProgramManager:
    """ExportedPrograms (ATen) to Edge dialect. ``generate_etrecord`` is accepted, and does
    nothing: a Program tells of its own source lines."""
    config = compile_config or EdgeCompileConfig()
    edge = {
        name: to_edge_dialect(program, keep=config.preserve_ops)
        for name, program in named_programs(programs).items()
    }
    return EdgeProgramManager(edge, constant_methods, config)


def to_edge_transform_and_lower(
    programs: Programs,
    transform_passes: Passes | None = None,
    partitioner: Partitioners | Mapping[str, Partitioners] | None = None,
    constant_methods: Mapping[str, Any] | None = None,
    compile_config: EdgeCompileConfig | None = None,
    generate_etrecord: bool = False,
) -> EdgeProgramManager:
    """ExportedPrograms to Edge dialect, optimised, with partitions given to backends.

    Raises: IllegalOpError if no backend took something that has no kernel either (unless
        ``compile_config._check_ir_validity`` is off).
    """
    config = compile_config or EdgeCompileConfig()
    allow = set(config._core_aten_ops_exception_list)
    lowered = {}
    for name, program in named_programs(programs).items():
        partitioners = _listed(_by_name(partitioner or (), name))
        edge = pipeline.to_edge_for(program, partitioners, config.preserve_ops)
        edge = run_passes(edge, _by_name(transform_passes or (), name))
        edge = pipeline.optimise(edge)
        edge = pipeline.delegate(edge, partitioners)
        if config._check_ir_validity:
            verify_legal(edge, allow)
        lowered[name] = edge
    return EdgeProgramManager(lowered, constant_methods, config)


def named_programs(programs: Programs) -> dict[str, ExportedProgram]:
    """One ExportedProgram is the method ``forward``.

    Raises: CompileInputError for anything else than ExportedPrograms by name.
    """
    named = programs if isinstance(programs, Mapping) else {"forward": programs}
    for name, program in named.items():
        if not isinstance(program, ExportedProgram):
            raise CompileInputError(
                f"method {name!r}: expected a torch.export.ExportedProgram, got "
                f"{type(program).__name__}; call torch.export.export(model, inputs) first"
            )
    return dict(named)


def _named(programs: Mapping[str, ExportedProgram], name: str) -> ExportedProgram:
    if name not in programs:
        known = ", ".join(sorted(programs))
        raise CompileInputError(f"no method {name!r}; there are: {known}")
    return programs[name]


def _by_name(given: Any, name: str) -> Any:
    return given.get(name, ()) if isinstance(given, Mapping) else given


def _listed(partitioners: Any) -> list[Partitioner]:
    if callable(getattr(partitioners, "partition", None)):
        return [partitioners]
    return list(partitioners)
