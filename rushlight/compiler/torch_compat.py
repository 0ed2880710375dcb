# SPDX-License-Identifier: BSD-3-Clause
"""Everything that leans on torch internals, in one place. Checked on torch 2.13."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count, islice
from typing import Any

import torch
from torch._decomp import global_decomposition_table
from torch._ops import HigherOrderOperator, OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import ExportedProgram
from torch.export.exported_program import ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    disable_proxy_modes_tracing,
    track_tensor_tree,
)
from torch.utils import _pytree as pytree

from rushlight.compiler.decompositions import OWN, PARTIAL

__all__ = [
    "add_constant",
    "assemble",
    "decompose",
    "fake_mode",
    "module_call_op",
    "quiet_torch",
    "remove_inputs",
    "replace_graph",
    "replace_stored_tensor",
    "stored_tensors",
    "sync_outputs",
]


@contextmanager
def quiet_torch() -> Iterator[None]:
    """Hold back torch's own deprecation chatter: no warning of it concerns our user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        # torch.nn's recurrent layers rebuild this list of theirs in every capture.
        warnings.filterwarnings("ignore", r".*_flat_weights.* were assigned during")
        yield


@cache
def _all_decompositions() -> dict[Any, Callable[..., Any]]:
    """torch's default table, ours, and what else torch decomposes into ATen ops.

    Not torch's references: those end in primitives, which no program may contain.
    """
    table: dict[Any, Callable[..., Any]] = {}
    for op, function in global_decomposition_table["post_autograd"].items():
        if isinstance(op, OpOverload) and "._refs" not in function.__module__:
            table[op] = function
    table.update(OWN)
    default = torch.export.default_decompositions()
    table.update(default.materialize() if hasattr(default, "materialize") else default)
    return table


def decompose(program: ExportedProgram, keep: Collection[Any]) -> ExportedProgram:
    """A new, functional program with every op outside `keep` decomposed if torch can.

    The one retracing of the whole lowering. State is shared with `program`, not copied.
    """
    kept = set(keep)
    table = {op: f for op, f in _all_decompositions().items() if op not in kept}
    table |= PARTIAL
    with quiet_torch():
        decomposed: ExportedProgram = program.run_decompositions(table)
    # torch hands the same dicts on; ours change.
    decomposed._constants = dict(decomposed.constants)
    decomposed._state_dict = dict(decomposed.state_dict)
    return decomposed


def fake_mode(program: ExportedProgram) -> FakeTensorMode:
    """The mode that the program's fake tensors belong to."""
    for node in program.graph.nodes:
        value = node.meta.get("val")
        for leaf in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(leaf, FakeTensor):
                return leaf.fake_mode
    return FakeTensorMode()


def add_constant(
    program: ExportedProgram, name: str, value: torch.Tensor, mode: FakeTensorMode
) -> Node:
    """Give the program one more constant tensor; returns its placeholder.

    The placeholder goes before the user's inputs, so these keep their order.
    """
    graph, signature = program.graph, program.graph_signature
    unique = _unused_name(program, name)
    kinds = [spec.kind for spec in signature.input_specs]
    kinds.append(InputKind.USER_INPUT)  # stands for the end
    position = kinds.index(InputKind.USER_INPUT)
    before = next(islice(graph.nodes, position, None))
    with graph.inserting_before(before):
        node: Node = graph.placeholder(f"c_{unique}")
    node.meta["val"] = mode.from_tensor(value, static_shapes=True)
    spec = InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(node.name), unique, None)
    signature.input_specs.insert(position, spec)
    program.constants[unique] = value
    return node


def _unused_name(program: ExportedProgram, name: str) -> str:
    taken = {n.name for n in program.graph.nodes} | set(program.constants)
    candidates = (name if i == 0 else f"{name}_{i}" for i in count())
    return next(n for n in candidates if n not in taken and f"c_{n}" not in taken)


