"""`truetty record`: a person's shell, or one command, on a terminal of ours, and all of it in a file.

Rule 1: a person keeps their own pagers and editors, which are switched off for agents.
Rule 2: an error of the file is printed at the end; the shell or command goes on.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable

from truetty import Misuse, Terminal
from truetty.cli.command_line import command_line
from truetty.cli.commands import OURS
from truetty.cli.input import keyboard
from truetty.cli.opening import OpeningOptions
from truetty.cli.person import has_person
from truetty.cli.run import Talk, converse, screen_size, status
from truetty.cli.signals import HANGUPS, ended_by, run_until_signalled
from truetty.host.environment import FRIENDLY, term
from truetty.store.slices import turn
from truetty.terminal.recording import Recording


def record(
    file: str,
    command: list[str],
    format: int,
    input: bool,
    overwrite: bool,
    title: str | None,
    idle_limit: float | None,
    shell: str | None,
    cwd: str | None,
    env: list[str],
    no_rc: bool,
) -> int:
    person = has_person()
    if not person and not command:
        raise Misuse("there is no terminal here to record from: give a COMMAND")
    if not overwrite and os.path.lexists(file):
        raise Misuse(f"{file} exists already. Use --overwrite to replace it.", path=file)
    opening = OpeningOptions(shell, cwd, env, rc=not no_rc)
    text = command_line(command) if command else None

    def begin(terminal: Terminal) -> Recording:
        return terminal.record(
            file,
            version=format,
            input=input,
            overwrite=overwrite,
            title=title,
            command=text,
            idle_limit=idle_limit,
        )

    async def recording() -> int:
        terminal = opening.terminal(size=screen_size() if person else None, beneath=_own() if person else None)
        return await (_shell(terminal, begin, file) if text is None else _command(terminal, begin, text, person))

    return run_until_signalled(recording())


def _own() -> dict[str, str | None]:
    own = {name: os.environ.get(name) for name, value in FRIENDLY.items() if value is not None}
    return {**own, "TERM": term(own)}


# -- one command


async def _command(terminal: Terminal, begin: Callable[[Terminal], Recording], text: str, person: bool) -> int:
    async with terminal:
        recording = begin(terminal)
        command, outcome = await converse(terminal, text, Talk(person, "bytes" if person else "text"))
        recording.stop(outcome.exit_code)
    _say_trouble(recording)
    return status(command, outcome, silent=False)


# -- a person's shell


async def _shell(terminal: Terminal, begin: Callable[[Terminal], Recording], file: str) -> int:
    opening = asyncio.ensure_future(terminal.__aenter__())
    try:
        # The start-up files may print and ask: a person sees it at once, and answers.
        await turn()
        if terminal.pid is None:
            await opening
        recording = begin(terminal)
        print(f"truetty: recording to {file} until the shell ends", file=sys.stderr)
        with ended_by(*HANGUPS), keyboard(terminal):
            await _show(terminal)
        await opening
    finally:
        await terminal.close()
        opening.cancel()
        await asyncio.wait({opening})
    if recording.trouble is None:
        print(f"truetty: recorded to {file}", file=sys.stderr)
    _say_trouble(recording)
    return terminal.exit_code if terminal.exit_code is not None else OURS


async def _show(terminal: Terminal) -> None:
    """Everything that viewers see, until the shell has ended."""
    at = size = 0

    def more() -> bool:
        return terminal.closed or terminal.transcript.size > size

    while True:
        size = terminal.transcript.size
        at, data = terminal.shown(at)
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        if not data:
            if terminal.closed:
                return
            await terminal.changes.until(more, None)


def _say_trouble(recording: Recording) -> None:
    if recording.trouble is not None:
        print(f"truetty: the recording is not complete: {recording.trouble}", file=sys.stderr)
