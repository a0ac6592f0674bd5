"""Assertions that wait: `await expect(terminal).to_show("Saved")`.

Rule 1: an assertion is looked at whenever the terminal has changed, until it holds or its time is over.
Rule 2: one that fails is an `AssertionError`. It says what was expected, what was seen and when, and what the screen
        shows now.
Rule 3: for a `truetty.sync.Terminal` the same methods block.
Rule 4: pytest leaves out frames with a local `__tracebackhide__`. A failure ends at the line of the test.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, overload

from truetty.core.checks import check_finite
from truetty.core.errors import Misuse
from truetty.core.kinds import described
from truetty.core.until import Screen as OnScreen
from truetty.sync import Terminal as BlockingTerminal
from truetty.sync.bridge import unwrap
from truetty.sync.loop import loop
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.screen import Screen

Wanted = str | re.Pattern[str] | Callable[[Screen], bool]

TIMEOUT: Final = 30.0  # seconds: a busy machine is slow, and only a hang takes longer
# Of the changes that were seen, a failure lists so many of the last ones.
MOST_SIGHTINGS: Final = 10
LONGEST_LINE: Final = 100


class Sightings:
    """What a terminal has shown while an assertion waited: each change once, by its last line."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._last: str | None = None
        self._lines: deque[tuple[float, str]] = deque(maxlen=MOST_SIGHTINGS)
        self.count = 0

    def note(self, screen: Screen) -> None:
        if screen.text != self._last:
            self._last = screen.text
            self.count += 1
            self._lines.append((time.monotonic() - self._began, screen.text.rpartition("\n")[2][-LONGEST_LINE:]))

    def lines(self) -> list[str]:
        left_out = self.count - len(self._lines)
        earlier = [f"  {left_out} earlier changes are left out"] if left_out else []
        return [*earlier, *(f"  {seconds:6.2f} s  {line!r}" for seconds, line in self._lines)]


class Expectation:
    """What is expected of one terminal. Each method returns when it holds, or raises `AssertionError`."""

    def __init__(self, terminal: Terminal, timeout: float = TIMEOUT) -> None:
        check_finite("timeout", timeout)
        self._terminal = terminal
        self._timeout = timeout

    async def to_show(self, wanted: Wanted) -> None:
        """The screen shows this text, or what this compiled pattern matches; or the function says yes to the screen."""
        __tracebackhide__ = True
        test = OnScreen(wanted)
        await self._until(test.holds, f"the screen never showed {_name(wanted)}")

    async def not_to_show(self, unwanted: Wanted) -> None:
        """The screen does not show it any more, or never did."""
        __tracebackhide__ = True
        test = OnScreen(unwanted)
        await self._until(lambda screen: not test.holds(screen), f"the screen still shows {_name(unwanted)}")

    async def to_ask(self, prompt: str | re.Pattern[str] | None = None) -> None:
        """A program waits for input. `prompt` is a text or a pattern on the line on which it asks."""
        __tracebackhide__ = True
        asked = "" if prompt is None else f" with {_name(prompt)}"
        await self._until(lambda _: _asks(self._command(), prompt), f"nothing has asked{asked}")

    async def to_finish(self, exit_code: int | None = 0) -> None:
        """The command has finished with this exit code; None: with any."""
        __tracebackhide__ = True
        await self._until(lambda _: self._command().finished, "the command has not finished")
        if exit_code is not None and self._command().exit_code != exit_code:
            self._fail(f"the command was expected to finish with exit code {exit_code}", Sightings())

    def _command(self) -> Command:
        __tracebackhide__ = True
        command = self._terminal.command
        if command is None:
            raise Misuse(f"no command has run in terminal {self._terminal.id} yet")
        return command

    async def _until(self, holds: Callable[[Screen], bool], failure: str) -> None:
        __tracebackhide__ = True
        seen = Sightings()

        def look() -> bool:
            screen = self._terminal.screen()
            seen.note(screen)
            return holds(screen)

        await self._terminal.changes.until(look, self._timeout)
        if not look():
            self._fail(f"{failure} ({self._timeout:g} s)", seen)

    def _fail(self, failure: str, seen: Sightings) -> None:
        __tracebackhide__ = True
        lines = [failure, *standing(self._terminal)]
        if seen.count > 1:
            lines += ["seen, by the last line of each screen:", *seen.lines()]
        raise AssertionError("\n".join([*lines, *frame(self._terminal.screen())]))


