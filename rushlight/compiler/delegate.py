# SPDX-License-Identifier: BSD-3-Clause
"""A preprocessed partition in the graph: the module that holds its bytes, the op that calls it."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram

from rushlight.backends.backend import CompileSpec
from rushlight.backends.named_data import NamedDataStoreOutput
from rushlight.compiler.dim_order import DimOrder, dim_order_of
from rushlight.compiler.targets import CALL_DELEGATE
from rushlight.compiler.torch_compat import module_call_op


class LoweredBackendModule(torch.nn.Module):
    """One delegate: what its backend made of one partition.

    ``original_module`` is the partition itself; calling the module runs that, so a
    lowered program can still be run in Python. torch's verifier knows the class by name.
    """

    def __init__(
        self,
        backend_id: str,
        processed_bytes: bytes,
        compile_specs: list[CompileSpec],
        original_module: ExportedProgram,
        named_data: NamedDataStoreOutput | None = None,
    ) -> None:
        super().__init__()
        self.backend_id = backend_id
        self.processed_bytes = processed_bytes
        self.compile_specs = list(compile_specs)
        self._original = [original_module]  # in a list: not a submodule
        self.named_data = named_data
        self._runnable: torch.nn.Module | None = None

    @property
    def original_module(self) -> ExportedProgram:
        """The partition, in Edge dialect."""
        return self._original[0]

    @property
    def named_data_store_output(self) -> NamedDataStoreOutput | None:
        """Stock's name of ``named_data``."""
        return self.named_data

    @property
    def output_values(self) -> list[Any]:
        """Fake values of what the delegate returns, in order."""
        returned: Any = self.original_module.graph.output_node().args[0]
        mutations = len(self.original_module.graph_signature.buffers_to_mutate)
        return [node.meta["val"] for node in returned[mutations:]]

    @property
    def output_dim_orders(self) -> list[DimOrder | None]:
        """Dim orders that the backend must give its results: those of the partition."""
        returned: Any = self.original_module.graph.output_node().args[0]
        mutations = len(self.original_module.graph_signature.buffers_to_mutate)
        return [_order(node) for node in returned[mutations:]]

    def forward(self, *args: Any) -> Any:
        """Run the partition in Python."""
        if self._runnable is None:
            self._runnable = self.original_module.module(check_guards=False)
        with torch.no_grad():
            return tuple(self._runnable(*args))

    def fake_results(self, *args: Any) -> Any:
        """Results without data, under the present fake mode.

        Recorded sizes where they are static; else the partition's graph is followed.
        """
        values = self.output_values
        if all(_is_static(v) for v in values):
            return tuple(_empty_like(v) for v in values)
        program = self.original_module
        own = program.graph_signature.user_inputs
        stored = [
            _empty_like(n.meta["val"])
            for n in program.graph.find_nodes(op="placeholder")
            if n.name not in own
        ]
        results = torch.fx.Interpreter(program.graph_module).run(*stored, *args)
        mutations = len(program.graph_signature.buffers_to_mutate)
        return tuple(results[mutations:])


def _order(node: torch.fx.Node) -> DimOrder | None:
    value = node.meta["val"]
    if not isinstance(value, torch.Tensor):
        return None
    order: DimOrder = node.meta.get("dim_order") or dim_order_of(value)
    return order


call_delegate = module_call_op(CALL_DELEGATE, "lowered_module")
"""``call_delegate(lowered, *inputs) -> tuple``: one delegate call."""


def _is_static(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and all(
        isinstance(n, int) for n in (*value.shape, *value.stride())
    )


def _empty_like(value: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
