"""What each verb does: which one of the service it is, and what of the answer is shown.

Rule 1: a verb translates. What may be done and what it means is decided by `Service`.
Rule 2: a call that is cancelled ends its wait, never the command.
Rule 3: a surface that adds something to the verbs does so by a desk of its own; there is no second way to do them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final

from truetty.core import patterns
from truetty.core import until as untils
from truetty.core.errors import HostError, Misuse, TruettyError, UnknownTerminal
from truetty.core.until import Until
from truetty.functions import words
from truetty.functions.answer import Answer
from truetty.functions.arguments import Arguments, read
from truetty.functions.verbs import RUN_WAIT, SEND_WAIT, Verb
from truetty.policy import Asker
from truetty.service.handoffs import Handoff
from truetty.service.service import PAGE, Report, Service
from truetty.store.reads import Match
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.digest import SMALLEST, Budget

# A command in the background that fails at once should say so in the same answer.
BACKGROUND_WAIT: Final = 0.5
LARGEST_PAGE: Final = 1_000_000

OnHandoff = Callable[[Handoff], None]


class Desk:
    """Where one caller's verbs are done."""

    def __init__(
        self, service: Service, *, task: str, asker: Asker | None = None, on_handoff: OnHandoff | None = None
    ) -> None:
        self.service: Final = service
        self._task = task
        self._asker = asker
        self._on_handoff = on_handoff
        self._verbs: Final[dict[str, Callable[[Arguments], Awaitable[Answer]]]] = {
            "run": self._run,
            "read": self._read,
            "wait": self._wait,
            "send": self._send,
            "screen": self._screen,
            "stop": self._stop,
            "terminals": self._terminals,
            "handoff": self._handoff,
        }

    async def answer(self, verb: Verb, given: object) -> Answer:
        """Refusals and failures are answers too: a model can do something about them."""
        try:
            return await self._verbs[verb.name](read(verb, given))
        except TruettyError as error:
            return self.refused(error)
        except OSError as error:
            reason = error.strerror or str(error)
            return self.refused(HostError(f"the machine could not do it: {reason}", reason=reason))

    def refused(self, error: TruettyError) -> Answer:
        return Answer(error=error, next=words.after_error(error), notices=self.service.notices.news())

    # -- what surfaces may do otherwise

    def watching(self, command: Command) -> AbstractAsyncContextManager[None]:
        """Around every wait for a command."""
        return nullcontext()

    def budget(self, tokens: int) -> Budget:
        return Budget.of_tokens(tokens)

    def told(self, given: Arguments, command: Command, report: Report) -> Answer:
        """The report, with as much of the output as the caller wants."""
        outcome = report.outcome
        if (tokens := given.whole("max_output_tokens")) is not None:
            summary = command.output.summary(self.budget(tokens))
            outcome = dataclasses.replace(outcome, output=summary.text, omitted=summary.omitted)
        return Answer(
            outcome=outcome,
            reached=report.reached,
            notes=given.notes,
            notices=report.notices,
            next=words.next_step(outcome),
        )

    async def hand_over(self, given: Arguments, command: Command, reason: str) -> Answer:
        handoff = self.service.handoff(command.id, reason)
        if self._on_handoff is not None:
            self._on_handoff(handoff)
        answer = await self.waited(given, command, given.number("wait", 0.0), untils.Settled())
        if command.finished or answer.reached is not None:
            return answer
        return dataclasses.replace(answer, next=words.HANDED_OVER)

    # -- run, wait, send

    async def _run(self, given: Arguments) -> Answer:
        command = await self.service.start(
            given.text("command") or "",
            terminal=given.text("terminal_id"),
            cwd=given.text("cwd"),
            task=given.text("task") or self._task,
            shell=given.text("shell"),
            timeout=given.number("kill_after"),
            key=given.text("key"),
            asker=self._asker,
        )
        patience = BACKGROUND_WAIT if given.flag("background") else RUN_WAIT
        return await self.waited(given, command, given.number("wait", patience), _until(given))

    async def _wait(self, given: Arguments) -> Answer:
        command = self.service.command(self._id(given))
        return await self.waited(given, command, given.number("wait", RUN_WAIT), _until(given))

    async def _send(self, given: Arguments) -> Answer:
        command = self.service.command(self._id(given))
        text, keys = given.text("text") or "", [*given.texts("keys"), *(["Enter"] if given.flag("enter") else [])]
        patience = given.number("wait", SEND_WAIT)
        if not text and not keys:
            return await self.waited(given, command, patience, untils.Settled())
        async with self.watching(command):
            report = await self.service.send(command.id, text, keys=keys, wait=patience, asker=self._asker)
        return self.told(given, command, report)

    async def waited(self, given: Arguments, command: Command, wait: float | None, until: Until) -> Answer:
        async with self.watching(command):
            report = await self.service.wait(command.id, timeout=wait, until=until)
        return self.told(given, command, report)

    def _id(self, given: Arguments) -> str:
        if (id := given.text("id")) is None:
            known = [terminal.id for terminal in self.service.terminals()]
            told = f"there are {', '.join(known)}" if known else "there are none: run starts one"
            raise UnknownTerminal(f"which command or terminal? {told}", terminal_id=None, known=known)
        return id

    # -- read, screen

    async def _read(self, given: Arguments) -> Answer:
        command = self.service.command(self._id(given))
        limit = given.whole("limit")
        limit = PAGE if limit is None else max(1, min(limit, LARGEST_PAGE))
        page = await self.service.read(
            command.id,
            offset=given.whole("offset"),
            limit=max(limit, SMALLEST) if given.whole("offset") is None else limit,
            grep=given.text("grep"),
            context=given.whole("context") or 0,
            tail=given.whole("tail"),
        )
        outcome = command.snapshot()
        self.service.notices.told(command)
        output, matches = page.text, None
        if given.text("grep") is not None:
            matches = [dataclasses.asdict(match) for match in page.matches]
            output = _lines(page.matches)
        next_step = words.next_step(outcome)
        if page.next_offset is not None:
            next_step = words.next_page(command.id, page.next_offset)
        return Answer(
            outcome=outcome,
            output=output,
            nothing=words.NO_MATCH if matches is not None else words.NO_MORE_OUTPUT,
            notes=given.notes,
            notices=page.notices,
            next=next_step,
            offset=page.offset,
            next_offset=page.next_offset,
            matches=matches,
        )

    async def _screen(self, given: Arguments) -> Answer:
        id = self._id(given)
        command = self._last(id)
        terminal = self.service.registry.get(id if command is None else command.terminal_id)
        screen = self.service.screen(terminal.id)
        outcome = command.snapshot() if command is not None else None
        if command is not None:
            self.service.notices.told(command)
        return Answer(
            outcome=outcome,
            headline=None if outcome is not None else words.idle(terminal.id, terminal.cwd),
            output=screen.text,
            omitted=0,
            notices=self.service.notices.news(),
            next=words.next_step(outcome) if outcome is not None else words.NOTHING_RAN,
            screen=screen,
        )

    def _last(self, id: str) -> Command | None:
        """The command that is meant; None in a terminal where nothing has run yet."""
        try:
            return self.service.command(id)
        except UnknownTerminal:
            raise
        except Misuse:
            return None

    # -- stop, terminals, handoff

    async def _stop(self, given: Arguments) -> Answer:
        id, close = self._id(given), given.flag("close")
        command = self._last(id)
        if command is None:
            if not close:
                raise Misuse(f"nothing has run in terminal {id} yet", terminal_id=id)
            await self.service.registry.get(id).close()
            return Answer(headline=words.closed(id), notices=self.service.notices.news(), next=words.NOTHING_RAN)
        async with self.watching(command):
            report = await self.service.stop(command.id, close=close)
        return self.told(given, command, report)

    async def _terminals(self, given: Arguments) -> Answer:
        rows = [_row(terminal) for terminal in self.service.terminals()]
        return Answer(
            headline=words.count(len(rows)),
            notices=self.service.notices.news(),
            next=words.OPEN if rows else words.NONE_OPEN,
            terminals=rows,
        )

    async def _handoff(self, given: Arguments) -> Answer:
        command = self.service.command(self._id(given))
        return await self.hand_over(given, command, given.text("reason") or words.NO_REASON)


