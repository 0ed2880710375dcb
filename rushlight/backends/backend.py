# SPDX-License-Identifier: BSD-3-Clause
"""The ahead-of-time half of the backend contract: what a backend takes, needs and makes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rushlight.backends.named_data import NamedDataStoreOutput
from rushlight.errors import BackendError

if TYPE_CHECKING:
    from torch.export import ExportedProgram
    from torch.fx import Node

ENTRY_POINTS = "rushlight.backends"
"""Group under which an installed package offers its ``BACKEND``."""


@dataclass(frozen=True)
class CompileSpec:
    """One option of one delegate, kept in the file for its ``init``."""

    key: str
    value: bytes


@dataclass
class PreprocessResult:
    """What a partition became: bytes, and tensors to store beside the Program by key."""

    processed_bytes: bytes = b""
    debug_handle_map: Mapping[Any, tuple[int, ...]] | None = None
    data_store_output: NamedDataStoreOutput | None = None
    _delegate_info_meta: Any = None


class BackendDetails:
    """A backend written as a class: its name is its id. Stock's form of the contract."""

    @staticmethod
    def preprocess(
        edge_program: ExportedProgram, compile_specs: list[CompileSpec]
    ) -> PreprocessResult:
        """A partition to bytes. Pure: the program is the backend's own copy."""
        raise NotImplementedError


Refusal = str
When = Callable[["Node"], "bool | Refusal"]


def always(node: Node) -> bool:
    """The ``when`` of an op that is taken in every form."""
    return True


@dataclass(frozen=True)
class Support:
    """One op that a backend takes.

    ``dtypes`` are those its first tensor argument may have. ``when`` returns True, or a
    sentence that says why this node is left (``"pads must be constant"``).
    """

    op: str
    dtypes: tuple[str, ...]
    when: When = always
    encode: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Needs:
    """What a backend asks of the memory planner and the emitter; sizes in bytes."""

    alignment: int = 16
    """Of its inputs and outputs in the arena."""
    tail_padding_nbytes: int = 0
    """It may read this far past the end of an input."""


@dataclass(frozen=True)
class Backend:
    """One vendor integration, ahead of time. Its C++ half has the same ``id``.

    ``preprocess(partition, specs)`` is pure. ``specs(options)`` turns the options
    dataclass into what is stored with each delegate.
    """

    id: str
    version: str
    preprocess: Callable[[ExportedProgram, list[CompileSpec]], PreprocessResult]
    supports: Mapping[str, Support] = field(default_factory=dict)
    needs: Needs = Needs()
    options: type[Any] | None = None
    specs: Callable[[Any], list[CompileSpec]] = lambda options: []
    passes: Sequence[Callable[[ExportedProgram], int]] = ()
    refuses: str = "does not have this op"
    """What it says of an op without a ``Support``."""

    def refusal(self, node: Node, op: str, dtype: str | None) -> str | None:
        """Why the backend leaves a node, or None if it takes it.

        `op` is the node's ATen name, `dtype` that of its first tensor argument.
        """
        support = self.supports.get(op)
        if support is None:
            return self.refuses
        if dtype is not None and dtype not in support.dtypes:
            return f"takes {op} in {', '.join(support.dtypes)}, not in {dtype}"
        answer = support.when(node)
        return None if answer is True else str(answer)


@cache
def discovered() -> Mapping[str, Backend]:
    """Every backend by id: folders here with a ``BACKEND``, then installed packages."""
    found: dict[str, Backend] = {}
    here = Path(__file__).parent
    for file in sorted(here.glob("*/__init__.py")):
        module = importlib.import_module(f"rushlight.backends.{file.parent.name}")
        backend = getattr(module, "BACKEND", None)
        if isinstance(backend, Backend):
            found[backend.id] = backend
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda e: e.name):
        backend = entry.load()
        if not isinstance(backend, Backend):
            raise BackendError(
                entry.name, f"entry point gives {type(backend).__name__}, not a Backend"
            )
        found.setdefault(backend.id, backend)
    return found


def find_preprocess(
    backend_id: str,
) -> Callable[[ExportedProgram, list[CompileSpec]], PreprocessResult]:
    """The ``preprocess`` of the backend with this id: a BackendDetails class or a Backend.

    Raises: BackendError if there is none, naming those that exist.
    """
    for details in _subclasses(BackendDetails):
        if details.__name__ == backend_id:
            return details.preprocess
    backends = discovered()
    if backend_id in backends:
        return backends[backend_id].preprocess
    known = sorted({*backends, *(c.__name__ for c in _subclasses(BackendDetails))})
    raise BackendError(backend_id, f"unknown; there are {', '.join(known) or 'none'}")


def _subclasses(of: type[BackendDetails]) -> Iterator[type[BackendDetails]]:
    for child in of.__subclasses__():
        yield child
        yield from _subclasses(child)
