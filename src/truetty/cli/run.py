"""`truetty run`: one command, its output as it comes, its exit code as ours."""

from __future__ import annotations

import asyncio
import dataclasses
import json as format
import os
import sys
from typing import Final

from truetty import Command, Outcome
from truetty.cli.command_line import command_line
from truetty.cli.commands import OURS
from truetty.cli.input import READ_SIZE, Feed, keyboard, piped
from truetty.cli.opening import OpeningOptions
from truetty.cli.signals import interrupts, run_until_signalled

PATIENCE_OVER: Final = 124  # as `timeout` of coreutils has it


def run(
    command: list[str],
    shell: str | None,
    cwd: str | None,
    env: list[str],
    wait: float | None,
    timeout: float | None,
    sandbox: str | None,
    json: bool,
    no_rc: bool,
) -> int:
    opening = OpeningOptions(shell, cwd, env, rc=not no_rc, sandbox=sandbox)

    async def running() -> int:
        person = not json and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
        async with opening.terminal(size=screen_size() if person else None) as terminal:
            started = await terminal.start(command_line(command), timeout=timeout)
            with interrupts(started), keyboard(terminal) if person else piped(terminal, started) as feed:
                outcome = await follow(started, feed, wait=wait, raw=person, silent=json)
        if json:
            indent = 2 if sys.stdout.isatty() else None
            print(format.dumps(dataclasses.asdict(outcome), ensure_ascii=False, indent=indent))
        return status(started, outcome, silent=json)

    return run_until_signalled(running())


def screen_size() -> tuple[int, int] | None:
    """Of the terminal we are on; None where it does not say. COLUMNS and LINES may be another terminal's."""
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    return (columns, rows) if columns and rows else None


def status(command: Command, outcome: Outcome, *, silent: bool) -> int:
    if outcome.state != "finished" or command.timed_out:
        if not silent:
            whys = {"waiting": "it waits for input", "lost": "its terminal is lost"}
            what = whys.get(outcome.state, "its time is over")
            print(f"truetty: ended before it had finished: {what}", file=sys.stderr)
        return PATIENCE_OVER
    if outcome.exit_code is None:
        print("truetty: the command has ended, but its exit code is unknown", file=sys.stderr)
        return OURS
    return outcome.exit_code


async def follow(
    command: Command, feed: Feed, *, wait: float | None = None, raw: bool = False, silent: bool = False
) -> Outcome:
    """Show output and pass input until the command has finished, `wait` is over, or there is no more input."""
    show = _Show(command, raw=raw, silent=silent)
    loop = asyncio.get_running_loop()
    until = None if wait is None else loop.time() + wait
    known = 0  # the number of the last waiting that was dealt with

    def news() -> bool:
        return command.output.bytes > show.offset or command.finished or (command.open_waiting or 0) > known

    while True:
        seconds = None if until is None else max(until - loop.time(), 0)
        await command.changes.until(news, seconds)
        if command.output.bytes > show.offset:
            show.more(command)
            continue
        outcome = await command.wait(0)
        known = command.open_waiting or known
        show.more(command)
        if outcome.state in ("finished", "lost") or (seconds is not None and loop.time() >= (until or 0)):
            break
        if outcome.state == "waiting" and not await feed.answer(patient=not silent, timeout=seconds):
            break
    return await command.wait(0)


class _Show:
    """A person's terminal gets the bytes as they are; a pipe gets clean text; with `silent` nothing is shown."""

    def __init__(self, command: Command, *, raw: bool, silent: bool) -> None:
        self.offset = 0
        self._reader = command.output.reader()
        self._raw = raw
        self._silent = silent

    def more(self, command: Command) -> None:
        if self._raw:
            while data := command.output.read(self.offset, READ_SIZE):
                self.offset += len(data)
                sys.stdout.buffer.write(data)
        else:
            self.offset = command.output.bytes
            if not self._silent:
                sys.stdout.write(self._reader.unread())
        sys.stdout.flush()
