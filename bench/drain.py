"""Draining 100 MB through a pty into the transcript, against a bare `os.read` loop. To reach: at least 0.9 of its MB/s.

The same program prints the same bytes in both; runs alternate, medians are compared.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import sys
import time

import truetty
from bench.bare import spawn

SIZE = 100_000_000
COMMAND = f"yes 'a line of build output, not short and not very long either' | head -c {SIZE}"


def bare() -> float:
    master, pid = spawn("/bin/sh", ("sh", "-c", COMMAND), dict(os.environ))
    start, size = time.perf_counter(), 0
    try:
        while data := os.read(master, 65536):
            size += len(data)
    except OSError:
        pass
    took = time.perf_counter() - start
    os.close(master)
    os.waitpid(pid, 0)
    return size / took / 1e6


async def ours() -> float:
    async with truetty.Terminal("dash", rc=False) as terminal:
        start = time.perf_counter()
        command = await terminal.start(COMMAND)
        await terminal.changes.until(
            lambda: command.finished, None
        )  # without the text of the outcome, as the floor has none
        took = time.perf_counter() - start
        return command.output.bytes / took / 1e6


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rates = [(asyncio.run(ours()), bare()) for _ in range(rounds)]
    a, b = statistics.median(x for x, _ in rates), statistics.median(y for _, y in rates)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"draining: truetty {a:.0f} MB/s, bare {b:.0f} MB/s, ratio {a / b:.2f}; peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
