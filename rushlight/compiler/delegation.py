# SPDX-License-Identifier: BSD-3-Clause
"""Tagged partitions to delegate calls in the program's graph."""

from __future__ import annotations

import heapq
import operator
from functools import singledispatch
from itertools import pairwise
from typing import Any

from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.fx import Graph, GraphModule, Node

from rushlight.backends.backend import CompileSpec, find_preprocess
from rushlight.compiler.delegate import LoweredBackendModule, call_delegate
from rushlight.compiler.extract import Partition, extract, find
from rushlight.compiler.partition import (
    TAG,
    DelegationSpec,
    Partitioner,
    PartitionResult,
)
from rushlight.compiler.torch_compat import copied, remove_inputs, sync_outputs
from rushlight.errors import (
    BackendError,
    CompileInputError,
    PartitionError,
    RushlightError,
)

CALL_OF = "delegation_tag_of_call"
"""Key of ``node.meta`` on new nodes, while partitions are being replaced."""


def lower_partitions(result: PartitionResult) -> ExportedProgram:
    """Replace every tagged partition by a call of the delegate its backend makes of it.

    The program is changed in place, and returned.

    Raises: PartitionError if a partition would wait for its own result; BackendError if
        a backend is unknown or its ``preprocess`` fails.
    """
    program = result.tagged_exported_program
    present = {n.meta.get(TAG) for n in program.graph.nodes if n.op == "call_function"}
    for tag, spec in result.partition_tags.items():
        if tag in present:
            partition = find(program, tag)
            lowered = preprocess(extract(program, partition), spec)
            _replace(program, partition, lowered)
    if present - {None}:
        _sort(program.graph)
        sync_outputs(program)
        program.graph_module.recompile()
    _forget_tags(program)
    return program


@singledispatch
def to_backend(given: Any, *args: Any) -> Any:
    """``to_backend(program, partitioner)`` gives the program with its partitions lowered;
    ``to_backend(backend_id, program, compile_specs)`` the whole program as one delegate.
    """
    raise CompileInputError(
        f"to_backend: expected an ExportedProgram or a backend's id first, got "
        f"{type(given).__name__}"
    )


@to_backend.register
def _(given: ExportedProgram, partitioner: Partitioner) -> ExportedProgram:
    return lower_partitions(partitioner.partition(copied(given)))


@to_backend.register
def _(
    given: str, program: ExportedProgram, compile_specs: list[CompileSpec]
) -> LoweredBackendModule:
    return preprocess(copied(program), DelegationSpec(given, compile_specs))


def preprocess(own: ExportedProgram, spec: DelegationSpec) -> LoweredBackendModule:
    """Call the backend on a partition; its own failures come back as BackendError."""
    specs = list(spec.compile_specs)
    function = find_preprocess(spec.backend_id)
    try:
        made = function(own, specs)
    except RushlightError:
        raise
    except Exception as error:
        message = f"preprocess failed: {type(error).__name__}: {error}"
        raise BackendError(spec.backend_id, message) from error
    if not isinstance(getattr(made, "processed_bytes", None), bytes):
        raise BackendError(
            spec.backend_id,
            f"preprocess returned {type(made).__name__}, expected a PreprocessResult "
            "with processed_bytes",
        )
    return LoweredBackendModule(
        spec.backend_id, made.processed_bytes, specs, own, made.data_store_output
    )


def _replace(
    program: ExportedProgram, partition: Partition, lowered: LoweredBackendModule
) -> None:
    call, results = _insert_call(program.graph_module, partition, lowered)
    call.meta[CALL_OF] = partition.tag
    inside = set(partition.nodes)
    for node, result in zip(partition.outputs, results, strict=True):
        result.meta = {**node.meta, CALL_OF: partition.tag}
        node.replace_all_uses_with(result, lambda user: user not in inside)
    _move_updates(program, partition)
    for node in reversed(partition.nodes):
        program.graph.erase_node(node)
    remove_inputs(program, [n for n in partition.owned if not n.users])


def _insert_call(
    module: GraphModule, partition: Partition, lowered: LoweredBackendModule
) -> tuple[Node, list[Node]]:
    """The call and its results, where the last node of the partition is."""
    graph, last = module.graph, partition.nodes[-1]
    name = f"lowered_module_{_count(module)}"
    module.add_module(name, lowered)
    with graph.inserting_before(last):
        holder = graph.get_attr(name)
        call = graph.call_function(call_delegate, (holder, *partition.inputs))
        results = [
            graph.call_function(operator.getitem, (call, i))
            for i in range(len(partition.outputs))
        ]
    call.meta = {k: v for k, v in last.meta.items() if k != "dim_order"}
    call.meta["val"] = tuple(n.meta["val"] for n in partition.outputs)
    return call, results


def _move_updates(program: ExportedProgram, partition: Partition) -> None:
    """The program no longer returns the new values of buffers that the delegate keeps."""
    gone = {node.name for node in partition.updates}
    if not gone:
        return
    output = program.graph.output_node()
    returned: Any = output.args[0]
    specs = program.graph_signature.output_specs
    kept = [
        (spec, value)
        for spec, value in zip(specs, returned, strict=True)
        if not (spec.kind == OutputKind.BUFFER_MUTATION and spec.arg.name in gone)
    ]
    output.args = (tuple(value for _, value in kept),)
    specs[:] = [spec for spec, _ in kept]


def _count(module: GraphModule) -> int:
    return sum(isinstance(m, LoweredBackendModule) for m in module.children())


def _sort(graph: Graph) -> None:
    """Put nodes in an order in which each follows what it reads; otherwise as they are.

    A delegate call goes where the last of its inputs is ready.
    """
    nodes = list(graph.nodes)
    done = _in_order(nodes)
    for before, node in pairwise(done):
        before.append(node)


def _in_order(nodes: list[Node]) -> list[Node]:
    order = {node: i for i, node in enumerate(nodes)}
    waiting = {node: len(node.all_input_nodes) for node in nodes}
    ready = [i for i, node in enumerate(nodes) if not waiting[node]]
    done = []
    while ready:
        done.append(nodes[heapq.heappop(ready)])
        for i in map(order.__getitem__, done[-1].users):
            waiting[nodes[i]] -= 1
            if not waiting[nodes[i]]:
                heapq.heappush(ready, i)
    if len(done) < len(nodes):
        raise _cycle(nodes, done)
    return done


def _cycle(nodes: list[Node], done: list[Node]) -> PartitionError:
    stuck = [node for node in nodes if node not in set(done)]
    tags = sorted({str(n.meta[CALL_OF]) for n in stuck if n.target is call_delegate})
    between = [n for n in stuck if CALL_OF not in n.meta and n.op != "output"]
    names = ", ".join(n.name for n in between) or "another partition"
    first = [*between, *stuck][0]
    return PartitionError(
        f"partition {' and '.join(tags)}: would wait for its own result through {names}; "
        "tag those nodes too, or split the partition",
        node=first.name,
        stack_trace=first.meta.get("stack_trace"),
    )


def _forget_tags(program: ExportedProgram) -> None:
    for node in program.graph.nodes:
        node.meta.pop(TAG, None)
        node.meta.pop(CALL_OF, None)
