# SPDX-License-Identifier: BSD-3-Clause
"""Container text to Structure and back (format notes, 12).

Two forms are in the wild: JSON, which the pip-installed exporter writes and so do we, and
a compact one, ``D1#2('a':L2#1#1($,$))``.
"""

import json
import re
from typing import Any

from rushlight.errors import StructureError
from rushlight.schema.structure_node import LEAF, TYPE_NAMES, Key, Kind, Structure

# Deeper texts are refused: no model nests like that, and parsing recurses.
MOST_DEPTH = 64

# Type names of the JSON form with a meaning of their own.
KINDS: dict[str, Kind] = {
    "builtins.list": "list",
    "builtins.tuple": "tuple",
    "builtins.dict": "dict",
    "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict",
    "collections.deque": "list",
    "collections.namedtuple": "namedtuple",
    "torch.Size": "tuple",
}
LETTERS: dict[str, Kind] = {
    "L": "list",
    "T": "tuple",
    "N": "namedtuple",
    "D": "dict",
    "C": "custom",
}
_NUMBER = re.compile(r"[0-9]{1,9}")
_KEY = re.compile(r"'((?:[^'\\]|\\.)*)':|(-?[0-9]{1,18}):")


def parse(text: str) -> Structure:
    """The structure that a container text describes, in either form.

    Raises StructureError on anything else, also on texts nested deeper than 64.
    """
    try:
        if text.lstrip().startswith("["):
            return _parse_json(text)
        return _parse_compact(text)
    except RecursionError:
        raise StructureError(_TOO_DEEP) from None


_TOO_DEEP = f"container text: nested deeper than {MOST_DEPTH}"


def _parse_json(text: str) -> Structure:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise StructureError(f"container text: not JSON: {error}") from None
    if not isinstance(document, list) or len(document) != 2 or document[0] != 1:
        raise StructureError("container text: not [1, node]")
    return _from_node(document[1], 0)


def _from_node(node: Any, depth: int) -> Structure:
    if depth > MOST_DEPTH:
        raise StructureError(_TOO_DEEP)
    specs = node.get("children_spec", []) if isinstance(node, dict) else None
    if not isinstance(specs, list):
        raise StructureError("container text: a node is not an object with children")
    children = tuple(_from_node(one, depth + 1) for one in specs)
    name = node.get("type")
    if name is None and not children:
        return LEAF
    if not isinstance(name, str):
        raise StructureError(f"container text: type {name!r} is not a text")
    return _container(name, children, node)


def _container(
    name: str, children: tuple[Structure, ...], node: dict[str, Any]
) -> Structure:
    kind = KINDS.get(name, "custom")
    context = _context(node.get("context"))
    if kind == "dict":
        return Structure(kind, children, _dict_keys(context), name, context=context)
    if kind == "namedtuple":
        names = node.get("fields", [])  # ours; the stock text has only the class
        return _class(kind, children, [names, []], str(context), None)
    if kind == "custom":
        return _class(kind, children, context, name, context)
    return Structure(kind, children, (), name, context=context)


def _context(context: Any) -> Any:
    """A context is JSON inside a string; where it is something else, that itself."""
    if not isinstance(context, str):
        return context
    try:
        return json.loads(context)
    except ValueError:
        return context


def _dict_keys(context: Any) -> tuple[Key, ...]:
    keys = context.get("dict_context") if isinstance(context, dict) else context
    if not isinstance(keys, list) or any(isinstance(k, list | dict) for k in keys):
        raise StructureError("container text: a dict without a list of its keys")
    if len(set(keys)) != len(keys):
        raise StructureError("container text: a dict with a key twice")
    return tuple(keys)


def _class(
    kind: Kind, children: tuple[Structure, ...], context: Any, name: str, kept: Any
) -> Structure:
    """A named tuple or class; its context is [fields, fields that are None] or fields."""
    fields, absent = context, []
    if isinstance(context, list) and len(context) == 2 and isinstance(context[0], list):
        fields, absent = context
    is_named = (
        _are_names(fields) and _are_names(absent) and len(fields) == len(children)
    )
    if not is_named or len({*fields, *absent}) != len(fields) + len(absent):
        return Structure(kind, children, (), name, context=kept)
    return Structure(kind, children, tuple(fields), name, tuple(absent), kept)


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(
        isinstance(name, str) and name.isidentifier() for name in names
    )


