# SPDX-License-Identifier: BSD-3-Clause
"""The verifier: what it refuses and what it says, one test for each sentence."""

import pytest
import torch

from rushlight.backends.null import BACKEND
from rushlight.compiler.partition import BackendPartitioner
from rushlight.compiler.verify import dtype_problem, verify_dialect, verify_legal
from rushlight.errors import DialectError, IllegalOpError, user_line
from rushlight.ops.table import load_table
from tests.compiler.graphs import aten, edge

F32, I64 = "float32", "int64"


class Bessel(torch.nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x)


def test_an_op_without_kernel_is_named_with_dtypes_and_source_line():
    program = edge(Bessel(), torch.eye(3))
    with pytest.raises(IllegalOpError) as caught:
        verify_legal(program)
    error = caught.value
    assert (error.op, error.dtypes) == ("aten.special_bessel_j0.default", (F32,))
    assert f"{__file__}:" in str(error)
    assert "CONTRIBUTING.md" in str(error)


def test_each_backend_gives_its_reason():
    program = edge(Bessel(), torch.eye(3))
    BackendPartitioner(BACKEND).partition(program)
    with pytest.raises(IllegalOpError, match="NullBackend: runs nothing"):
        verify_legal(program)


def test_every_kind_of_illegal_op_is_in_one_error():
    program = edge(
        lambda x: torch.special.bessel_j0(torch.special.bessel_j1(x)), torch.eye(3)
    )
    with pytest.raises(IllegalOpError) as caught:
        verify_legal(program)
    assert len(caught.value.others) == 1
    assert "bessel_j1" in str(caught.value)
    assert "bessel_j0" in str(caught.value)


def test_ops_to_pass_over_are_not_refused():
    program = edge(Bessel(), torch.eye(3))
    verify_legal(program, allow={aten.special_bessel_j0.default})


def test_a_branch_is_verified_too():
    program = edge(
        lambda x: torch.cond(
            x.sum() > 0, torch.special.bessel_j0, lambda a: a * 1, (x,)
        ),
        torch.eye(3),
    )
    with pytest.raises(IllegalOpError, match="bessel"):
        verify_legal(program)


def test_a_dtype_without_kernel_is_told_with_those_that_have_one():
    row = load_table()["aten.linear.default"]
    problem = dtype_problem(row, [["complex64"], ["complex64"]])
    assert problem is not None
    assert "no kernel for these dtypes; there is one for float32" in problem


def test_a_result_that_no_file_can_hold_is_refused():
    program = edge(lambda x: x.to(torch.complex64), torch.rand(2))
    with pytest.raises(IllegalOpError, match="makes complex64"):
        verify_legal(program)


def test_indices_may_have_a_dtype_of_their_own():
    row = load_table()["aten.embedding.default"]
    assert dtype_problem(row, [[F32], [I64]]) is None
    assert dtype_problem(row, [[F32], ["complex64"]]) is not None


def test_a_mutating_op_is_not_edge_dialect():
    program = edge(lambda x: x.relu(), torch.rand(2))
    (node,) = program.graph.find_nodes(op="call_function", target=aten.relu.default)
    node.target = aten.relu_.default
    with pytest.raises(DialectError, match="changes its argument"):
        verify_dialect(program)


def test_a_node_without_value_is_not_edge_dialect():
    program = edge(lambda x: x.relu() * x, torch.rand(2))
    (node,) = program.graph.find_nodes(op="call_function", target=aten.relu.default)
    del node.meta["val"]
    with pytest.raises(DialectError, match="has no meta"):
        verify_dialect(program)


def test_outputs_must_be_those_of_the_signature():
    program = edge(lambda x: (x.relu(), x * x), torch.rand(2))
    output = program.graph.output_node()
    output.args = (output.args[0][::-1],)
    with pytest.raises(DialectError, match="the signature returns"):
        verify_dialect(program)


def test_the_innermost_frame_of_the_user_is_shown():
    trace = (
        'File "/home/me/net.py", line 7, in forward\n'
        'File "/venv/torch/nn/functional.py", line 9, in relu\n'
        'File "<eval_with_key>.5", line 3, in forward'
    )
    assert user_line(trace) == "/home/me/net.py:7"
    assert user_line(None) is None
