"""One shell on one channel: what is known of it, and what outlives the single command."""

from __future__ import annotations

import os
import time
from math import inf
from typing import Final

from truetty.core.errors import Closed
from truetty.core.machine import Machine
from truetty.core.standing import Standing
from truetty.core.testimony import Secrets
from truetty.host.base import Channel, Ended
from truetty.shells.row import Row
from truetty.store.timeline import Echo, Timeline
from truetty.store.transcript import Transcript
from truetty.terminal import exit_codes
from truetty.terminal.wire.home import Home
from truetty.terminal.wire.integration import Integration
from truetty.terminal.wire.ledger import Ledger
from truetty.terminal.wire.modes import ScreenModes
from truetty.terminal.wire.processes import Processes
from truetty.terminal.wire.prompt import Prompt
from truetty.terminal.wire.refusals import Refusals
from truetty.terminal.wire.run import Run, ShellFacts
from truetty.terminal.wire.span import Span
from truetty.terminal.wire.typist import Typist


class Link:
    """`key` is the secret of the marks that belong to no single command. `ledger`: where it is written down what the
    next process must know; None: the terminal ends with this one."""

    def __init__(
        self,
        terminal_id: str,
        channel: Channel,
        shell: Row,
        key: str,
        transcript: Transcript,
        size: tuple[int, int],
        *,
        history: bool = False,
        welcome: str | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.ledger: Final = ledger
        self.home: Final = Home(terminal_id)
        self.channel: Final = channel
        self.transcript: Final = transcript
        self.timeline: Final = Timeline(transcript, size, self.home.loop.time())
        self.modes: Final = ScreenModes()
        self.prompt: Final = Prompt()
        self.integration: Final = Integration()
        self.processes: Final = Processes(channel)
        self.refusals: Final = Refusals(channel.process)
        self.next_notes: list[str] = [] if welcome is None else [welcome]  # for the next command's outcome
        self.typist: Final = Typist(channel, shell, key, self.modes, history=history)
        self.size = size
        self.ended: Ended | None = None
        self._terminal_id = terminal_id
        self._closing = False
        self._last_cwd: str | None = None
        self._serial = 0

    @property
    def shell(self) -> Row:
        return self.typist.shell

    @property
    def closed(self) -> bool:
        return self._closing or self.ended is not None

    @property
    def cwd(self) -> str | None:
        """Where the shell is, as the kernel says; where it last was, once it is gone. None: not known, or removed."""
        self.remember_cwd()
        return self._last_cwd

    def remember_cwd(self) -> None:
        """While the kernel can still say it."""
        if not self.closed:
            here = self.channel.process.cwd()
            if here is not None or self.channel.process.is_there():  # a shell that is ending is nowhere
                self._last_cwd = here

    def require_open(self) -> None:
        """It is open, and this is where it may be used."""
        self.home.require()
        if self.closed:
            code = exit_codes.of_shell(self.ended)
            known = "" if code is None else f": its shell has ended with exit code {code}"
            state = "was closed" if self._closing else f"is closed{known}"
            what = f"terminal {self._terminal_id} {state}. Open a new one."
            raise Closed(what, terminal_id=self._terminal_id, exit_code=code)

    def facts(self) -> ShellFacts:
        return ShellFacts(self.cwd, self.closed)

    def prepare(self, text: str | None, now: float, *, limit: float = inf) -> Run:
        """A command, not begun yet. None: just await the prompt."""
        serial = 0 if text is None else self._serial + 1
        drawn = os.urandom(48).hex()  # 128 bits for each of the three
        return self.make_run(text, serial, (drawn[:32], drawn[32:64], drawn[64:]), now, limit)

    def make_run(self, text: str | None, serial: int, drawn: tuple[str, str, str], now: float, limit: float) -> Run:
        """`drawn`: its secrets."""
        self._serial = max(self._serial, serial)
        own = Secrets(*drawn, self.typist.lines)
        shell = self.typist.shell
        machine = Machine(
            own,
            now,
            shell=self.channel.pid,
            has_marks=shell.has_marks,
            limit=limit,
            typed_into=self.prompt.keys_left,
            sees=self.channel.sees,
            alternate_screen=self.modes.alternate_from is not None,
            hooks_follow=shell.hooks_follow_mark,
            marked=self.prompt.is_marked,
            awaited=text is not None and self.integration.marks_work and self.prompt.is_due and not self.channel.sees,
            asleep=self.prompt.asleep,
        )
        span = Span(self.transcript, self.prompt.begins_at, self.size, has_marks=shell.has_marks)
        return Run(text, serial, own, machine, span)

    def begin(self, run: Run) -> None:
        """It is about to be typed."""
        self.refusals.begin()
        run.notes.extend(self.next_notes)
        self.next_notes.clear()

    def resize(self, columns: int, rows: int, now: float) -> None:
        self.channel.resize(columns, rows)
        self.size = (columns, rows)
        self.timeline.on_resize(self.size, now)

    def standing(self) -> Standing:
        """What the next process must know of the shell, as of this moment."""
        return {
            "at": self.transcript.size,
            "size": self.size,
            "shell": self.shell.name,
            "serial": self._serial,
            "cwd": self._last_cwd,
            "chain": self.typist.lines.standing(),
            "typist": self.typist.standing(),
            "prompt": self.prompt.standing(),
            "integration": self.integration.standing(),
            "modes": self.modes.standing(),
            "processes": self.processes.standing(),
        }

    def stand(self, values: Standing) -> None:
        """As a process before this one has left it. What was printed since comes as if it were printed now."""
        self.size = tuple(values["size"])
        now, today = self.home.loop.time(), time.time()
        past = [(at, text, min(now, now - today + started_at)) for at, text, started_at in values.get("past", ())]
        echoes = [
            Echo(one["start"], one["end"], one["line"].encode("latin-1"), one["text"])
            for one in values.get("echoes", ())
        ]
        self.timeline.take_over(values.get("sizes", ()), past, echoes)
        self._serial = values["serial"]
        self._last_cwd = values["cwd"]
        self.typist.take_over(values["shell"])
        self.typist.lines.stand(values["chain"])
        self.typist.stand(values["typist"])
        self.prompt.stand(values["prompt"])
        self.integration.stand(values["integration"])
        self.modes.stand(values["modes"])
        self.processes.stand(values["processes"])

    def on_close(self) -> None:
        """The channel is about to be closed: nothing is typed from now on."""
        self.remember_cwd()
        self._closing = True

    def on_end(self, ended: Ended) -> None:
        self.ended = ended
        self.prompt.on_exit()
        if self.ledger is not None:
            self.ledger.on_exit(ended.code, ended.signal)
