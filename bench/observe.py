"""One kernel observation, by what there is to see. To reach: at most 150 µs."""

from __future__ import annotations

import asyncio
import statistics
import time

import truetty
from truetty.host.kernel import observer_for
from truetty.host.kernel.observer import Observer
from truetty.host.kernel.tty import Attributes
from truetty.host.local import LocalHost

STATES = {
    "at the prompt": None,
    "a program runs": "sleep 1000",
    "a program reads": "cat",
    "a pipeline runs": "sleep 1000 | cat",
}


async def measure() -> None:
    observers: list[Observer] = []

    def observe(master: int, pid: int, first: Attributes) -> Observer:
        observers.append(observer_for(master, pid, first))
        return observers[-1]

    async with truetty.Terminal("bash", rc=False, host=LocalHost(observe)) as terminal:
        look = observers[0].look
        for name, text in STATES.items():
            if text is not None:
                await terminal.run(text, wait=0.3)
            times = []
            for _ in range(500):
                start = time.perf_counter()
                look.observe()
                times.append(time.perf_counter() - start)
            print(f"{name:16} {statistics.median(times) * 1e6:6.0f} µs")
            if terminal.command is not None:
                await terminal.command.kill()


if __name__ == "__main__":
    asyncio.run(measure())
