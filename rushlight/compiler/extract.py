# SPDX-License-Identifier: BSD-3-Clause
"""Tagged nodes out of a program: each partition a program of its own, then a delegate call."""

from __future__ import annotations

import heapq
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node

from rushlight.backends.backend import find_preprocess
from rushlight.compiler.delegate import LoweredBackendModule, call_delegate
from rushlight.compiler.edge import mutated_inputs
from rushlight.compiler.partition import TAG, DelegationSpec, PartitionResult, owns
from rushlight.compiler.torch_compat import (
    assemble,
    remove_inputs,
    stored_tensors,
    sync_outputs,
)
from rushlight.errors import BackendError, PartitionError, RushlightError

__all__ = ["Partition", "extract", "lower_partitions", "lower_whole", "preprocess"]


@dataclass
class Partition:
    """One partition while it moves: what it reads, owns, is and returns, in graph order.

    ``inputs`` come from the program at run time, ``owned`` are placeholders of stored
    tensors, ``updates`` are the new values of owned mutable buffers.
    """

    tag: str
    nodes: list[Node]
    inputs: list[Node]
    owned: list[Node]
    updates: list[Node]
    outputs: list[Node]


def lower_partitions(result: PartitionResult) -> ExportedProgram:
    """Replace every tagged partition by a call of the delegate its backend makes of it.

    The program is changed in place, and returned.

    Raises: PartitionError if a partition would wait for its own result; BackendError if
        a backend is unknown or its ``preprocess`` fails.
    """
    program = result.tagged_exported_program
    partitions = [
        _find(program, tag)
        for tag in result.partition_tags
        if any(_has_tag(n, tag) for n in program.graph.nodes)
    ]
    for partition in partitions:
        own = extract(program, partition)
        lowered = preprocess(own, result.partition_tags[partition.tag])
        _replace(program, partition, lowered)
    _sort(program.graph)
    _forget_tags(program)
    sync_outputs(program)
    program.graph_module.recompile()
    return program


def lower_whole(program: ExportedProgram, spec: DelegationSpec) -> LoweredBackendModule:
    """The whole program as one delegate."""
    return preprocess(program, spec)


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


def extract(program: ExportedProgram, partition: Partition) -> ExportedProgram:
    """The partition as a program of its own: owned tensors first, then its inputs."""
    graph, root = Graph(), torch.nn.Module()
    copies: dict[Node, Node] = {}
    for node in (*partition.owned, *partition.inputs):
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = {k: v for k, v in node.meta.items() if k != TAG}
    for node in partition.nodes:
        for source in node.all_input_nodes:
            if source.op == "get_attr" and source not in copies:
                copies[source] = graph.node_copy(source)
                child = getattr(program.graph_module, str(source.target))
                setattr(root, str(source.target), child)
        copies[node] = graph.node_copy(node, lambda n: copies[n])
        copies[node].meta.pop(TAG, None)
    returned = [*partition.updates, *partition.outputs]
    graph.output(tuple(copies[node] for node in returned))
    module = GraphModule(root, graph)
    inputs, outputs = _signature(program, partition, copies)
    targets = {spec.target for spec in inputs if spec.target is not None}
    return assemble(
        module,
        graph,
        inputs,
        outputs,
        program,
        {k: v for k, v in program.state_dict.items() if k in targets},
        {k: v for k, v in program.constants.items() if k in targets},
    )


def _signature(
    program: ExportedProgram, partition: Partition, copies: Mapping[Node, Node]
) -> tuple[list[InputSpec], list[OutputSpec]]:
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    inputs = []
    for node in partition.owned:
        spec = specs[node.name]
        argument = TensorArgument(copies[node].name)
        inputs.append(InputSpec(spec.kind, argument, spec.target, spec.persistent))
    for node in partition.inputs:
        inputs.append(InputSpec(InputKind.USER_INPUT, _argument(copies[node]), None))
    changed = program.graph_signature.buffers_to_mutate
    outputs = [
        OutputSpec(
            OutputKind.BUFFER_MUTATION, _argument(copies[node]), changed[node.name]
        )
        for node in partition.updates
    ]
    outputs += [
        OutputSpec(OutputKind.USER_OUTPUT, _argument(copies[node]), None)
        for node in partition.outputs
    ]
    return inputs, outputs


def _argument(node: Node) -> Any:
    is_tensor = isinstance(node.meta.get("val"), torch.Tensor)
    return TensorArgument(node.name) if is_tensor else SymIntArgument(node.name)


def _has_tag(node: Node, tag: str) -> bool:
    return node.op == "call_function" and node.meta.get(TAG) == tag


