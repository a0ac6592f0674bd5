"""The verbs every surface offers: run, read, wait, send, screen, stop, terminals, handoff.

Rule 1: surfaces translate; what may be done, and what it means, is decided here once.
Rule 2: a command is never run twice: a request that comes again with the same key gets the command it started.
Rule 3: callers are agents. No secret is taken from one and none is shown to one: a person types it, after a `handoff`.
Rule 4: `wait` never ends a command, `stop` does; what happened meanwhile to others is told with every report, once.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final, NamedTuple, Self, TypedDict, Unpack

from truetty.core import patterns
from truetty.core.errors import Denied, Misuse, UnknownTerminal
from truetty.core.outcome import Outcome
from truetty.core.until import Until
from truetty.policy import Asker, Audit, Decision, Policy, ask_or_deny
from truetty.questions.prompts import SECRETS
from truetty.service.handoffs import Handoff, Handoffs
from truetty.service.notices import Notice, Notices
from truetty.service.registry import Registry
from truetty.settings import Settings
from truetty.store.reads import Match
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.digest import REST, Budget
from truetty.text.screen import Screen

# What a client may send again after a lost connection; older ones are surely answered.
MOST_REQUESTS: Final = 1000
# How many commands can be asked for by their ids; the terminals of older ones still have the output.
MOST_COMMANDS: Final = 1000
# How often a command is judged anew because its terminal went elsewhere meanwhile.
MOST_LOOKS: Final = 3
PAGE: Final = 30_000
MOST_MATCHES: Final = 200


@dataclass(frozen=True, slots=True)
class Report:
    """How a command stands, what the wait came back for, and what happened to others meanwhile."""

    outcome: Outcome
    reached: str | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a command's clean output, in characters."""

    command_id: str
    text: str
    offset: int | None  # None for what was unread, or for matches
    next_offset: int | None  # where to go on; None when there is no more, now
    matches: tuple[Match, ...] = ()
    notices: tuple[Notice, ...] = ()


class Starting(TypedDict, total=False):
    """What `start` takes beside the command."""

    terminal: str | None
    cwd: str | os.PathLike[str] | None
    task: str | None
    shell: str | None
    timeout: float | None
    key: str | None
    asker: Asker | None


class _Wanted(NamedTuple):
    """What a request asks for: the same key must ask for the same."""

    command: str
    terminal: str | None
    cwd: str | None
    task: str | None
    shell: str | None


