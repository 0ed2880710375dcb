# SPDX-License-Identifier: BSD-3-Clause
"""The stock runtime of the ExecuTorch package, in a process of its own.

A crash there is a failed test here, not the end of the run. One process serves all
tests; it is started again after a crash.
"""

import os
import pickle
import subprocess
import sys
from functools import cache

import pytest

TIMEOUT_S = 120


class Stock:
    """The process. ``run`` loads bytes and calls a method; state carries over the calls."""

    def __init__(self):
        there, mine = os.pipe(), os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(there[0]), str(mine[1])],
            pass_fds=(there[0], mine[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        os.close(there[0])
        os.close(mine[1])
        os.set_blocking(self.process.stderr.fileno(), False)
        self.to = os.fdopen(there[1], "wb")
        self.back = os.fdopen(mine[0], "rb")

    def run(self, program, calls, data=None):
        """Outputs of each (method, inputs) of `calls`. Raises RuntimeError with its reason."""
        try:
            pickle.dump((program, calls, data), self.to)
            self.to.flush()
            ok, answer = pickle.load(self.back)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self.process.wait(TIMEOUT_S)
            stock.cache_clear()
            log = (self.process.stderr.read() or b"").decode(errors="replace")[-2000:]
            raise RuntimeError(f"the stock runtime died ({code}):\n{log}") from None
        log = (self.process.stderr.read() or b"").decode(errors="replace")
        if not ok:
            raise RuntimeError(f"{answer}\n{log[-3000:]}")
        return answer


@cache
def stock():
    """The running process. Skips the test if the package is not installed."""
    pytest.importorskip("executorch", reason="the peer is an optional test package")
    return Stock()


def serve(inbox, outbox):
    """The other side: one request after the other until the pipe closes."""
    import torch
    from executorch.extension.pybindings.portable_lib import (
        _load_for_executorch_from_buffer as load,
    )
    from executorch.runtime import Runtime

    torch.set_num_threads(1)

    def answer(program, calls, data):
        if data is not None:
            module = load(program, data_map_buffer=data)
            return [module.run_method(name, tuple(inputs)) for name, inputs in calls]
        loaded = Runtime.get().load_program(program)
        methods = {}
        results = []
        for name, inputs in calls:
            if name not in methods:
                methods[name] = loaded.load_method(name)
            results.append(list(methods[name].execute(inputs)))
        return results

    while True:
        try:
            request = pickle.load(inbox)
        except EOFError:
            return
        try:
            reply = True, answer(*request)
        except Exception as error:
            reply = False, f"{type(error).__name__}: {error}"
        pickle.dump(reply, outbox)
        outbox.flush()


if __name__ == "__main__":
    serve(os.fdopen(int(sys.argv[1]), "rb"), os.fdopen(int(sys.argv[2]), "wb"))
