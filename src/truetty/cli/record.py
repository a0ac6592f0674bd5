"""`truetty record`: a person's shell, or one command, on a terminal of ours, and all of it in a file.

Rule 1: a person keeps their own settings: what agents are spared (pagers, editors) is theirs to have.
Rule 2: what goes wrong with the file is said at the end; the shell or command is not disturbed by it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass

from truetty import Misuse, Terminal
from truetty.cli import OURS
from truetty.cli.run import Request as Run
from truetty.cli.run import follow, keyboard, piped, status
from truetty.cli.signals import ENDING, ended_by, interrupts
from truetty.host.environment import FRIENDLY
from truetty.store.slices import turn
from truetty.terminal.recording import Recording


@dataclass(frozen=True, slots=True)
class Request:
    file: str
    command: list[str]
    shell: str | None
    cwd: str | None
    env: list[str]
    version: int
    input: bool
    overwrite: bool
    title: str | None
    idle_limit: float | None
    rc: bool

    @property
    def run(self) -> Run:
        return Run(self.command, self.shell, self.cwd, self.env, None, None, False, self.rc)


def main(request: Request) -> int:
    try:
        return asyncio.run(_record(request))
    except asyncio.CancelledError as error:
        return 128 + next((number for number in error.args if isinstance(number, int)), signal.SIGTERM)


async def _record(request: Request) -> int:
    person = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    if not person and not request.command:
        raise Misuse("there is no terminal here to record from: give a COMMAND")
    variables = request.run.variables
    if person:
        variables = _own() | variables
    # What is exported as COLUMNS and LINES may be another terminal's.
    columns, rows = os.get_terminal_size(sys.stdout.fileno()) if person else (120, 30)
    terminal = Terminal(request.shell, cwd=request.cwd, env=variables, rc=request.rc, size=(columns or 120, rows or 30))
    return await (_command(request, terminal, person) if request.command else _shell(request, terminal))


def _own() -> dict[str, str | None]:
    own = {name: os.environ.get(name) for name, value in FRIENDLY.items() if value is not None}
    return {**own, "TERM": own["TERM"] or FRIENDLY["TERM"]}


def _begin(request: Request, terminal: Terminal) -> Recording:
    return terminal.record(
        request.file,
        version=request.version,
        input=request.input,
        overwrite=request.overwrite,
        title=request.title,
        command=request.run.text if request.command else None,
        idle_limit=request.idle_limit,
    )


# -- one command


async def _command(request: Request, terminal: Terminal, person: bool) -> int:
    async with terminal:
        recording = _begin(request, terminal)
        command = await terminal.start(request.run.text)
        feeding = keyboard(terminal) if person else piped(terminal, command)
        with interrupts(command), feeding as feed:
            outcome = await follow(request.run, command, feed, person)
        recording.stop(outcome.exit_code)
    _say_trouble(recording)
    return status(request.run, command, outcome)


# -- a person's shell


async def _shell(request: Request, terminal: Terminal) -> int:
    opening = asyncio.ensure_future(terminal.__aenter__())
    try:
        # The start-up files may print and ask: a person sees it at once, and answers.
        await turn()
        if terminal.pid is None:
            await opening
        recording = _begin(request, terminal)
        print(f"truetty: recording to {request.file} until the shell ends", file=sys.stderr)
        with ended_by(*ENDING), keyboard(terminal):
            await _show(terminal)
        await opening
    finally:
        await terminal.close()
        opening.cancel()
        await asyncio.wait({opening})
    if recording.trouble is None:
        print(f"truetty: recorded to {request.file}", file=sys.stderr)
    _say_trouble(recording)
    return terminal.exit_code if terminal.exit_code is not None else OURS


async def _show(terminal: Terminal) -> None:
    """Everything that viewers see, until the shell has ended."""
    at = 0

    def more() -> bool:
        return terminal.closed or terminal.shown(at)[0] > at

    while True:
        at, data = terminal.shown(at)
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        if not data and terminal.closed:
            return
        await terminal.changes.until(more, None)


def _say_trouble(recording: Recording) -> None:
    if recording.trouble is not None:
        print(f"truetty: the recording is not complete: {recording.trouble}", file=sys.stderr)
