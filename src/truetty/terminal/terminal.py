"""One shell on one channel, as its users hold it.

Rule 1: `wait` limits how long the caller waits; only `timeout` ends a command.
Rule 2: one command at a time: a second one is refused with `Busy`, never queued and never typed into the first.
Rule 3: a terminal whose shell ended is `closed` and says with what exit code; `close()` leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from enum import Enum, auto
from math import inf
from types import TracebackType
from typing import Final, NoReturn, Self, Unpack

from truetty.core import checks
from truetty.core.errors import Busy, Closed, HostError, Misuse
from truetty.core.outcome import Outcome, Strategy
from truetty.host import environment
from truetty.host.base import Channel, Process
from truetty.shells import table
from truetty.shells.row import Row
from truetty.shells.writing import draw_key
from truetty.store.timeline import Timeline
from truetty.store.transcript import Transcript
from truetty.terminal import exit_codes, keyboard
from truetty.terminal.by_hand import ByHand
from truetty.terminal.changes import Changes, Rank
from truetty.terminal.command import Command
from truetty.terminal.keeping import TerminalRecord
from truetty.terminal.numbers import next_id
from truetty.terminal.opening import await_first_prompt, start_shell
from truetty.terminal.options import Arguments, Options, ShellName
from truetty.terminal.recording import Recording, RecordingOptions
from truetty.terminal.viewer import Viewer
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.link import Link
from truetty.terminal.wire.records import echoes, make_again
from truetty.terminal.wire.run import Run
from truetty.text.screen import Screen

# Of what viewers see, so much is given at once.
VIEW: Final = 1 << 20


class Phase(Enum):
    """Each terminal goes through these in this order; it may be closed in any of them."""

    NEW = auto()
    OPENING = auto()
    OPEN = auto()
    CLOSING = auto()
    CLOSED = auto()


class Terminal:
    """`async with Terminal("bash") as terminal: outcome = await terminal.run("make", wait=60)`."""

    def __init__(self, shell: ShellName = None, **arguments: Unpack[Arguments]) -> None:
        """The arguments are the fields of `Options`, by name."""
        options = Options.of(shell, **arguments)
        keeping = options.keeping
        self.id: Final[str] = next_id() if keeping is None else keeping.id  # such as "t1"
        self.options: Final[Options] = options  # what it was made with
        self.name: str | None = options.name  # what the caller has called it
        self.task: str | None = options.task  # of a registry: the task that holds it
        self.size: tuple[int, int] = options.size  # columns and rows
        self.transcript: Final[Transcript] = (  # all bytes that it has printed
            Transcript(memory=options.memory, quota=options.quota, total=options.total)
            if keeping is None
            else keeping.transcript
        )
        self.command: Command | None = None  # the last one that was started
        self.changes: Final = Changes()  # called whenever something is new
        self._phase = Phase.NEW
        self._conversation: Conversation | None = None
        self._viewer: Viewer | None = None
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, shell: ShellName = None, **arguments: Unpack[Arguments]) -> Self:
        """A terminal whose shell is at its first prompt (or has used up its `startup` time)."""
        return await cls(shell, **arguments).__aenter__()

    async def __aenter__(self) -> Self:
        if self._phase is not Phase.NEW:
            raise Misuse(f"terminal {self.id} was opened already", terminal_id=self.id)
        self._phase = Phase.OPENING
        try:
            await self._open()
        except BaseException:
            await self.close()
            raise
        if self._phase is Phase.OPENING:
            self._phase = Phase.OPEN
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __enter__(self) -> NoReturn:
        raise Misuse('truetty.Terminal is async: write "async with", or use truetty.sync.Terminal')

    def __exit__(self, *exception: object) -> NoReturn:
        self.__enter__()

    def __del__(self) -> None:
        """No caller holds it any more: its shell is ended, in the loop, as `close()` would."""
        conversation = getattr(self, "_conversation", None)
        if conversation is None or self._phase not in (Phase.OPENING, Phase.OPEN):
            return
        home, channel = conversation.link.home, conversation.link.channel
        if home.is_this_process and not home.loop.is_closed():
            warnings.warn(f"terminal {self.id} was not closed", ResourceWarning, stacklevel=1)
            home.loop.call_soon_threadsafe(lambda: home.loop.create_task(channel.close()))

    def __repr__(self) -> str:
        return f"<Terminal {self.id} {self.shell} {'closed' if self.closed else 'busy' if self.busy else 'idle'}>"

    # -- what is known of it

    @property
    def shell(self) -> str:
        """The name of its shell: bash, zsh, fish; or of the program that was started in its place."""
        return self._conversation.link.shell.name if self._conversation is not None else str(self.options.shell or "")

    @property
    def pid(self) -> int | None:
        """The process id of its shell. None: it is not open yet."""
        return self._conversation.link.channel.pid if self._conversation is not None else None

    @property
    def cwd(self) -> str | None:
        """Where the shell is, as the kernel says; where it last was, once it is gone. None: not known, or removed."""
        return self._conversation.link.cwd if self._conversation is not None else None

    @property
    def busy(self) -> bool:
        """Whether a command runs in it: the next one would be refused with `Busy`."""
        return self.command is not None and not self.command.finished

    @property
    def closed(self) -> bool:
        """By `close()`, or because its shell has ended."""
        ended = self._conversation is not None and self._conversation.link.ended is not None
        return ended or self._phase in (Phase.CLOSING, Phase.CLOSED)

    @property
    def exit_code(self) -> int | None:
        """Of the shell, once it has ended; 128+n if a signal ended it."""
        return exit_codes.of_shell(self._conversation.link.ended) if self._conversation is not None else None

    @property
    def jobs(self) -> list[Process] | None:
        """Living processes that commands have started in it. None: they cannot be seen, so some may be there.

        Once the shell has ended by itself, its jobs cannot be told from other processes.
        """
        if self._conversation is None or self._phase in (Phase.CLOSING, Phase.CLOSED):
            return []
        link = self._conversation.link
        return None if self.closed else link.processes.living(prompt_is_due=link.prompt.is_due)

    @property
    def strategy(self) -> Strategy:
        """How commands are followed: "rich" by marks of the shell, "basic" by the kernel alone, "none" not at all."""
        return self._conversation.link.integration.strategy if self._conversation is not None else "none"

    # -- running

    async def run(
        self,
        command: str,
        *,
        wait: float | None = None,
        timeout: float | None = None,
        kill_after: float | None = None,
    ) -> Outcome:
        """Run a command and return when it has finished, waits for input, or `wait` seconds have passed.

        `wait` is patience: the command goes on after it. `timeout` ends the command; `kill_after` is its other name.
        To run it elsewhere: `run("cd /srv && make")`, or a terminal of its own with `Terminal(cwd="/srv")`.
        """
        checks.check_wait(wait, ran=checks.NOTHING_RAN)
        return await (await self.start(command, timeout=timeout, kill_after=kill_after)).wait(wait)

    async def start(self, command: str, *, timeout: float | None = None, kill_after: float | None = None) -> Command:
        """Start a command and return at once. `timeout`, or `kill_after`, ends it after so many seconds."""
        checks.check_text(command)
        limit = checks.limit_of(timeout, kill_after)
        conversation = self._open_conversation()
        if self.command is not None and not self.command.finished:
            raise self._busy(self.command)
        run = conversation.prepare(command, limit=inf if limit is None else limit)
        before = self.command
        self.command = made = self._command(run, conversation)
        try:
            conversation.begin(run)
        except OSError as error:
            made.discard()
            self.command = before
            self.changes.tell()  # for listeners that learnt of the command meanwhile
            raise HostError(f"the command was not sent: {error.strerror}", reason=error.strerror) from error
        return made

    async def send(self, text: str | bytes) -> None:
        """Type `text` as it is to the program that reads this terminal."""
        await keyboard.send(self._opened(), text)

    async def press(self, *names: str) -> None:
        """Press keys by name: "Enter", "C-c", "Up", "F5"."""
        await keyboard.press(self._opened(), *names)

    async def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window would that a person drags."""
        checks.check_size(columns, rows)
        self._open_conversation().resize(columns, rows)
        self.size = (columns, rows)
        if self.options.keeping is not None:
            self.options.keeping.on_resize(self.size)

    # -- looking

    def screen(self) -> Screen:
        """What a person would see now, or saw last: lines, cursor, size, title."""
        return self._view().look()

    def picture(self, *, title: str | None = None, cursor: bool = True, theme: str = "dark", crop: bool = False) -> str:
        """The same as an SVG. With a `title`, there is a bar above it that says it. `theme` is "dark" or "light".

        `crop` leaves out the columns at the right in which nothing stands.
        """
        from truetty.text.picture import picture as draw  # few terminals are drawn

        return draw(self._view().model().drawing(), title=title, cursor=cursor, theme=theme, crop=crop)

    def shown(self, since: int = 0) -> tuple[int, bytes]:
        """What viewers see from this place on, about a megabyte at most, and the place where the next of it begins."""
        return self.timeline().shown(since, VIEW)

    def timeline(self) -> Timeline:
        """What viewers need beside the bytes."""
        return self._opened().link.timeline

    def record(self, path: str | os.PathLike[str], **options: Unpack[RecordingOptions]) -> Recording:
        """Write to a file, as an asciicast, all that was shown from the beginning, and what will be until the end."""
        link = self._opened().link
        term = environment.term(self.options.env)
        made = Recording(
            path,
            link.timeline,
            link.channel.tty,
            name=self.name,
            shell=self.shell,
            term=term,
            **options,
        )

        def follow() -> None:
            if self.changes.over or link.ended is not None:
                made.on_exit(self.exit_code)
            made.on_change()

        made.on_stop(self.changes.subscribe(follow, Rank.RECORDINGS))
        made.on_stop(link.typist.listen(made.on_keys))
        follow()
        return made

    def watch_hands(self) -> ByHand:
        """From now on a person types: what is run meanwhile is read from what the shell prints."""
        return ByHand(self._open_conversation(), lambda: self.command)

    # -- opening and closing

    async def _open(self) -> None:
        key = draw_key()
        channel, row = await start_shell(self.options, key)
        if self._phase is not Phase.OPENING:  # it was closed meanwhile
            await channel.close()
            raise Closed(f"terminal {self.id} was closed before it was open", terminal_id=self.id)
        sandbox = self.options.sandbox
        welcome = None if sandbox is None else sandbox.description()
        conversation = self._converse(channel, row, key, welcome)
        conversation.attach()
        await await_first_prompt(conversation, self.changes, self.options.startup)
        if self.options.keeping is not None:
            self.options.keeping.on_open(
                {
                    "key": key,
                    "shell": row.name,
                    "folder": channel.files.path,
                    "link": conversation.link.standing(),
                    "echoes": echoes(conversation.link),
                }
            )

    @classmethod
    def adopt(cls, options: Options, channel: Channel, record: TerminalRecord) -> tuple[Self, list[Command]]:
        """A terminal of a process before this one, as it stands now, and its commands, the oldest first."""
        self = cls(options.shell, **options.arguments())
        keeping, opened = options.keeping, record.opened
        assert keeping is not None
        pieces = keeping.printed_since(record.link["at"])
        conversation = self._converse(channel, table.recognise(opened["shell"]), opened["key"], None)
        conversation.link.stand(record.link)
        self.size = conversation.link.size
        runs = [make_again(conversation.link, one.begun, one.ended) for one in record.commands]
        commands = [self._command(run, conversation) for run in runs]
        self._phase = Phase.OPEN
        if commands:
            self.command = commands[-1]
            conversation.take_over(runs[-1], record.commands[-1].begun, pieces)
        else:
            conversation.take_over(None, None, pieces)
        for command, one in zip(commands, record.commands, strict=True):
            command.go_on_from(*one.given)  # now that it is known where its output begins
        return self, commands

    def _converse(self, channel: Channel, row: Row, key: str, welcome: str | None) -> Conversation:
        options = self.options
        link = Link(
            self.id,
            channel,
            row,
            key,
            self.transcript,
            self.size,
            history=options.history,
            welcome=welcome,
            ledger=options.keeping,
        )
        self._viewer = viewer = Viewer(link.timeline, link.modes)
        self._conversation = Conversation(link, self.changes.tell, lambda: viewer.model().cursor)
        return self._conversation

    def _command(self, run: Run, conversation: Conversation) -> Command:
        id = f"{self.id}-{run.serial}"
        return Command(id, self, self.id, run, conversation, self.changes, self._view(), self.options)

    async def close(self, *, keep_jobs: bool = False) -> None:
        """End the shell and everything it started, and let go of everything. Safe to call twice.

        With `keep_jobs` the shell alone is ended. What it has left in the background goes on, and what that prints to
        the terminal is read and thrown away. In a sandbox nothing goes on.
        """
        if self._conversation is not None and not self._conversation.link.home.is_this_process:
            self._phase = Phase.CLOSED  # a forked child's copy: the shell is the parent's
            return
        if self._closing is None:
            self._phase = Phase.CLOSING
            if self._conversation is not None:
                self._conversation.link.on_close()
            self._closing = asyncio.ensure_future(self._close(keep_jobs))
        await asyncio.shield(self._closing)

    async def _close(self, keep_jobs: bool) -> None:
        if self.command is not None:
            self.command.forget()
        try:
            if self._conversation is not None:
                await self._conversation.link.channel.close(keep_jobs=keep_jobs)
        finally:
            self.transcript.close()
            self._phase = Phase.CLOSED
            if self.options.keeping is not None:
                self.options.keeping.on_close()
            self.changes.close()

    # -- inside

    def _opened(self) -> Conversation:
        if self._conversation is None:
            how = 'use "async with Terminal(…)" or "await Terminal.open(…)"'
            raise Misuse(f"terminal {self.id} is not open: {how}", terminal_id=self.id)
        return self._conversation

    def _open_conversation(self) -> Conversation:
        conversation = self._opened()
        conversation.link.require_open()
        return conversation

    def _busy(self, command: Command) -> Busy:
        text, waiting = f"{command.text[:60]!r} ({command.id})", command.waiting
        prompt = None if waiting is None else waiting.prompt[-60:]
        if prompt is not None:
            what = f"is busy: {text} asks {prompt!r}. Answer it with terminal.send(…), or stop it"
        else:
            what = f"is busy with {text}. Wait for it, stop it, or use another terminal"
        facts = {"command_id": command.id, "command": command.text, "state": command.state, "prompt": prompt}
        return Busy(f"terminal {self.id} {what}.{checks.NOTHING_RAN}", terminal_id=self.id, **facts)

    def _view(self) -> Viewer:
        self._opened()
        assert self._viewer is not None
        return self._viewer