def remove_inputs(program: ExportedProgram, unused: Collection[Node]) -> None:
    """Drop placeholders that nothing uses, their specs and their stored tensors.

    State that another placeholder still names stays. The caller vouches that none of
    them is a user input or mutated.
    """
    gone = {n.name for n in unused}
    specs = program.graph_signature.input_specs
    dropped = {s.target for s in specs if s.arg.name in gone}
    specs[:] = [s for s in specs if s.arg.name not in gone]
    for target in dropped - {s.target for s in specs}:
        program.constants.pop(target, None)
    for node in unused:
        program.graph.erase_node(node)


def stored_tensors(program: ExportedProgram) -> dict[str, torch.Tensor]:
    """The tensor behind each parameter, buffer and constant, by its placeholder's name."""
    found = {}
    for name, target in _lifted_targets(program).items():
        value = program.state_dict.get(target)
        if value is None:
            value = program.constants.get(target)
        if isinstance(value, torch.Tensor):
            found[name] = value.detach()
    return found


def _lifted_targets(program: ExportedProgram) -> Mapping[str, str]:
    signature = program.graph_signature
    return {
        s.arg.name: s.target
        for s in signature.input_specs
        if s.target is not None and s.kind != InputKind.USER_INPUT
    }


def sync_outputs(program: ExportedProgram) -> None:
    """Make the signature's output names those of the graph's output node.

    Needed after a pass has replaced a node that the program returns.
    """
    returned = program.graph.output_node().args[0]
    assert isinstance(returned, (tuple, list))
    specs = program.graph_signature.output_specs
    for i, (spec, value) in enumerate(zip(specs, returned, strict=True)):
        if isinstance(value, Node) and getattr(spec.arg, "name", None) != value.name:
            arg = type(spec.arg)(name=value.name)
            specs[i] = OutputSpec(spec.kind, arg, spec.target)
    _sync_call(program)


def _sync_call(program: ExportedProgram) -> None:
    """Let the call signature of the whole program name the same outputs."""
    specs = program.graph_signature.output_specs
    for entry in program.module_call_graph:
        if entry.fqn == "" and entry.signature is not None:
            entry.signature.outputs[:] = [
                s.arg for s in specs if s.kind == OutputKind.USER_OUTPUT
            ]


def assemble(
    root: GraphModule,
    graph: Graph,
    input_specs: list[InputSpec],
    output_specs: list[OutputSpec],
    parent: ExportedProgram,
    state: Mapping[str, torch.Tensor],
    constants: Mapping[str, Any],
) -> ExportedProgram:
    """An ExportedProgram around a part of `parent`'s graph."""
    inputs = [s.arg for s in input_specs if s.kind == InputKind.USER_INPUT]
    outputs = [s.arg for s in output_specs if s.kind == OutputKind.USER_OUTPUT]
    with quiet_torch():
        in_spec = pytree.tree_structure((tuple(range(len(inputs))), {}))
        out_spec = pytree.tree_structure(tuple(range(len(outputs))))
        call = ModuleCallSignature(
            inputs=list(inputs),
            outputs=list(outputs),
            in_spec=in_spec,
            out_spec=out_spec,
        )
        return ExportedProgram(
            root=root,
            graph=graph,
            graph_signature=ExportGraphSignature(input_specs, output_specs),
            state_dict=dict(state),
            range_constraints=dict(parent.range_constraints),
            module_call_graph=[ModuleCallEntry(fqn="", signature=call)],
            constants=dict(constants),
        )