def _until(given: Arguments) -> Until:
    """`for` in words, or the parameter that is named like one."""
    named: list[Until] = []
    if (what := given.text("for")) is not None:
        bare = what.strip()
        if not (bare in ("match", "idle", "port") and bare in given.values):
            named.append(untils.read(what))
    if (pattern := given.text("match")) is not None:
        if (reason := patterns.endless(pattern)) is not None:
            raise Misuse(f"no wait is for {pattern!r}: {reason}", until=pattern, reason=reason)
        named.append(untils.matching(pattern))
    if (seconds := given.number("idle")) is not None:
        named.append(untils.Idle(seconds))
    if (number := given.whole("port")) is not None:
        named.append(untils.read(f"port:{number}"))
    if len(named) > 1:
        raise Misuse("wait is for one thing: for, match, idle or port", known=["for", "match", "idle", "port"])
    return named[0] if named else untils.Settled()


def _lines(matches: Sequence[Match]) -> str:
    """As grep prints them, with their numbers."""
    found: dict[int, str] = {}
    for match in matches:
        number = match.line_number
        for at, line in enumerate((*match.before, match.line, *match.after), number - len(match.before)):
            if at == number or at not in found:
                found[at] = f"{at}{':' if at == number else '-'}{line}"
    return "".join(f"{found[at]}\n" for at in sorted(found))


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
        "command": command.text[: words.QUOTED] if command is not None else None,
        "exit_code": command.exit_code if command is not None else None,
    }
