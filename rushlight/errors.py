# SPDX-License-Identifier: BSD-3-Clause
"""Every exception that Rushlight raises on purpose, under one root."""

from collections.abc import Sequence


class RushlightError(Exception):
    """Something the caller can put right; the message says who, what, expected and got."""


class PlanError(RushlightError):
    """A memory plan that cannot be made, or that would put two live buffers on one byte.

    ``buffers`` names the buffers in question.
    """

    def __init__(self, message: str, buffers: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.buffers = tuple(buffers)


class EmitError(RushlightError):
    """A graph that cannot be written as a Program.

    ``node`` is the graph node's name and ``where`` the user's source line, both "" if
    unknown.
    """

    def __init__(self, message: str, node: str = "", where: str = "") -> None:
        super().__init__(f"{message} ({where})" if where else message)
        self.node = node
        self.where = where
