# SPDX-License-Identifier: BSD-3-Clause
"""``rushlight check``: compile a model, run it, compare with eager; on mismatch say which layer began it."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

NAME = "check"


def command(
    model: Annotated[
        Path,
        typer.Argument(help="A .py file with model() and inputs(), or a .pt2 archive."),
    ],
    rtol: Annotated[
        float, typer.Option(help="Allowed relative difference of floats.")
    ] = 1e-4,
    atol: Annotated[
        float, typer.Option(help="Allowed absolute difference of floats.")
    ] = 1e-5,
    layers: Annotated[
        bool,
        typer.Option(help="List every layer, not only from the first that differs."),
    ] = False,
    backend: Annotated[list[str], typer.Option(help="A backend to delegate to.")] = [],  # noqa: B006
) -> None:
    """Compile a model, run it here, and compare every output with PyTorch eager.

    Integers and booleans must be equal; floats within rtol and atol. Exit status 1 if not.

      rushlight check net.py
    """
    from rushlight.tools.progress import Stages
    from rushlight.tools.source import compile_source, load_source

    with Stages() as stage:
        stage("read model")
        source = load_source(model)
        compiled = compile_source(source, backend, stage)
        stage("compare")
        results = compare_outputs(source, compiled, rtol, atol)
    show(results)
    is_equal = all(r.is_equal for r in results)
    if layers or not is_equal:
        found = layer_by_layer(source, compiled, rtol, atol)
        first = next((i for i, r in enumerate(found) if not r.is_equal), len(found))
        show(found if layers else found[max(0, first - 2) : first + 8])
    print("equal to eager" if is_equal else "DIFFERS from eager")
    if not is_equal:
        raise typer.Exit(1)


@dataclass(frozen=True)
class Comparison:
    """One tensor of ours against eager's."""

    name: str
    what: str
    difference: float
    is_equal: bool


def compare_outputs(
    source: Any, compiled: Any, rtol: float, atol: float
) -> list[Comparison]:
    """Every output of ours against eager's, on copies of the source's inputs."""
    import torch

    args, kwargs = copy.deepcopy((source.args, source.kwargs))
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of copying an exported module
        want = leaves(copy.deepcopy(source.module)(*args, **kwargs))
    method = compiled.method("forward")
    got = leaves(method.run(source.args, source.kwargs, output="torch"))
    pairs = zip(got, want, strict=True)
    return [compare(f"output {i}", *p, rtol, atol) for i, p in enumerate(pairs)]


def leaves(value: Any) -> list[Any]:
    """Flat leaves of a nested result."""
    from torch.utils import _pytree

    return list(_pytree.tree_leaves(value))


def compare(name: str, got: Any, want: Any, rtol: float, atol: float) -> Comparison:
    """Exact for integers, booleans and non-tensors; within rtol and atol for floats; NaN equals NaN."""
    import torch

    if not isinstance(want, torch.Tensor):
        return Comparison(
            name, repr(want), 0.0, got == want or (got != got and want != want)
        )
    got = torch.as_tensor(got)
    what = f"{str(want.dtype).removeprefix('torch.')} {list(want.shape)}"
    if got.shape != want.shape or got.dtype != want.dtype:
        ours = f"{str(got.dtype).removeprefix('torch.')} {list(got.shape)}"
        return Comparison(name, f"{what}, ours is {ours}", float("inf"), False)
    if not want.numel():
        return Comparison(name, what, 0.0, True)
    a, b = got.double(), want.double()
    difference = float((a - b).abs().nan_to_num(0.0, 0.0, 0.0).max())
    if want.is_floating_point():
        return Comparison(
            name, what, difference, torch.allclose(a, b, rtol, atol, equal_nan=True)
        )
    return Comparison(name, what, difference, torch.equal(got, want))


def layer_by_layer(
    source: Any, compiled: Any, rtol: float, atol: float
) -> list[Comparison]:
    """Each instruction's results against the same graph node interpreted in eager, in order."""
    import torch

    steps = compiled.report().methods["forward"].steps
    eager = node_values(compiled.exported_program("forward"), source)
    method = compiled.method("forward")
    events = method.trace(*source.args, outputs=True, **source.kwargs).events
    out = []
    for event in events:
        node = str(steps[event.instruction]["node"])
        wants = leaves(eager.get(node))
        for i, (got, want) in enumerate(
            zip(leaves(event.outputs), wants, strict=False)
        ):
            if isinstance(want, torch.Tensor):
                label = f"{event.instruction} {event.name} {node}" + (
                    f"[{i}]" if len(wants) > 1 else ""
                )
                out.append(compare(label, torch.as_tensor(got), want, rtol, atol))
    return out


def node_values(program: Any, source: Any) -> dict[str, Any]:
    """What every node of the program computes on the source's inputs, by node name."""
    import torch
    from torch.utils import _pytree

    class Recorder(torch.fx.Interpreter):
        def run_node(self, n: torch.fx.Node) -> Any:
            values[n.name] = super().run_node(n)
            return values[n.name]

    values: dict[str, Any] = {}
    users = iter(_pytree.tree_leaves((source.args, source.kwargs)))
    stored = {**program.state_dict, **program.constants}
    arguments = []
    for spec in program.graph_signature.input_specs:
        is_user = spec.target is None
        arguments.append(next(users) if is_user else stored[spec.target])
    with torch.no_grad():
        Recorder(program.graph_module).run(*arguments)
    return values


def show(results: Sequence[Comparison]) -> None:
    """One line per comparison."""
    for r in results:
        print(
            f"{'ok     ' if r.is_equal else 'DIFFERS'} {r.difference:.2e}  {r.name}: {r.what}"
        )
