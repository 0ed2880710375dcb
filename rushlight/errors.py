# SPDX-License-Identifier: BSD-3-Clause
"""Every exception of the Python side: who, what, expected and got, where, what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


class RushlightError(Exception):
    """Something the caller can put right; the message says who, what, expected and got."""


class ExportError(RushlightError):
    """PyTorch could not capture the model; ``__cause__`` is torch's own exception."""


class CompileInputError(RushlightError, ValueError):
    """An argument of the compiler's API is wrong: its name, what it must be, what it is."""


class LowerError(RushlightError):
    """The captured program cannot become a Program.

    ``node`` is the name of the graph node at fault (None if there is no single one),
    ``stack_trace`` the model's own trace as torch recorded it.
    """

    def __init__(
        self, message: str, *, node: str | None = None, stack_trace: str | None = None
    ) -> None:
        self.node, self.stack_trace = node, stack_trace
        where = user_line(stack_trace)
        super().__init__(f"{message} ({where})" if where else message)


class IllegalOpError(LowerError):
    """Nothing on the target can run an op with these dtypes.

    ``op`` is the ATen overload, ``dtypes`` those of its tensor arguments, ``reasons``
    what each chosen backend said of the node, by backend id. ``others`` holds one more
    IllegalOpError for each further kind of node.
    """

    others: tuple[IllegalOpError, ...] = ()

    def __init__(
        self,
        op: str,
        problem: str,
        *,
        dtypes: Sequence[str] = (),
        node: str | None = None,
        stack_trace: str | None = None,
        reasons: Mapping[str, str] | None = None,
        advice: str = "",
    ) -> None:
        self.op, self.problem, self.dtypes = op, problem, tuple(dtypes)
        self.reasons = dict(reasons or {})
        self.advice = advice
        called = f"{op}({', '.join(dtypes)})"
        lines = [f"{called}: {problem}"]
        if where := user_line(stack_trace):
            lines.append(f"  at {where}")
        lines += [f"  {backend}: {why}" for backend, why in self.reasons.items()]
        if advice:
            lines.append(f"  {advice}")
        super().__init__("\n".join(lines), node=node)
        self.stack_trace = stack_trace

    @classmethod
    def of(cls, errors: Sequence[IllegalOpError]) -> IllegalOpError:
        """The first of several, whose message tells of all."""
        first = errors[0]
        if len(errors) > 1:
            first.others = tuple(errors[1:])
            first.args = ("\n".join(str(e) for e in errors),)
        return first


class DialectError(LowerError):
    """A graph breaks a rule of the Edge dialect: a bug in a pass, not in the model."""


class UnboundedDimError(LowerError):
    """A dynamic dimension has no upper bound, so memory cannot be planned.

    ``dim`` names it: the input and the dimension's number, or the node that makes it.
    """

    def __init__(
        self,
        dim: str,
        advice: str,
        *,
        node: str | None = None,
        stack_trace: str | None = None,
    ) -> None:
        self.dim = dim
        message = f"{dim} has no upper bound, so its memory cannot be planned: {advice}"
        super().__init__(message, node=node, stack_trace=stack_trace)


class PartitionError(LowerError):
    """A partitioner's choice of nodes cannot become one delegate call."""


class BackendError(LowerError):
    """A backend is unknown, or its ``preprocess`` failed; ``backend`` is its id."""

    def __init__(self, backend: str, message: str) -> None:
        self.backend = backend
        super().__init__(f"backend {backend}: {message}")


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


class MissingPackageError(RushlightError):
    """An optional package is needed and not installed. ``package`` is its PyPI name."""

    def __init__(self, package: str, remedy: str) -> None:
        super().__init__(
            f"the package {package} is not installed; get it with: {remedy}"
        )
        self.package = package


class RuntimeFailure(RushlightError, RuntimeError):
    """The runtime refused a file, a load or a call.

    ``code`` is the runtime's error by name (``"InvalidProgram"``); ``byte_offset``
    counts from the first byte of the file, None if the fault is not in a file.
    """

    def __init__(
        self, message: str, code: str = "Internal", byte_offset: int = -1
    ) -> None:
        super().__init__(message)
        self.code = code
        self.byte_offset = byte_offset if byte_offset >= 0 else None


class InputError(RuntimeFailure, ValueError):
    """A call whose arguments are not what the method takes; nothing ran.

    ``input`` is the argument's name, "" if the fault is in the call as a whole.
    """

    def __init__(
        self, message: str, input: str = "", code: str = "InvalidArgument"
    ) -> None:
        super().__init__(message, code)
        self.input = input


class UnknownMethodError(RushlightError, KeyError):
    """A method that the Program does not have."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotes


def user_line(stack_trace: str | None) -> str | None:
    """``file.py:12`` of the innermost frame outside torch, or None.

    >>> user_line('File "/home/me/net.py", line 7, in forward\\n    return x.foo()')
    '/home/me/net.py:7'
    """
    frames = list(_FRAME.finditer(stack_trace or ""))
    own = [
        f for f in frames if "torch/" not in f["file"] and not f["file"].startswith("<")
    ]
    return f"{own[-1]['file']}:{own[-1]['line']}" if own else None


class InvalidRecordError(RushlightError):
    """A Record that the file format cannot hold: a field missing, or of another type."""


class InvalidProgramError(RushlightError):
    """A ``.pte`` or ``.ptd`` file whose bytes break a rule of the format.

    ``reason`` is the rule and ``byte_offset`` where in the file, -1 if nowhere.
    """

    def __init__(self, reason: str, byte_offset: int = -1) -> None:
        where = "" if byte_offset < 0 else f" (byte {byte_offset})"
        super().__init__(f"{reason}{where}")
        self.reason = reason
        self.byte_offset = byte_offset


class StructureError(RushlightError, ValueError):
    """A value that does not nest as the method says, or a container text with a fault."""
