"""Round trip of `true`: the library against (a) a bare loop with the same trigger, (b) a bare loop with a prompt hook.

To reach: at most 1.3 times (a) and 3 times (b). Blocks of the three alternate in one run; medians are compared.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

import truetty
from bench.bare import Bare

BLOCK = 50


async def measure(shell: str, blocks: int) -> dict[str, float]:
    times: dict[str, list[float]] = {"truetty": [], "trigger": [], "hook": []}
    by_trigger, by_hook = Bare(shell), Bare(shell)
    async with truetty.Terminal(shell, rc=False) as terminal:
        for _ in range(blocks):
            for _ in range(BLOCK):
                start = time.perf_counter()
                outcome = await terminal.run("true")
                times["truetty"].append(time.perf_counter() - start)
                assert outcome.exit_code == 0 and outcome.evidence == "mark"
            for name, step in (("trigger", by_trigger.trigger), ("hook", by_hook.hook)):
                for _ in range(BLOCK):
                    start = time.perf_counter()
                    step("true")
                    times[name].append(time.perf_counter() - start)
                by_trigger.settle()
                by_hook.settle()
    by_trigger.close()
    by_hook.close()
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'shell':8} {'truetty':>10} {'(a) trigger':>12} {'(b) hook':>10} {'/ a':>6} {'/ b':>6}")
    for shell in ("bash", "zsh", "dash"):
        found = asyncio.run(measure(shell, blocks))
        ours, a, b = found["truetty"], found["trigger"], found["hook"]
        print(f"{shell:8} {ours * 1e6:8.0f}µs {a * 1e6:10.0f}µs {b * 1e6:8.0f}µs {ours / a:6.2f} {ours / b:6.2f}")


if __name__ == "__main__":
    main()
