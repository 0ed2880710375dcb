# SPDX-License-Identifier: BSD-3-Clause
"""The Python face: nesting, names, layouts, other libraries' arrays, refusals, threads."""

import collections
import dataclasses
import subprocess
import sys
import textwrap
import threading
from typing import ClassVar

import numpy as np
import pytest

import rushlight
from rushlight.errors import InputError, RuntimeFailure
from tests.runtime.programs import (
    TensorSlot,
    call_of,
    describe,
    list_of,
    pass_through,
    ramp,
    shared_state,
    tuple_of,
)
from tests.support import recorded

LEAF = describe(0)
X = TensorSlot("float32", (2, 3))


class TestNesting:
    def test_one_tensor_is_not_wrapped(self):
        program = rushlight.load(pass_through(X, call=call_of(LEAF), result=LEAF))
        np.testing.assert_array_equal(program(ramp(2, 3)), ramp(2, 3))

    def test_dicts_lists_and_tuples_go_in_and_come_out(self):
        nested = {"a": [0, (0, 0)], "b": {"c": 0}}
        structure = describe(nested)
        program = rushlight.load(
            pass_through(X, X, X, X, call=call_of(structure), result=structure)
        )
        a, b, c, d = (ramp(2, 3) + i for i in range(4))
        result = program.forward({"b": {"c": d}, "a": [a, (b, c)]})
        assert list(result) == ["a", "b"]
        assert isinstance(result["a"], list)
        assert isinstance(result["a"][1], tuple)
        np.testing.assert_array_equal(result["a"][1][0], b)
        np.testing.assert_array_equal(result["b"]["c"], d)

    def test_numbers_text_and_none_come_back_as_python_values(self):
        structure = tuple_of(*[LEAF] * 5)
        raw = pass_through(3, 0.5, True, "gelu", None, result=structure)
        result = rushlight.load(raw)(3, 0.5, True, "gelu", None)
        assert result == (3, 0.5, True, "gelu", None)
        assert [type(v) for v in result[:3]] == [int, float, bool]

    def test_named_tuple_of_the_callers_own(self):
        point = Point(0, 0)
        raw = pass_through(3, 4, result=describe(point))
        result = rushlight.load(raw)(3, 4)
        assert (result.x, result.y) == (3, 4)
        assert isinstance(result, tuple)

    def test_dataclass_of_a_loaded_module_is_made(self):
        raw = pass_through(3, 4, result=describe(Pair(left=0, right=0)))
        assert rushlight.load(raw)(3, 4) == Pair(left=3, right=4)

    def test_dataclass_of_an_unknown_module_becomes_attributes(self, monkeypatch):
        structure = dataclasses.replace(
            describe(Pair(left=0, right=0)), type_name="nowhere_at_all.Pair"
        )
        result = rushlight.load(pass_through(3, 4, result=structure))(3, 4)
        assert (result.left, result.right) == (3, 4)
        assert "nowhere_at_all" not in sys.modules

    @pytest.mark.parametrize("name", ["os.system", "subprocess.Popen", "builtins.exec"])
    def test_a_file_cannot_choose_what_is_called(self, name):
        structure = dataclasses.replace(describe(Pair(left=0, right=0)), type_name=name)
        result = rushlight.load(pass_through(3, 4, result=structure))(3, 4)
        assert (result.left, result.right) == (3, 4)

    def test_written_back_inputs_are_left_out_of_the_result(self):
        raw = pass_through(3, 4, outputs=[0, 1], result=LEAF)
        program = rushlight.load(raw)
        assert program(3, 4) == 4
        assert program.method().run_flat([3, 4]) == [3, 4]

    def test_a_damaged_container_text_leaves_the_flat_list(self):
        raw = pass_through(3, 4, call=call_of(LEAF, LEAF), result=tuple_of(LEAF, LEAF))
        broken = raw.replace(b"builtins.tuple", b"builtins.xxxxx")
        assert broken != raw
        assert list(rushlight.load(broken).method().run_flat([3, 4])) == [3, 4]


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    left: object
    right: object


