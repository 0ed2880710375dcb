# SPDX-License-Identifier: BSD-3-Clause
"""The whole lowering on one page. Read this first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node

from rushlight.backends.backend import Backend, discovered
from rushlight.compiler.bounds import check_bounds
from rushlight.compiler.config import ExecutorchBackendConfig
from rushlight.compiler.delegation import lower_partitions
from rushlight.compiler.edge import to_edge_dialect
from rushlight.compiler.emit import EmitConfig, EmitResult, emit_program
from rushlight.compiler.linearize import LinearizeOptions
from rushlight.compiler.partition import BackendPartitioner, Partitioner
from rushlight.compiler.passes.base import dump, run_passes
from rushlight.compiler.passes.drop_dead_code import drop_dead_code
from rushlight.compiler.passes.drop_noops import drop_noops
from rushlight.compiler.passes.fold_constants import fold_constants
from rushlight.compiler.passes.fuse_batch_norm import fuse_batch_norm
from rushlight.compiler.passes.merge_permutes import merge_permutes
from rushlight.compiler.passes.merge_sizes import merge_sizes
from rushlight.compiler.passes.merge_views import merge_views
from rushlight.compiler.passes.order_dims import order_dims
from rushlight.compiler.plan import Arena
from rushlight.compiler.targets import is_delegate_call
from rushlight.compiler.verify import verify_dialect, verify_layout, verify_legal
from rushlight.errors import CompileInputError

EXTERNAL_CONSTANTS = "_default_external_constant"
"""The ``.ptd`` of constants that were not given a file of their own: stock's name."""

PASSES: tuple[Callable[[ExportedProgram], int], ...] = (
    merge_sizes,  # first: static sizes are what the others compare
    fold_constants,  # before fuse_*: a folded weight is what they match
    fuse_batch_norm,
    merge_views,
    merge_permutes,
    drop_noops,  # after merge_*, which leave single reshapes to the old shape
    drop_dead_code,
    order_dims,  # last: the copies it puts in must stay where kernels need them
)


def lower(
    programs: Mapping[str, ExportedProgram],
    partitioners: Sequence[Partitioner],
    config: ExecutorchBackendConfig,
    constant_methods: Mapping[str, Any],
) -> EmitResult:
    """ExportedPrograms (ATen) by method name to Program bytes: every stage in order."""
    finished = {}
    for name, program in programs.items():
        edge = to_edge_for(program, partitioners)
        edge = optimise(edge)
        edge = delegate(edge, partitioners)
        finished[name] = finish(edge, config)
    return emit(finished, config, constant_methods)


def to_edge_for(
    program: ExportedProgram,
    partitioners: Sequence[Partitioner],
    preserve: Collection[Any] = (),
) -> ExportedProgram:
    """Edge dialect, with what the partitioners claim kept whole.

    Raises: UnboundedDimError naming an input's dimension without upper bound.
    """
    check_bounds(program)
    for partitioner in partitioners:
        program = partitioner.transform_for_pre_decomposition(program)
    claims: set[Any] = set(preserve)
    for partitioner in partitioners:
        claims.update(_claimed(program, partitioner))
    edge = to_edge_dialect(program, claims)
    dump(edge, "to_edge")
    return edge


def optimise(edge: ExportedProgram) -> ExportedProgram:
    """Run the passes. The program is changed in place and returned."""
    return run_passes(edge, PASSES)


def delegate(
    edge: ExportedProgram, partitioners: Sequence[Partitioner]
) -> ExportedProgram:
    """Let each partitioner in turn choose among the nodes that are left.

    Raises: PartitionError, BackendError.
    """
    for partitioner in partitioners:
        edge = lower_partitions(partitioner.partition(edge))
        dump(edge, f"delegate_{type(partitioner).__name__}")
    return edge


def finish(
    edge: ExportedProgram,
    config: ExecutorchBackendConfig,
    allow: Collection[Any] | None = (),
) -> ExportedProgram:
    """The last passes before memory is planned, and the check that everything can run.

    ``allow`` names overloads not to check; None checks nothing.

    Raises: IllegalOpError, DialectError.
    """
    check_bounds(edge)
    edge = run_passes(edge, config.passes)
    edge = optimise(edge)
    verify_dialect(edge)
    verify_layout(edge)
    if allow is not None:
        verify_legal(edge, allow)
    return edge


