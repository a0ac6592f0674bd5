"""What each verb does for one agent: which method of the service it calls, and how the answer becomes text.

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
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final, Protocol

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
from truetty.functions.table import BY_NAME, RUN_WAIT, SEND_WAIT
from truetty.policy import Asker
from truetty.service.answer import Answer
from truetty.service.handoffs import Handoff
from truetty.service.registry import unknown
from truetty.service.service import PAGE_SIZE, REST, Service
from truetty.store.part import Part
from truetty.terminal.command import Command
from truetty.terminal.report import NO_ENTER
from truetty.terminal.terminal import Terminal
from truetty.text.digest import HEAD_SHARE, SMALLEST_BUDGET, Budget

# A command in the background that fails at once should say so in the same answer.
BACKGROUND_WAIT: Final = 0.5
LARGEST_PAGE: Final = 1_000_000
# What the service raises before it starts or types anything (its rule 2).
REFUSALS: Final = (Misuse, Denied, SpawnFailed, LimitReached)
# Between an agent and a task that it names, where agents share a service.
OF_AGENT: Final = ": "
# Clients cut what is longer, and some of them at its end.
MODEL_BUDGET: Final = 10_000  # characters
CHARACTERS_PER_LINE: Final = 20


class Attendance(Protocol):
    """A person who is waited for."""

    @property
    def note(self) -> str | None:
        """What the model is told of it, once it is over."""

    @property
    def is_over(self) -> bool:
        """The person has given the terminal back, or does not come."""

    async def wait(self, seconds: float) -> Answer:
        """Until it is over, and how the command stands then."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """How a person was asked to type."""

    url: str | None = None  # for the model to show to the user
    wait: float = 0.0  # how long a call waits for the person, if it does not say
    next: str = words.HANDED_OVER
    note: str | None = None
    taken: bool = True  # the person has the ticket; otherwise a page is still to be opened
    attendance: Attendance | None = None  # what the call waits for; None: that the command settles


def model_budget(characters: int = MODEL_BUDGET, head_share: float = HEAD_SHARE) -> Budget:
    """What a model is shown of an output: so many characters, and lines to match."""
    return Budget(characters, head_share, REST, characters // CHARACTERS_PER_LINE)


def characters_of(tokens: int) -> int:
    """For a budget of so many tokens: both ends of an output have room in it, and one result holds it."""
    return min(max(Budget.of_tokens(tokens).characters, SMALLEST_BUDGET), LARGEST_PAGE)


def _budget(tokens: int | None) -> Budget:
    return model_budget() if tokens is None else model_budget(characters_of(tokens))


async def new_output(command: Command, answer: Answer, budget: Budget, *, anew: bool = False) -> Answer:
    """The answer with the output that no answer has shown yet. `anew`: with all of it, for a request sent again."""
    return dataclasses.replace(answer, part=await command.output.slices.fresh(budget, anew=anew))


@dataclass(frozen=True, slots=True)
class Patience:
    """How long calls wait, in seconds. A client ends a call that takes longer than its own time-out."""

    usual: float = RUN_WAIT  # of run and wait, where the call names none
    most: float = inf

    def of(self, asked: float) -> float:
        return min(asked, self.most)


USUAL_PATIENCE: Final = Patience()


@dataclass(frozen=True, slots=True)
class Surface:
    """What a surface adds to the verbs."""

    asker: Asker | None = None  # asks the user where the policy says so
    watch: Callable[[Command], AbstractAsyncContextManager[None]] = lambda command: nullcontext()  # around every wait
    budget: Callable[[int | None], Budget] = _budget  # of so many tokens; None: what it is by default
    patience: Patience = USUAL_PATIENCE
    prefix: str = ""  # of the verbs' names there
    reads_files: bool = False  # the client is on this machine, and may have tools for files
    invite: Callable[[Handoff, Command], Awaitable[Invitation]] | None = (
        None  # how a person gets the ticket, if any can
    )
    shares: bool = False  # the service has other agents' terminals too, which may have tasks of the same names
    key: str | None = None  # of this call, for a `run` that names none: a call that comes again runs nothing twice
    again: bool = False  # the call comes again: what its first answer would have shown was not seen


async def as_result(work: Awaitable[Report], refuse: Callable[[TruettyError], Report]) -> Result:
    """Refusals and failures are results too: a model can do something about them."""
    try:
        return result(await work)
    except TruettyError as error:
        return result(refuse(error))
    except OSError as error:
        reason = error.strerror or str(error)
        return result(refuse(HostError(f"the machine could not do it: {reason}", reason=reason)))
    except Exception as error:  # the agent's loop goes on, and the text says that the call itself was right
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
        advice, notices = words.after_error(error), self._service.news()
        return Report(error=error, undone=undone, next=advice, notices=notices, prefix=self._surface.prefix)

    async def _call(self, name: object, call: object) -> Report:
        if not isinstance(name, str) or name not in BY_NAME:
            message = f"no function is called {kinds.quoted(name)}: {kinds.listing(BY_NAME)}"
            raise Misuse(message, name=name, known=[*BY_NAME])
        arguments = read_arguments(BY_NAME[name], call)
        report = await self._verbs[name](arguments)
        return dataclasses.replace(report, notes=(*report.notes, *arguments.notes), prefix=self._surface.prefix)

    def _id(self, arguments: CallArguments) -> str:
        if (id := arguments.text("id")) is not None:
            return id
        raise unknown("which command or terminal?", None, self._service.terminals())

    def _wait_of(self, arguments: CallArguments, default: float | None = None) -> float:
        patience = self._surface.patience
        return patience.of(arguments.number("wait", patience.usual if default is None else default))

    def _command(self, arguments: CallArguments) -> Command:
        return self._service.command(self._id(arguments))

    def _task(self, named: str | None) -> str:
        """The task of a command: the agent itself, or one of its own that it names."""
        if named is None:
            return self._agent
        return f"{self._agent}{OF_AGENT}{named}" if self._surface.shares else named

    def _owns(self, terminal: Terminal) -> bool:
        task = terminal.task or ""
        return not self._surface.shares or task == self._agent or task.startswith(f"{self._agent}{OF_AGENT}")

    # -- run, wait, send

    async def _run(self, arguments: CallArguments) -> Report:
        until, key = arguments.until(), arguments.text("key") or self._surface.key
        command = await self._service.start(
            arguments.text("command") or "",
            terminal=arguments.text("terminal_id"),
            cwd=arguments.text("cwd"),
            task=self._task(arguments.text("task")),
            shell=arguments.text("shell"),
            timeout=arguments.number("kill_after"),
            key=key,
            asker=self._surface.asker,
            outside=arguments.flag("outside"),
        )
        moved = self._service.move_of(command)
        wait = self._wait_of(arguments, BACKGROUND_WAIT if arguments.flag("background") else None)
        work = self._service.wait(command.id, timeout=wait, until=until)
        report = await self._report(arguments, command, work, anew=key is not None)
        return report if moved is None else dataclasses.replace(report, notes=(words.moved(moved),), place=None)

    async def _wait(self, arguments: CallArguments) -> Report:
        until, command = arguments.until(), self._command(arguments)
        wait = self._wait_of(arguments)
        return await self._report(arguments, command, self._service.wait(command.id, timeout=wait, until=until))

    async def _send(self, arguments: CallArguments) -> Report:
        until, command, wait = arguments.until(), self._command(arguments), self._wait_of(arguments, SEND_WAIT)
        text, keys = arguments.text("text") or "", arguments.texts("keys")
        if arguments.flag("enter") and not _ends_in_enter(text, keys):
            keys.append("Enter")
        if not text and not keys:
            return await self._report(arguments, command, self._service.wait(command.id, timeout=wait, until=until))
        takes_line = command.reads_lines or words.takes_line(command.waiting)
        work = self._service.send(command.id, text, keys=keys, wait=wait, until=until, asker=self._surface.asker)
        report = await self._report(arguments, command, work)
        still_reads = not command.finished and (command.reads_lines or command.waiting is not None)
        if takes_line and still_reads and text and not keys and not text.endswith(_SENT):
            return dataclasses.replace(report, notes=(NO_ENTER,), next=words.press_enter(command.id))
        return report

    async def _report(
        self, arguments: CallArguments, command: Command, work: Awaitable[Answer], *, anew: bool = False
    ) -> Report:
        """The text is made once, and shown in several places."""
        budget = self._surface.budget(arguments.whole("max_output_tokens"))
        with command.output.hold(budget):
            async with self._surface.watch(command):
                answer = await work
            # Last: once output counts as shown, nothing is waited for in which the call could be cut off.
            answer = await new_output(command, answer, budget, anew=anew or self._surface.again)
        nothing = words.NO_OUTPUT if answer.visible.offset == 0 else words.NO_NEW_OUTPUT
        place, next_step = self._service.place(answer), words.next_step(answer.outcome)
        file = await self._service.texts.save(command) if answer.visible.omitted and self._surface.reads_files else None
        report = Report(answer, nothing=nothing, place=place, next=next_step, file=file)
        if not command.is_full_screen:
            return report
        if answer.visible.text.strip():
            return dataclasses.replace(report, next=words.with_screen(command.id, next_step))
        shown = dataclasses.replace(answer, part=Part(self._service.screen(command.id).trimmed))
        return dataclasses.replace(report, answer=shown, printed=words.ON_SCREEN)

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
                anew=self._surface.again,
            )
        next_offset = answer.visible.next_offset
        following = words.next_step(answer.outcome)
        if next_offset is not None:
            following = words.next_page(command.id, next_offset)
        elif following is None and answer.matches is None and not answer.visible.text and answer.outcome.output_bytes:
            following = words.from_the_beginning(command.id)
        nothing = words.NO_MATCH if answer.matches is not None else words.NO_MORE_OUTPUT
        return Report(answer, nothing=nothing, next=following)

    async def _screen(self, arguments: CallArguments) -> Report:
        terminal, command = self._service.terminal(self._id(arguments))
        screen = terminal.screen()
        if command is None:
            idle = words.idle_line(terminal.id, terminal.cwd)
            return Report(headline=idle, notices=self._service.news(), screen=screen)
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
        return Report(headline=words.closed_line(terminal.id), notices=self._service.news())

    async def _terminals(self, arguments: CallArguments) -> Report:
        rows = [_row(terminal, is_own=self._owns(terminal)) for terminal in self._service.terminals()]
        rows.sort(key=lambda row: not row["own"])
        others = sum(not row["own"] for row in rows)
        headline = words.count_line(len(rows), others)
        return Report(headline=headline, notices=self._service.news(), terminals=rows)

    async def _hand_over(self, arguments: CallArguments) -> Report:
        command = self._command(arguments)
        invite = self._surface.invite
        if invite is None:
            self._service.refuse_handoff(command, "no person can be reached from here", reason="unreachable")
        handoff = self._service.handoff(command.id, arguments.text("reason") or words.NO_REASON, taken=False)
        try:
            invitation = await invite(handoff, command)
        except Exception:  # no person has the ticket: the agent may type again
            if self._service.handoffs.of(handoff.terminal_id) is not None:  # the surface may have given it back
                self._service.handoffs.give_back(handoff.ticket, "No person could be reached.")
            raise
        if invitation.taken and self._service.handoffs.of(handoff.terminal_id) is not None:
            self._service.handoffs.take(handoff.ticket)
        wait, attendance = self._wait_of(arguments, invitation.wait), invitation.attendance
        work = self._service.wait(command.id, timeout=wait) if attendance is None else attendance.wait(wait)
        report = await self._report(arguments, command, work)
        if attendance is not None and attendance.is_over:
            return report if attendance.note is None else dataclasses.replace(report, notes=(attendance.note,))
        if command.finished or (report.answer is not None and report.answer.reached is not None):
            return report
        notes = () if invitation.note is None else (invitation.note,)
        return dataclasses.replace(report, next=invitation.next, url=invitation.url, notes=notes)


# What makes the tty give a line to the program: Enter, and Ctrl-D.
_SENT: Final = ("\n", "\r", "\x04")


def _ends_in_enter(text: str, keys: Sequence[str]) -> bool:
    """Then `enter` adds no second Enter, which would answer the next question."""
    return keys[-1] == "Enter" if keys else text.endswith(("\n", "\r"))


def _row(terminal: Terminal, *, is_own: bool) -> dict[str, object]:
    command = terminal.command
    return {
        "terminal_id": terminal.id,
        "state": command.state if command is not None and terminal.busy else "idle",
        "shell": terminal.shell,
        "cwd": terminal.cwd,
        "pid": terminal.pid,
        "task": terminal.task,
        "own": is_own,
        "name": terminal.name,
        "command_id": command.id if command is not None else None,
        "command": command.text[: words.LONGEST_QUOTE] if command is not None else None,
        "exit_code": command.exit_code if command is not None else None,
    }
