"""Round trip of `true`, two ways, alternating in one run; medians are compared.

At rest: from a prompt at rest until the end is known. One after the other: in blocks, from prompt to prompt.

(b) a bare loop types the line into a shell that has only a mark in its prompt.
(a) a bare loop types what the library types, into a shell with the library's hook: what sending alone costs.
(c) the same in an event loop of asyncio, which does nothing else: the floor of every asyncio library. At rest only.
To reach: (a) at most 2 times (b) in bash and zsh, 1.3 times in fish; the library at most 1.3 times (a) and 3 times (b).
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from typing import NamedTuple

import truetty
from bench.bare import PlainLine, SentLine

BLOCK = 50
REST = 0.003  # seconds in which a shell draws its prompt


class Times(NamedTuple):
    """Seconds for one command."""

    truetty: float
    sent: float
    plain: float
    in_loop: float | None = None


async def one_after_the_other(shell: str, blocks: int) -> Times:
    times: dict[str, list[float]] = {"truetty": [], "sent": [], "plain": []}
    sent, plain = SentLine(shell), PlainLine(shell)
    async with truetty.Terminal(shell, rc=False) as terminal:
        for _ in range(blocks):
            start = time.perf_counter()
            for _ in range(BLOCK):
                await run_true(terminal)
            times["truetty"].append((time.perf_counter() - start) / BLOCK)
            for name, line in (("sent", sent), ("plain", plain)):
                start = time.perf_counter()
                for _ in range(BLOCK):
                    line.run("true")
                times[name].append((time.perf_counter() - start) / BLOCK)
    sent.close()
    plain.close()
    return medians(times)


async def at_rest(shell: str, rounds: int) -> Times:
    times: dict[str, list[float]] = {"truetty": [], "sent": [], "plain": [], "in_loop": []}
    sent, plain = SentLine(shell), PlainLine(shell)
    async with truetty.Terminal(shell, rc=False) as terminal:
        for _ in range(rounds):
            start = time.perf_counter()
            await run_true(terminal)
            times["truetty"].append(time.perf_counter() - start)
            await asyncio.sleep(REST)
            for name, line in (("sent", sent), ("plain", plain)):
                start = time.perf_counter()
                line.end("true")
                times[name].append(time.perf_counter() - start)
                line.settle()
                await asyncio.sleep(REST)
            start = time.perf_counter()
            await sent.end_in_loop("true")
            times["in_loop"].append(time.perf_counter() - start)
            sent.settle()
            await asyncio.sleep(REST)
    sent.close()
    plain.close()
    return medians(times)


async def run_true(terminal: truetty.Terminal) -> None:
    outcome = await terminal.run("true")
    assert outcome.exit_code == 0 and outcome.evidence == "mark"


def medians(times: dict[str, list[float]]) -> Times:
    return Times(**{name: statistics.median(found) for name, found in times.items()})


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    head = (
        f"{'truetty':>10} {'(a) sent':>10} {'(b) plain':>10} {'ours / a':>9} {'ours / b':>9} {'a / b':>6} {'c / b':>6}"
    )
    for title, measure, count in (
        ("at rest", at_rest, blocks * 10),
        ("one after the other", one_after_the_other, blocks),
    ):
        print(f"{title:20} {head}")
        for shell in ("bash", "zsh", "fish", "dash"):
            ours, a, b, c = asyncio.run(measure(shell, count))
            shown = " ".join(f"{one * 1e6:8.0f}µs" for one in (ours, a, b))
            floor = "" if c is None else f"{c / b:6.2f}"
            print(f"{shell:20} {shown} {ours / a:9.2f} {ours / b:9.2f} {a / b:6.2f} {floor}".rstrip())


if __name__ == "__main__":
    main()
