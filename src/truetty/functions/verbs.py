"""What each verb does for one agent: which one of the service it is, and how its answer is put into words.

Rule 1: a verb translates. What may be done and what it means is decided by `Service`.
Rule 2: a call that is cancelled ends its wait, never the command.
Rule 3: a surface adds to the verbs by a `Surface`; there is no second way to do them.
Rule 4: every argument is read, in its type and its meaning, before the service is asked for anything. What the service
        checks itself (command texts, ids, names of keys), it checks before it does anything too. So a refused call has
        started, typed and opened nothing.
Rule 5: whatever a model sends, it gets a `Result`. Errors become results in `as_result` and nowhere else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from truetty.core import kinds
from truetty.core.errors import (
    Denied,
    HostError,
    LimitReached,
    Misuse,
    SpawnFailed,
    TruettyError,
)
from truetty.functions import words
from truetty.functions.arguments import CallArguments, read_arguments
from truetty.functions.result import Report, Result, result
from truetty.functions.table import BY_NAME, RUN_WAIT, SEND_WAIT, Verb
from truetty.policy import Asker
from truetty.service.answer import Answer
from truetty.service.handoffs import Handoff
from truetty.service.registry import unknown
from truetty.service.service import PAGE_SIZE, REST, Service
from truetty.store.part import Part
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.digest import Budget

# A command in the background that fails at once should say so in the same answer.
BACKGROUND_WAIT: Final = 0.5
LARGEST_PAGE: Final = 1_000_000
# What the service raises before it starts or types anything (its rule 2).
REFUSALS: Final = (Misuse, Denied, SpawnFailed, LimitReached)


@dataclass(frozen=True, slots=True)
class Invitation:
    """How a person was asked to type."""

    url: str | None = None  # for the model to show to the user
    wait: float = 0.0  # how long a call waits for the person, if it does not say
    next: str = words.HANDED_OVER
    note: str | None = None
    taken: bool = True  # the person has the ticket; otherwise a page is still to be opened


def _budget(tokens: int) -> Budget:
    return dataclasses.replace(Budget.of_tokens(tokens), rest=REST)


async def _keep(arguments: CallArguments, command: Command, answer: Answer) -> Answer:
    return answer


@dataclass(frozen=True, slots=True)
class Surface:
    """What a surface adds to the verbs."""

    table: Mapping[str, Verb] = field(default_factory=lambda: BY_NAME)  # with the parameters that they have there
    asker: Asker | None = None  # asks the user where the policy says so
    watch: Callable[[Command], AbstractAsyncContextManager[None]] = lambda command: nullcontext()  # around every wait
    budget: Callable[[int], Budget] = _budget  # of so many tokens
    show: Callable[[CallArguments, Command, Answer], Awaitable[Answer]] = _keep  # what of the output is in an answer
    invite: Callable[[Handoff, Command], Awaitable[Invitation]] | None = (
        None  # how a person gets the ticket, if any can
    )


async def as_result(work: Awaitable[Report], refuse: Callable[[TruettyError], Report]) -> Result:
    """Refusals and failures are results too: a model can do something about them."""
    try:
        return result(await work)
    except TruettyError as error:
        return result(refuse(error))
    except OSError as error:
        reason = error.strerror or str(error)
        return result(refuse(HostError(f"the machine could not do it: {reason}", reason=reason)))
    except Exception as error:  # the agent's loop goes on, and the text says that it is not the model's fault
        return result(refuse(TruettyError(f"this failed inside truetty: {type(error).__name__}: {error}")))


class Verbs:
    """`result = await Verbs(service, "agent 7").call("run", {"command": "make"})`."""

    def __init__(self, service: Service, agent: str, surface: Surface | None = None) -> None:
        self._service = service.for_agent(agent)
        self._agent = agent
        self._surface = surface or Surface()
        self._verbs: Mapping[str, Callable[[CallArguments], Awaitable[Report]]] = {
            "run": self._run,
            "read": self._read,
            "wait": self._wait,
            "send": self._send,
            "screen": self._screen,
            "stop": self._stop,
            "terminals": self._terminals,
            "handoff": self._hand_over,
        }

    async def call(self, name: object, call: object) -> Result:
        """Do what a model asked for; `call` is an object, or its JSON text."""
        return await as_result(self._call(name, call), partial(self._refuse, name))

    def _refuse(self, name: object, error: TruettyError) -> Report:
        undone = words.UNDONE.get(str(name)) if isinstance(error, REFUSALS) else None
        return Report(error=error, undone=undone, next=words.after_error(error), notices=self._service.news())

    async def _call(self, name: object, call: object) -> Report:
        table = self._surface.table
        if not isinstance(name, str) or name not in table:
            message = f"no function is called {kinds.quoted(name)}: {kinds.listing(table)}"
            raise Misuse(message, name=name, known=[*table])
        arguments = read_arguments(table[name], call)
        report = await self._verbs[name](arguments)
        return dataclasses.replace(report, notes=(*report.notes, *arguments.notes))

    def _id(self, arguments: CallArguments) -> str:
        if (id := arguments.text("id")) is not None:
            return id
        raise unknown("which command or terminal?", None, self._service.terminals())

    def _command(self, arguments: CallArguments) -> Command:
        return self._service.command(self._id(arguments))

    # -- run, wait, send

    async def _run(self, arguments: CallArguments) -> Report:
        until = arguments.until()
        command = await self._service.start(
            arguments.text("command") or "",
            terminal=arguments.text("terminal_id"),
            cwd=arguments.text("cwd"),
            task=arguments.text("task") or self._agent,
            shell=arguments.text("shell"),
            timeout=arguments.number("kill_after"),
            key=arguments.text("key"),
            asker=self._surface.asker,
            outside=arguments.flag("outside"),
        )
        moved = self._service.move_of(command)
        wait = arguments.number("wait", BACKGROUND_WAIT if arguments.flag("background") else RUN_WAIT)
        report = await self._report(arguments, command, self._service.wait(command.id, timeout=wait, until=until))
        return report if moved is None else dataclasses.replace(report, notes=(words.moved(moved),))

    async def _wait(self, arguments: CallArguments) -> Report:
        until, command = arguments.until(), self._command(arguments)
        wait = arguments.number("wait", RUN_WAIT)
        return await self._report(arguments, command, self._service.wait(command.id, timeout=wait, until=until))

    async def _send(self, arguments: CallArguments) -> Report:
        until, command, wait = arguments.until(), self._command(arguments), arguments.number("wait", SEND_WAIT)
        text, keys = arguments.text("text") or "", arguments.texts("keys")
        if arguments.flag("enter") and not _ends_in_enter(text, keys):
            keys.append("Enter")
        if not text and not keys:
            return await self._report(arguments, command, self._service.wait(command.id, timeout=wait, until=until))
        work = self._service.send(command.id, text, keys=keys, wait=wait, until=until, asker=self._surface.asker)
        return await self._report(arguments, command, work)

    async def _report(self, arguments: CallArguments, command: Command, work: Awaitable[Answer]) -> Report:
        answer = await self._watch(arguments, command, work)
        nothing = words.NO_NEW_OUTPUT if arguments.flag("only_new") else words.NO_OUTPUT
        return Report(answer, nothing=nothing, next=words.next_step(answer.outcome))

    async def _watch(self, arguments: CallArguments, command: Command, work: Awaitable[Answer]) -> Answer:
        """The answer, with as much of the output as the caller wants. The text is made once for all who show it."""
        tokens = arguments.whole("max_output_tokens")
        budget = None if tokens is None else self._surface.budget(tokens)
        with command.output.hold(budget):
            async with self._surface.watch(command):
                answer = await work
                if budget is not None:
                    summary = await command.output.slices.summary(budget)
                    outcome = dataclasses.replace(answer.outcome, output=summary.text, omitted=summary.omitted)
                    answer = dataclasses.replace(answer, outcome=outcome)
                return await self._surface.show(arguments, command, answer)

    # -- read, screen

    async def _read(self, arguments: CallArguments) -> Report:
        command, limit = self._command(arguments), arguments.whole("limit")
        with command.output.hold():
            answer = await self._service.read(
                command.id,
                offset=arguments.whole("offset"),
                limit=PAGE_SIZE if limit is None else max(1, min(limit, LARGEST_PAGE)),
                grep=arguments.text("grep"),
                context=arguments.whole("context") or 0,
                tail=arguments.whole("tail"),
            )
        next_offset = answer.visible.next_offset
        following = words.next_step(answer.outcome)
        if next_offset is not None:
            following = words.next_page(command.id, next_offset)
        nothing = words.NO_MATCH if answer.matches is not None else words.NO_MORE_OUTPUT
        return Report(answer, nothing=nothing, next=following)

    async def _screen(self, arguments: CallArguments) -> Report:
        terminal, command = self._service.terminal(self._id(arguments))
        screen = terminal.screen()
        if command is None:
            idle = words.idle_line(terminal.id, terminal.cwd)
            return Report(headline=idle, notices=self._service.news(), next=words.NOTHING_RAN, screen=screen)
        outcome = await command.report() if command.finished else command.standing()
        answer = Answer(outcome, part=Part(screen.text), notices=self._service.news(command))
        return Report(answer, next=words.next_step(outcome), screen=screen)

    # -- stop, terminals, handoff

    async def _stop(self, arguments: CallArguments) -> Report:
        terminal, command = self._service.terminal(self._id(arguments))
        if command is not None:
            return await self._report(arguments, command, self._service.stop(command.id, close=arguments.flag("close")))
        if not arguments.flag("close"):
            raise Misuse(f"nothing has run in terminal {terminal.id} yet", terminal_id=terminal.id)
        await terminal.close()
        return Report(headline=words.closed_line(terminal.id), notices=self._service.news(), next=words.NOTHING_RAN)

    async def _terminals(self, arguments: CallArguments) -> Report:
        rows = [_row(terminal) for terminal in self._service.terminals()]
        following = words.SOME_OPEN if rows else words.NONE_OPEN
        return Report(
            headline=words.count_line(len(rows)), notices=self._service.news(), next=following, terminals=rows
        )

    async def _hand_over(self, arguments: CallArguments) -> Report:
        command = self._command(arguments)
        invite = self._surface.invite
        if invite is None:
            self._service.refuse_handoff(command, "no person can be reached from here", reason="nobody")
        handoff = self._service.handoff(command.id, arguments.text("reason") or words.NO_REASON, taken=False)
        try:
            invitation = await invite(handoff, command)
        except Exception:  # no person has the ticket: the agent may type again
            if self._service.handoffs.of(handoff.terminal_id) is not None:  # the surface may have given it back
                self._service.handoffs.give_back(handoff.ticket, "No person could be reached.")
            raise
        if invitation.taken and self._service.handoffs.of(handoff.terminal_id) is not None:
            self._service.handoffs.take(handoff.ticket)
        wait = arguments.number("wait", invitation.wait)
        report = await self._report(arguments, command, self._service.wait(command.id, timeout=wait))
        if command.finished or (report.answer is not None and report.answer.reached is not None):
            return report
        notes = () if invitation.note is None else (invitation.note,)
        return dataclasses.replace(report, next=invitation.next, url=invitation.url, notes=notes)


def _ends_in_enter(text: str, keys: Sequence[str]) -> bool:
    """Then `enter` means that one, and not a second, which would answer the next question."""
    return keys[-1] == "Enter" if keys else text.endswith(("\n", "\r"))


def _row(terminal: Terminal) -> dict[str, object]:
    command = terminal.command
    return {
        "terminal_id": terminal.id,
        "state": command.state if command is not None and terminal.busy else "idle",
        "shell": terminal.shell,
        "cwd": terminal.cwd,
        "pid": terminal.pid,
        "task": terminal.task,
        "name": terminal.name,
        "command_id": command.id if command is not None else None,
        "command": command.text[: words.LONGEST_QUOTE] if command is not None else None,
        "exit_code": command.exit_code if command is not None else None,
    }
