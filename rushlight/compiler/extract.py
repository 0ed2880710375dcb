# SPDX-License-Identifier: BSD-3-Clause
"""A partition of a graph as a program of its own."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
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

from rushlight.compiler.edge import mutated_inputs
from rushlight.compiler.partition import TAG, owns
from rushlight.compiler.torch_compat import (
    assemble,
    stored_tensors,
)


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


def extract(program: ExportedProgram, partition: Partition) -> ExportedProgram:
    """The partition as a program of its own: owned tensors first, then its inputs."""
    module = GraphModule(torch.nn.Module(), Graph())
    copies = _copy_nodes(program.graph_module, partition, module)
    inputs = _input_specs(program, partition, copies)
    targets = {spec.target for spec in inputs if spec.target is not None}
    return assemble(
        module,
        module.graph,
        inputs,
        _output_specs(program, partition, copies),
        program,
        {k: v for k, v in program.state_dict.items() if k in targets},
        {k: v for k, v in program.constants.items() if k in targets},
    )


def _copy_nodes(
    source: GraphModule, partition: Partition, into: GraphModule
) -> dict[Node, Node]:
    graph = into.graph
    copies: dict[Node, Node] = {}
    for node in (*partition.owned, *partition.inputs):
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    for node in partition.nodes:
        for held in (n for n in node.all_input_nodes if n not in copies):
            setattr(into, str(held.target), getattr(source, str(held.target)))
            copies[held] = graph.node_copy(held)
        copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple(copies[n] for n in (*partition.updates, *partition.outputs)))
    for node in graph.nodes:
        node.meta.pop(TAG, None)
    return copies


def _input_specs(
    program: ExportedProgram, partition: Partition, copies: Mapping[Node, Node]
) -> list[InputSpec]:
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    inputs = []
    for node in partition.owned:
        spec, argument = specs[node.name], TensorArgument(copies[node].name)
        inputs.append(InputSpec(spec.kind, argument, spec.target, spec.persistent))
    for node in partition.inputs:
        inputs.append(InputSpec(InputKind.USER_INPUT, _argument(copies[node]), None))
    return inputs


def _output_specs(
    program: ExportedProgram, partition: Partition, copies: Mapping[Node, Node]
) -> list[OutputSpec]:
    changed = program.graph_signature.buffers_to_mutate
    updates = [
        OutputSpec(
            OutputKind.BUFFER_MUTATION, _argument(copies[node]), changed[node.name]
        )
        for node in partition.updates
    ]
    return updates + [
        OutputSpec(OutputKind.USER_OUTPUT, _argument(copies[node]), None)
        for node in partition.outputs
    ]


def _argument(node: Node) -> Any:
    is_tensor = isinstance(node.meta.get("val"), torch.Tensor)
    return TensorArgument(node.name) if is_tensor else SymIntArgument(node.name)


def find(program: ExportedProgram, tag: str) -> Partition:
    """The nodes with this tag and what crosses their border."""
    _adopt_getitems(program.graph, tag)
    nodes = [n for n in program.graph.nodes if _has_tag(n, tag)]
    inside = set(nodes)
    sources = _read_from_outside(nodes)
    owned, updates = _ownership(program, sources, nodes, tag)
    outputs = [
        node
        for node in nodes
        if not inside.issuperset(node.users)
        and not (node in updates and _only_updates(node, program, inside))
    ]
    inputs = [n for n in sources if n not in owned]
    return Partition(tag, nodes, inputs, owned, updates, outputs)


def _read_from_outside(nodes: list[Node]) -> list[Node]:
    read = dict.fromkeys(source for node in nodes for source in node.all_input_nodes)
    for node in nodes:
        read.pop(node, None)
    return [node for node in read if node.op != "get_attr"]


def _has_tag(node: Node, tag: str) -> bool:
    return node.op == "call_function" and node.meta.get(TAG) == tag


def _ownership(
    program: ExportedProgram, sources: list[Node], nodes: list[Node], tag: str
) -> tuple[list[Node], list[Node]]:
    """Which stored tensors are the partition's own, and the new values of those it keeps.

    A mutable buffer is its own only if its update is in the partition too.
    """
    stored, mutated = stored_tensors(program), mutated_inputs(program)
    owned = [n for n in sources if n.name in stored and owns(n, tag)]
    updates = _owned_updates(program, owned, set(nodes))
    kept = set(updates.values())
    return (
        [n for n in owned if n.name not in mutated or n.name in kept],
        [n for n in nodes if n.name in updates],
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


def _only_updates(node: Node, program: ExportedProgram, inside: set[Node]) -> bool:
    """Outside, the node is only returned, and only as the new value of a buffer."""
    output = program.graph.output_node()
    returned: Any = output.args[0]
    specs = program.graph_signature.output_specs
    kinds = {s.kind for s, value in zip(specs, returned, strict=True) if value is node}
    return kinds == {OutputKind.BUFFER_MUTATION} and set(node.users) <= {
        output,
        *inside,
    }


def _adopt_getitems(graph: Graph, tag: str) -> None:
    """A result of a multi-result node belongs where the node is."""
    for node in graph.nodes:
        if node.target is operator.getitem and _has_tag(node.args[0], tag):
            node.meta[TAG] = tag