def to_json(structure: Structure) -> str:
    """The JSON form, as the stock exporter writes it.

    A named tuple's node gets one key more than stock's, ``fields``, with its field names.
    """
    return json.dumps([1, _to_node(structure)])


def _to_node(structure: Structure) -> dict[str, Any]:
    children = [_to_node(child) for child in structure.children]
    name = structure.type_name or TYPE_NAMES.get(structure.kind)
    node: dict[str, Any] = {"type": name, "context": None, "children_spec": children}
    if structure.kind == "leaf":
        return node
    if structure.kind == "namedtuple":
        node["type"], node["context"] = "collections.namedtuple", structure.type_name
        return {**node, "fields": list(structure.keys)} if structure.keys else node
    context = structure.context
    if context is None:
        context = _own_context(structure)
    is_plain = name == "collections.defaultdict"  # the one context that is not a string
    node["context"] = context if is_plain else json.dumps(context)
    return node


def _own_context(structure: Structure) -> Any:
    """What the stock exporter would store beside a container of this kind."""
    if structure.kind == "dict":
        return list(structure.keys)
    if structure.kind == "custom":
        return [list(structure.keys), list(structure.absent)]
    return None


def _parse_compact(text: str) -> Structure:
    """The structure of a compact text. Raises StructureError with the position."""
    parser = _CompactParser(text)
    structure = parser.node(0)
    if parser.at != len(text):
        raise parser.fault("the end")
    return structure


class _CompactParser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fault(self, expected: str) -> StructureError:
        return StructureError(
            f"container text: expected {expected} at character {self.at}"
        )

    def take(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise self.fault(repr(token))
        self.at += len(token)

    def number(self) -> int:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self.fault("a number")
        self.at = match.end()
        return int(match[0])

    def node(self, depth: int) -> Structure:
        if depth > MOST_DEPTH:
            raise StructureError(f"container text: nested deeper than {MOST_DEPTH}")
        letter = self.text[self.at : self.at + 1]
        if letter == "$":
            self.at += 1
            return LEAF
        if letter not in LETTERS or not letter:
            raise self.fault("$, L, T, N, D or C")
        self.at += 1
        kind = LETTERS[letter]
        name = self.class_name() if kind == "custom" else TYPE_NAMES.get(kind, "")
        leaf_counts = self.leaf_counts()
        keys, children = self.children(kind, leaf_counts, depth)
        return Structure(kind, tuple(children), tuple(keys), name)

    def class_name(self) -> str:
        self.take("(")
        end = self.text.find(")", self.at)
        if end < 0:
            raise self.fault("a type name and ')'")
        name = self.text[self.at : end]
        self.at = end + 1
        return name

    def leaf_counts(self) -> list[int]:
        count = self.number()
        if count > len(self.text):
            raise self.fault("fewer children than characters")
        counts = []
        for _ in range(count):
            self.take("#")
            counts.append(self.number())
        return counts

    def children(
        self, kind: Kind, leaf_counts: list[int], depth: int
    ) -> tuple[list[Key], list[Structure]]:
        keys: list[Key] = []
        children: list[Structure] = []
        self.take("(")
        for i, leaf_count in enumerate(leaf_counts):
            if i:
                self.take(",")
            if kind == "dict":
                keys.append(self.key())
            children.append(self.node(depth + 1))
            if children[-1].leaf_count != leaf_count:
                raise self.fault(f"{leaf_count} leaves before this")
        self.take(")")
        if len(set(keys)) != len(keys):
            raise self.fault("no key twice before this")
        return keys, children

    def key(self) -> Key:
        match = _KEY.match(self.text, self.at)
        if match is None:
            raise self.fault("a key")
        self.at = match.end()
        return int(match[2]) if match[1] is None else match[1]
