"""One kernel observation, by what there is to see. To reach: at most 150 µs."""

from __future__ import annotations

import asyncio
import statistics
import time

import truetty

STATES = {
    "at the prompt": None,
    "a program runs": "sleep 1000",
    "a program reads": "cat",
    "a pipeline runs": "sleep 1000 | cat",
}


async def measure() -> None:
    async with truetty.Terminal("bash", rc=False) as terminal:
        for name, text in STATES.items():
            if text is not None:
                await terminal.run(text, wait=0.3)
            conversation = terminal._conversation
            assert conversation is not None
            times = []
            for _ in range(500):
                start = time.perf_counter()
                conversation.observer.observe()
                times.append(time.perf_counter() - start)
            print(f"{name:16} {statistics.median(times) * 1e6:6.0f} µs")
            if terminal.command is not None:
                await terminal.command.kill()


if __name__ == "__main__":
    asyncio.run(measure())
