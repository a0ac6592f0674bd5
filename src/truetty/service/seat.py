"""One terminal of a registry, or the place kept for one: what it was made with, who has it, and how it is made ready.

Rule 1: `preparing` is true while the terminal is opened, moved or closed: nobody else touches it then.
Rule 2: a shell goes to another directory by a real command, and the kernel says whether it is there. A person's own
        `cd`, alias or function, may ask something or go elsewhere: the builtin is meant, where it can be named.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Final, Protocol, Unpack

from truetty.core.errors import SpawnFailed, TruettyError
from truetty.service.reuse import Seen, Wish
from truetty.shells import table
from truetty.terminal.command import Command
from truetty.terminal.options import Making, Options
from truetty.terminal.options import ShellName as ShellName
from truetty.terminal.terminal import Terminal
from truetty.text.digest import Budget

# Going to another directory takes a shell milliseconds; one that needs longer is left alone.
MOVE: Final = 5.0

Place = str | os.PathLike[str] | None


class Make(Protocol):
    """How terminals are made, unopened: `Terminal` itself, or whatever puts one on another channel."""

    def __call__(
        self, shell: ShellName, /, *, cwd: str | None, task: str | None, **arguments: Unpack[Making]
    ) -> Terminal: ...


_DEFAULT: Final = Options()
_USUAL: Final[Making] = {
    "rc": _DEFAULT.rc,
    "size": _DEFAULT.size,
    "startup": _DEFAULT.startup,
    "budget": _DEFAULT.budget,
}
# These say nothing of the shell that runs: a terminal with others will do.
_PASSING: Final = ("name", "startup")


@dataclass(frozen=True, slots=True)
class Made:
    """What a terminal was made with; only an equal one will do."""

    shell: tuple[str, str, tuple[str, ...]]  # name, program, arguments
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Order:
    """A request, complete: what it did not name is as the registry was made with."""

    wish: Wish
    cwd: str | None  # as it was named, made absolute
    shell: ShellName
    arguments: Making
    made: Made


@dataclass(frozen=True, slots=True)
class Defaults:
    """What terminals are made with when a request does not say."""

    shell: ShellName
    cwd: str | None
    arguments: Making

    def order(self, cwd: Place, task: str | None, require_cwd: bool, shell: ShellName, given: Making) -> Order:
        """What cannot be had is refused here, before anything is opened or closed for it."""
        if unknown := given.keys() - Making.__annotations__.keys():
            raise TypeError(f"a terminal takes no {', '.join(sorted(unknown))}")
        arguments: Making = {**_USUAL, **self.arguments, **given}
        env = arguments["env"] = {**(self.arguments.get("env") or {}), **(given.get("env") or {})}
        columns, rows = arguments["size"]
        arguments["size"], arguments["budget"] = (columns, rows), Budget.of(arguments["budget"])
        shell = shell if shell is not None else self.shell
        named = os.fspath(cwd) if cwd is not None else self.cwd
        place = _absolute(named) if named is not None else None
        if place is not None and not os.path.isdir(place):
            reason = "no such directory"
            raise SpawnFailed(f"{reason}: {named}", shell=shell, cwd=named, reason=reason)
        # All that finding a shell depends on; to build the whole environment would take longer than all the rest.
        looked_up = {name: env.get(name, os.environ.get(name)) for name in ("PATH", "SHELL")}
        found = table.find(shell, {name: value for name, value in looked_up.items() if value is not None})
        made = Made(
            (found.row.name, os.path.realpath(found.program), found.arguments),
            {name: value for name, value in arguments.items() if name not in _PASSING},
        )
        here = place or _absolute(os.curdir)
        wish = Wish(os.path.realpath(here) if here else "", task, cwd is None, require_cwd)
        return Order(wish, place, shell, arguments, made)


def _absolute(path: str) -> str:
    """Empty, which is nowhere, for one that is relative to a directory that is gone."""
    try:
        return os.path.abspath(path) if path else ""
    except FileNotFoundError:
        return ""


@dataclass(slots=True, eq=False)
class Seat:
    made: Made
    terminal: Terminal | None = None
    task: str | None = None
    reserved: bool = False  # handed out, and no command has ended in it since
    preparing: bool = False
    caller: asyncio.Task[object] | None = None  # who got it, until it is used or that task is over
    warm: bool = False  # nobody got it yet
    opening: asyncio.Task[None] | None = None  # of a warm one
    attendant: asyncio.Task[None] | None = None  # there from the first prompt on
    used_at: float = inf
    last: Command | None = None  # the newest command whose end needs no more notice
    belonging: frozenset[int] = frozenset()  # processes that the user's start-up files have started, as far as seen

    @property
    def alive(self) -> bool:
        return self.terminal is None or not self.terminal.closed

    @property
    def unused(self) -> bool:
        """Open, and no command runs in it."""
        terminal = self.terminal if self.attendant is not None and not (self.warm or self.preparing) else None
        return terminal is not None and not terminal.closed and not terminal.busy

    def running(self) -> bool:
        """Whether something may run in the background: closing or sharing the terminal would harm it."""
        processes = self._processes()
        return processes is None or not processes <= self.belonging

    def seen(self, order: Order) -> Seen:
        """How it looks to the caller who is deciding now. What another task holds is not looked at closely."""
        terminal, fits = self.terminal, self.made == order.made
        if terminal is None or self.attendant is None:
            return Seen(self.task, idle=not self.preparing, fits=fits, warm=self.warm, used_at=inf)
        free = not (self.preparing or terminal.busy) and self.task in (None, order.wish.task)
        fits = fits and free and terminal.shell == self.made.shell[0]  # `exec` may have put another in its place
        return Seen(
            self.task,
            terminal.cwd if fits else None,
            idle=free and not self.reserved,
            again=free and self.reserved and self.caller in (None, asyncio.current_task()),
            quiet=free and (self.task is not None or not self.running()),
            fits=fits,
            warm=self.warm,
            used_at=self.used_at,
        )

    def reserve(self) -> None:
        """For the caller who is deciding now."""
        self.forget_caller()
        self.reserved = self.preparing = True
        self.caller = asyncio.current_task()
        if self.caller is not None:
            self.caller.add_done_callback(self._on_caller_done)

    def forget_caller(self) -> None:
        if self.caller is not None:
            self.caller.remove_done_callback(self._on_caller_done)
            self.caller = None

    def _on_caller_done(self, caller: asyncio.Task[object]) -> None:
        if self.caller is caller:
            self.caller = None

    async def open(self, terminal: Terminal) -> None:
        await terminal.__aenter__()
        self.used_at = asyncio.get_running_loop().time()
        if not terminal.closed:
            self.belonging = frozenset(self._processes() or ())

    async def fit(self, order: Order, *, move: bool) -> bool:
        """Bring a terminal that is there already to what was asked for. False: it cannot be used."""
        if self.opening is not None:
            await asyncio.wait({self.opening})
        terminal = self.terminal
        if terminal is None or terminal.closed:
            return False
        try:
            if terminal.size != order.arguments["size"]:
                await terminal.resize(*order.arguments["size"])
            if move and terminal.cwd != order.wish.cwd and not await self._moved(terminal, order):
                return False
        except TruettyError:  # its shell has just ended, or somebody who had it before goes on with it
            return False
        return not terminal.closed

    async def end(self) -> None:
        if self.opening is not None:
            self.opening.cancel()
            await asyncio.wait({self.opening})
        if self.terminal is not None:
            await self.terminal.close()

    async def _moved(self, terminal: Terminal, order: Order) -> bool:
        path = order.cwd or order.wish.cwd
        row = table.lookup(terminal.shell)
        if not path or row is None or row.cd is None:
            return False
        self.last = command = await terminal.start(row.cd(path))
        outcome = await command.wait(MOVE, "finished")
        if outcome.state != "finished":
            await command.interrupt()
            return False
        here = terminal.cwd
        return outcome.exit_code == 0 if here is None else here == order.wish.cwd

    def _processes(self) -> set[int] | None:
        """None: they cannot be seen."""
        jobs = self.terminal.jobs if self.terminal is not None else []
        return None if jobs is None else {process.pid for process in jobs}