class TestNames:
    SIGNATURE: ClassVar = {
        "inputs": [{"name": "x"}, {"name": "state.k"}, {"name": "state.v"}],
        "positional": 2,
    }

    @pytest.fixture
    def program(self):
        call = call_of(LEAF, describe({"k": 0, "v": 0}))
        return rushlight.load(
            pass_through(X, X, X, call=call, result=LEAF, signature=self.SIGNATURE)
        )

    def test_arguments_go_by_the_models_own_names(self, program):
        x = ramp(2, 3)
        state = {"k": x + 1, "v": x + 2}
        np.testing.assert_array_equal(program(x, state=state), x + 2)
        np.testing.assert_array_equal(program(state=state, x=x), x + 2)

    def test_keyword_arguments_of_the_export_need_no_signature(self):
        call = call_of(LEAF, scale=LEAF)
        program = rushlight.load(pass_through(X, 2.0, call=call, result=LEAF))
        assert program(ramp(2, 3), scale=2.0) == 2.0

    def test_without_names_inputs_are_numbered(self):
        program = rushlight.load(pass_through(3, 4, result=tuple_of(LEAF, LEAF)))
        assert program(input1=4, input0=3) == (3, 4)

    @pytest.mark.parametrize(
        ("args", "kwargs", "text"),
        [
            ((), {}, r"forward\(\) takes 2 positional arguments \(x, state\), got 0"),
            ((1, 2, 3), {}, "takes 2 positional arguments .*, got 3"),
            ((), {"x": ramp(2, 3)}, r"forward\(\) is missing state"),
            ((), {"y": 1}, "unknown argument 'y'; its arguments: x, state"),
            ((1,), {"x": 1, "state": {}}, "got x twice"),
            ((ramp(2, 3), [1]), {}, r"forward\(\) got state: expected a dict"),
            ((ramp(2, 3), {"k": 1}), {}, r"forward\(\) got state: expected a dict"),
            (
                (ramp(2, 3), {"k": ramp(2, 3), "v": ramp(2, 4)}),
                {},
                r"got state\.v: expected float32 \[2, 3\], got float32 \[2, 4\]",
            ),
        ],
    )
    def test_a_wrong_call_is_refused_by_name(self, program, args, kwargs, text):
        with pytest.raises(InputError, match=text):
            program(*args, **kwargs)

    def test_a_model_may_have_an_argument_called_copy(self):
        call = call_of(copy=LEAF)
        program = rushlight.load(pass_through(3, call=call, result=LEAF))
        assert program(copy=3) == 3
        assert program.method().run((), {"copy": 3}, copy=False) == 3

    def test_methods_are_attributes_and_unknown_ones_are_named(self, program):
        assert program.methods == ("forward",)
        assert "forward" in dir(program)
        with pytest.raises(
            KeyError, match="no method 'decode'; the program has forward"
        ):
            program.method("decode")
        with pytest.raises(AttributeError, match="decode"):
            _ = program.decode


