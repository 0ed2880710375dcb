# SPDX-License-Identifier: BSD-3-Clause
"""Partitions of a graph: who chooses them, and how each becomes a delegate call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from rushlight.backends.backend import Backend, CompileSpec
from rushlight.compiler.edge import mutated_inputs
from rushlight.compiler.grouping import group_nodes
from rushlight.compiler.targets import (
    higher_order_name,
    is_control_flow,
    is_delegate_call,
)
from rushlight.compiler.torch_compat import stored_tensors
from rushlight.compiler.verify import REASONS, target_name, tensor_groups

TAG = "delegation_tag"
"""Key of ``node.meta`` that a partitioner sets: which partition the node belongs to."""


class DelegationSpec(NamedTuple):
    """To which backend a partition goes, with which options."""

    backend_id: str
    compile_specs: list[CompileSpec]


@dataclass
class PartitionResult:
    """A program whose nodes carry ``meta["delegation_tag"]``, and what each tag means."""

    tagged_exported_program: ExportedProgram
    partition_tags: dict[str, DelegationSpec]


class Partitioner:
    """Chooses the nodes a backend gets. Subclass it and tag nodes in ``partition``."""

    def __init__(
        self, spec: Mapping[str | int | float | bool, object] = MappingProxyType({})
    ) -> None:
        self._spec = spec

    @property
    def spec(self) -> Mapping[str | int | float | bool, object]:
        """The options it was made with."""
        return self._spec

    def __call__(self, exported_program: ExportedProgram) -> PartitionResult:
        """The same as ``partition``."""
        return self.partition(exported_program)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tag nodes of the program. Tags only: the graph must stay as it is."""
        raise NotImplementedError

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[torch._ops.OpOverload], Callable[[Node], bool] | None]:
        """ATen overloads to keep whole for this backend, and which occurrences of them."""
        return [], None

    def transform_for_pre_decomposition(
        self, exported_program: ExportedProgram
    ) -> ExportedProgram:
        """A rewrite of the ATen program before it is decomposed; by default none."""
        return exported_program


@dataclass
class BackendPartitioner(Partitioner):
    """Gives a ``Backend`` everything that its ``supports`` rows take, in large partitions."""

    backend: Backend
    options: Any = None
    tags: dict[str, DelegationSpec] = field(default_factory=dict)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tag what the backend takes; note its reason at every node it leaves."""
        backend = self.backend
        specs = backend.specs(self.options)
        taken = {
            node for node in exported_program.graph.nodes if _is_taken(node, backend)
        }
        tags = {}
        for i, group in enumerate(group_nodes(exported_program.graph, taken)):
            tag = f"{backend.id}_{i}"
            for node in group:
                node.meta[TAG] = tag
            tags[tag] = DelegationSpec(backend.id, specs)
        tag_constants(exported_program)
        return PartitionResult(exported_program, tags)

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[torch._ops.OpOverload], Callable[[Node], bool] | None]:
        """The overloads of the backend's ``supports``."""
        from rushlight.compiler.edge import overload

        found = (overload(name) for name in self.backend.supports)
        return [op for op in found if op is not None], None


def _is_taken(node: Node, backend: Backend) -> bool:
    if (
        node.op != "call_function"
        or node.target is operator.getitem
        or TAG in node.meta
    ):
        return False
    if is_control_flow(node) or is_delegate_call(node):
        return False
    if not isinstance(node.target, torch._ops.OpOverload):
        return False  # arithmetic on sizes stays with the program
    dtypes = tensor_groups(node)
    reason = backend.refusal(
        node, target_name(node.target), dtypes[0][0] if dtypes else None
    )
    if reason is None:
        return True
    node.meta.setdefault(REASONS, {})[backend.id] = reason
    return False


def tag_constants(program: ExportedProgram) -> None:
    """Tag each constant that exactly one partition reads, so that it moves in there.

    A constant read by several partitions, or by one and the program, is copied: each
    partition that reads it owns its bytes.
    """
    stored, mutated = stored_tensors(program), mutated_inputs(program)
    for node in program.graph.find_nodes(op="placeholder"):
        if node.name in stored and node.name not in mutated:
            tags = {user.meta.get(TAG) for user in node.users} - {None}
            if tags:
                node.meta[TAG] = (
                    sorted(tags)[0] if len(tags) == 1 else tuple(sorted(tags))
                )


def tag_mutated_buffers(program: ExportedProgram) -> None:
    """Tag state that one partition alone reads and updates, so that the delegate keeps it."""
    signature = program.graph_signature
    by_target = {target: name for name, target in signature.inputs_to_buffers.items()}
    nodes = {node.name: node for node in program.graph.nodes}
    for update, target in signature.buffers_to_mutate.items():
        buffer = nodes[by_target[target]]
        tags = {user.meta.get(TAG) for user in buffer.users}
        if tags == {nodes[update].meta.get(TAG)} and None not in tags:
            buffer.meta[TAG] = tags.pop()


def owns(node: Node, tag: str) -> bool:
    """Whether the partition `tag` owns the placeholder."""
    given = node.meta.get(TAG)
    return tag in given if isinstance(given, tuple) else given == tag


@dataclass(frozen=True)
class Left:
    """One kind of node that no backend took: how many, and why by backend id."""

    op: str
    dtypes: tuple[str, ...]
    count: int
    reasons: Mapping[str, str]


def left_behind(program: ExportedProgram) -> list[Left]:
    """What stays with the program's own kernels, and each backend's reasons."""
    kinds: dict[Any, int] = {}
    for node in _calls(program.graph.nodes):
        dtypes = tuple(d for group in tensor_groups(node) for d in group)
        reasons = tuple(sorted(node.meta.get(REASONS, {}).items()))
        key = (target_name(node.target), dtypes, reasons)
        kinds[key] = kinds.get(key, 0) + 1
    return [
        Left(op, dtypes, count, dict(reasons))
        for (op, dtypes, reasons), count in kinds.items()
    ]


def _calls(nodes: Iterable[Node]) -> Sequence[Node]:
    return [
        node
        for node in nodes
        if node.op == "call_function"
        and node.target is not operator.getitem
        and higher_order_name(node) is None
    ]
