"""Typing into a terminal that a service owns: who may, and what is recorded of it.

Rule 1: one writer at a time: while a person has a terminal (`handoffs.py`), only that person types into it.
Rule 2: an agent types no secret. The text that it wanted to type is in no record.
Rule 3: what a policy says of typing is asked before a key is typed; what is permitted is recorded before it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from truetty.core.errors import Closed, Misuse
from truetty.policy import Asker, Decision
from truetty.policy.audit import Event
from truetty.service.handoffs import Handoffs, secrecy
from truetty.service.permissions import Permissions, Subject
from truetty.service.registry import Registry
from truetty.terminal import keys
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal


class Typing:
    """`is_outside` says of a terminal whether it is outside of the sandbox that the others are in."""

    def __init__(
        self,
        registry: Registry,
        permissions: Permissions,
        handoffs: Handoffs,
        is_outside: Callable[[Terminal], bool],
    ) -> None:
        self._registry = registry
        self._permissions = permissions
        self._handoffs = handoffs
        self._is_outside = is_outside

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

    async def type(self, terminal: Terminal, command: Command | None, text: str | bytes, names: Sequence[str]) -> None:
        """What a program of the user's own types; None: not into a certain command."""
        about, subject = f"(typing into {terminal.id})", Subject(terminal.task, terminal.id, "typing")
        with self._permissions.refusals(about, subject):
            keys.encode(*names)
            self._check_holder(terminal.id, about, subject)
            if not self._permissions.policy.allows_all:
                if not terminal.busy:  # a line typed at the shell's prompt is a command that nothing has judged
                    reason = "Under a policy nothing is typed at a shell's prompt: run the command."
                    self._permissions.refuse(Decision("deny", reason, None, about), subject)
                decision = self._permissions.policy.decide_typing("", program=None)
                permit = await self._permissions.ask(decision, subject, None, is_outside=self._is_outside(terminal))
                self._check_holder(terminal.id, about, subject)
                self._permissions.record(permit, subject)
            if command is not None and isinstance(text, str) and names:
                await command.type(text, *names)
                return
            target = terminal if command is None else command
            if text or not names:
                await target.send(text)
            if names:
                await target.press(*names)

    def subject(self, command: Command, event: Event) -> Subject:
        id = command.terminal_id
        return Subject(self._registry.get(id).task if id in self._registry.ids() else None, id, event)

    def check_unfinished(self, command: Command) -> None:
        terminal = self._registry.get(command.terminal_id)
        facts = {"command_id": command.id, "terminal_id": terminal.id, "exit_code": command.exit_code}
        if terminal.closed:
            raise Closed(f"{command.id} has finished, and {terminal.id} is closed", **facts)
        if command.finished:
            raise Misuse(f"{command.id} has finished: there is nothing to type into", **facts)

    def _check_typable(self, command: Command, subject: Subject) -> None:
        """Refused: a terminal that a person has, and secrets. The text is in no record, since it may be a secret."""
        self._check_holder(command.terminal_id, _about(command), subject, command_id=command.id)
        if secrecy(command) != "open":
            decision = Decision("deny", "it asks for a secret, which a person types", None, _about(command))
            self._permissions.refuse(decision, subject, why="secret", command_id=command.id)

    def _check_holder(self, terminal_id: str, about: str, subject: Subject, **facts: object) -> None:
        if (handoff := self._handoffs.holder(terminal_id)) is not None:
            reason = f"a person has terminal {terminal_id} now: {handoff.reason}"
            self._permissions.refuse(Decision("deny", reason, None, about), subject, why="handed over", **facts)


def check_typing(text: str, names: Sequence[str]) -> None:
    if not isinstance(text, str):
        raise Misuse(f"only text can be typed, not {text!r}", text=text)
    keys.encode(*names)


def _about(command: Command) -> str:
    return f"(typing into {command.id})"
