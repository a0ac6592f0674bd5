"""Open to first prompt, bash without rc files, against a bare posix_spawn on a pty. To reach: at most 1.5 times."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

import truetty
from bench.bare import SentLine


async def ours() -> float:
    start = time.perf_counter()
    terminal = await truetty.Terminal.open("bash", rc=False)
    took = time.perf_counter() - start
    await terminal.close()
    return took


def bare() -> float:
    start = time.perf_counter()
    shell = SentLine("bash")
    took = time.perf_counter() - start
    shell.close()
    return took


async def compare(rounds: int) -> tuple[float, float]:
    await ours()  # the first learns how the prompt looks, once for the process
    pairs = [(await ours(), bare()) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def main() -> None:
    a, b = asyncio.run(compare(int(sys.argv[1]) if len(sys.argv) > 1 else 60))
    print(f"open to first prompt: truetty {a * 1e3:.2f} ms, bare {b * 1e3:.2f} ms, ratio {a / b:.2f}")


if __name__ == "__main__":
    main()
