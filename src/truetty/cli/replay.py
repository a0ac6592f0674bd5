"""`truetty replay`: a recording, played as it was.

Rule 1: only what draws is played, whatever the file holds (`text/playback.py`); at the end, and when it is stopped,
        the terminal is as it was.
Rule 2: what is typed meanwhile, and what the terminal itself answers, is thrown away: nothing reaches the shell after.
Rule 3: times are kept from the beginning on, so that a slow terminal does not make a recording longer.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import termios
from collections.abc import Iterator
from math import inf, isfinite, isnan
from typing import Final

from truetty import Misuse
from truetty.cli.clean import write_text
from truetty.cli.signals import ENDING, ended_by, run_until_signalled
from truetty.text.asciicast import LONGEST_LINE, OUTPUT, Event, Header, read
from truetty.text.playback import Playback

# No timer waits longer; a recording that says so is played on after it.
LONGEST_PAUSE: Final = 86_400.0


def replay(file: str, speed: float | None, idle_limit: float | None) -> int:
    if speed is not None and (isnan(speed) or speed <= 0):
        raise Misuse("a speed is a number above 0, or inf", speed=speed)
    if idle_limit is not None and not (isfinite(idle_limit) and idle_limit >= 0):
        raise Misuse("a limit for idle time is a number of seconds", idle_limit=idle_limit)
    with open_recording(file) as (header, events):
        return run_until_signalled(_replay(header, events, speed, idle_limit))


@contextlib.contextmanager
def open_recording(name: str) -> Iterator[tuple[Header, Iterator[Event]]]:
    """A recording by its file's name; `-` is standard input. What is wrong with it is said with the name."""
    try:
        descriptor = 0 if name == "-" else os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        file = os.fdopen(descriptor, "rb", closefd=descriptor != 0)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Misuse(f"{name}: {reason}", path=name, reason=reason) from error
    with file:
        try:
            yield read(iter(lambda: file.readline(LONGEST_LINE + 1), b""))
        except Misuse as error:
            if "line" in error.facts:
                raise Misuse(f"{name}: {error}", path=name, **error.facts) from error
            raise


async def _replay(header: Header, events: Iterator[Event], speed: float | None, idle_limit: float | None) -> int:
    person = sys.stdout is not None and sys.stdout.isatty()
    # No person watches a pipe, so nothing is paced there.
    speed = speed if speed is not None else 1.0 if person else inf
    limit = idle_limit if idle_limit is not None else header.idle_limit
    if person:
        _warn(header)
    playback = Playback()
    with _quiet_keyboard() if person else contextlib.nullcontext(), ended_by(*ENDING):
        try:
            await _play(events, playback, speed, inf if limit is None else limit)
        finally:
            if person:
                write_text(playback.restore())
    return 0


async def _play(events: Iterator[Event], playback: Playback, speed: float, limit: float) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time()
    played = 0.0
    for event in events:
        if event.code != OUTPUT:
            continue
        due += min(event.time - played, limit, LONGEST_PAUSE) / speed
        played = event.time
        await _until(due)
        write_text(playback.show(event.data))


async def _until(due: float) -> None:
    """Wait for a moment. One that has passed still lets signals in."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()
    timer = loop.call_at(due, future.set_result, None)
    try:
        await future
    finally:
        timer.cancel()


def _warn(header: Header) -> None:
    with contextlib.suppress(OSError):
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        if columns < header.size[0] or rows < header.size[1]:
            recorded, here = "{} × {}".format(*header.size), f"{columns} × {rows}"
            print(f"truetty: recorded on {recorded}; this terminal is smaller: {here}", file=sys.stderr)


@contextlib.contextmanager
def _quiet_keyboard() -> Iterator[None]:
    """Keys and answers are read and forgotten; Ctrl-C works as ever."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield
        return
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()

    def forget() -> None:
        if not os.read(descriptor, 4096):
            loop.remove_reader(descriptor)

    before = termios.tcgetattr(descriptor)
    quiet = termios.tcgetattr(descriptor)
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)
    loop.add_reader(descriptor, forget)
    try:
        yield
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