class Service:
    def __init__(
        self,
        registry: Registry,
        *,
        policy: Policy | None = None,
        asker: Asker | None = None,
        audit: Audit | None = None,
        rest: str = REST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.registry: Final = registry
        self.policy = policy if policy is not None else Policy.allow_all()
        self.asker = asker
        self.notices: Final = Notices()
        self.handoffs: Final = Handoffs()
        self._audit = audit
        self._rest = rest  # where to read what a page leaves out, for whoever reads it
        self._clock = clock
        self._requests: dict[str, tuple[_Wanted, asyncio.Task[Command]]] = {}
        self._commands: dict[str, Command] = {}

    @classmethod
    def from_settings(cls, settings: Settings, *, asker: Asker | None = None, rest: str = REST) -> Self:
        wanted = settings.policy
        policy = None
        if wanted is not None:
            rules = {"allow": wanted.allow, "ask": wanted.ask, "deny": wanted.deny}
            policy = Policy.from_lists(
                rules, default=wanted.default, workspace=settings.workspace, typing=wanted.typing
            )
        audit = Audit(settings.audit) if settings.audit is not None else None
        registry = Registry.from_settings(settings, rest=rest)
        return cls(registry, policy=policy, asker=asker, audit=audit, rest=rest)

    async def __aenter__(self) -> Self:
        await self.registry.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        for _, starting in self._requests.values():
            starting.cancel()
        await self.notices.close()
        await self.registry.close()

    # -- run

    async def run(
        self,
        command: str,
        *,
        wait: float | None = None,
        until: str | re.Pattern[str] | Until = "settled",
        **wanted: Unpack[Starting],
    ) -> Report:
        """Run a command, and say how it stands when it has settled or patience is over; it goes on then."""
        started = await self.start(command, **wanted)
        return await self.wait(started.id, timeout=wait, until=until)

    async def start(
        self,
        command: str,
        *,
        terminal: str | None = None,
        cwd: str | os.PathLike[str] | None = None,
        task: str | None = None,
        shell: str | None = None,
        timeout: float | None = None,
        key: str | None = None,
        asker: Asker | None = None,
    ) -> Command:
        """Start a command in this terminal, or in one of the task's. The same `key` starts nothing a second time."""
        wanted = _Wanted(command, terminal, None if cwd is None else os.fspath(cwd), task, shell)
        if key is None:
            return await self._start(wanted, timeout, asker)
        if key in self._requests:
            earlier, starting = self._requests[key]
            if earlier != wanted:
                raise Misuse(f"request {key!r} was another one: {earlier.command[:60]!r}", key=key, command=command)
        else:
            # A task of its own: whoever asked first may be cancelled, and the one who asks again must not be.
            starting = asyncio.ensure_future(self._start(wanted, timeout, asker))
            self._requests[key] = (wanted, starting)
            starting.add_done_callback(lambda done: self._started(key, done))
            if len(self._requests) > MOST_REQUESTS:
                del self._requests[next(iter(self._requests))]
        return await asyncio.shield(starting)

    def _started(self, key: str, done: asyncio.Task[Command]) -> None:
        if done.cancelled() or done.exception() is not None:
            self._requests.pop(key, None)  # nothing has run: it may be tried again

    async def _start(self, wanted: _Wanted, timeout: float | None, asker: Asker | None) -> Command:
        if wanted.terminal is not None:
            if wanted.cwd is not None or wanted.shell is not None:
                raise Misuse(
                    "a terminal has its shell and its directory already: name either", terminal_id=wanted.terminal
                )
            chosen = self.registry.get(wanted.terminal)
        else:
            chosen = await self.registry.acquire(wanted.cwd, task=wanted.task, shell=wanted.shell)
        try:
            await self._judge(wanted.command, chosen, asker or self.asker)
            started = await chosen.start(wanted.command, timeout=timeout)
        except BaseException:
            if wanted.terminal is None:
                self.registry.release(chosen)
            raise
        self._commands[started.id] = started
        if len(self._commands) > MOST_COMMANDS:
            del self._commands[next(iter(self._commands))]
        return started

    async def _judge(self, command: str, terminal: Terminal, asker: Asker | None) -> None:
        """Returns if it may run where the terminal is now: another command may have moved it while somebody thought."""
        for _ in range(MOST_LOOKS):
            place = (terminal.cwd, terminal.shell)
            await self._permit(await self.policy.judge(command, cwd=place[0], shell=place[1]), terminal, asker)
            if place == (terminal.cwd, terminal.shell):
                return
        reason = f"terminal {terminal.id} does not stay where it was judged"
        raise Denied(reason, command=command, rule=None, reason=reason)

    async def _permit(self, decision: Decision, terminal: Terminal, asker: Asker | None) -> None:
        """Returns if it may be done, and leaves a record either way."""
        try:
            whose = await ask_or_deny(decision, asker)
        except Denied as denied:
            said_no = denied.answered is False
            answered = replace(decision, reason=f"{decision.reason} The answer was no.") if said_no else decision
            self._record(answered, terminal, allowed=False, whose="asked" if said_no else None)
            raise
        if whose == "answer":
            decision = replace(decision, reason=f"{decision.reason} The answer was yes.")
        self._record(decision, terminal, allowed=True, whose="asked" if whose == "answer" else "rule")

    def _record(self, decision: Decision, terminal: Terminal, *, allowed: bool, whose: str | None) -> None:
        if self._audit is not None:
            self._audit.record(
                decision,
                time=self._clock(),
                terminal=terminal.id,
                task=terminal.task,
                verdict="allow" if allowed else "deny",
                answered_by=whose,
            )

    # -- afterwards

    def command(self, id: str) -> Command:
        """By its own id, or by its terminal's: then the last one there."""
        if id in self._commands:
            return self._commands[id]
        try:
            terminal = self.registry.get(id)
        except UnknownTerminal as error:
            known = [*(terminal.id for terminal in self.registry.list()), *list(self._commands)[-20:]]
            told = f"there are {', '.join(known)}" if known else "there are none"
            raise UnknownTerminal(
                f"no terminal or command has the id {id!r}: {told}", terminal_id=id, known=known
            ) from error
        if terminal.command is None:
            raise Misuse(f"nothing has run in terminal {id} yet", terminal_id=id)
        return terminal.command

    async def wait(
        self, id: str, *, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled"
    ) -> Report:
        command = self.command(id)
        try:
            outcome = await command.wait(timeout, until)
        except asyncio.CancelledError:
            self.notices.left(command)  # whoever asked is gone, and has not been told
            raise
        self.notices.told(command)
        self.notices.left(command)
        return Report(outcome, command.reached, self.notices.news())

    async def read(
        self,
        id: str,
        *,
        offset: int | None = None,
        limit: int = PAGE,
        grep: str | None = None,
        context: int = 0,
        tail: int | None = None,
    ) -> Page:
        """Output of a command: what was not read yet, a part of it, lines that match, or the last lines."""
        command = self.command(id)
        output = command.output
        if grep is not None:
            if (reason := patterns.endless(grep)) is not None:
                raise Misuse(f"cannot look for {grep!r}: {reason}", pattern=grep, reason=reason)
            matches = tuple(output.grep(grep, context, MOST_MATCHES))
            return Page(command.id, "", None, None, matches, self.notices.news())
        if tail is not None:
            return Page(
                command.id, output.text(Budget(limit, rest=self._rest), tail=tail), None, None, (), self.notices.news()
            )
        if offset is None:
            return Page(command.id, output.unread(Budget(limit, rest=self._rest)), None, None, (), self.notices.news())
        text = output.page(offset, limit + 1)
        more = len(text) > limit
        return Page(command.id, text[:limit], offset, offset + limit if more else None, (), self.notices.news())

    async def send(
        self,
        id: str,
        text: str = "",
        *,
        keys: Sequence[str] = (),
        wait: float | None = 0,
        asker: Asker | None = None,
    ) -> Report:
        """Type into a running command. A secret is refused: that is for a person."""
        command = self.command(id)
        terminal = self.registry.get(command.terminal_id)
        program = self._typable(command, terminal)
        typed = text + "".join(f"<{key}>" for key in keys)
        await self._permit(self.policy.decide_typing(typed, program=program), terminal, asker or self.asker)
        if text:
            self._typable(command, terminal)  # whoever was asked may have thought for minutes
            await command.send(text)
        if keys:
            self._typable(command, terminal)
            await command.press(*keys)
        return await self.wait(command.id, timeout=wait)

    def _typable(self, command: Command, terminal: Terminal) -> str | None:
        """The program that would read what an agent types. Refused: what a person holds, and secrets."""
        if (handoff := self.handoffs.held(terminal)) is not None:
            reason = f"a person has terminal {terminal.id} now: {handoff.reason}"
            raise Denied(reason, command=None, rule=None, reason=reason, why="handed over")
        waiting = command.waiting
        if command.hides_typing or (waiting is not None and waiting.asks in SECRETS):
            reason = "it asks for a secret, and a secret is typed by a person: use handoff"
            raise Denied(reason, command=None, rule=None, reason=reason, why="secret")
        return waiting.program if waiting is not None else None

    def screen(self, id: str) -> Screen:
        """What a person would see of the terminal now."""
        terminal_id = self._commands[id].terminal_id if id in self._commands else id
        return self.registry.get(terminal_id).screen()

    async def stop(self, id: str, *, close: bool = False) -> Report:
        """End a command: interrupt, then terminate, then kill its processes. `close` ends its terminal too."""
        command = self.command(id)
        outcome = await command.kill() if not command.finished else await command.report()
        if close:
            await self.registry.get(command.terminal_id).close()
        self.notices.told(command)
        return Report(outcome, command.reached, self.notices.news())

    def terminals(self) -> list[Terminal]:
        """Those that are open."""
        return self.registry.list()

    def handoff(self, id: str, reason: str) -> Handoff:
        """Leave a running command's terminal to a person. Whoever gets the ticket may type; the caller may not."""
        command = self.command(id)
        if command.finished:
            raise Misuse(f"command {command.id} has finished: there is nothing to type", command_id=command.id)
        return self.handoffs.offer(self.registry.get(command.terminal_id), command, reason)
