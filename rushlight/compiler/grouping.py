# SPDX-License-Identifier: BSD-3-Clause
"""Large groups of chosen nodes, such that no group waits for its own result."""

from __future__ import annotations

import operator
from collections.abc import Collection

from torch.fx import Graph, Node


def group_nodes(graph: Graph, chosen: Collection[Node]) -> list[list[Node]]:
    """Split chosen nodes into few groups, each of which can run as one step.

    Groups contracted to points leave the graph without cycles. ``getitem`` nodes go with
    what they read. Nodes keep their order; groups are in order of their first node.

    Greedy: in graph order a node joins its producers' groups, merging them where that
    makes no cycle, else the latest group that allows it.
    """
    groups = _Groups()
    for node in graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        sources = {groups.of[n] for n in node.all_input_nodes if n in groups.of}
        if node.target is operator.getitem and node.args[0] in groups.of:
            groups.add(node, groups.of[node.args[0]], set())
        elif node in chosen:
            groups.place(node, sources)
        else:
            groups.add(node, groups.new(is_open=False), sources)
    return [members for members in groups.members if members]


class _Groups:
    """Nodes contracted to groups. Sets of groups are bits of an int: bit g for group g."""

    def __init__(self) -> None:
        self.of: dict[Node, int] = {}
        self.members: list[list[Node]] = []  # of open groups; empty for other nodes
        self.is_open: list[bool] = []
        self.before: list[int] = []  # groups that must run before this one

    def new(self, is_open: bool) -> int:
        """A group of its own."""
        self.members.append([])
        self.is_open.append(is_open)
        self.before.append(0)
        return len(self.before) - 1

    def add(self, node: Node, group: int, sources: set[int]) -> None:
        """Put the node into the group; whoever runs after the group runs after `sources`."""
        self.of[node] = group
        if self.is_open[group]:
            self.members[group].append(node)
        self._follow(group, self._upstream(sources) & ~(1 << group))

    def place(self, node: Node, sources: set[int]) -> None:
        """Find a group for a chosen node."""
        target = None
        for group in sorted(sources):
            if target is None and self._may_join(group, sources):
                target = group
            elif target is not None and self._may_merge(target, group):
                self._merge(target, group)
                sources = {target if g == group else g for g in sources}
        if target is None:
            target = self._latest(sources)
        self.add(node, self.new(True) if target is None else target, sources)

    def _latest(self, sources: set[int]) -> int | None:
        for group in range(len(self.before) - 1, -1, -1):
            if self.is_open[group] and self.members[group]:
                return group if self._may_join(group, sources) else None
        return None

    def _upstream(self, sources: set[int]) -> int:
        bits = 0
        for source in sources:
            bits |= self.before[source] | 1 << source
        return bits

    def _may_join(self, group: int, sources: set[int]) -> bool:
        """The group is open and no source other than itself runs after it."""
        return self.is_open[group] and not any(
            self.before[s] >> group & 1 for s in sources if s != group
        )

    def _may_merge(self, a: int, b: int) -> bool:
        """Both are open and no third group runs between the two."""
        if not self.is_open[a] or not self.is_open[b]:
            return False
        for first, second in ((a, b), (b, a)):
            between = self.before[second] & ~(1 << first)
            while between:
                low = between & -between
                if self.before[low.bit_length() - 1] >> first & 1:
                    return False
                between ^= low
        return True

    def _merge(self, into: int, gone: int) -> None:
        for node in self.members[gone]:
            self.of[node] = into
        self.members[into] += self.members[gone]
        self.members[gone] = []
        self.is_open[gone] = False
        merged = (self.before[into] | self.before[gone]) & ~(1 << into | 1 << gone)
        self.before[into] = 0
        self.before = [
            before | 1 << into if before >> gone & 1 else before
            for before in self.before
        ]
        self._follow(into, merged)

    def _follow(self, group: int, upstream: int) -> None:
        """`group`, and all that runs after it, runs after `upstream` too."""
        if upstream & ~self.before[group] == 0:
            return
        self.before[group] |= upstream
        for other in range(len(self.before)):
            if self.before[other] >> group & 1:
                self.before[other] |= upstream
