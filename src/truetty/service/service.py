"""The verbs that agents are offered by every surface for them: run, read, wait, send, screen, stop, terminals, handoff.

Rule 1: surfaces translate; what may be done, and what it means, is decided here once.
Rule 2: every argument is checked, and every command judged, before a terminal is opened or a key is typed. So a refused
        call has done nothing.
Rule 3: a command is never run twice: a request that comes again with the same key gets the command it started.
Rule 4: no secret is taken from an agent and none is shown to one: a person types it, after a `handoff`.
Rule 5: `wait` never ends a command, `stop` does. What happened meanwhile to the agent's other commands is in its next
        answer, once.
"""

from __future__ import annotations

import asyncio
import copy
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import Final, Literal, NoReturn, Self, TypedDict, Unpack

from truetty.core import checks, patterns
from truetty.core.errors import Denied, Misuse
from truetty.core.outcome import Outcome
from truetty.core.until import Until, of
from truetty.policy import Asker, Audit, Decision, Policy
from truetty.service.answer import Answer
from truetty.service.books import Books
from truetty.service.capacity import Shared
from truetty.service.commands import Once, StartRequest
from truetty.service.handoffs import Handoff
from truetty.service.leases import Lease
from truetty.service.move import Move
from truetty.service.notices import NewsRecord, Notice
from truetty.service.permissions import Permissions, Permit, Subject
from truetty.service.policies import policy_of
from truetty.service.registry import Origin, Registry
from truetty.service.seat_request import Make
from truetty.service.starting import Starter
from truetty.service.typing import PROGRAM, Typing, Typist, check_typing
from truetty.settings import Settings
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.digest import Budget
from truetty.text.quoting import on_one_line
from truetty.text.screen import Screen

PAGE_SIZE: Final = 10_000  # characters
# Said in the line that stands for what was left out of an output.
REST: Final = "call read with the command_id and an offset or grep"
MOST_MATCHES: Final = 200


