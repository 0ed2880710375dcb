# SPDX-License-Identifier: BSD-3-Clause
"""Progress on the terminal: one line per stage while it runs, its time when it is done."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any


class Stages:
    """``with Stages() as stage: stage("export") …``: quiet when output is not a terminal.

    The call ends the stage before it and begins the next. ``times`` are seconds by stage.
    """

    def __init__(self, is_quiet: bool | None = None) -> None:
        self._is_quiet = not sys.stderr.isatty() if is_quiet is None else is_quiet
        self._name = ""
        self._start = 0.0
        self._status: Any = None
        self.times: dict[str, float] = {}

    def __enter__(self) -> Stages:
        if not self._is_quiet:
            from rich.console import Console

            self._console = Console(stderr=True, highlight=False)
            self._status = self._console.status("")
            self._status.start()
        return self

    def __call__(self, name: str) -> None:
        """Begin the stage ``name``."""
        self._end()
        self._name, self._start = name, time.perf_counter()
        if self._status:
            self._status.update(f"{name} …")

    def _end(self) -> None:
        if not self._name:
            return
        seconds = time.perf_counter() - self._start
        self.times[self._name] = self.times.get(self._name, 0.0) + seconds
        if self._status:
            self._console.print(
                f"  [green]✓[/green] {self._name}  [dim]{seconds:.2f} s[/dim]"
            )
        self._name = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._end()
        if self._status:
            self._status.stop()
