"""The event loop's longest standstill while large outputs are printed, searched and read, in milliseconds.

To reach: 50. Garbage collection and the machine's other work are in it: the best of three runs counts.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Final

from truetty.service import Registry, Service

SIZE: Final = 5_000_000  # bytes of lines
SLOW_SIZE: Final = 200_000  # bytes of what is stepped through
PATIENCE: Final = 300.0
KINDS: Final = {
    "plain lines": b"a line of some output of a program, as they are\r\n",
    "short lines": b"a sentence\n",
    "one line": b"a",
    "colours": b"\x1b[31mred\x1b[0m and more of it\r\n",
    "a bar": b"\r\x1b[K 57% done of it",
}
PATTERNS: Final = ("error", "(.{0,3}a){9}b")


class Ticker:
    """How long the loop was away at most."""

    async def __aenter__(self) -> Ticker:
        self.longest = 0.0
        self._task = asyncio.ensure_future(self._tick())
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._task.cancel()

    async def _tick(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            before = clock()
            await asyncio.sleep(0)
            self.longest = max(self.longest, clock() - before)


async def standstill(work: Awaitable[object]) -> float:
    async with Ticker() as ticker:
        await work
    return ticker.longest * 1000


SLOW: Final = {
    "empty lines": b"\n",
    "tabs": b"\t",
    "REP of a cluster": "e\u0301\x1b[9999b".encode(),
    "CUP": b"\x1b[3;4Hx",
}


async def measure(data: bytes, folder: Path) -> dict[str, float]:
    (folder / "data").write_bytes(data)
    found: dict[str, float] = {}
    async with Service(Registry(shell="bash", rc=False, cwd=folder)) as service:

        async def timed(name: str, work: Awaitable[object]) -> None:
            found[name] = min(found.get(name, float("inf")), await standstill(work))

        for _ in range(3):
            command = await service.start("cat data")
            await timed("printed", service.wait(command.id, timeout=PATIENCE, until="finished"))
            for pattern in PATTERNS:
                await timed(f"grep {pattern}", service.read(command.id, grep=pattern))
            await timed("tail", service.read(command.id, tail=10))
            await timed("page", service.read(command.id, offset=len(data) // 2, limit=1000))
    return found


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        inputs = {name: unit * (SIZE // len(unit)) for name, unit in KINDS.items()}
        inputs |= {name: unit * (SLOW_SIZE // len(unit)) for name, unit in SLOW.items()}
        for name, data in inputs.items():
            found = await measure(data, Path(folder))
            print(f"{name:20}", "  ".join(f"{what} {value:.0f}" for what, value in found.items()), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
