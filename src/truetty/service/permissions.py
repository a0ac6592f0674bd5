"""Whether an agent may run or type something: the policy decides, or a person whom it asks, and it is recorded.

Rule 1: what is refused is recorded when it is refused; what is permitted, before it is done. Where an audit is demanded
        and cannot be written, nothing is done.
Rule 2: text that an agent wanted to type into a question for a secret is in no record. Nor is what a person types.
Rule 3: every refusal is recorded by `_refused`, whether the policy, a person or the service refuses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, NoReturn, Self

from truetty.core.errors import Denied, TruettyError
from truetty.policy import Asker, Audit, Decision, Policy, Rule, ask_or_deny
from truetty.policy.audit import Event
from truetty.shells import table
from truetty.terminal.terminal import Terminal
from truetty.text.quoting import on_one_line

OUTSIDE: Final = "It would run outside of the sandbox."
_INSIDE: Final = "Inside the sandbox it is allowed."
# How often a command is judged anew because its terminal went elsewhere meanwhile.
MOST_LOOKS: Final = 3


class Location(NamedTuple):
    """Where a command is judged to run."""

    cwd: str | None
    shell: str
    is_outside: bool = False  # of the sandbox that terminals are in

    @classmethod
    def of(cls, terminal: Terminal, *, is_outside: bool = False) -> Self:
        """Where the terminal is now."""
        return cls(terminal.cwd, terminal.shell, is_outside)


@dataclass(frozen=True, slots=True)
class Subject:
    """The task and the terminal that it is about; `terminal` is None before there is one."""

    task: str | None
    terminal: str | None = None
    event: Event = "command"


@dataclass(frozen=True, slots=True)
class Permit:
    """A yes, and where it came from."""

    decision: Decision
    answered_by: str


# Where the command would run that a person is asked about now; None: it is not a command but typing.
asked_at: Final[ContextVar[Location | None]] = ContextVar("asked_at", default=None)


class Permissions:
    def __init__(
        self, policy: Policy, asker: Asker | None, audit: Audit | None, clock: Callable[[], float] = time.time
    ) -> None:
        self.policy = policy
        self.asker = asker
        self._audit = audit
        self._clock = clock

    def allow(self, rules: Iterable[Rule]) -> None:
        """A person has answered with "always"."""
        self.policy = self.policy.extended(rules)

    def check_shell(self, command: str, shell: str | None, subject: Subject) -> None:
        """Under a policy a shell is one of the known ones, by its name: `make` or a path would start any program."""
        if shell is not None and shell not in table.names() and not self.policy.allows_all:
            reason = f"Under a policy a shell is given by its name, and no shell is named {on_one_line(shell)}."
            self.refuse(Decision("deny", reason, None, command), subject)

    async def asks(self, command: str, location: Location) -> bool:
        """Whether the policy would have a person asked, wherever it runs."""
        return (await self._decide(command, location)).verdict == "ask"

    async def judge(self, command: str, location: Location, subject: Subject, asker: Asker | None) -> Permit:
        decision = await self._decide(command, location)
        token = asked_at.set(location)
        try:
            return await self.ask(decision, subject, asker, is_outside=location.is_outside)
        finally:
            asked_at.reset(token)

    async def objection(self, rules: Iterable[Rule], command: str, location: Location | None) -> str | None:
        """Why these rules, allowed too, would not allow a command that is asked about; None: they would."""
        if location is None:
            return "no rule allows typing"
        if location.is_outside:
            return "no rule allows what runs outside of the sandbox"
        decision = await self.policy.extended(rules).judge(command, cwd=location.cwd, shell=location.shell)
        return None if decision.allowed else decision.reason.removesuffix(".")

    async def _decide(self, command: str, location: Location) -> Decision:
        return await self.policy.judge(command, cwd=location.cwd, shell=location.shell)

    async def judge_in(
        self,
        terminal: Terminal,
        command: str,
        asker: Asker | None,
        judged: Location | None = None,
        permit: Permit | None = None,
        *,
        is_outside: bool = False,
    ) -> None:
        """Returns if it may run where the terminal is now, which may have moved while a person was asked.

        `permit` is one that was given for the location `judged`. `is_outside`: the terminal is outside of the sandbox.
        """
        subject = Subject(terminal.task, terminal.id)
        if self.policy.allows_all and not is_outside:  # wherever the terminal is
            return self.record(permit or Permit(self.policy.decide(command), "rule"), subject)
        for _ in range(MOST_LOOKS + 1):
            location = Location.of(terminal, is_outside=is_outside)
            if permit is not None and location == judged:
                return self.record(permit, subject)
            judged, permit = location, await self.judge(command, location, subject, asker)
        reason = f"terminal {terminal.id} does not stay where it was judged"
        self.refuse(Decision("deny", reason, None, command), subject, command=command)

    async def ask(
        self, decision: Decision, subject: Subject, asker: Asker | None, *, is_outside: bool = False
    ) -> Permit:
        """The permit, or `Denied`."""
        if is_outside:
            decision = _outside(decision)
        try:
            whose = await ask_or_deny(decision, asker or self.asker)
        except Denied as denied:
            no = denied.answered is False
            refused = replace(decision, reason=f"{decision.reason} The answer was no.") if no else decision
            self._refused(refused, subject, answered_by="asked" if no else None)
            raise
        if whose == "answer":
            return Permit(replace(decision, reason=f"{decision.reason} The answer was yes."), "asked")
        return Permit(decision, "rule")

    def refuse(self, decision: Decision, subject: Subject, **facts: object) -> NoReturn:
        """Record a refusal that is not the policy's, and raise it."""
        self._refused(decision, subject)
        raise Denied(decision.reason, **{"command": None, "rule": None, "reason": decision.reason, **facts})

    @contextmanager
    def refusals(self, about: str, subject: Subject) -> Iterator[None]:
        """Around what is to be done: errors refuse it too, a missing directory or a command that has finished."""
        try:
            yield
        except Denied:
            raise  # it is recorded
        except TruettyError as error:
            self._refused(Decision("deny", str(error), None, about), subject)
            raise

    def _refused(self, decision: Decision, subject: Subject, answered_by: str | None = None) -> None:
        self._write(decision, subject, allowed=False, answered_by=answered_by)

    def record(self, permit: Permit, subject: Subject) -> None:
        """What is permitted is about to be done."""
        self._write(permit.decision, subject, allowed=True, answered_by=permit.answered_by)

    def note(self, reason: str, about: str, subject: Subject, characters: int | None = None) -> None:
        """A person does this now. Raises `Denied` where that must be recorded and cannot be."""
        decision = Decision("allow", reason, None, about)
        self._write(decision, subject, allowed=True, answered_by="person", characters=characters)

    def _write(
        self,
        decision: Decision,
        subject: Subject,
        *,
        allowed: bool,
        answered_by: str | None = None,
        characters: int | None = None,
    ) -> None:
        if self._audit is not None:
            self._audit.record(
                decision,
                time=self._clock(),
                terminal=subject.terminal,
                task=subject.task,
                verdict="allow" if allowed else "deny",
                answered_by=answered_by,
                event=subject.event,
                characters=characters,
            )


def _outside(decision: Decision) -> Decision:
    """What no rule can allow: a person is asked each time."""
    if decision.verdict == "deny":
        return decision
    if decision.allowed:
        return replace(decision, verdict="ask", reason=OUTSIDE, advice=_INSIDE)
    return replace(decision, reason=f"{decision.reason} {OUTSIDE}", suggestions=())
