"""Typing into a terminal that a service owns: who may, and what is recorded of it.

Rule 1: one writer at a time: while a person has a terminal (`leases.py`, `handoffs.py`), only that person types there.
Rule 2: an agent types no secret. The text that it wanted to type is in no record.
Rule 3: what a policy says of typing is asked before a key is typed; what is permitted is recorded before it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from truetty.core.errors import Closed, Denied, Held, Misuse
from truetty.policy import Asker, Decision
from truetty.policy.audit import Event
from truetty.service.handoffs import Handoffs, secrecy
from truetty.service.leases import Lease, LeaseEnd, Leases
from truetty.service.permissions import Permissions, Subject
from truetty.service.registry import Registry
from truetty.terminal import keys
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.quoting import on_one_line


class Typist(NamedTuple):
    """Who types. With a lease or a name it is a person: the policy is for programs."""

    lease: str | None = None  # that a person has
    person: str = ""  # the name of one who answers
    asker: Asker | None = None  # asks whether a program may
    check: Callable[[], None] = lambda: None  # raises where it is no longer to be typed, after a person was asked


PROGRAM: Final = Typist()


class Typing:
    """`is_outside` says of a terminal whether it is outside of the sandbox that the others are in."""

    def __init__(
        self,
        registry: Registry,
        permissions: Permissions,
        handoffs: Handoffs,
        leases: Leases,
        is_outside: Callable[[Terminal], bool],
    ) -> None:
        self._registry = registry
        self._permissions = permissions
        self._handoffs = handoffs
        self._leases = leases
        self._is_outside = is_outside
        leases.listen(self._on_lease)

    async def send(self, command: Command, text: str, names: Sequence[str], asker: Asker | None) -> None:
        """What an agent types: the text, then the keys, in one write."""
        subject = self.subject(command, "typing")
        with self._permissions.refusals(_about(command), subject):
            self.check_unfinished(command)
            command.check_lines(text)
            self._check_typable(command, subject)
            waiting = command.waiting
            typed = text + "".join(f"<{key}>" for key in names)
            decision = self._permissions.policy.decide_typing(typed, program=waiting.program if waiting else None)
            is_outside = self._is_outside(self._registry.get(command.terminal_id))
            permit = await self._permissions.ask(decision, subject, asker, is_outside=is_outside)
            command.check_lines(text)
            self._check_typable(command, subject)  # a person who was asked may have taken minutes
            self._permissions.record(permit, subject)
            await command.type(text, *names)

    async def type(
        self,
        terminal: Terminal,
        command: Command | None,
        text: str | bytes,
        names: Sequence[str],
        by: Typist,
    ) -> None:
        """What a program of the user's own types, or a person; None: not into a certain command."""
        about, subject = f"(typing into {terminal.id})", Subject(terminal.task, terminal.id, "typing")
        with self._permissions.refusals(about, subject):
            keys.encode(*names)
            self._check_holder(terminal.id, about, subject, by.lease)
            if by.lease is not None:
                self._leases.use(terminal.id, text if not names else "\r")
            elif by.person:
                reason = f"A person answers: {on_one_line(by.person)}"
                self._permissions.note(reason, about, subject, len(text))
            elif not self._permissions.policy.allows_all:
                if not terminal.busy:  # a line typed at the shell's prompt is a command that nothing has judged
                    reason = "Under a policy nothing is typed at a shell's prompt: run the command."
                    self._permissions.refuse(Decision("deny", reason, None, about), subject)
                await self._permit(terminal, about, subject, _visible(terminal.command, text, names), by)
            if command is not None and isinstance(text, str) and names:
                await command.type(text, *names)
                return
            target = terminal if command is None else command
            if text or not names:
                await target.send(text)
            if names:
                await target.press(*names)

    async def _permit(self, terminal: Terminal, about: str, subject: Subject, typed: str, by: Typist) -> None:
        """A person who is asked may take minutes. What was asked about is typed into the same command, or nowhere."""
        command = terminal.command
        waiting = command.waiting if command is not None else None
        decision = self._permissions.policy.decide_typing(typed, program=waiting.program if waiting else None)
        is_outside = self._is_outside(terminal)
        permit = await self._permissions.ask(decision, subject, by.asker, is_outside=is_outside)
        by.check()
        self._check_holder(terminal.id, about, subject, by.lease)
        if command is None or command.finished or terminal.command is not command:
            reason = "What was to be typed into has finished meanwhile. Nothing was typed."
            self._permissions.refuse(Decision("deny", reason, None, about), subject)
        self._permissions.record(permit, subject)

    def lease(self, terminal: Terminal, holder: str, reason: str) -> Lease:
        """Leave a terminal to a person."""
        about, subject = f"(lease of {terminal.id})", Subject(terminal.task, terminal.id, "handoff")
        with self._permissions.refusals(about, subject):
            self._leases.check(terminal.id, done="")
            if (handoff := self._handoffs.holder(terminal.id)) is not None:
                facts = {"terminal_id": terminal.id, "holder": "person", "reason": handoff.reason, "until": None}
                raise Held(f"terminal {terminal.id} is held by a person: {handoff.reason}", **facts)
            self._permissions.note(f"A person takes it: {on_one_line(holder)}", about, subject)
            return self._leases.take(terminal, holder, reason)

    def _on_lease(self, what: Lease | LeaseEnd) -> None:
        if isinstance(what, LeaseEnd):
            id = what.lease.terminal_id
            with suppress(Denied):  # true, recorded or not
                subject = Subject(None, id, "given back")
                self._permissions.note(what.why, f"(lease of {id})", subject, what.characters)

    def subject(self, command: Command, event: Event) -> Subject:
        terminal = self._registry.find(command.terminal_id)
        return Subject(None if terminal is None else terminal.task, command.terminal_id, event)

    def check_unfinished(self, command: Command) -> None:
        terminal = self._registry.get(command.terminal_id)
        facts = {"command_id": command.id, "terminal_id": terminal.id, "exit_code": command.exit_code}
        if terminal.closed:
            raise Closed(f"{command.id} has finished, and {terminal.id} is closed", **facts)
        if command.finished:
            raise Misuse(f"{command.id} has finished: there is nothing to type into", **facts)

    def _check_typable(self, command: Command, subject: Subject) -> None:
        """Refused: a terminal that a person has, and secrets. The text is in no record, since it may be a secret."""
        self._check_holder(command.terminal_id, _about(command), subject, None, command_id=command.id)
        if secrecy(command) != "open":
            decision = Decision("deny", "it asks for a secret, which a person types", None, _about(command))
            self._permissions.refuse(decision, subject, why="secret", command_id=command.id)

    def _check_holder(self, terminal_id: str, about: str, subject: Subject, lease: str | None, **facts: object) -> None:
        self._leases.check(terminal_id, lease)
        if (handoff := self._handoffs.holder(terminal_id)) is not None:
            reason = f"a person has terminal {terminal_id} now: {handoff.reason}"
            self._permissions.refuse(Decision("deny", reason, None, about), subject, why="handed over", **facts)


def check_typing(text: str, names: Sequence[str]) -> None:
    if not isinstance(text, str):
        raise Misuse(f"only text can be typed, not {text!r}", text=text)
    keys.encode(*names)


def _visible(command: Command | None, text: str | bytes, names: Sequence[str]) -> str:
    """What a person is asked about. Of what may be a secret nothing is shown, and nothing is recorded."""
    if command is None or secrecy(command) != "open":
        return ""
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return shown + "".join(f"<{key}>" for key in names)


def _about(command: Command) -> str:
    return f"(typing into {command.id})"