def module_call_op(name: str, attribute: str) -> HigherOrderOperator:
    """A higher-order op ``op(module, *args) -> tuple`` that torch's modes understand.

    Eager calls the module, fake mode its ``fake_results``; tracing records one node that
    reads the module as a graph attribute ``<attribute>_<n>``.
    """

    class ModuleCall(HigherOrderOperator):
        def __call__(self, module: Any, *args: Any) -> Any:
            return super().__call__(module, *args)  # type: ignore[no-untyped-call]

    op = ModuleCall(name)  # type: ignore[no-untyped-call]

    @op.py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)
    def run(module: Any, *args: Any) -> Any:
        return module(*args)

    @op.py_autograd_impl
    def autograd(module: Any, *args: Any) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return op(module, *args)

    @op.py_functionalize_impl
    def functionalize(ctx: Any, module: Any, *args: Any) -> Any:
        with ctx.redispatch_to_next():
            return ctx.wrap_tensors(op(module, *ctx.unwrap_tensors(args)))

    @op.py_impl(FakeTensorMode)
    def fake(mode: FakeTensorMode, module: Any, *args: Any) -> Any:
        with mode:
            return module.fake_results(*args)

    @op.py_impl(ProxyTorchDispatchMode)
    def trace(mode: ProxyTorchDispatchMode, module: Any, *args: Any) -> Any:
        tracer: Any = mode.tracer
        with disable_proxy_modes_tracing():
            results = op(module, *args)
        holder = tracer.create_proxy(
            "get_attr", _held(tracer.root, module, attribute), (), {}
        )
        proxies = pytree.tree_map(tracer.unwrap_proxy, args)
        call = tracer.create_proxy(
            "call_function", op, (holder, *proxies), {}, name=name
        )
        return track_tensor_tree(results, call, constant=None, tracer=tracer)

    return op


def _held(root: Any, module: torch.nn.Module, attribute: str) -> str:
    """The name under which `root` holds `module`; made if need be."""
    for name, child in root.named_children():
        if child is module:
            return str(name)
    name = f"{attribute}_{len(list(root.children()))}"
    root.register_module(name, module)
    return name


def replace_graph(program: ExportedProgram, module: GraphModule) -> ExportedProgram:
    """The same program around another graph with the same inputs and outputs in order."""
    returned: Any = module.graph.output_node().args[0]
    specs = [
        OutputSpec(spec.kind, type(spec.arg)(name=value.name), spec.target)
        if isinstance(value, Node) and hasattr(spec.arg, "name")
        else spec
        for spec, value in zip(
            program.graph_signature.output_specs, returned, strict=True
        )
    ]
    signature = ExportGraphSignature(program.graph_signature.input_specs, specs)
    with quiet_torch():
        return ExportedProgram(
            root=module,
            graph=module.graph,
            graph_signature=signature,
            state_dict=program.state_dict,
            range_constraints=program.range_constraints,
            module_call_graph=program.module_call_graph,
            example_inputs=program.example_inputs,
            constants=program.constants,
        )


def replace_stored_tensor(
    program: ExportedProgram, node: Node, value: torch.Tensor
) -> None:
    """Store another tensor (same sizes and dtype) behind a constant's placeholder."""
    target = _lifted_targets(program)[node.name]
    store = program.state_dict if target in program.state_dict else program.constants
    if isinstance(store[target], torch.nn.Parameter):
        value = torch.nn.Parameter(value, store[target].requires_grad)
    store[target] = value
    node.meta["val"] = fake_mode(program).from_tensor(value, static_shapes=True)


def copied(program: ExportedProgram) -> ExportedProgram:
    """The same program around a graph of its own; tensors and delegates are shared."""
    module = _copied_module(program.graph_module)
    signature = program.graph_signature
    with quiet_torch():
        return ExportedProgram(
            root=module,
            graph=module.graph,
            graph_signature=ExportGraphSignature(
                list(signature.input_specs), list(signature.output_specs)
            ),
            state_dict=dict(program.state_dict),
            range_constraints=dict(program.range_constraints),
            module_call_graph=copy.deepcopy(program.module_call_graph),
            example_inputs=program.example_inputs,
            constants=dict(program.constants),
        )


def _copied_module(module: GraphModule) -> GraphModule:
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in module.graph.nodes:
        copies[node] = graph.node_copy(node, copies.__getitem__)
        _name(copies[node], node.name)
    made = GraphModule(module, graph)
    made.meta.update(module.meta)
    for node in graph.find_nodes(op="get_attr"):
        child = getattr(made, str(node.target), None)
        if isinstance(child, GraphModule):
            setattr(made, str(node.target), _copied_module(child))
    return made


def _name(node: Node, name: str) -> None:
    """Give a node this very name: fx avoids Python's own, such as ``input``."""
    if node.name != name:
        node.name = name
        namespace = node.graph._graph_namespace
        namespace._used_names.add(name)