def emit(
    programs: Mapping[str, ExportedProgram],
    config: ExecutorchBackendConfig,
    constant_methods: Mapping[str, Any],
    named_data: Any = None,
) -> EmitResult:
    """Plan memory and write the bytes."""
    planning = [config.memory_planning(name) for name in programs]
    needs = [backend.needs for backend in backends_of(programs)]
    padding = max((need.tail_padding_nbytes for need in needs), default=0)
    alignment = max([p.alignment for p in planning] + [n.alignment for n in needs])
    emit_config = EmitConfig(
        linearize={name: _linearize_options(config, name) for name in programs},
        arenas=[
            replace(arena, slack=arena.slack + padding)
            for arena in config.arenas or [Arena()]
        ],
        alignment=alignment,
        constant_alignment=config.constant_tensor_alignment or 16,
        segment_alignment=config.segment_alignment,
        delegate_alignment=config.delegate_alignment or 1,
        delegates_inline=not config.extract_delegate_segments,
        share_state=any(p.share_mutable_buffers for p in planning),
        state_names=config.emit_mutable_buffer_names,
        named_data=_inside(named_data),
    )
    return emit_program(programs, emit_config, constant_methods)


def _linearize_options(
    config: ExecutorchBackendConfig, method: str
) -> LinearizeOptions:
    planning = config.memory_planning(method)
    chosen = config.external_constants

    def external(node: Node) -> str | None:
        if callable(chosen):
            return chosen(node)
        return EXTERNAL_CONSTANTS if chosen else None

    def external_state(node: Node) -> str | None:
        return EXTERNAL_CONSTANTS if config.external_mutable_weights else None

    return LinearizeOptions(
        plan_inputs=planning.alloc_graph_input,
        plan_outputs=planning.alloc_graph_output,
        elide_views=config.remove_view_copy,
        reuse_state=config.run_reinplace_pass,
        external=external,
        external_state=external_state,
        traces=config.emit_stacktrace,
    )


def _inside(named_data: Any) -> dict[str, bytes]:
    if named_data is None:
        return {}
    return {
        key: named_data.buffers[entry.buffer_index]
        for key, entry in named_data.pte_data.items()
    }


def _claimed(program: ExportedProgram, partitioner: Partitioner) -> set[Any]:
    """Overloads in the program that the partitioner wants whole, in every occurrence.

    An op it wants only sometimes is kept if it wants all of them: torch decomposes by
    overload.
    """
    ops, accepts = partitioner.ops_to_not_decompose(program)
    claimed = set(ops)
    if accepts is None:
        return claimed
    refused = {
        node.target
        for node in program.graph.nodes
        if node.op == "call_function" and node.target in claimed and not accepts(node)
    }
    return claimed - refused


@dataclass(frozen=True)
class DelegateCall:
    """One delegate call of a program: the backend, its node and the partition's size."""

    backend: str
    node: str
    node_count: int
    nbytes: int


def delegate_calls(program: ExportedProgram) -> list[DelegateCall]:
    """Every delegate call, in order."""
    found = []
    for node in program.graph.nodes:
        if node.op == "call_function" and is_delegate_call(node):
            lowered = getattr(program.graph_module, str(node.args[0].target))
            inner = lowered.original_module.graph.nodes
            count = sum(n.op == "call_function" for n in inner)
            found.append(
                DelegateCall(
                    lowered.backend_id, node.name, count, len(lowered.processed_bytes)
                )
            )
    return found


def backends_of(programs: Mapping[str, ExportedProgram]) -> list[Backend]:
    """The manifests of the backends that the programs call; stock-style ones have none."""
    ids = {
        call.backend
        for program in programs.values()
        for call in delegate_calls(program)
    }
    return [discovered()[i] for i in sorted(ids) if i in discovered()] if ids else []


def partitioners_for(backends: Sequence[Any]) -> list[Partitioner]:
    """Partitioners as they are; a ``Backend``, its id or its folder's name as its partitioner.

    Raises: CompileInputError naming the backends there are.
    """
    chosen: list[Partitioner] = []
    for one in backends:
        if isinstance(one, str):
            one = _backend_named(one)
        if isinstance(one, Backend):
            one = BackendPartitioner(one)
        if not callable(getattr(one, "partition", None)):
            raise CompileInputError(
                f"backends: expected a name, a Backend or a Partitioner, got {one!r}"
            )
        chosen.append(one)
    return chosen


def _backend_named(name: str) -> Backend:
    wanted = name.lower().removesuffix("backend")
    for backend_id, backend in discovered().items():
        if backend_id.lower().removesuffix("backend") == wanted:
            return backend
    known = ", ".join(discovered())
    raise CompileInputError(f"backends: no backend {name!r}; there are: {known}")


def check_constant_names(methods: Collection[str], constants: Collection[str]) -> None:
    """Raise CompileInputError if a name is both a method's and a constant method's."""
    both = sorted(set(methods) & set(constants))
    if both:
        raise CompileInputError(
            f"constant_methods: {', '.join(both)} would be both a method and a constant"
        )
