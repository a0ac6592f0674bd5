"""The verbs about commands and their output, carried out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any, Final, get_args

from truetty import events
from truetty.core.outcome import Outcome
from truetty.core.patterns import BoundedPattern
from truetty.core.until import Settled, Until
from truetty.server import forms, limits, starter
from truetty.server.acts.questions import QuestionActs
from truetty.server.acts.terminals import TerminalActs, typed
from truetty.server.caller import Caller
from truetty.server.lookup import find_command, find_terminal
from truetty.server.refusals import Stale, TooLarge
from truetty.server.shapes import plain
from truetty.server.starter import Starter
from truetty.server.watch import Watch
from truetty.service.service import MOST_MATCHES, Service
from truetty.service.typing import Typist
from truetty.store.line_slice import LineSlice
from truetty.store.part import Part
from truetty.terminal.command import Command, LastWait
from truetty.terminal.stream import Stream
from truetty.text.digest import Budget
from truetty.text.fit import fit

LARGEST_PICTURE: Final = 1 << 20  # bytes of an output's end that are drawn
USUAL_SIZE: Final = (80, 24)  # of a terminal that is no longer known
REST: Final = "read has them, by the command_id and an offset"


class CommandActs:
    def __init__(self, service: Service, watch: Watch, terminals: TerminalActs, questions: QuestionActs) -> None:
        self._service = service
        self._watch = watch
        self._terminals = terminals
        self._questions = questions

    # -- running

    async def run(self, caller: Caller, *, wait: float | None, until: Until | None, **wanted: Any) -> Outcome:
        now = asyncio.get_running_loop().time
        begun = now()
        command, _ = await self._start(caller, patience=wait, **wanted)
        left = None if wait is None else max(wait - (now() - begun), 0)
        return await self._wait(caller, command, left, until, is_new=True)

    async def start(self, caller: Caller, **wanted: Any) -> forms.CommandForm:
        return (await self._start(caller, **wanted))[1]

    async def _start(
        self,
        caller: Caller,
        *,
        terminal: str | None,
        environ: Any,
        exact: bool,
        patience: float | None = None,
        **wanted: Any,
    ) -> tuple[Command, forms.CommandForm]:
        """The command, and how it stood then. `patience`: seconds in which a person may be asked whether it may run."""
        if terminal is not None:
            terminal = find_terminal(self._service, terminal, exact=exact).id
        inherited = self._terminals.inherited(environ)
        asker = self._questions.asker(
            caller, terminal=terminal, task=wanted["task"], cwd=wanted["cwd"], patience=patience
        )
        starter.current.set(Starter("person" if caller.credential.is_page else "program", caller.name))
        started = await self._service.start(terminal=terminal, inherited=inherited, asker=asker, **wanted)
        terminal_of = self._service.registry.get(started.terminal_id)
        return started, self._watch.start(terminal_of, caller.name, started)

    async def wait(
        self,
        caller: Caller,
        *,
        command_id: str,
        exact: bool,
        timeout: float | None,
        until: Until | None,
        after_episode: int | None,
        after_byte: int | None,
        is_new: bool = False,
    ) -> Outcome:
        """`is_new`: the caller's own call has just started it."""
        known = after_episode is not None or after_byte is not None
        last = LastWait(after_episode or 0, after_byte or 0) if known else None
        return await self._wait(caller, self._find(command_id, exact), timeout, until, last, is_new=is_new)

    async def _wait(
        self,
        caller: Caller,
        command: Command,
        timeout: float | None,
        until: Until | None,
        last: LastWait | None = None,
        *,
        is_new: bool = False,
    ) -> Outcome:
        wait = command.wait if last is None else partial(command.wait_since, last)
        longest, ended_before = caller.longest_wait, command.finished and not is_new
        async with caller.rest():
            if longest is None or (timeout is not None and timeout <= longest):
                outcome = await wait(timeout, until or Settled())
            else:
                # A wait that is cut by our own limit is no wait that was answered: what it has searched is searched
                # again by the next one.
                try:
                    async with asyncio.timeout(longest):
                        outcome = await wait(timeout, until or Settled())
                except TimeoutError:
                    outcome = await command.report()
        if ended_before or not command.finished:  # otherwise its end was told, with all that it has changed
            self._look(command)
        return outcome

    async def command(self, caller: Caller, *, command_id: str, exact: bool) -> forms.CommandForm:
        return self._watch.command(self._find(command_id, exact))

    async def report(self, caller: Caller, *, command_id: str, exact: bool) -> Outcome:
        return await self._find(command_id, exact).report()

    async def explain(self, caller: Caller, *, command_id: str, exact: bool, text: bool) -> forms.Text:
        return forms.Text(self._find(command_id, exact).explain(text=text))

    async def picture(self, caller: Caller, *, command_id: str, exact: bool, theme: str) -> forms.Text:
        command = self._find(command_id, exact)
        terminal = self._service.registry.find(command.terminal_id)
        size = USUAL_SIZE if terminal is None else terminal.size
        printed = command.output.read(max(0, command.output.bytes - LARGEST_PICTURE))

        def draw() -> str:
            screen = fit(printed, size).screen()
            return screen.picture(
                title=command.text.partition("\n")[0], cursor=not command.finished, theme=theme, crop=True
            )

        return forms.Text(await asyncio.to_thread(draw))

    async def activity(self, caller: Caller, *, command_id: str, exact: bool) -> forms.ActivityForm:
        command = self._find(command_id, exact)
        now = command.activity
        return forms.ActivityForm(
            output_bytes=now.output_bytes,
            quiet_seconds=now.quiet_seconds,
            cpu_seconds=now.cpu_seconds,
            processes=now.processes,
            reader=command.reader,
            reads_lines=command.reads_lines,
            is_full_screen=command.is_full_screen,
            hides_typing=command.hides_typing,
        )

    async def follow(
        self, caller: Caller, *, command_id: str, exact: bool, coalesce: float | None, at: int | None
    ) -> AsyncIterator[dict[str, Any]]:
        stream = self._find(command_id, exact).events(coalesce)
        if at is not None:
            stream.skip_to(at)
        return _parts(stream)

    # -- typing and ending

    async def send(
        self,
        caller: Caller,
        *,
        command_id: str,
        exact: bool,
        text: str,
        keys: Sequence[str],
        wait: float,
        until: Until | None,
    ) -> Outcome:
        command = self._find(command_id, exact)
        asker = self._questions.asker(caller, terminal=command.terminal_id)
        await self._service.enter(command.id, text, keys=keys, asker=asker)
        return await self._wait(caller, command, wait, until)

    async def type(
        self,
        caller: Caller,
        *,
        command_id: str,
        exact: bool,
        text: str | None,
        base64: bytes | None,
        keys: Sequence[str],
    ) -> forms.CommandForm:
        command = self._find(command_id, exact)
        by = Typist(asker=self._questions.asker(caller, terminal=command.terminal_id))
        await self._service.type(command.id, typed(text, base64), keys=keys, by=by)
        return self._looked(command)

    async def answer(
        self, caller: Caller, *, command_id: str, exact: bool, episode: int, text: str, enter: bool, secret: bool
    ) -> forms.CommandForm:
        command = self._find(command_id, exact)

        def check() -> None:
            if command.finished or command.open_waiting != episode:
                message = f"{command.id} no longer asks that. Nothing was typed."
                raise Stale(message, command_id=command.id, episode=None if command.finished else command.open_waiting)
            if secret and not command.hides_typing:
                message = f"{command.id} no longer hides what is typed. Nothing was typed."
                raise Stale(message, command_id=command.id, episode=command.open_waiting)

        check()
        person = (caller.name or "") if caller.credential.is_page else ""
        by = Typist(person=person, asker=self._questions.asker(caller, terminal=command.terminal_id), check=check)
        await self._service.type(command.id, text, keys=["Enter"] if enter else [], by=by)
        return self._looked(command)

    async def interrupt(self, caller: Caller, *, command_id: str, exact: bool) -> forms.Interrupted:
        command = self._find(command_id, exact)
        return forms.Interrupted(await command.interrupt(), self._looked(command))

    async def stop(self, caller: Caller, *, command_id: str, exact: bool) -> Outcome:
        command = self._find(command_id, exact)
        async with caller.rest():
            outcome = await command.stop()
        self._look(command)
        return outcome

    # -- output

    async def read(
        self,
        caller: Caller,
        *,
        command_id: str,
        exact: bool,
        offset: int | None,
        limit: int,
        tail: int | None,
        grep: Any,
        context: int,
    ) -> forms.Page:
        command = self._find(command_id, exact)
        reads, matches, count = command.output.slices, None, None
        limit = min(limit, limits.LARGEST_TEXT_ANSWER)
        part: Part
        if grep is not None:
            found = await reads.search(_pattern(grep), context, limit, MOST_MATCHES)
            part, matches, count = found.part, found.matches, found.count
        elif tail is not None:
            part = await reads.last(tail, limit)
        elif offset is not None:
            part = await reads.part(offset, limit)
        else:
            part = await reads.fresh(Budget(limit, rest=REST))
        here = self._watch.command(command)
        return forms.Page(part.text, part.omitted, part.offset, part.next_offset, matches, count, here)

    async def text(
        self, caller: Caller, *, command_id: str, exact: bool, budget: Budget | None, head: int | None, tail: int | None
    ) -> forms.Text:
        output = self._find(command_id, exact).output
        if budget is None and head is None and tail is None and output.bytes > limits.LARGEST_TEXT_ANSWER:
            most = limits.LARGEST_TEXT_ANSWER
            raise TooLarge(f"more than {most:,} bytes were printed: read them by page", limit="text", value=most)
        return forms.Text(await output.slices.text(budget, head, tail))

    async def page(self, caller: Caller, *, command_id: str, exact: bool, offset: int, limit: int) -> forms.Text:
        reads = self._find(command_id, exact).output.slices
        return forms.Text(await reads.page(offset, min(limit, limits.LARGEST_TEXT_ANSWER)))

    async def unread(self, caller: Caller, *, command_id: str, exact: bool, budget: Budget | None) -> forms.Text:
        return forms.Text(await self._find(command_id, exact).output.slices.unread(budget))

    async def grep(
        self,
        caller: Caller,
        *,
        command_id: str,
        exact: bool,
        pattern: str | re.Pattern[str],
        context: int,
        limit: int | None,
    ) -> forms.Matches:
        reads = self._find(command_id, exact).output.slices
        return forms.Matches(tuple(await reads.grep(pattern, context, limit)))

    async def lines(self, caller: Caller, *, command_id: str, exact: bool) -> forms.Count:
        return forms.Count(await self._find(command_id, exact).output.slices.lines())

    async def slice(
        self, caller: Caller, *, command_id: str, exact: bool, first: int, count: int, tail: int, colours: bool
    ) -> LineSlice:
        return await self._find(command_id, exact).output.slices.slice(first, count, tail, colours)

    async def output(self, caller: Caller, *, command_id: str, exact: bool) -> forms.OutputForm:
        output = self._find(command_id, exact).output
        return forms.OutputForm(output.bytes, output.missing, output.complete, output.path, output.all_given)

    async def raw(self, caller: Caller, *, command_id: str, exact: bool, offset: int, limit: int | None) -> forms.Bytes:
        output = self._find(command_id, exact).output
        size = output.bytes
        end = min(size, offset + min(limits.LARGEST_READ if limit is None else limit, limits.LARGEST_READ))
        return forms.Bytes.of(output.read(offset, max(0, end - offset)), offset, max(offset, end), size)

    def _find(self, wanted: str, exact: bool) -> Command:
        return find_command(self._service, wanted, exact=exact)

    def _looked(self, command: Command) -> forms.CommandForm:
        self._look(command)
        return self._watch.command(command)

    def _look(self, command: Command) -> None:
        if (terminal := self._service.registry.find(command.terminal_id)) is not None:
            self._watch.look(terminal)


def _pattern(given: Any) -> Any:
    return BoundedPattern(given) if isinstance(given, str) else given


async def _parts(stream: Stream) -> AsyncIterator[dict[str, Any]]:
    try:
        async for event in stream:
            yield {"event": type(event).__name__.lower(), **plain(event), "at": stream.at}
    finally:
        await stream.aclose()


EVENTS: Final = {kind.__name__.lower(): kind for kind in get_args(events.Event)}  # what `follow` gives, by its `event`
