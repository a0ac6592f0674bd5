"""A terminal, written to a file as it goes: an asciicast of all that its viewers see, from its beginning.

    timeline ──what is new, at most every hundredth of a second──→ lines ──whole──→ file

Rule 1: a recording never disturbs its terminal. What the disk refuses ends the recording, after the last whole line,
        and `trouble` says why.
Rule 2: nothing is done while nothing happens: no thread, and a timer only while something waits to be written. A long
        past is written in turns, so that other terminals have theirs.
Rule 3: what is typed is recorded only if that was asked for, and only what the output shows that the tty has echoed.
        Its modes alone prove nothing: between two looks a program may have asked for a password. Keys that are not
        echoed, passwords above all, leave no trace, not even that something was typed. A shell's own line editor and
        full-screen programs echo by themselves; to the tty they are like password prompts.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Generator
from functools import partial
from math import isfinite
from operator import itemgetter
from types import TracebackType
from typing import Final, Self, TypedDict, Unpack

from truetty.core.errors import HostError, Misuse
from truetty.host.base import Tty
from truetty.store.timeline import FINEST, Timeline
from truetty.terminal.cast_file import CastFile
from truetty.terminal.echo import KeyEcho, can_come_back

# A tenth of a second of work; then others have their turn.
SLICE: Final = 4 << 20


class RecordingOptions(TypedDict, total=False):
    """How a recording is to be."""

    version: int  # of asciicast: 2, or 3, which is usual
    input: bool  # what is typed, too, as far as the tty echoes it
    overwrite: bool  # replace the file if it is there already
    title: str | None  # the terminal's name is usual
    command: str | None  # what was run, if it is a recording of one command
    idle_limit: float | None  # seconds: players are asked to make no longer pause


class Recording:
    """Made by `Terminal.record`. It ends with its terminal, by `stop()`, or at the end of a `with`.

    What was shown before is in the file at once if it is a few megabytes. `await recording` waits until it is.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        timeline: Timeline,
        tty: Tty,
        *,
        name: str | None = None,
        shell: str | None = None,
        term: str | None = None,
        **options: Unpack[RecordingOptions],
    ) -> None:
        """`tty` is asked whether it echoes; `name`, `shell` and `term` are said in the file."""
        self.path: Final[str] = os.fspath(path)  # of its file
        from truetty.text.asciicast import Header, Writer, known_version  # few terminals are recorded

        header = Header(
            version=known_version(options.get("version", 3)),
            size=timeline.size_at(0),
            timestamp=int(time.time() - (time.monotonic() - timeline.began)),
            title=options.get("title") or name,
            command=options.get("command"),
            idle_limit=_limit(options.get("idle_limit")),
            term=term,
            env={"SHELL": shell} if shell else {},
        )
        self._writer = Writer(header)
        self._timeline = timeline
        self._tty = tty if options.get("input", False) else None
        self._live = False  # its terminal went on when the recording began
        self._at = 0
        self._since = timeline.began  # what is not written yet came after this
        self._sized = (0, timeline.began)  # where and when the last change of size was that is written
        self._echo = KeyEcho()
        self._heard = 0  # up to where
        self._timer: asyncio.Handle | None = None
        self._caught_up: asyncio.Future[None] | None = None
        self._farewells: list[Callable[[], None]] = []  # how to let go of its terminal
        self._file = CastFile(self.path, overwrite=options.get("overwrite", False))
        self._write(self._writer.header())
        self._advance()

    def __repr__(self) -> str:
        return f"<Recording {self.path} {'stopped' if self.stopped else 'running'}>"

    def __await__(self) -> Generator[object, None, Self]:
        if not self.stopped and self._at < self._timeline.end:
            if self._caught_up is None or self._caught_up.done():
                self._caught_up = asyncio.get_running_loop().create_future()
            yield from asyncio.shield(self._caught_up)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def stopped(self) -> bool:
        """Whether its file is complete: by `stop()`, or because the terminal was closed."""
        return self._file.closed

    @property
    def trouble(self) -> str | None:
        """Why it ended before its time, if it did."""
        return self._file.trouble

    def stop(self, exit_code: int | None = None) -> None:
        """Record no more; what was shown so far is in the file, and an `exit_code` as its end. Safe to call twice."""
        if not self.stopped:
            self._write_keys()
            self._finish(exit_code, time.monotonic())

    # -- what its terminal tells it

    def on_stop(self, farewell: Callable[[], None]) -> None:
        """Call this when it has stopped, so that its terminal no longer calls it."""
        if self.stopped:
            farewell()
        else:
            self._farewells.append(farewell)

    def on_change(self) -> None:
        """Something may have changed."""
        if self.stopped:
            return
        self._live = True
        self._write_keys()
        if self._timer is None and self._timeline.end > self._at:
            self._since = self._timeline.heard_at
            self._timer = asyncio.get_running_loop().call_later(FINEST, self._on_time)

    def on_keys(self, data: bytes) -> None:
        """These keys go to the tty now."""
        if not self.stopped and can_come_back(data) and self._echoes():
            self._write_keys()
            self._heard = self._timeline.end
            self._write_new(self._heard)  # what was printed before stands before
            self._echo.on_keys(data, time.monotonic())

    def on_exit(self, exit_code: int | None) -> None:
        """The shell is gone. If it was gone when the recording began, its last byte is taken as the time of its end."""
        if not self.stopped:
            self._write_keys()
            self._finish(exit_code, time.monotonic() if self._live else self._timeline.heard_at)

    # -- inside

    def _echoes(self) -> bool:
        modes = self._tty.modes() if self._tty is not None else None
        return modes is not None and modes.echo

    def _write_keys(self) -> None:
        """Those that were seen to come back; they stand before their echo."""
        timeline = self._timeline
        if not self._echo.awaits_any or timeline.end <= self._heard:
            return
        start, self._heard = self._heard, timeline.end
        try:
            printed = b"".join([data for _, data in timeline.pieces(start, self._heard)])
        except HostError as error:
            self._fail(str(error))
            return
        for moment, keys in self._echo.on_output(printed, time.monotonic()):
            self._write(self._writer.input(moment - timeline.began, keys))

    def _on_time(self) -> None:
        self._timer = None
        self._advance()

    def _advance(self) -> None:
        """Write what is new, or a part of it and the rest soon."""
        timeline = self._timeline
        behind = timeline.end - self._at
        self._write_new(timeline.whole(self._at + SLICE) if behind > SLICE else timeline.end)
        if not self.stopped and behind > SLICE:
            with contextlib.suppress(RuntimeError):  # without a loop it is a closed terminal, which `on_exit` completes
                self._timer = asyncio.get_running_loop().call_soon(self._on_time)
        else:
            self._tell()

    def _finish(self, exit_code: int | None, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        timeline, writer = self._timeline, self._writer
        while not self.stopped and timeline.end - self._at > SLICE:
            self._write_new(timeline.whole(self._at + SLICE))
        self._write_new(timeline.end)
        self._write(writer.rest(now - timeline.began))
        if exit_code is not None:
            self._write(writer.exit(now - timeline.began, exit_code))
        self._close()

    def _write_new(self, end: int) -> None:
        if self.stopped:
            return
        try:
            lines = self._lines(end)
        except HostError as error:  # the transcript lies on a disk, too
            self._fail(str(error))
        else:
            self._at = end
            self._write(lines)

    def _lines(self, end: int) -> str:
        """What viewers see from where we are up to `end`, cut where a new moment begins or something else happens."""
        timeline, writer, at = self._timeline, self._writer, self._at
        sizes = [change for change in timeline.resizes(at - 1, end) if change[:2] > self._sized]
        if sizes:
            self._sized = sizes[-1][:2]
        # What begins at one place stays in this order: the size was changed before the byte came that stands there.
        happenings: list[tuple[int, float, Callable[[float], str] | None]] = [
            *((start, moment, partial(writer.resize, size=size)) for start, moment, size in sizes),
            (at, max(timeline.time_of(at), self._since), None),
            *((start, moment, None) for start, moment in timeline.turns(at, end)),
            *(
                (start, timeline.time_of(start), partial(writer.marker, label=text))
                for start, text in timeline.commands(at, end)
            ),
        ]
        lines: list[str] = []
        now = timeline.began
        for start, moment, write in sorted(happenings, key=itemgetter(0)):
            stop = max(at, timeline.whole(start))
            lines += [writer.output(now - timeline.began, data) for _, data in timeline.pieces(at, stop)]
            at, now = stop, max(now, moment)
            if write is not None:
                lines.append(write(now - timeline.began))
        lines += [writer.output(now - timeline.began, data) for _, data in timeline.pieces(at, end)]
        return "".join(lines)

    def _write(self, lines: str) -> None:
        self._file.write(lines)
        if self._file.closed:
            self._close()

    def _fail(self, reason: str) -> None:
        self._file.fail(reason)
        self._close()

    def _close(self) -> None:
        self._file.close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._echo = KeyEcho()
        while self._farewells:
            self._farewells.pop()()
        self._tell()

    def _tell(self) -> None:
        if self._caught_up is not None and not self._caught_up.done():
            self._caught_up.set_result(None)


def _limit(seconds: float | None) -> float | None:
    if seconds is not None and not (isfinite(seconds) and seconds > 0):
        raise Misuse(f"no limit for idle time: {seconds!r}", idle_limit=seconds)
    return seconds
