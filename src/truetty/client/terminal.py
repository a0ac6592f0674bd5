"""One terminal elsewhere. Names, arguments and meanings are those of `truetty.Terminal`.

Rule 1: what is known of it comes with the server's events, so a property asks nothing and is up to date when a call
        returns.
Rule 2: `screen()`, `picture()`, `jobs`, and a new `name` or `task` ask the server and wait for the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Final, NoReturn

from truetty.client.answers import Answers
from truetty.client.command import Command, screen_value, typing_fields
from truetty.client.link import Again, Link
from truetty.client.output import Transcript
from truetty.core import checks
from truetty.core.errors import ChannelLost, Misuse
from truetty.core.outcome import Outcome, Strategy
from truetty.core.until import Settled
from truetty.host.base import Process
from truetty.questions.replies import OnWaiting
from truetty.server import forms
from truetty.terminal import keys
from truetty.text.screen import Screen

Commands = Callable[[forms.CommandForm], Command]


class Terminal:
    """Made by `Registry.open` of a connection: `registry = await truetty.connect()`."""

    def __init__(self, link: Link, form: forms.TerminalForm, commands: Commands) -> None:
        self.id: Final[str] = form.id  # such as "t1"
        self.transcript: Final[Transcript] = Transcript(link, form.id)  # all bytes that it has printed
        self.command: Command | None = None  # the last one that was started
        self._link = link
        self._commands = commands
        self._form = form
        self._answers: Answers | None = None
        self._which = {"terminal_id": form.id, "exact": True}

    def __repr__(self) -> str:
        return f"<Terminal {self.id} {self.shell} {'closed' if self.closed else 'busy' if self.busy else 'idle'}>"

    # -- what is known of it

    @property
    def form(self) -> forms.TerminalForm:
        """How it stands, as the server has said last."""
        return self._form

    def stand(self, form: forms.TerminalForm) -> None:
        """How it stands now. A closed one stays as it was."""
        if not self._form.closed:
            self._form = form

    def begin(self, command: Command) -> None:
        """This is its last command now."""
        command.answers = self._answers
        self.command = command

    def look(self) -> None:
        """Its command may have begun to wait."""
        if self._answers is not None and self.command is not None:
            self._answers.look(self.command)

    def answer_by(self, callback: OnWaiting) -> None:
        self._answers = Answers(self._link, callback)

    @property
    def name(self) -> str | None:
        """What the caller has called it."""
        return self._form.name

    @name.setter
    def name(self, name: str | None) -> None:
        self._form = self._link.ask("change", forms.TerminalForm, {**self._which, "name": name or ""})

    @property
    def task(self) -> str | None:
        """Of a registry: the task that holds it."""
        return self._form.task

    @task.setter
    def task(self, task: str | None) -> None:
        self._form = self._link.ask("change", forms.TerminalForm, {**self._which, "task": task or ""})

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._form.size

    @property
    def shell(self) -> str:
        """The name of its shell: bash, zsh, fish; or of the program that was started in its place."""
        return self._form.shell

    @property
    def pid(self) -> int | None:
        """The process id of its shell, on the server's machine."""
        return self._form.pid

    @property
    def cwd(self) -> str | None:
        """Where the shell is, as it was when its last command ended or began to wait. None: not known, or removed."""
        return self._form.cwd

    @property
    def busy(self) -> bool:
        """Whether a command runs in it: the next one would be refused with `Busy`."""
        return self.command is not None and not self.command.finished

    @property
    def closed(self) -> bool:
        """By `close()`, or because its shell has ended."""
        return self._form.closed

    @property
    def exit_code(self) -> int | None:
        """Of the shell, once it has ended; 128+n if a signal ended it."""
        return self._form.exit_code

    @property
    def jobs(self) -> list[Process] | None:
        """Living processes that commands have started in it. None: they cannot be seen, so some may be there.

        Once the shell has ended by itself, its jobs cannot be told from other processes.
        """
        found = self._link.ask("jobs", forms.Jobs, self._which).jobs
        return None if found is None else list(found)

    @property
    def strategy(self) -> Strategy:
        """How commands are followed: "rich" by marks of the shell, "basic" by the kernel alone, "none" not at all."""
        return self._form.strategy

    @property
    def options(self) -> NoReturn:
        """What it was made with: the server knows."""
        raise Misuse("what a terminal elsewhere was made with is known to the server only", terminal_id=self.id)

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
        """
        checks.check_wait(wait, ran=checks.NOTHING_RAN)
        fields = self._starting(command, timeout, kill_after)
        deadline = None if wait is None or wait == inf else asyncio.get_running_loop().time() + wait
        before = self.command
        try:
            found = await self._link.run(fields, deadline)
        except ChannelLost:
            if self.command is None or self.command is before or self.command.state != "lost":
                raise
            return self.command.standing()
        if isinstance(found, forms.CommandForm):
            return await self._commands(found).wait_until(Settled(), deadline)
        return await (await self._started(found.command_id)).take(found, deadline)

    async def _started(self, id: str) -> Command:
        """The command with this id. Its event came before the answer, unless the connection was made anew meanwhile."""
        if self.command is not None and self.command.id == id:
            return self.command
        return self._commands(await self._link.call("command", forms.CommandForm, {"command_id": id, "exact": True}))

    async def start(self, command: str, *, timeout: float | None = None, kill_after: float | None = None) -> Command:
        """Start a command and return at once. `timeout`, or `kill_after`, ends it after so many seconds."""
        fields = self._starting(command, timeout, kill_after)
        return self._commands(await self._link.call("start", forms.CommandForm, fields, Again.ONCE))

    def _starting(self, command: str, timeout: float | None, kill_after: float | None) -> dict[str, object]:
        """The fields of `start`, checked."""
        checks.check_text(command)
        limit = checks.limit_of(timeout, kill_after)
        return {"command": command, "terminal": self.id, "exact": True, "timeout": limit}

    async def send(self, text: str | bytes) -> None:
        """Type `text` as it is to the program that reads this terminal."""
        await self._type(typing_fields(text))

    async def press(self, *names: str) -> None:
        """Press keys by name: "Enter", "C-c", "Up", "F5"."""
        keys.encode(*names)
        await self._type({"keys": list(names)})

    async def _type(self, fields: dict[str, object]) -> None:
        await self._link.call("type_in", forms.TerminalForm, {**self._which, **fields}, Again.NEVER)

    async def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window would that a person drags."""
        checks.check_size(columns, rows)
        await self._link.call("resize", forms.TerminalForm, {**self._which, "size": [columns, rows]})

    # -- looking

    def screen(self) -> Screen:
        """What a person would see now, or saw last: lines, cursor, size, title."""
        return screen_value(self._link.ask("screen", forms.ScreenForm, self._which))

    def picture(self, *, title: str | None = None, cursor: bool = True, theme: str = "dark", crop: bool = False) -> str:
        """The same as an SVG. With a `title`, there is a bar above it that says it. `theme` is "dark" or "light".

        `crop` leaves out the columns at the right in which nothing stands.
        """
        drawn = {"form": "svg", "title": title, "cursor": cursor, "theme": theme, "crop": crop}
        return self._link.ask("screen", forms.Text, {**self._which, **drawn}).text

    def shown(self, since: int = 0) -> tuple[int, bytes]:
        """What viewers see from this place on, about a megabyte at most, and the place where the next of it begins."""
        data, following, _ = self._link.read("shown", {**self._which, "since": since})
        return following, data

    def record(self, path: object, **options: object) -> NoReturn:
        """Not of a terminal elsewhere: a recording needs the times at which things were shown."""
        message = "a terminal elsewhere cannot be recorded over a connection"
        raise Misuse(f"{message}: record it where it is, with truetty record. Nothing was written.", path=path)

    async def close(self, *, keep_jobs: bool = False) -> None:
        """End the shell and everything it started, and let go of everything. Safe to call twice.

        With `keep_jobs` the shell alone is ended. What it has left in the background goes on, and what that prints to
        the terminal is read and thrown away. In a sandbox nothing goes on.
        """
        if self.closed:
            return
        fields = {**self._which, "keep_jobs": keep_jobs}
        form = await self._link.call("close", forms.TerminalForm, fields, Again.ONCE)
        self.stand(replace(form, closed=True))
