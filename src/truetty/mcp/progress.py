"""Live output of a command while a call waits for it, and a message now and then while it prints nothing.

Rule 1: nothing is looked at unless the client asked for progress.
Rule 2: a client that was shown some of the output is shown the rest of it before the result comes; a command that is
        over before there was anything to show needs no progress.
Rule 3: output that comes faster than a client takes it is left out, and a line says so. `read` has all of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

from truetty.mcp.caller import Caller
from truetty.terminal.command import Command
from truetty.text.digest import Budget
from truetty.text.quoting import on_one_line

# Often enough to be read like a terminal, seldom enough for a client that draws every notification.
REPORT_EVERY: Final = 0.25
# Clients that extend their own time-outs on progress wait for some 60 seconds.
SIGN_OF_LIFE: Final = 10.0
REPORT_BUDGET: Final = Budget(4000, 0.0, "")


@contextlib.asynccontextmanager
async def show_progress(
    caller: Caller, command: Command, holder: Callable[[], str | None] = lambda: None
) -> AsyncIterator[None]:
    """While inside, what the command prints is sent to the caller. `holder`: the person who has the terminal."""
    if not caller.wants_progress:
        yield
        return
    reporter = _Reporter(caller, command, holder)
    reporting = asyncio.ensure_future(reporter.report())
    try:
        yield
    finally:
        reporting.cancel()
        await asyncio.wait({reporting})
        if not reporting.cancelled():
            reporting.exception()  # a client that cannot be shown progress still gets the result
    if reporter.has_shown:
        with contextlib.suppress(Exception):
            await reporter.show()


class _Reporter:
    def __init__(self, caller: Caller, command: Command, holder: Callable[[], str | None]) -> None:
        self._caller = caller
        self._holder = holder
        self._command = command
        self._loop = asyncio.get_running_loop()
        self._start = self._reported_at = self._loop.time()
        self.has_shown = False
        self._reader = command.output.reader()
        self._reader.catch_up()  # with what earlier calls have shown

    async def report(self) -> None:
        never: asyncio.Future[None] = self._loop.create_future()
        while True:
            await asyncio.wait({never}, timeout=REPORT_EVERY)
            if not await self.show() and self._loop.time() - self._reported_at >= SIGN_OF_LIFE:
                await self._tell(f"({self._activity()})")

    async def show(self) -> bool:
        """What is new, if anything is."""
        text = (await self._reader.take(REPORT_BUDGET)).text
        if text:
            self.has_shown = True
            await self._tell(text)
        return bool(text)

    async def _tell(self, text: str) -> None:
        self._reported_at = self._loop.time()
        await self._caller.progress(self._reported_at - self._start, text)

    def _activity(self) -> str:
        if (holder := self._holder()) is not None:
            return f"{on_one_line(holder)} has the terminal"
        activity = self._command.activity
        cpu = "" if activity.cpu_seconds is None else f", {activity.cpu_seconds:.1f} s of CPU used"
        return f"{self._command.state}, quiet for {activity.quiet_seconds:.0f} s{cpu}"