class Starting(TypedDict, total=False):
    """What `start` takes beside the command."""

    terminal: str | None
    cwd: str | os.PathLike[str] | None
    task: str | None
    shell: str | None
    timeout: float | None
    key: str | None
    asker: Asker | None
    outside: bool
    inherited: Mapping[str, str] | None


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
        asked_outside: bool = False,
        books: Books | None = None,
        once: Once | None = None,
        inherited: Mapping[str, str] | None = None,
    ) -> None:
        """`asked_outside`: the sandbox is there because of the policy, and what a person allows runs outside of it.

        `books` are those of another service on the same terminals; that one is closed, and this one is not. `once`
        starts what has a key; `inherited` are the variables of terminals that are opened for commands.
        """
        self.registry: Final = registry
        registry.explain_rest(rest)
        self.books: Final = books or Books.of(registry, self._refuse_ticket)
        self.notices: Final = self.books.notices
        self.texts: Final = self.books.texts
        self.permissions: Final = Permissions(policy or Policy.allow_all(), asker, audit, clock)
        self.leases: Final = self.books.leases
        if books is None:
            registry.spare(self.leases.holds)
        self._starter = Starter(registry, self.permissions, self.leases, asked_outside=asked_outside)
        self.handoffs: Final = self.books.handoffs
        self._typing = Typing(registry, self.permissions, self.handoffs, self.leases, self._starter.is_outside)
        self._commands = self.books.commands
        self._once = once or self._commands.start_once
        self._inherited = inherited
        self._rest = rest  # where to read what a page leaves out, in the words of the surface
        self.agent: str | None = None  # the agent that this one is for

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        policy: Policy | None = None,
        asker: Asker | None = None,
        rest: str = REST,
        shared: Shared | None = None,
        asked_outside: bool = False,
        cwd: str | None = None,
        make: Make | None = None,
    ) -> Self:
        """`policy` instead of the settings' own; `shared` is what several services have together; `cwd` and `make` are
        the registry's."""
        policy = policy or policy_of(settings)
        audit = Audit(settings.audit) if settings.audit is not None else None
        registry = Registry.from_settings(settings, cwd=cwd, shared=shared, make=make)
        return cls(registry, policy=policy, asker=asker, audit=audit, rest=rest, asked_outside=asked_outside)

    def for_agent(self, agent: str) -> Self:
        """The same service, for one of several agents: what it starts is this agent's, and so are its notices."""
        bound = copy.copy(self)
        bound.agent = agent
        return bound

    async def __aenter__(self) -> Self:
        await self.registry.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.books.close()
        await self.registry.close()
        self.texts.close()

    def adopt(self, terminal: Terminal, commands: Mapping[Command, NewsRecord], origin: Origin) -> None:
        """A terminal that a process before this one has opened, and its commands."""
        self.registry.adopt(terminal, origin)
        for command, known in commands.items():
            self._commands.add(command, known.agent, None)
            self.notices.adopt(command, known)

    # -- run

    async def run(
        self,
        command: str,
        *,
        wait: float | None = None,
        until: str | re.Pattern[str] | Until = "settled",
        **wanted: Unpack[Starting],
    ) -> Answer:
        """Run a command, and return when it has settled or `wait` seconds have passed; the command then goes on."""
        _check_seconds("wait", wait)
        until = of(until)
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
        outside: bool = False,
        inherited: Mapping[str, str] | None = None,
    ) -> Command:
        """Start a command in this terminal, or in one of the task's. The same `key` starts nothing a second time.

        `outside`: in a terminal outside of the sandbox, if the others are in one. A person is asked each time.
        `inherited` are the variables of a terminal that is opened for it, in place of this program's.
        """
        checks.check_text(command)
        _check_seconds("timeout", timeout)
        if terminal is not None and (cwd is not None or shell is not None):
            raise Misuse("a terminal has its shell and its directory already: name either", terminal_id=terminal)
        if terminal is not None and outside:
            raise Misuse("a terminal is in a sandbox or outside of it already: name either", terminal_id=terminal)
        outside = outside and self.registry.sandbox is not None
        request = StartRequest(command, terminal, None if cwd is None else os.fspath(cwd), task, shell, outside)
        if key is None:
            return await self._start(request, timeout, asker, inherited)
        return await self._once(key, request, lambda: self._start(request, timeout, asker, inherited))

    async def _start(
        self, request: StartRequest, timeout: float | None, asker: Asker | None, inherited: Mapping[str, str] | None
    ) -> Command:
        started, moved = await self._starter.start(request, timeout, asker, inherited or self._inherited)
        self._commands.add(started, self.agent, moved)
        return started

    def move_of(self, command: Command) -> Move | None:
        """That it was started in another terminal than its task's last one, and why."""
        return self._commands.move_of(command)

    # -- afterwards

    def command(self, id: str) -> Command:
        """By its own id, or by its terminal's: then the last one there."""
        return self._commands.find(id)

    async def wait(
        self, id: str, *, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled"
    ) -> Answer:
        _check_seconds("timeout", timeout)
        command, until = self.command(id), of(until)
        try:
            outcome = await command.wait(timeout, until)
        except asyncio.CancelledError:
            self.notices.leave(command, self._commands.agent_of(command, self.agent))
            raise
        return Answer(self._current(outcome), command.reached, notices=self.news(command))

    async def read(
        self,
        id: str,
        *,
        offset: int | None = None,
        limit: int = PAGE_SIZE,
        grep: str | re.Pattern[str] | None = None,
        context: int = 0,
        tail: int | None = None,
        anew: bool = False,
    ) -> Answer:
        """Output of a command: what was not read yet (`anew`: all), a part of it, matching lines, or the last lines."""
        pattern = patterns.BoundedPattern(grep) if isinstance(grep, str) else grep
        if min(offset or 0, limit, context, tail or 0) < 0:
            raise Misuse("no offset, limit, context or number of lines is negative", offset=offset, limit=limit)
        command = self.command(id)
        reads = command.output.slices
        if pattern is not None:
            found = await reads.search(pattern, context, limit, MOST_MATCHES)
            part, matches, count = found.part, found.matches, found.count
        else:
            matches, count = None, None
            if tail is not None:
                part = await reads.last(tail, limit)
            elif offset is not None:
                part = await reads.part(offset, limit)
            else:
                part = await reads.fresh(Budget(limit, rest=self._rest), anew=anew)
        outcome = self._current(await command.report())
        return Answer(outcome, part=part, matches=matches, match_count=count, notices=self.news(command))

    def news(self, command: Command | None = None) -> tuple[Notice, ...]:
        """The agent's notices, for an answer that says how this command stands; None: an answer about no command."""
        if command is not None:
            self.notices.answer(command, self._commands.agent_of(command, self.agent), self.agent)
        return self.notices.news(self.agent)

    def place(self, answer: Answer) -> str | None:
        """The directory of an answer, if the agent does not know it."""
        return self.books.places.news(self.agent, answer.outcome)

    # -- typing

    async def send(
        self,
        id: str,
        text: str = "",
        *,
        keys: Sequence[str] = (),
        wait: float | None = 0,
        until: str | re.Pattern[str] | Until = "settled",
        asker: Asker | None = None,
    ) -> Answer:
        """Type the text, then the keys, into a running command, in one write. Secrets are refused."""
        _check_seconds("wait", wait)
        until = of(until)
        command = await self.enter(id, text, keys=keys, asker=asker)
        return await self.wait(command.id, timeout=wait, until=until)

    async def enter(self, id: str, text: str = "", *, keys: Sequence[str] = (), asker: Asker | None = None) -> Command:
        """As `send`, without a wait: the command that it was typed into."""
        check_typing(text, keys)
        command = self.command(id)
        await self._typing.send(command, text, keys, asker)
        return command

    async def type(self, id: str, text: str | bytes = "", *, keys: Sequence[str] = (), by: Typist = PROGRAM) -> None:
        """What a program of the user's own types, into a command or, by a terminal's id, into whatever reads there.

        It is as the program wrote it, secrets too: such a program is no agent.
        """
        terminal, command = self.terminal(id)
        into = command if command is not None and command.id == id else None
        await self._typing.type(terminal, into, text, keys, by)

    def lease(self, id: str, holder: str, reason: str) -> Lease:
        """Leave a terminal to a person, until it is given back."""
        return self._typing.lease(self.terminal(id)[0], holder, reason)

    def handoff(self, id: str, reason: str, *, taken: bool = True) -> Handoff:
        """Leave a running command's terminal to a person, who may type with the ticket; the caller may not.

        Not `taken`: a person is still to be reached, and the caller may type until `handoffs.take`.
        """
        command = self.command(id)
        subject = self._typing.subject(command, "handoff")
        with self.permissions.refusals(_handoff(command), subject):
            self._typing.check_unfinished(command)
            self.leases.check(command.terminal_id, done="")
            decision = Decision("allow", f"A person may type now: {reason}", None, _handoff(command))
            self.permissions.record(Permit(decision, "rule"), subject)
            made = self.handoffs.offer(command, reason, partial(self._record_deed, subject, _handoff(command)))
            if taken:
                self.handoffs.take(made.ticket)
            return made

    def refuse_handoff(self, command: Command, message: str, **facts: object) -> NoReturn:
        """A surface refuses: no person can be reached."""
        decision = Decision("deny", message, None, _handoff(command))
        self.permissions.refuse(
            decision, self._typing.subject(command, "handoff"), **{"command": command.text, **facts}
        )

    def refuse_person(self, command: Command, message: str, **facts: object) -> NoReturn:
        """What a person wants to type is not typed."""
        decision = Decision("deny", message, None, _handoff(command))
        self.permissions.refuse(decision, self._typing.subject(command, "typed"), **facts)

    def _refuse_ticket(self, message: str) -> NoReturn:
        decision = Decision("deny", message, None, "(a handoff)")
        self.permissions.refuse(decision, Subject(None, event="typed"), reason="unknown ticket")

    def record_visit(self, command: Command, visitor: str) -> None:
        """A person has come: `visitor` is what their program calls itself."""
        reason = f"The page was opened by {on_one_line(visitor)!r}."
        self.permissions.note(reason, _handoff(command), self._typing.subject(command, "opened"))

    def _record_deed(
        self,
        subject: Subject,
        about: str,
        event: Literal["typed", "given back"],
        reason: str,
        characters: int | None = None,
    ) -> None:
        with suppress(Denied) if event == "given back" else nullcontext():  # true, recorded or not
            self.permissions.note(reason, about, replace(subject, event=event), characters)

    # -- screen, stop, terminals

    def screen(self, id: str) -> Screen:
        """What a person would see of the terminal now."""
        return self.terminal(id)[0].screen()

    async def stop(self, id: str, *, close: bool = False) -> Answer:
        """End a command: interrupt, then terminate, then kill its processes. `close` ends its terminal too."""
        command = self.command(id)
        outcome = await command.kill() if not command.finished else await command.report()
        if close:
            await self.registry.get(command.terminal_id).close()
        return Answer(self._current(outcome), command.reached, notices=self.news(command))

    def _current(self, outcome: Outcome) -> Outcome:
        """With what has become of its terminal since it ended."""
        terminal = self.registry.find(outcome.terminal_id)
        return replace(outcome, closed=outcome.closed or (terminal is not None and terminal.closed))

    def terminal(self, id: str) -> tuple[Terminal, Command | None]:
        """By its own id or by that of a command in it; with the command that is meant, None where nothing has run."""
        if (terminal := self.registry.find(id)) is not None:
            return terminal, terminal.command
        command = self.command(id)
        return self.registry.get(command.terminal_id), command

    def terminals(self) -> list[Terminal]:
        """Those that are open."""
        return self.registry.list()


def _handoff(command: Command) -> str:
    return f"(handoff of {command.id})"


def _check_seconds(name: str, value: float | None) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= inf):
        raise Misuse(f"{name} is a number of seconds, 0 or more, not {value!r}", name=name, value=value)