class TestOutputs:
    @pytest.mark.parametrize("is_planned", [True, False])
    def test_results_outlive_calls_methods_and_programs(self, is_planned):
        slot = TensorSlot("float32", (2, 3), is_planned=is_planned)
        program = rushlight.load(pass_through(slot, result=LEAF))
        first = program(ramp(2, 3))
        second = program(ramp(2, 3) + 1)
        del program
        np.testing.assert_array_equal(first, ramp(2, 3))
        np.testing.assert_array_equal(second, ramp(2, 3) + 1)
        first[:] = 0  # and are the caller's to write

    def test_views_follow_the_arena_and_keep_it_alive(self):
        program = rushlight.load(pass_through(X, result=LEAF))
        view = program(ramp(2, 3), copy=False)
        program(ramp(2, 3) + 1)
        np.testing.assert_array_equal(view, ramp(2, 3) + 1)
        del program
        np.testing.assert_array_equal(view, ramp(2, 3) + 1)

    def test_a_view_of_a_borrowed_input_is_a_copy(self):
        slot = TensorSlot("float32", (2, 3), is_planned=False)
        program = rushlight.load(pass_through(slot, result=LEAF))
        view = program(ramp(2, 3), copy=False)
        program(ramp(2, 3) + 1)
        np.testing.assert_array_equal(view, ramp(2, 3))

    def test_constants_are_read_only_as_views(self):
        program = rushlight.load(recorded("multi_method").path)
        view = program.method("get_table")(copy=False)
        assert not view.flags.writeable
        assert program.method("get_table")().flags.writeable

    def test_torch_on_request(self):
        torch = pytest.importorskip("torch")
        structure = describe({"y": [0, 0]})
        program = rushlight.load(pass_through(X, 3, result=structure))
        result = program(ramp(2, 3), 3, output="torch")
        assert result["y"][1] == 3
        assert torch.equal(result["y"][0], torch.arange(6.0).reshape(2, 3))
        with pytest.raises(ValueError, match='"numpy" or "torch", got \'jax\''):
            program(ramp(2, 3), 3, output="jax")


