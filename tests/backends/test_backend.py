# SPDX-License-Identifier: BSD-3-Clause
"""The backend contract's Python half: discovery, refusals, needs, named data."""

import pytest
import torch

import rushlight
from rushlight.backends import backend as module
from rushlight.backends.backend import (
    Backend,
    BackendDetails,
    Needs,
    PreprocessResult,
    Support,
    discovered,
    find_preprocess,
)
from rushlight.backends.named_data import NamedDataStore
from rushlight.compiler.partition import DelegationSpec, Partitioner, PartitionResult
from rushlight.compiler.program import to_edge_transform_and_lower
from rushlight.errors import BackendError, CompileInputError


def test_folders_with_a_backend_are_found():
    assert {"NullBackend", "RushlightProgram"} <= set(discovered())


class EntryPoint:
    name = "acme"

    def __init__(self, loaded):
        self.loaded = loaded

    def load(self):
        return self.loaded


@pytest.fixture
def installed(monkeypatch):
    """Pretend that a package offers something under the entry point."""

    def offer(thing):
        monkeypatch.setattr(module, "entry_points", lambda group: [EntryPoint(thing)])
        discovered.cache_clear()

    yield offer
    monkeypatch.undo()
    discovered.cache_clear()


def preprocess(partition, specs):
    return PreprocessResult(b"bytes")


def test_installed_packages_offer_backends(installed):
    acme = Backend("AcmeBackend", "2", preprocess)
    installed(acme)
    assert discovered()["AcmeBackend"] is acme
    assert find_preprocess("AcmeBackend") is preprocess


def test_an_entry_point_that_is_no_backend_is_named(installed):
    installed(3)
    with pytest.raises(BackendError, match="backend acme: entry point gives int"):
        discovered()


class ClassBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(b"")


def test_a_class_is_found_by_its_name():
    assert find_preprocess("ClassBackend") is ClassBackend.preprocess


def test_refusals_are_sentences():
    support = Support("aten.relu.default", ("float32",), when=lambda n: "is too tall")
    backend = Backend("B", "1", preprocess, {"aten.relu.default": support})
    assert backend.refusal(None, "aten.relu.default", "float32") == "is too tall"
    assert "in float32, not in int8" in backend.refusal(
        None, "aten.relu.default", "int8"
    )
    assert backend.refusal(None, "aten.add.Tensor", None) == "does not have this op"


class EqualStores(BackendDetails):
    """Keeps its weights as named data."""

    @staticmethod
    def preprocess(edge_program, compile_specs):
        store = NamedDataStore()
        for key, tensor in sorted(edge_program.state_dict.items()):
            store.add_named_data(key, tensor, alignment=16)
        return PreprocessResult(
            b"see named data", data_store_output=store.get_named_data_store_output()
        )


class Whole(Partitioner):
    def partition(self, exported_program):
        for node in exported_program.graph.nodes:
            node.meta["delegation_tag"] = "all"
        tags = {"all": DelegationSpec("EqualStores", [])}
        return PartitionResult(exported_program, tags)


def test_named_data_of_a_delegate_is_in_the_file():
    linear = torch.nn.Linear(4, 3).eval()
    exported = torch.export.export(linear, (torch.rand(2, 4),))
    edge = to_edge_transform_and_lower(exported, partitioner=[Whole()])
    program = rushlight.load(edge.to_executorch().buffer)
    assert program.named_data("weight") == linear.weight.detach().numpy().tobytes()


def test_needs_reach_the_memory_plan(installed):
    hungry = Backend(
        "EqualStores",
        "1",
        EqualStores.preprocess,
        needs=Needs(64, tail_padding_nbytes=40),
    )
    linear = torch.nn.Linear(4, 3).eval()
    exported = torch.export.export(linear, (torch.rand(2, 4),))
    edge = to_edge_transform_and_lower(exported, partitioner=[Whole()])
    before = edge.to_executorch().emitted.plans["forward"]
    installed(hungry)
    after = edge.to_executorch().emitted.plans["forward"]
    assert after.nbytes >= before.nbytes + 40
    assert all(offset % 64 == 0 for offset in after.offsets)


def test_equal_bytes_are_stored_once():
    store = NamedDataStore()
    store.add_named_data("a", b"same", alignment=4)
    store.add_named_data("b", b"same", alignment=16)
    store.add_named_data("a", b"same", alignment=8)
    output = store.get_named_data_store_output()
    assert output.buffers == [b"same"]
    assert [output.pte_data[k].alignment for k in "ab"] == [8, 16]


def test_a_key_cannot_name_two_things():
    store = NamedDataStore()
    store.add_named_data("a", b"one")
    with pytest.raises(CompileInputError, match="key 'a' already holds 3 other bytes"):
        store.add_named_data("a", b"four")


def test_stores_merge_with_their_external_files():
    first, second = NamedDataStore(), NamedDataStore()
    first.add_named_data("a", torch.tensor([1, 2], dtype=torch.int8))
    first.add_named_data("b", b"far", external_tag="weights")
    second.add_named_data("c", b"far")
    second.merge_named_data_store(first.get_named_data_store_output())
    output = second.get_named_data_store_output()
    assert output.buffers == [b"far", b"\x01\x02"]
    assert output.external_data["weights"]["b"].buffer_index == 0
