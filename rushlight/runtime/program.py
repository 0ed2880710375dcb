# SPDX-License-Identifier: BSD-3-Clause
"""Program and Method: a file and its entry points, called as the model was."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rushlight import _runtime
from rushlight.errors import InputError, RuntimeFailure, UnknownMethodError
from rushlight.runtime import arrays, slots
from rushlight.runtime.metadata import MethodMeta
from rushlight.runtime.signature import Signature, read_signatures, signature_of

Output = Literal["numpy", "torch"]
OPTIONS = ("output", "copy")


@dataclass(frozen=True)
class Memory:
    """Exactly the bytes one method takes: its own state, and each planned arena."""

    method_nbytes: int
    arena_nbytes: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """All of it together."""
        return self.method_nbytes + sum(self.arena_nbytes)


class Event(NamedTuple):
    """One executed instruction; ``outputs`` only if the trace was asked for them."""

    chain: int
    instruction: int
    name: str
    nanoseconds: int
    outputs: list[Any] | None


class Trace(NamedTuple):
    """A result, and the instructions that made it."""

    result: Any
    events: list[Event]


class Method:
    """One entry point of a Program, with memory of its own.

    Calls from several threads take turns; for calls at the same time give each thread
    its own Method (``program.load_method(name)``): the weights stay shared. State that
    the model keeps (a cache, a counter) lives in the Method, from call to call.
    """

    def __init__(
        self, program: Program, name: str, *, share_state: Method | None = None
    ) -> None:
        self.program = program
        self.name = name
        self._index = program._find(name)
        self._signature = program._signature(self._index)
        share = share_state._native if share_state else None
        # Methods with common state take turns, as calls of one method do.
        lock = share_state._lock if share_state else threading.Lock()
        self._native: _runtime.Method = _runtime.Method(
            program._native, self._index, share
        )
        self._lock: threading.Lock = lock

    def __repr__(self) -> str:
        takes = ", ".join(f"{slot.name}: {slot}" for slot in self.inputs)
        gives = ", ".join(str(slot) for slot in self.outputs)
        return f"<Method {self.name}({takes}) -> ({gives})>"

    @property
    def inputs(self) -> tuple[slots.Slot, ...]:
        """The flat inputs, in order."""
        return self._signature.inputs

    @property
    def outputs(self) -> tuple[slots.Slot, ...]:
        """The flat outputs, in order."""
        return self._signature.outputs

    @property
    def memory(self) -> Memory:
        """The bytes this method runs in."""
        return self.program.memory(self.name)

    @property
    def metadata(self) -> MethodMeta:
        """Inputs, outputs and planned memory, under ExecuTorch's names."""
        return self.program.metadata(self.name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method as the model was called, with positional or named arguments.

        An argument is an array of any library, a number, None or a str, nested as in
        the export. ``output="torch"`` gives torch tensors instead of numpy arrays;
        ``copy=False`` gives views that are valid until the next call. (Where the model
        has arguments of these two names, they are the model's: use ``run``.)
        """
        options = {}
        for key in OPTIONS:
            if key in kwargs and key not in self._signature.arguments:
                options[key] = kwargs.pop(key)
        return self.run(args, kwargs, **options)

    def run(
        self,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        output: Output = "numpy",
        copy: bool = True,
    ) -> Any:
        """The result for these arguments, in the model's own structure.

        Raises InputError, before anything runs, for arguments the method does not take;
        RuntimeFailure if an instruction fails.
        """
        leaves = self._signature.bind(args, kwargs or {})
        values, _ = self._run_flat(leaves, output, copy, trace=0)
        return self._signature.nest(values)

    def trace(self, *args: Any, outputs: bool = False, **kwargs: Any) -> Trace:
        """The result and every instruction's time; with ``outputs`` its results too."""
        leaves = self._signature.bind(args, kwargs)
        values, events = self._run_flat(leaves, "numpy", True, trace=1 + outputs)
        return Trace(self._signature.nest(values), events)

    def execute(self, inputs: Sequence[Any]) -> list[Any]:
        """The flat list of all outputs for a flat list of inputs.

        Tensors come as torch tensors where torch is installed, else as numpy arrays.
        """
        return self.run_flat(inputs, output="torch" if _has_torch() else "numpy")

    def run_flat(
        self, inputs: Sequence[Any], *, output: Output = "numpy", copy: bool = True
    ) -> list[Any]:
        """The flat list of all outputs for a flat list of inputs, of either library."""
        leaves = self._signature.bind_flat(inputs)
        return self._run_flat(leaves, output, copy, trace=0)[0]

    def arguments(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """A flat list of inputs as the model's own arguments, by name and nested."""
        return self._signature.named(inputs)

    def reset(self) -> None:
        """Put mutable state back to its initial values."""
        with self._lock:
            self._native.reset()

    def _run_flat(
        self, leaves: Sequence[Any], output: Output, copy: bool, trace: int
    ) -> tuple[list[Any], list[Event]]:
        native, convert = self._native, _converter(output)
        with self._lock:
            for i, value in enumerate(leaves):
                self._set(i, value)
            if self._signature.equal:
                self._signature.check_equal(leaves)
            raw_events = native.execute(trace) or ()
            count = len(self._signature.outputs)
            raw = [native.output(i, copy) for i in range(count)]
        return [convert(value) for value in raw], [_event(e) for e in raw_events]

    def _set(self, i: int, value: Any) -> None:
        slot = self._signature.inputs[i]
        try:
            if slot.is_tensor:
                self._set_tensor(i, slot, value)
            else:
                self._native.set_value(i, _plain(value, slot))
        except (RuntimeFailure, TypeError, BufferError) as cause:
            raise self._refusal(i, slot, value, cause) from cause

    def _set_tensor(self, i: int, slot: slots.Slot, value: Any) -> None:
        if not arrays.is_array(value):
            raise TypeError
        array, dtype = arrays.present(value)
        if slot.min_sizes and slot.is_below_minimum(array.shape):
            raise TypeError
        if not self._native.set_tensor(i, array, dtype):
            dense = arrays.to_layout(array, slot.dim_order)
            self._native.set_tensor(i, dense, dtype)

    def _refusal(
        self, i: int, slot: slots.Slot, value: Any, cause: Exception
    ) -> InputError:
        recorded = self._native.recorded(i)
        expected = str(slot) if recorded is None else arrays.describe(recorded)
        if recorded is not None:
            expected += ", as at export"
        text = f"{self.name}() got {slot.name}: expected {expected}, got "
        text += arrays.describe(value)
        own_words = isinstance(cause, TypeError) and str(cause) and slot.is_tensor
        if own_words and "incompatible function arguments" not in str(cause):
            text += f" ({cause})"
        code = getattr(cause, "code", "InvalidType")
        return InputError(text, slot.name, code)


def _plain(value: Any, slot: slots.Slot) -> Any:
    """value as the Python number, str or None that the slot's kind asks for."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    is_int = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if slot.tag == slots.DOUBLE and is_int else value


def _event(raw: tuple[int, int, str, int, list[Any] | None]) -> Event:
    chain, instruction, name, nanoseconds, made = raw
    outputs = None if made is None else [_from_raw(value) for value in made]
    return Event(chain, instruction, name, nanoseconds, outputs)


def _has_torch() -> bool:
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


def _from_raw(value: Any) -> Any:
    if isinstance(value, tuple):
        return arrays.to_numpy(value)
    return [_from_raw(v) for v in value] if isinstance(value, list) else value


def _torch_from_raw(value: Any) -> Any:
    return arrays.to_torch(value) if isinstance(value, tuple) else value


def _converter(output: Output) -> Any:
    if output == "numpy":
        return _from_raw
    if output == "torch":
        return _torch_from_raw
    raise ValueError(f'output must be "numpy" or "torch", got {output!r}')


Source = str | os.PathLike[str] | bytes | bytearray | memoryview
ONE_FILE = (str, os.PathLike, bytes, bytearray, memoryview)


class Program:
    """A ``.pte`` file, checked as a whole, whose methods can be called.

    ``source`` is a path (mapped: its pages are read when used and shared between
    processes), bytes, or a binary file object; ``data`` one or several ``.ptd`` files,
    paths or bytes. A mapped file must not change while the Program lives.

    Raises RuntimeFailure with ``.code`` and ``.byte_offset`` for a file that breaks the
    format's rules, FileNotFoundError for a path that is not there.
    """

    def __init__(self, source: Source | Any, data: Any = ()) -> None:
        files = [data] if isinstance(data, ONE_FILE) else list(data)
        self._native = _runtime.Program(
            _openable(source), [_openable(f) for f in files]
        )
        self._names = tuple(self._native.method_names())
        self._declared = read_signatures(self._native)
        self._signatures: dict[int, Signature] = {}
        self._loaded: dict[str, Method] = {}
        self._lock = threading.Lock()

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods, in file order."""
        return self._names

    @property
    def method_names(self) -> set[str]:
        """The names of the methods, as ExecuTorch gives them."""
        return set(self._names)

    def method(self, name: str = "forward") -> Method:
        """The method of that name, loaded at the first request and kept."""
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = Method(self, name)
            return self._loaded[name]

    def load_method(self, name: str, *, share_state: Method | None = None) -> Method:
        """A new Method, with memory and state of its own.

        ``share_state``: a Method of this Program whose shared mutable state (a cache that
        several methods of the export use) this one reads and writes too.
        """
        return Method(self, name, share_state=share_state)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call ``forward``, or the only method there is."""
        if "forward" not in self._names and len(self._names) == 1:
            return self.method(self._names[0])(*args, **kwargs)
        return self.method("forward")(*args, **kwargs)

    def __getattr__(self, name: str) -> Method:
        if name.startswith("__") or name not in self.__dict__.get("_names", ()):
            raise AttributeError(f"{type(self).__name__} has no method {name!r}")
        return self.method(name)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._names]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with methods {', '.join(self._names)}>"

    def memory(self, name: str = "forward") -> Memory:
        """The bytes a method of that name takes, known without loading it."""
        method_nbytes, arena_nbytes = self._native.needs(self._find(name))
        return Memory(method_nbytes, tuple(arena_nbytes))

    def metadata(self, method_name: str) -> MethodMeta:
        """What ExecuTorch calls a method's metadata, known without loading it."""
        index = self._find(method_name)
        s = self._signature(index)
        return MethodMeta(
            method_name, s.inputs, s.outputs, tuple(self._native.arenas(index))
        )

    def named_data(self, key: str) -> bytes | None:
        """The bytes stored under key in the program or its data files, or None."""
        found: bytes | None = self._native.named_data(key)
        return found

    def containers(self, name: str) -> tuple[str, str]:
        """The texts in which the file keeps the nesting of a method's inputs, outputs."""
        inputs, outputs = self._native.containers(self._find(name))
        return inputs, outputs

    def _find(self, name: str) -> int:
        if name not in self._names:
            known = ", ".join(self._names)
            raise UnknownMethodError(f"no method {name!r}; the program has {known}")
        return self._names.index(name)

    def _signature(self, index: int) -> Signature:
        if index not in self._signatures:
            declared = self._declared.get(self._names[index])
            name = self._names[index]
            self._signatures[index] = signature_of(self._native, index, name, declared)
        return self._signatures[index]


def _openable(source: Any) -> Any:
    """A path as str (if the file exists) or an object with the buffer protocol."""
    if hasattr(source, "__fspath__") or isinstance(source, str):
        path = os.fspath(source)
        os.stat(path)  # FileNotFoundError, in Python's own words
        return path
    return source.read() if hasattr(source, "read") else source
