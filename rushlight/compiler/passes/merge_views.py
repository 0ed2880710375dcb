# SPDX-License-Identifier: BSD-3-Clause
"""view(view(x, a), b) == view(x, b)."""

import torch
from torch.export import ExportedProgram

from rushlight.compiler.edge import graph_modules
from rushlight.compiler.passes.base import edge_pass

aten = torch.ops.aten
VIEW = aten.view.default
RESHAPES = {VIEW, aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.dims}


@edge_pass
def merge_views(program: ExportedProgram) -> int:
    """Let a view read through the reshapes before it.

    In-place models leave pairs of views around every op. Each that reaches the runtime
    with dynamic sizes is an instruction.

    Returns: views that now read an earlier tensor.
    Requires: Edge dialect.
    Keeps: every output bit for bit.
    Raises: nothing.
    """
    return sum(_merge(m.graph) for m in graph_modules(program.graph_module))


def _merge(graph: torch.fx.Graph) -> int:
    rewrites = 0
    for outer in graph.find_nodes(op="call_function", target=VIEW):
        source, dims = outer.args
        while source.target in RESHAPES:
            source = source.args[0]
        if source is not outer.args[0]:
            outer.args = (source, dims)
            rewrites += 1
    if rewrites:
        graph.eliminate_dead_code()
    return rewrites
