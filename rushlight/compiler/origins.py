# SPDX-License-Identifier: BSD-3-Clause
"""Where in the user's code a node comes from, without anything private in the path."""

from __future__ import annotations

import os
import re
from functools import lru_cache

import torch
from torch.fx import Node

Frame = tuple[str, int, str, str]
"""File, line, function, source text."""

FRAME = re.compile(
    r'^ *File "(.*)", line (\d+), in (.*)\n?(?:^ {4,}(\S.*))?', re.MULTILINE
)
TORCH = os.path.dirname(torch.__file__)


def frame_of(node: Node) -> Frame | None:
    """The innermost frame outside torch of the node's stack trace; None without one."""
    trace = node.meta.get("stack_trace")
    return _innermost(trace) if trace else None


@lru_cache(maxsize=4096)
def _innermost(trace: str) -> Frame | None:
    frames = [f for f in FRAME.findall(trace) if not f[0].startswith("<")]  # generated
    mine = [f for f in frames if not f[0].startswith(TORCH)] or frames
    if not mine:
        return None
    file, line, function, source = mine[-1]
    # The name alone: where the sources lie must not change the file's bytes.
    return os.path.basename(file), int(line), function.strip(), source.strip()
