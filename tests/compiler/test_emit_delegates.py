# SPDX-License-Identifier: BSD-3-Clause
"""Delegates in the file: their bytes, options, arguments, and data by name."""

import pytest
import torch

from rushlight.backends.backend import BackendDetails, PreprocessResult
from rushlight.backends.named_data import NamedDataStore
from rushlight.compiler.delegation import lower_partitions
from rushlight.compiler.emit import EmitConfig, emit_program
from rushlight.errors import EmitError
from rushlight.schema.reader import read_program, read_ptd
from tests.compiler.graphs import edge
from tests.compiler.test_partition import Tags


class StoringBackend(BackendDetails):
    """Equal bytes for every partition; a weight inside, another in a file of its own."""

    weight = b"weight" * 9

    @staticmethod
    def preprocess(edge_program, compile_specs):
        store = NamedDataStore()
        store.add_named_data("inside", StoringBackend.weight, 64)
        store.add_named_data("outside", b"large", 32, external_tag="big")
        named = store.get_named_data_store_output()
        return PreprocessResult(b"the blob", data_store_output=named)


class Chain(torch.nn.Module):
    def forward(self, x, y):
        return torch.tanh(torch.relu(x) * y) + torch.relu(y)


def delegated(choose=lambda node: f"t{node.name}" if "relu" in node.name else None):
    program = edge(Chain(), torch.rand(3, 4), torch.rand(3, 4))
    return lower_partitions(Tags(choose, "StoringBackend").partition(program))


def test_blobs_are_stored_once_and_called_with_inputs_then_outputs():
    result = emit_program({"forward": delegated()})
    file = read_program(result.buffer)
    (method,) = file.program.methods
    calls = [c for c in method.chains[0].instructions if c.type_name == "DelegateCall"]
    assert [call.delegate for call in calls] == [0, 1]
    assert {call.args[0] for call in calls} == set(method.inputs)
    assert all(len(call.args) == 2 for call in calls)
    first, second = method.delegates
    assert first.backend == "StoringBackend"
    assert (first.specs[0].key, first.specs[0].value) == ("k", b"v")
    assert first.blob == second.blob and first.blob.kind == 1
    assert bytes(file.segments[first.blob.index]) == b"the blob"


def test_blobs_may_stay_inside_the_flatbuffer():
    result = emit_program({"forward": delegated()}, EmitConfig(delegates_inline=True))
    program = read_program(result.buffer).program
    (blob,) = program.inline_delegates
    assert blob.bytes == b"the blob"
    assert program.methods[0].delegates[1].blob.kind == 0


def test_named_data_lies_in_the_file_it_was_put_in():
    result = emit_program({"forward": delegated()})
    file = read_program(result.buffer)
    found = {one.key: file.segments[one.segment] for one in file.program.named_data}
    assert set(found) == {"inside", "rushlight/signature"}
    assert bytes(found["inside"]) == StoringBackend.weight
    ptd = read_ptd(result.external["big"])
    (entry,) = ptd.ptd.entries
    assert (entry.key, entry.layout) == ("outside", None)
    assert bytes(ptd.segments[entry.segment]) == b"large"


def test_one_key_for_different_data_is_refused():
    config = EmitConfig(named_data={"inside": b"other"})
    with pytest.raises(EmitError, match="inside is given twice"):
        emit_program({"forward": delegated()}, config)


def test_results_between_delegates_and_kernels_are_planned():
    result = emit_program({"forward": delegated()})
    names = {row["name"] for row in result.methods["forward"].table()}
    assert any("call_delegate" in name for name in names)
    assert "aten::relu.out" not in {s["op"] for s in result.methods["forward"].steps()}
