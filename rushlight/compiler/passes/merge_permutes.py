# SPDX-License-Identifier: BSD-3-Clause
"""permute(permute(x, p), q) == permute(x, [p[d] for d in q])."""

import torch
from torch.export import ExportedProgram

from rushlight.compiler.edge import graph_modules
from rushlight.compiler.passes.base import edge_pass

PERMUTE = torch.ops.aten.permute.default


@edge_pass
def merge_permutes(program: ExportedProgram) -> int:
    """Compose chains of ``aten.permute`` and drop the ones that do nothing.

    Attention blocks and NHWC backends leave permutes back to back. Pairs that meet
    cancel; each one left standing copies its whole tensor at run time.

    Returns: permute nodes removed or shortened.
    Requires: Edge dialect, with ``node.meta["val"]`` on every node.
    Keeps: every output bit for bit, and the outer node's source line.
    Raises: nothing.
    """
    return sum(_merge(m.graph) for m in graph_modules(program.graph_module))


def _merge(graph: torch.fx.Graph) -> int:
    rewrites = 0
    for outer in graph.find_nodes(op="call_function", target=PERMUTE):
        source, dims = outer.args  # in topological order: `source` is already merged
        rank = len(dims)
        dims = [d % rank for d in dims]  # torch allows negative dims
        if source.target is PERMUTE:
            source, inner = source.args
            dims = [inner[d] % rank for d in dims]
            outer.args = (source, dims)
            rewrites += 1
        if dims == sorted(dims):
            outer.replace_all_uses_with(source)
            rewrites += 1
    if rewrites:
        graph.eliminate_dead_code()
    return rewrites