class BlockingExpectation:
    """The same for a `truetty.sync.Terminal`: each method blocks until it holds, or raises `AssertionError`."""

    def __init__(self, terminal: BlockingTerminal, timeout: float = TIMEOUT) -> None:
        self._inner = Expectation(unwrap(terminal), timeout)

    def to_show(self, wanted: Wanted) -> None:
        """The screen shows this text, or what this compiled pattern matches; or the function says yes to the screen."""
        __tracebackhide__ = True
        _block(lambda: self._inner.to_show(wanted))

    def not_to_show(self, unwanted: Wanted) -> None:
        """The screen does not show it any more, or never did."""
        __tracebackhide__ = True
        _block(lambda: self._inner.not_to_show(unwanted))

    def to_ask(self, prompt: str | re.Pattern[str] | None = None) -> None:
        """A program waits for input. `prompt` is a text or a pattern on the line on which it asks."""
        __tracebackhide__ = True
        _block(lambda: self._inner.to_ask(prompt))

    def to_finish(self, exit_code: int | None = 0) -> None:
        """The command has finished with this exit code; None: with any."""
        __tracebackhide__ = True
        _block(lambda: self._inner.to_finish(exit_code))


def _block(start: Callable[[], Awaitable[None]]) -> None:
    __tracebackhide__ = True
    try:
        loop.call(start)
    except (AssertionError, Misuse) as failure:  # the frames of the loop's thread say nothing to the test
        raise failure.with_traceback(None) from None


@overload
def expect(terminal: Terminal, timeout: float = TIMEOUT) -> Expectation: ...
@overload
def expect(terminal: BlockingTerminal, timeout: float = TIMEOUT) -> BlockingExpectation: ...
def expect(terminal: Terminal | BlockingTerminal, timeout: float = TIMEOUT) -> Expectation | BlockingExpectation:
    """Assertions about a terminal that wait up to `timeout` seconds until they hold."""
    __tracebackhide__ = True
    if isinstance(terminal, BlockingTerminal):
        return BlockingExpectation(terminal, timeout)
    if not isinstance(terminal, Terminal):
        raise Misuse(f"expect takes a terminal, not {described(terminal)}")
    return Expectation(terminal, timeout)


def standing(terminal: Terminal) -> list[str]:
    """How the last command of a terminal stands, in a line."""
    command = terminal.command
    return [] if command is None else [f"{command.text[:LONGEST_LINE]!r}: {command.snapshot()!r}"]


def frame(screen: Screen) -> list[str]:
    """A screen with a line around it, without the empty rows at its end."""
    lines = screen.text.split("\n")
    width = min(screen.size[0], max(map(len, lines)))
    columns, rows = screen.size
    bar = "─" * (width + 2)
    return [f"screen, {columns}x{rows}:", f"┌{bar}┐", *(f"│ {line:{width}} │" for line in lines), f"└{bar}┘"]


def _asks(command: Command, prompt: str | re.Pattern[str] | None) -> bool:
    waiting = command.waiting
    if waiting is None:
        return False
    if isinstance(prompt, re.Pattern):
        return prompt.search(waiting.prompt) is not None
    return prompt is None or prompt in waiting.prompt


def _name(wanted: Wanted) -> str:
    if isinstance(wanted, re.Pattern):
        return f"what matches {wanted.pattern!r}"
    return repr(wanted) if isinstance(wanted, str) else f"what {getattr(wanted, '__name__', 'the function')} looks for"