class TestPrograms:
    def test_sources(self, tmp_path):
        raw = pass_through(3, result=LEAF)
        path = tmp_path / "a.pte"
        path.write_bytes(raw)
        odd = memoryview(bytes(3) + raw)[3:]
        with path.open("rb") as file:
            for source in (path, str(path), raw, bytearray(raw), odd, file):
                assert rushlight.load(source)(3) == 3

    def test_bytes_that_change_later_do_not_matter(self):
        raw = bytearray(pass_through(X, result=LEAF))
        program = rushlight.load(raw)
        method = program.method()
        raw[:] = b"\xff" * len(raw)
        np.testing.assert_array_equal(method(ramp(2, 3)), ramp(2, 3))

    def test_a_missing_file(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            rushlight.load(tmp_path / "no.pte")

    @pytest.mark.parametrize("raw", [b"", b"nope", bytes(100), b"\xff" * 4096])
    def test_other_bytes_are_refused_with_a_reason(self, raw):
        with pytest.raises(RuntimeFailure) as failure:
            rushlight.load(raw)
        assert failure.value.code == "InvalidProgram"
        assert str(failure.value)

    def test_a_cut_file_is_refused_with_the_place(self):
        raw = recorded("mlp_relu").path.read_bytes()
        with pytest.raises(RuntimeFailure) as failure:
            rushlight.load(raw[: len(raw) // 2])
        assert failure.value.byte_offset is not None

    def test_memory_figures(self):
        program = rushlight.load(pass_through(X, result=LEAF))
        memory = program.method().memory
        assert memory.arena_nbytes == (32,)
        assert memory.nbytes == 32 + memory.method_nbytes


class TestStockNames:
    def test_runtime_and_registries(self):
        from rushlight.runtime import Runtime

        runtime = Runtime.get()
        assert runtime is Runtime.get()
        names = runtime.backend_registry.registered_backend_names
        assert all(runtime.backend_registry.is_available(name) for name in names)
        assert not runtime.backend_registry.is_available("no such")
        assert isinstance(runtime.operator_registry.operator_names, set)

    def test_metadata(self):
        from rushlight.runtime import Runtime, Verification

        program = Runtime.get().load_program(
            recorded("dynamic_batch_mlp").path, verification=Verification.Minimal
        )
        assert program.method_names == {"forward"}
        meta = program.load_method("forward").metadata
        info = meta.input_tensor_meta(0)
        assert (meta.name(), meta.num_inputs(), meta.num_outputs()) == ("forward", 1, 3)
        assert (info.dtype(), info.is_memory_planned()) == (6, True)
        assert info.nbytes() == 4 * int(np.prod(info.sizes()))
        assert meta.num_memory_planned_buffers() >= 1
        assert meta.memory_planned_buffer_size(0) > 0
        assert "float32" in repr(meta)
        with pytest.raises(IndexError):
            meta.output_tensor_meta(3)

    def test_wrong_count(self):
        method = rushlight.load(pass_through(3, 4)).load_method("forward")
        with pytest.raises(
            InputError, match=r"takes 2 inputs \(input0, input1\), got 1"
        ):
            method.execute([3])


class TestThreads:
    def run(self, work, count=4):
        problems = []

        def guarded(i):
            try:
                work(i)
            except BaseException as problem:
                problems.append(problem)

        threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not problems

    def test_each_with_its_own_method(self):
        case = recorded("mlp_relu")
        program = rushlight.load(case.path)

        def work(i):
            method = program.load_method("forward")
            for _ in range(50):
                for call in case.calls:
                    case.check(call, method.run_flat(case.inputs(call)))

        self.run(work)

    def test_one_method_serves_in_turn(self):
        program = rushlight.load(pass_through(X, result=LEAF))

        def work(i):
            for k in range(200):
                x = ramp(2, 3) + 1000 * i + k
                np.testing.assert_array_equal(program(x), x)

        self.run(work)


class TestState:
    def test_reset_and_separate_methods(self):
        case = recorded("kv_buffer_update")
        program = rushlight.load(case.path)
        first = program.load_method("forward")
        for call in case.calls:
            case.check(call, first.run_flat(case.inputs(call)))
        other = program.load_method("forward")
        first.reset()
        for method in (first, other):
            for call in case.calls:
                case.check(call, method.run_flat(case.inputs(call)))

    def test_methods_share_state_on_request(self):
        program = rushlight.load(shared_state(X))
        put, alone = program.load_method("put"), program.load_method("see")
        put(ramp(2, 3) + 1)
        see = program.load_method("see", share_state=put)
        np.testing.assert_array_equal(see(), ramp(2, 3) + 1)
        put(ramp(2, 3))
        np.testing.assert_array_equal(see(), ramp(2, 3))
        np.testing.assert_array_equal(alone(), np.zeros((2, 3)))

    def test_methods_without_shared_state_cannot_share(self):
        program = rushlight.load(recorded("multi_method").path)
        with pytest.raises(RuntimeFailure, match="no shared state"):
            program.load_method("encode", share_state=program.method("decode"))


class TestTrace:
    def test_every_instruction_with_its_outputs(self):
        case = recorded("mlp_relu")
        method = rushlight.load(case.path).method()
        inputs = case.inputs(case.calls[0])
        result, events = method.trace(*inputs, outputs=True)
        case.check(case.calls[0], [result])
        assert events
        assert all(e.name and e.nanoseconds >= 0 for e in events)
        np.testing.assert_array_equal(events[-1].outputs[0], result)
        assert all(e.outputs is None for e in method.trace(*inputs).events)


def run_python(code, *, blocked=()):
    block = f"import sys; [sys.modules.__setitem__(n, None) for n in {blocked!r}]\n"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", block + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


class TestImport:
    def test_runs_without_torch_or_anything_but_numpy(self):
        path = recorded("mlp_relu").path
        code = f"""
            import numpy as np, rushlight
            from rushlight.runtime import Runtime
            method = rushlight.load({str(path)!r}).method()
            x = np.ones(method.inputs[0].sizes, "float32")
            print(method(x).shape, type(method.execute([x])[0]).__name__)
        """
        blocked = ("torch", "ml_dtypes", "flatbuffers", "rich", "typer")
        done = run_python(code, blocked=blocked)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip().endswith("ndarray")
        assert not done.stderr

    def test_import_alone_brings_nothing(self):
        code = """
            import sys, rushlight
            print([n for n in ("numpy", "torch", "rushlight._runtime") if n in sys.modules])
            print(rushlight.__version__, "load" in dir(rushlight))
        """
        done = run_python(code)
        assert done.stdout.splitlines()[0] == "[]", done.stderr
        assert not done.stderr


def test_list_of_is_a_list():
    program = rushlight.load(pass_through(1, 2, result=list_of(LEAF, LEAF)))
    assert program(1, 2) == [1, 2]
