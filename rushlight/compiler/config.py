# SPDX-License-Identifier: BSD-3-Clause
"""The compiler's options, under the names that ExecuTorch users know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.fx import Node

from rushlight.compiler.plan import Arena

Pass = Callable[..., Any]
"""A pass of ours ((ExportedProgram) -> int), or a stock-style one ((GraphModule) -> PassResult)."""


@dataclass
class EdgeCompileConfig:
    """How an ExportedProgram becomes Edge dialect."""

    _check_ir_validity: bool = True
    """Verify the dialect: an op that nothing can run is an error here, not at load."""
    _skip_dim_order: bool = False
    """Accepted for compatibility. Layout is always explicit in our programs."""
    _core_aten_ops_exception_list: list[Any] = field(default_factory=list)
    """Ops that the verifier lets pass although no row has them."""
    preserve_ops: list[Any] = field(default_factory=list)
    """Ops not to decompose. They too must be rows, or claimed by a backend."""


@dataclass
class MemoryPlanningPass:
    """What the memory planner may decide. The plan itself is made when bytes are emitted.

    ``alignment`` is in bytes, a power of two. An ``alloc_*`` that is False leaves those
    tensors without planned memory: the caller supplies it.
    """

    memory_planning_algo: Callable[..., Any] | None = None
    allow_lifetime_and_storage_overlap: bool = False
    alloc_graph_input: bool = True
    alloc_graph_output: bool = True
    alloc_mutable_buffers: bool = True
    share_mutable_buffers: bool = False
    alignment: int = 16


@dataclass
class ExecutorchBackendConfig:
    """How an Edge program becomes a file. Sizes and alignments are in bytes."""

    passes: Sequence[Pass] = ()
    """Extra passes, run before memory is planned."""
    memory_planning_pass: MemoryPlanningPass | Mapping[str, MemoryPlanningPass] = field(
        default_factory=MemoryPlanningPass
    )
    """One for all methods, or by method name."""
    arenas: Sequence[Arena] = ()
    """Memories to plan into, first choice first, each with a budget (fast SRAM, slow DRAM).
    ``node.meta["arena"]`` asks for one by name. Empty is one arena without budget."""
    emit_stacktrace: bool = False
    """Store the model's source lines with each instruction."""
    extract_delegate_segments: bool = True
    """Delegates in page-aligned segments; False keeps them inside the flatbuffer."""
    segment_alignment: int = 128
    constant_tensor_alignment: int | None = None
    """None is 16."""
    delegate_alignment: int | None = None
    """None is ``segment_alignment``."""
    external_constants: bool | Callable[[Node], str | None] = False
    """True: all constants to one ``.ptd``. A function names the file for each constant's
    placeholder, or None to keep it inside."""
    external_mutable_weights: bool = False
    """Initial values of trainable parameters to the ``.ptd``."""
    emit_mutable_buffer_names: bool = False
    """Store the names of mutable buffers, for hosts that read state by name."""
    remove_view_copy: bool = True
    """A static reshape shares its source's memory instead of copying."""
    run_reinplace_pass: bool = True
    """Buffer updates write into the buffer where nothing reads the old contents."""
    do_quant_fusion_and_const_prop: bool = False
    """Accepted for compatibility: constants are folded in any case."""
    enable_non_cpu_memory_planning: bool = True
    """Accepted for compatibility: all planned memory is the CPU's."""
    dynamic_memory_planning_mode: Any = None
    """Accepted for compatibility: dynamic sizes are planned by their upper bound."""
    to_out_var_pass: Any = None
    """Accepted for compatibility: out-variants are chosen by the op table."""
    sym_shape_eval_pass: Any = None
    """Accepted for compatibility: bounds come from the exported range constraints."""
    propagate_device_config: Any = None
    """Accepted for compatibility."""
    reinplace_extra_ops: Any = None
    """Accepted for compatibility: the op table says what may run in place."""

    def memory_planning(self, method: str) -> MemoryPlanningPass:
        """The planner's options for one method."""
        planning = self.memory_planning_pass
        if isinstance(planning, Mapping):
            return planning.get(method, MemoryPlanningPass())
        return planning