def _find(program: ExportedProgram, tag: str) -> Partition:
    _adopt_getitems(program.graph, tag)
    nodes = [n for n in program.graph.nodes if _has_tag(n, tag)]
    inside = set(nodes)
    sources = dict.fromkeys(
        source
        for node in nodes
        for source in node.all_input_nodes
        if source not in inside and source.op != "get_attr"
    )
    stored = stored_tensors(program)
    owned = [n for n in sources if n.name in stored and owns(n, tag)]
    updates = _owned_updates(program, owned, inside)
    mutated = mutated_inputs(program)
    owned = [n for n in owned if n.name not in mutated or n.name in updates.values()]
    outputs = [
        node
        for node in nodes
        if any(user not in inside for user in node.users)
        and not (node.name in updates and _only_updates(node, program))
    ]
    return Partition(
        tag,
        nodes,
        [n for n in sources if n not in owned],
        owned,
        [n for n in nodes if n.name in updates],
        outputs,
    )


def _owned_updates(
    program: ExportedProgram, owned: list[Node], inside: set[Node]
) -> dict[str, str]:
    """Update node to buffer placeholder, where both belong to the partition."""
    signature = program.graph_signature
    by_target = {t: name for name, t in signature.inputs_to_buffers.items()}
    names, updates = {n.name for n in owned}, {n.name for n in inside}
    return {
        update: by_target[target]
        for update, target in signature.buffers_to_mutate.items()
        if update in updates and by_target[target] in names
    }


def _only_updates(node: Node, program: ExportedProgram) -> bool:
    """The node is returned only as the new value of a buffer."""
    output = program.graph.output_node()
    returned: Any = output.args[0]
    specs = program.graph_signature.output_specs
    kinds = [s.kind for s, value in zip(specs, returned, strict=True) if value is node]
    outside = [u for u in node.users if u is not output and u.meta.get(TAG) is None]
    return not outside and all(kind == OutputKind.BUFFER_MUTATION for kind in kinds)


def _adopt_getitems(graph: Graph, tag: str) -> None:
    """A result of a multi-result node belongs where the node is."""
    for node in graph.nodes:
        if node.target is operator.getitem and _has_tag(node.args[0], tag):
            node.meta[TAG] = tag


def _replace(
    program: ExportedProgram, partition: Partition, lowered: LoweredBackendModule
) -> None:
    graph, module = program.graph, program.graph_module
    name = f"lowered_module_{_count(module)}"
    module.add_module(name, lowered)
    with graph.inserting_before(graph.output_node()):
        holder = graph.get_attr(name)
        call = graph.call_function(call_delegate, (holder, *partition.inputs))
        results = [
            graph.call_function(operator.getitem, (call, i))
            for i in range(len(partition.outputs))
        ]
    inside, last = set(partition.nodes), partition.nodes[-1]
    call.meta = {
        k: v for k, v in last.meta.items() if k not in (TAG, "val", "dim_order")
    }
    call.meta["val"] = tuple(n.meta["val"] for n in partition.outputs)
    for node, result in zip(partition.outputs, results, strict=True):
        result.meta = {k: v for k, v in node.meta.items() if k != TAG}
        node.replace_all_uses_with(result, lambda user: user not in inside)
    _move_updates(program, partition)
    for made in (call, *results):
        made.meta[TAG + "_call"] = partition.tag
    for node in reversed(partition.nodes):
        graph.erase_node(node)
    remove_inputs(program, [n for n in partition.owned if not n.users])


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
    order = {node: i for i, node in enumerate(graph.nodes)}
    waiting = {node: len(node.all_input_nodes) for node in graph.nodes}
    ready = [(order[node], node.name, node) for node, n in waiting.items() if n == 0]
    heapq.heapify(ready)
    done: list[Node] = []
    while ready:
        _, _, node = heapq.heappop(ready)
        done.append(node)
        for user in node.users:
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, (order[user], user.name, user))
    if len(done) < len(order):
        raise _cycle([n for n in order if waiting[n] > 0])
    for before, node in pairwise(done):
        before.append(node)


def _cycle(stuck: list[Node]) -> PartitionError:
    calls = [n for n in stuck if n.target is call_delegate]
    tags = sorted({str(n.meta.get(TAG + "_call")) for n in calls})
    between = [n for n in stuck if n.target is not call_delegate and n.op != "output"]
    names = ", ".join(n.name for n in between if TAG + "_call" not in n.meta)
    return PartitionError(
        f"partition {' and '.join(tags)}: would wait for its own result through "
        f"{names or 'another partition'}; tag those nodes too, or split the partition",
        node=between[0].name if between else None,
        stack_trace=between[0].meta.get("stack_trace") if between else None,
    )


def _forget_tags(program: ExportedProgram) -> None:
    for node in program.graph.nodes:
        node.meta.pop(TAG, None)
        node.meta.pop(TAG + "_call", None)
