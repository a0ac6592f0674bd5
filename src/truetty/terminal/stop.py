"""How a command is ended: interrupt, terminate, kill; and by a time-out the shell too.

Rule 1: each step is given `GRACE` seconds. The shell survives all of them but the last, which only a time-out takes.
Rule 2: what was sent is remembered: an exit code of 128+n is a signal where we sent signal n.
Rule 3: a Ctrl-C that comes when a program of a loop has ended, and before the shell is in front again, reaches no
        process; a program may also take it and end as if nothing was. So the key is pressed again when the shell has
        gone on: another group is in front, or the shell itself. A program that is still ending is left alone.
"""

from __future__ import annotations

import asyncio
import signal
from typing import Final

from truetty.host.base import USUAL
from truetty.terminal import keys
from truetty.terminal.changes import Changes
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.run import Run

GRACE: Final = 2.0
PRESSES: Final = 4  # at most, in `GRACE` seconds, behind the first
# A loop of the shell's own starts the next program as soon as one is killed.
KILLS: Final = 3
_SIGNAL_KEYS: Final = {keys.encode("C-c"): signal.SIGINT, keys.encode("C-\\"): signal.SIGQUIT}
UNSEEN: Final = "it could not be ended: its processes cannot be seen here; closing its terminal ends it"
NOT_REACTING: Final = "it could not be ended: the shell itself does not react, and only closing its terminal ends it"
SHELL_TOO: Final = "its shell was ended too: a loop of the shell's own that did not react"
SHELL_TOO_UNSEEN: Final = "its shell was ended too: its processes cannot be seen here"
TIMED_OUT: Final = "ended because its time-out was over"
TIMING_OUT: Final = "its time-out is over; it is being ended, if it can be"


class Stop:
    """That of one command."""

    def __init__(self, run: Run, conversation: Conversation, changes: Changes) -> None:
        self._run = run
        self._conversation = conversation
        self._changes = changes
        self._failure: str | None = None  # why the ladder did not end it
        self._hit: int | None = None  # the group that was in front at our last Ctrl-C
        self._last_resort: str | None = None  # why the shell was ended too
        self._task: asyncio.Task[None] | None = None  # the ladder of a time-out
        self.sent: Final[set[int]] = set()  # signals of ours, and those of keys that were typed

    @property
    def timed_out(self) -> bool:
        return self._run.time_is_over

    @property
    def notes(self) -> list[str]:
        ended = self._run.machine.ending is not None
        notes = []
        if self._last_resort is not None:
            notes.append(self._last_resort)
        elif self._failure is not None and not ended:
            notes.append(self._failure)
        if self.timed_out:
            notes.append(TIMED_OUT if ended else TIMING_OUT)
        return notes

    def begin(self) -> None:
        """Its time-out has passed: the ladder begins, once."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._end())
            self._task.add_done_callback(_tell_failure)

    def forget(self) -> None:
        """The terminal is closed, and ends everything."""
        if self._task is not None:
            self._task.cancel()

    def on_keys(self, keys: str | bytes) -> None:
        """These were typed. The terminal makes signals of two of them."""
        typed = keys.encode("utf-8", "replace") if isinstance(keys, str) else keys
        self.sent.update(number for key, number in _SIGNAL_KEYS.items() if key in typed)

    async def interrupt(self) -> bool:
        """Ctrl-C, or SIGINT to the foreground where the tty would not make it one. False: it had finished already."""
        if self._run.machine.ending is not None:
            return False
        channel = self._conversation.link.channel
        modes = channel.tty.modes() or USUAL
        group = channel.tty.foreground()
        if modes.signals and modes.interrupt:
            self._conversation.send(modes.interrupt)
            sent = True
        elif group is not None and group != channel.pid:
            sent = channel.signal(-group, signal.SIGINT)
        else:  # the shell's own editor, which takes the key for what it is
            self._conversation.send(keys.encode("C-c"))
            sent = True
        if sent:
            self.sent.add(signal.SIGINT)
        await channel.drained()
        return True

    async def kill(self) -> None:
        """Interrupt, then terminate, then kill the command's processes; the shell survives."""
        channel = self._conversation.link.channel
        if self._run.reader.stopped and channel.pid is not None:
            channel.signal(channel.pid, signal.SIGCONT)  # a stopped shell would not even see its child end
        await self._press(channel.tty.foreground())
        await self._grace()
        for number in (signal.SIGTERM, *[signal.SIGKILL] * KILLS):
            if self._run.machine.ending is not None:
                return
            self._signal(number)
            await self._grace()
        if self._run.machine.ending is None:
            self._failure = UNSEEN if self._conversation.link.processes.running() is None else NOT_REACTING

    async def _grace(self) -> None:
        """Wait for the end, and press Ctrl-C whenever the shell has gone on."""
        channel = self._conversation.link.channel
        for _ in range(PRESSES):
            await self._changes.until(lambda: self._run.machine.ending is not None, GRACE / PRESSES)
            if self._run.machine.ending is not None:
                return
            front = channel.tty.foreground()
            if front == channel.pid or front not in (self._hit, None):
                await self._press(front)

    async def _press(self, front: int | None) -> None:
        self._hit = front
        await self.interrupt()

    async def _end(self) -> None:
        """What a time-out means."""
        channel = self._conversation.link.channel
        await self.kill()
        if self._run.machine.ending is None and channel.pid is not None:
            self._last_resort = SHELL_TOO_UNSEEN if self._failure == UNSEEN else SHELL_TOO
            channel.signal(channel.pid, signal.SIGKILL)

    def _signal(self, number: int) -> None:
        """To each process of the command; where they cannot be seen, to the group in front."""
        channel = self._conversation.link.channel
        running = self._conversation.link.processes.running()
        if running is not None:
            targets = [process.pid for process in running]
        else:
            group = channel.tty.foreground()
            targets = [-group] if group is not None and group != channel.pid else []
        for target in targets:
            if channel.signal(target, number):
                self.sent.add(number)
            channel.signal(target, signal.SIGCONT)


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": "ending a command failed", "exception": error})
