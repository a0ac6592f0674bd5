"""Round trip of `true`, prompt to prompt, in blocks that alternate in one run; medians of blocks are compared.

(b) a bare loop types the line into a shell that has only a mark in its prompt.
(a) a bare loop types what the library types, into a shell with the library's hook: what sending alone costs.
To reach: (a) at most 2 times (b) in bash and zsh, 1.3 times in fish; the library at most 1.3 times (a) and 3 times (b).
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

import truetty
from bench.bare import PlainLine, SentLine

BLOCK = 50


async def measure(shell: str, blocks: int) -> dict[str, float]:
    times: dict[str, list[float]] = {"truetty": [], "sent": [], "plain": []}
    sent, plain = SentLine(shell), PlainLine(shell)
    async with truetty.Terminal(shell, rc=False) as terminal:
        for _ in range(blocks):
            start = time.perf_counter()
            for _ in range(BLOCK):
                outcome = await terminal.run("true")
                assert outcome.exit_code == 0 and outcome.evidence == "mark"
            times["truetty"].append(time.perf_counter() - start)
            for name, line in (("sent", sent), ("plain", plain)):
                start = time.perf_counter()
                for _ in range(BLOCK):
                    line.run("true")
                times[name].append(time.perf_counter() - start)
    sent.close()
    plain.close()
    return {name: statistics.median(values) / BLOCK for name, values in times.items()}


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(
        f"{'shell':8} {'truetty':>10} {'(a) sent':>10} {'(b) plain':>10} {'ours / a':>9} {'ours / b':>9} {'a / b':>6}"
    )
    for shell in ("bash", "zsh", "fish", "dash"):
        found = asyncio.run(measure(shell, blocks))
        ours, a, b = found["truetty"], found["sent"], found["plain"]
        times = " ".join(f"{one * 1e6:8.0f}µs" for one in (ours, a, b))
        print(f"{shell:8} {times} {ours / a:10.2f} {ours / b:10.2f} {a / b:10.2f}")


if __name__ == "__main__":
    main()
