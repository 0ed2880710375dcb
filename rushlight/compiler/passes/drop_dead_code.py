# SPDX-License-Identifier: BSD-3-Clause
"""What nothing reads: nodes, then constants."""

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from rushlight.compiler.edge import graph_modules, mutated_inputs
from rushlight.compiler.passes.base import edge_pass
from rushlight.compiler.torch_compat import remove_inputs


@edge_pass
def drop_dead_code(program: ExportedProgram) -> int:
    """Remove nodes without readers, then parameters, buffers and constants without any.

    Returns: nodes and constants removed.
    Requires: Edge dialect.
    Keeps: every output bit for bit; the user's inputs, read or not.
    Raises: nothing.
    """
    removed = 0
    for module in graph_modules(program.graph_module):
        before = len(module.graph.nodes)
        module.graph.eliminate_dead_code()
        removed += before - len(module.graph.nodes)
    kept = {
        spec.arg.name
        for spec in program.graph_signature.input_specs
        if spec.kind == InputKind.USER_INPUT
    } | mutated_inputs(program)
    unused = [
        node
        for node in program.graph.find_nodes(op="placeholder")
        if not node.users and node.name not in kept
    ]
    remove_inputs(program, unused)
    return removed + len(unused)
