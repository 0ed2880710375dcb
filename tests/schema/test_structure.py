# SPDX-License-Identifier: BSD-3-Clause
"""Container text: both forms, any nesting, and refusals of everything else."""

import dataclasses
from collections import OrderedDict, namedtuple
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rushlight.errors import StructureError
from rushlight.schema.reader import read_program
from rushlight.schema.structure import (
    LEAF,
    class_name,
    describe,
    dict_of,
    flatten,
    list_of,
    parse,
    to_json,
    tuple_of,
    unflatten,
)
from tests import fixtures

Point = namedtuple("Point", ["x", "y"])


@dataclasses.dataclass
class Boxes:
    corners: object
    scores: object = None


NESTED = st.recursive(
    st.just(LEAF),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda c: list_of(*c)),
        st.lists(inner, max_size=4).map(lambda c: tuple_of(*c)),
        st.dictionaries(
            st.one_of(st.text(max_size=3), st.integers(-(2**40), 2**40)),
            inner,
            max_size=4,
        ).map(dict_of),
    ),
    max_leaves=12,
)


@given(NESTED)
def test_json_text_reads_back(structure):
    again = parse(to_json(structure))

    assert to_json(again) == to_json(structure)
    assert again.leaf_count == structure.leaf_count


@given(NESTED)
def test_flatten_undoes_unflatten(structure):
    leaves = list(range(structure.leaf_count))

    value = unflatten(leaves, structure)

    assert flatten(value, structure) == leaves
    assert describe(value).leaf_count == structure.leaf_count
    assert len(set(structure.names())) <= structure.leaf_count


@given(st.text(max_size=40) | st.text("$LTNDC()#,:'[]{}0123\"", max_size=40))
def test_any_text_parses_or_is_refused(text):
    try:
        structure = parse(text)
    except StructureError:
        return
    assert flatten(unflatten([0] * structure.leaf_count, structure), structure)


@pytest.mark.parametrize("name", fixtures.names())
def test_stock_texts_are_written_back_letter_for_letter(name):
    file = read_program(fixtures.path(f"{name}.pte").read_bytes())
    for method in file.program.methods:
        for text in filter(None, (method.containers.inputs, method.containers.outputs)):
            assert to_json(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$", 0),
        ("T2#1#1($,$)", (0, 1)),
        ("D1#2('a':L2#1#1($,$))", {"a": [0, 1]}),
        ("T0()", ()),
        ("D2#1#1(3:$,-4:$)", {3: 0, -4: 1}),
        ("N2#1#1($,$)", (0, 1)),
        ("C(my.Class)1#1($)", (0,)),
    ],
)
def test_compact_text(text, value):
    structure = parse(text)
    assert unflatten(list(range(structure.leaf_count)), structure) == value


def test_classes_are_made_only_when_handed_over():
    value = (Point(1, Boxes(2)), {"k": Boxes(3, 4)})
    structure = parse(to_json(describe(value)))
    leaves = flatten(value, structure)

    plain = unflatten(leaves, structure)
    whole = unflatten(
        leaves, structure, {class_name(Point): Point, class_name(Boxes): Boxes}
    )

    assert leaves == [1, 2, 3, 4]
    assert whole == value
    assert type(whole[0]) is Point
    assert plain[0].x == 1
    assert plain[0].y == SimpleNamespace(corners=2, scores=None)
    assert plain[1]["k"].scores == 4
    assert flatten(plain, structure) == leaves


def test_a_class_of_the_standard_library_is_not_imported():
    text = '[1, {"type": "subprocess.Popen", "context": "[\\"args\\"]", "children_spec": [{"type": null}]}]'
    assert unflatten(["ls"], parse(text)) == SimpleNamespace(args="ls")


def test_ordered_dict_stays_one():
    text = '[1, {"type": "collections.OrderedDict", "context": "[\\"z\\"]", "children_spec": [{"type": null}]}]'
    value = unflatten([1], parse(text))
    assert type(value) is OrderedDict and value == {"z": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"expected \$, L, T, N, D or C at character 0"),
        ("[1]", "not \\[1, node\\]"),
        ("[2, {}]", "not \\[1, node\\]"),
        ("[1, 3]", "a node is not an object"),
        ('[1, {"type": 3, "children_spec": []}]', "type 3 is not a text"),
        (
            '[1, {"type": "builtins.dict", "context": "3"}]',
            "without a list of its keys",
        ),
        (
            '[1, {"type": "builtins.dict", "context": "[1]", "children_spec": []}]',
            "1 keys for 0 values",
        ),
        (
            '[1, {"type": "builtins.dict", "context": "[1, 1]", "children_spec": [{}, {}]}]',
            "a key twice",
        ),
        ("[" * 100000, "nested deeper|not JSON"),
        ("L1#1(" * 100, "nested deeper than 64"),
        ("L1#2($)", "expected 2 leaves before this"),
        ("L999999999($)", "fewer children than characters"),
        ("L1#1($)x", "expected the end at character 7"),
        ("D1#1(a:$)", "expected a key"),
        ("D2#1#1(1:$,1:$)", "no key twice"),
    ],
)
def test_hostile_text_is_refused_with_a_reason(text, says):
    with pytest.raises(StructureError, match=says):
        parse(text)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([1], r"x: expected a tuple of 2, got a list of 1"),
        ((1, 2), r"x\[1\]: expected a dict with keys \['a'\], got a int"),
        ((1, {"b": 2}), r"x\[1\]: expected a dict with keys \['a'\], got keys \['b'\]"),
        ("ab", r"x: expected a tuple of 2, got a str"),
        ({}, r"x: expected a tuple of 2, got a dict"),
    ],
)
def test_a_value_that_nests_otherwise_is_refused_by_place(value, says):
    with pytest.raises(StructureError, match=says):
        flatten(value, describe((1, {"a": 2})), "x")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (Boxes(1, 2), r"out\.scores: expected None, got a int"),
        (SimpleNamespace(scores=None), r"got a SimpleNamespace that has no corners"),
    ],
)
def test_a_class_with_other_fields_is_refused(value, says):
    with pytest.raises(StructureError, match=says):
        flatten(value, describe(Boxes(1)), "out")


def test_a_wrong_number_of_leaves_is_refused():
    with pytest.raises(StructureError, match="structure of 2 leaves, got 1 values"):
        unflatten([1], tuple_of(LEAF, LEAF))
