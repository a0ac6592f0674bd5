"""The verbs about terminals, carried out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from truetty.core.errors import Misuse
from truetty.core.kinds import Wrong
from truetty.server import fields, forms, limits
from truetty.server.acts.casts import recorded
from truetty.server.acts.closing import Closing
from truetty.server.acts.questions import QuestionActs
from truetty.server.caller import Caller
from truetty.server.lookup import find_terminal
from truetty.server.refusals import TooLarge
from truetty.server.state.stray import Stray
from truetty.server.watch import Watch, deeds
from truetty.service.service import Service
from truetty.service.typing import Typist
from truetty.settings import Settings
from truetty.terminal.options import Making
from truetty.terminal.terminal import Terminal
from truetty.text.clean import clean


class TerminalActs:
    def __init__(
        self,
        service: Service,
        watch: Watch,
        settings: Settings,
        closing: Closing,
        strays: Sequence[Stray],
        questions: QuestionActs,
    ) -> None:
        self._service = service
        self._strays = strays
        self._questions = questions
        self._closing = closing
        self._watch = watch
        self._inherits = settings.inherit_env

    async def open(
        self,
        caller: Caller,
        *,
        shell: Any,
        cwd: str | None,
        task: str | None,
        environ: Any,
        until_finished: bool,
        **making: Any,
    ) -> forms.TerminalForm:
        named = _making(making)
        self._check_free(named.get("name"))
        inherited = self.inherited(environ)
        made = await self._service.registry.open(shell, cwd=cwd, task=task, inherited=inherited, **named)
        if until_finished:
            self._closing.mark(made)
        return self._opened(made, caller)

    async def acquire(
        self,
        client: Caller,
        *,
        shell: Any,
        cwd: str | None,
        task: str | None,
        environ: Any,
        require_cwd: bool,
        caller: str | None,
        **making: Any,
    ) -> forms.TerminalForm:
        found = await self._service.registry.acquire(
            cwd,
            task=task,
            require_cwd=require_cwd,
            shell=shell,
            caller=client.token(caller),
            inherited=self.inherited(environ),
            **_making(making),
        )
        return self._opened(found, client)

    async def release(self, client: Caller, *, task: str | None, terminal: str | None, caller: str | None) -> Any:
        if (task is None) == (terminal is None):
            raise Misuse("release takes a task or a terminal: name one of them")
        what: Any = task if terminal is None else self._service.registry.get(terminal)
        released = self._service.registry.release(what, caller=client.token(caller))
        for one in released:
            self._watch.look(one)
        return forms.Terminals(tuple(map(self._watch.terminal, released)), self._watch.seq)

    def inherited(self, environ: Mapping[str, str] | None) -> Mapping[str, str] | None:
        """What a new terminal inherits of its caller; nothing where the settings say that terminals inherit nothing."""
        return environ if self._inherits else None

    def _opened(self, terminal: Terminal, caller: Caller) -> forms.TerminalForm:
        self._watch.add(terminal, caller.name)
        return self._watch.terminal(terminal)

    def _check_free(self, name: str | None, but: Terminal | None = None) -> None:
        """A name is one open terminal's."""
        for terminal in self._service.registry.list():
            if name is not None and terminal.name == name and terminal is not but:
                raise Misuse(f"terminal {terminal.id} is called {name!r} already", name=name, terminal_id=terminal.id)

    # -- looking

    async def list(self, caller: Caller, *, task: str | None, state: str | None, all: bool) -> forms.Terminals:
        registry = self._service.registry
        found = sorted(registry.all(), key=_number) if all else registry.list()
        listed = [self._watch.terminal(one) for one in found if task is None or one.task == task]
        wanted = tuple(one for one in listed if state in (None, _state(one)))
        return forms.Terminals(wanted, self._watch.seq, tuple(one.form for one in self._strays))

    async def completed(self, caller: Caller) -> forms.Commands:
        return forms.Commands(tuple(map(self._watch.command, self._service.registry.completed)))

    async def show(self, caller: Caller, *, terminal_id: str, exact: bool) -> forms.TerminalForm:
        return self._watch.terminal(self._find(terminal_id, exact))

    async def screen(
        self,
        caller: Caller,
        *,
        terminal_id: str,
        exact: bool,
        after: int | None,
        timeout: float | None,
        form: str | None,
        title: str | None,
        cursor: bool,
        theme: str,
        crop: bool,
    ) -> forms.ScreenForm | forms.Text:
        terminal = self._find(terminal_id, exact)
        if after is not None:
            await self._printed(caller, terminal, after, timeout)
        if form == "svg":
            return forms.Text(terminal.picture(title=title, cursor=cursor, theme=theme, crop=crop))
        seq, screen = terminal.transcript.size, terminal.screen()
        if form is not None:
            return forms.Text(screen.text if form == "text" else screen.dump)
        return forms.ScreenForm(
            screen.lines,
            screen.cursor,
            screen.cursor_visible,
            screen.size,
            screen.title,
            screen.alternate,
            screen.dump,
            seq,
        )

    async def _printed(self, caller: Caller, terminal: Terminal, after: int, timeout: float | None) -> None:
        """Wait until more than `after` bytes were printed, the command that runs has ended, or the time is over."""
        command = terminal.command if terminal.busy else None
        bounds = [limit for limit in (timeout, caller.longest_wait) if limit is not None]

        def is_new() -> bool:
            ended = command is not None and command.finished
            return terminal.transcript.size > after or ended or terminal.closed

        async with caller.rest():
            await terminal.changes.until(is_new, min(bounds, default=None))

    async def shown(self, caller: Caller, *, terminal_id: str, exact: bool, since: int) -> forms.Bytes:
        terminal = self._find(terminal_id, exact)
        end, data = terminal.shown(since)
        return forms.Bytes.of(data, since, end, terminal.transcript.size)

    async def transcript(
        self, caller: Caller, *, terminal_id: str, exact: bool, offset: int, limit: int | None
    ) -> forms.Bytes:
        transcript = self._find(terminal_id, exact).transcript
        size = transcript.size
        end = min(size, offset + min(limits.LARGEST_READ if limit is None else limit, limits.LARGEST_READ))
        return forms.Bytes.of(transcript.read(offset, max(0, end - offset)), offset, max(offset, end), size)

    async def cast(self, caller: Caller, *, terminal_id: str, exact: bool) -> AsyncIterator[Any]:
        return recorded(self._find(terminal_id, exact))

    async def log(self, caller: Caller, *, terminal_id: str, exact: bool) -> forms.Text:
        terminal = self._find(terminal_id, exact)
        timeline, most = terminal.timeline(), limits.LARGEST_TEXT_ANSWER
        if timeline.end > most:
            message = f"more than {most:,} bytes were printed: transcript has them, a part in each answer"
            raise TooLarge(message, limit="text", value=most)
        _, shown = timeline.shown(0, most)
        return forms.Text(await asyncio.to_thread(clean, shown, *terminal.size))

    async def gaps(
        self, caller: Caller, *, terminal_id: str, exact: bool, start: int, end: int | None
    ) -> forms.TranscriptForm:
        transcript = self._find(terminal_id, exact).transcript
        return forms.TranscriptForm(transcript.size, transcript.path, transcript.trouble, transcript.gaps(start, end))

    async def jobs(self, caller: Caller, *, terminal_id: str, exact: bool) -> forms.Jobs:
        jobs = self._find(terminal_id, exact).jobs
        return forms.Jobs(None if jobs is None else tuple(jobs))

    # -- changing

    async def change(
        self, caller: Caller, *, terminal_id: str, exact: bool, name: str | None, task: str | None
    ) -> forms.TerminalForm:
        terminal = self._find(terminal_id, exact)
        if name:
            try:
                fields.NAME.read(name)
            except Wrong as wrong:
                raise Misuse(f"name = {name[:100]!r}: {wrong}", name=name[:100]) from None
            self._check_free(name, terminal)
        if name is not None:
            terminal.name = name or None
        if task is not None:
            terminal.task = task or None
        return self._looked(terminal)

    async def close(self, caller: Caller, *, terminal_id: str, exact: bool, keep_jobs: bool) -> forms.TerminalForm:
        terminal = self._find(terminal_id, exact)
        await asyncio.shield(asyncio.ensure_future(terminal.close(keep_jobs=keep_jobs)))
        return self._looked(terminal)

    async def type_in(
        self,
        caller: Caller,
        *,
        terminal_id: str,
        exact: bool,
        text: str | None,
        base64: bytes | None,
        keys: Sequence[str],
        lease: str | None,
    ) -> forms.TerminalForm:
        terminal = self._find(terminal_id, exact)
        by = Typist(lease, asker=self._questions.asker(caller, terminal=terminal.id))
        await self._service.type(terminal.id, typed(text, base64), keys=keys, by=by)
        return self._looked(terminal)

    async def resize(
        self, caller: Caller, *, terminal_id: str, exact: bool, size: tuple[int, int], lease: str | None
    ) -> forms.TerminalForm:
        terminal = self._find(terminal_id, exact)
        self._service.leases.check(terminal.id, lease, done="It has the size that it had.")
        await terminal.resize(*size)
        terminal.changes.tell()  # viewers draw it anew
        return self._looked(terminal)

    async def lease(
        self, caller: Caller, *, terminal_id: str, exact: bool, reason: str, holder: str
    ) -> forms.LeaseForm:
        made = self._service.lease(self._find(terminal_id, exact).id, holder, reason)
        return forms.LeaseForm(made.id, made.holder, made.until)

    async def want(self, caller: Caller, *, terminal_id: str, exact: bool, name: str) -> forms.Holding:
        lease = self._service.leases.want(self._find(terminal_id, exact), name)
        return forms.Holding(lease.holder, lease.reason, lease.until, lease.wanted_by)

    async def give_back(self, caller: Caller, *, terminal_id: str, exact: bool, lease: str) -> forms.Did:
        return deeds(self._service.leases.give_back(self._find(terminal_id, exact).id, lease))

    def _looked(self, terminal: Terminal) -> forms.TerminalForm:
        self._watch.look(terminal)
        return self._watch.terminal(terminal)

    def _find(self, wanted: str, exact: bool) -> Terminal:
        return find_terminal(self._service, wanted, exact=exact)


def typed(text: str | None, data: bytes | None) -> str | bytes:
    if text is not None and data is not None:
        raise Misuse("text and base64 mean the same: give one of them. Nothing was typed.")
    return data if data is not None else text or ""


def _making(given: Mapping[str, Any]) -> Making:
    """What was named; the registry has the rest."""
    named: Making = {name: value for name, value in given.items() if value is not None}  # type: ignore[assignment]
    return named


def _number(terminal: Terminal) -> int:
    return int(terminal.id[1:])


def _state(terminal: forms.TerminalForm) -> str:
    if terminal.closed:
        return "closed"
    return terminal.command.state if terminal.busy and terminal.command is not None else "idle"
