# SPDX-License-Identifier: BSD-3-Clause
"""Loads, initialises and executes altered copies of a program, each in its own process.

``python -m tests.runtime.mutations PROGRAM.pte INPUTS.npz COUNT`` forks COUNT children and
prints, as JSON, how many ended in which way and the seeds of those that crashed, hung or
raised something that is not Rushlight's own.
"""

import json
import os
import random
import resource
import signal
import struct
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import rushlight

# Ends of ranges, where sizes, indices and offsets wrap.
WORDS = [
    0,
    1,
    2,
    127,
    128,
    255,
    256,
    2**15,
    2**16 - 1,
    2**24,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32 - 4,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
]
MOST_SECONDS = 10
MOST_NBYTES = 4 << 30

RAN, REFUSED, FOREIGN = 0, 1, 2


def altered(data: bytes, seed: int) -> bytes:
    """A copy with one to eight bytes, bits or words changed, or cut short."""
    chance = random.Random(seed)
    out = bytearray(data)
    kind = seed % 4
    if kind == 3:
        del out[chance.randrange(len(out)) :]
        return bytes(out)
    # Most of the changes go to the flatbuffer, which says how the rest is read.
    (end,) = struct.unpack_from("<I", data, 16) if data[8:12] == b"eh00" else (0,)
    limit = end if 0 < end <= len(out) and chance.random() < 0.8 else len(out)
    for _ in range(chance.choice([1, 1, 1, 2, 4, 8])):
        at = chance.randrange(limit)
        if kind == 0:
            out[at] = chance.randrange(256)
        elif kind == 1:
            out[at] ^= 1 << chance.randrange(8)
        else:
            nbytes = chance.choice([2, 4, 4, 8])
            at = min(at, len(out) - nbytes)
            at -= at % nbytes if chance.random() < 0.9 else 0
            word = chance.choice(WORDS) % 256**nbytes
            out[at : at + nbytes] = word.to_bytes(nbytes, "little")
    return bytes(out)


def use(data: bytes, inputs: dict[str, list[Any]]) -> None:
    """Everything that a caller does with a program; raises RushlightError."""
    program = rushlight.load(data)
    for name in program.methods:
        method = program.method(name)
        given = inputs.get(name)
        if given is None or len(given) != len(method.inputs):
            continue
        for _ in range(2):
            for output in method.run_flat(given):
                if isinstance(output, np.ndarray):
                    output.copy()
        method.reset()


def run_child(data: bytes, inputs: dict[str, list[Any]]) -> int:
    """The exit status of one use, in this process."""
    signal.alarm(MOST_SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_NBYTES, MOST_NBYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        use(data, inputs)
    except rushlight.errors.RushlightError:
        return REFUSED
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return FOREIGN
    return RAN


def run_all(data: bytes, inputs: dict[str, list[Any]], seeds: Sequence[int]) -> Any:
    """Counts by way of ending, and the seeds of the bad ones."""
    ways: Counter[str] = Counter()
    bad: dict[str, str] = {}
    for seed in seeds:
        pid = os.fork()
        if pid == 0:
            os._exit(run_child(altered(data, seed), inputs))
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            way = signal.Signals(os.WTERMSIG(status)).name
        else:
            way = {RAN: "ran", REFUSED: "refused"}.get(
                os.WEXITSTATUS(status), "foreign exception"
            )
        ways[way] += 1
        if way not in ("ran", "refused"):
            bad[str(seed)] = way
    return {"ways": ways, "bad": bad}


def main() -> None:
    path, calls, first, count = sys.argv[1:5]
    with np.load(calls) as arrays:
        inputs = {}
        for key in arrays:
            method, _, _ = key.rpartition(":")
            inputs.setdefault(method, []).append(arrays[key])
        seeds = range(int(first), int(first) + int(count))
        data = Path(path).read_bytes()
        use(data, inputs)
        print(json.dumps(run_all(data, inputs, seeds)))


if __name__ == "__main__":
    main()
