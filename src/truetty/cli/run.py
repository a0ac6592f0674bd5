"""`truetty run`: one command, its output as it comes, its exit code as ours."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import stat
import sys
from collections.abc import Mapping
from signal import Signals
from typing import NamedTuple

from truetty import Command, HostError, Misuse, Outcome, Terminal
from truetty.cli import explain
from truetty.cli.command_line import command_line
from truetty.cli.commands import OURS
from truetty.cli.input import Feed, keyboard, piped
from truetty.cli.leftovers import leftovers_at_close, notes_at_close
from truetty.cli.opening import OpeningOptions
from truetty.cli.person import has_person, stop_ourselves
from truetty.cli.show import Color, Show, Way, way
from truetty.cli.signals import ending_signal, interrupts, run_until_signalled
from truetty.cli.suspension import is_stopped, suspension
from truetty.cli.terminals.standing import PATIENCE_OVER, WAIT_OVER
from truetty.shells import table
from truetty.text.quoting import excerpt, on_one_line


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
    raw: bool,
    color: Color,
    size: tuple[int, int] | None,
    keep: bool,
    terminal: str | None,
    detach: bool,
    on: str | None,
) -> int:
    if json and raw:
        raise Misuse("--raw prints bytes as they are, and --json prints an object: give one of them. Nothing was run.")
    again = option_words(
        {"--in": terminal, "--keep": keep, "--detach": detach, "--shell": shell, "--cwd": cwd, "--env": env}
        | {"--no-rc": no_rc, "--size": size, "--sandbox": sandbox, "--wait": wait, "--timeout": timeout}
        | {"--json": json, "--raw": raw}
    )
    if terminal is not None or detach or (on is not None and not keep):
        from truetty.cli.terminals.run_in import Place, run_in

        # What is the terminal's own, and what cannot be without a wait.
        others = {"--env": env, "--no-rc": no_rc, "--size": size, "--sandbox": sandbox, "--keep": keep}
        others |= {"--cwd": cwd, "--shell": shell} if terminal is not None else {}
        others |= {"--wait": wait, "--raw": raw} if detach else {}
        for name, value in {**others, "--color": color != "auto"}.items():
            if value:
                raise Misuse(f"{name} does not go with {'--detach' if detach else '--in'}", option=name)
        place, text = Place(on, terminal, cwd, shell), command_line(command)
        return run_in(place, text, again, json=json, raw=raw, detach=detach, wait=wait, timeout=timeout)
    opening = OpeningOptions(shell, cwd, env, rc=not no_rc, sandbox=sandbox)
    beneath = _variables(opening, color)
    if keep and color != "auto":
        raise Misuse("--color does not go with --keep", option="--color")
    no_server: str | None = None  # why there is none
    if keep or (json and _is_for_server(opening)):
        from truetty.cli.terminals.ending import Ending, until_ended
        from truetty.cli.terminals.run_kept import Limits, Printing, reach, run_kept

        def work(ending: Ending) -> int:
            try:
                server = reach(on)
            except HostError as error:
                if keep:
                    raise
                ending.check()
                raise _NoServer(str(error)) from error
            fields = opening.fields(size=size, beneath=beneath) if server.is_here else opening.far_fields(size)
            printing, limits = Printing(json, raw), Limits(wait, timeout)
            text = command_line(command)
            return run_kept(server, fields, text, again, ending, keep=keep, printing=printing, limits=limits)

        try:
            return until_ended(work)
        except _NoServer as missing:
            no_server = str(missing)

    async def running() -> int:
        person = not json and has_person()
        shown: Way = "nothing" if json else way(person=person, raw=raw, color=color)
        fixed = size or (screen_size() if person else None)
        made = opening.terminal(size=fixed, beneath=beneath)
        try:
            async with made as terminal:
                talk = Talk(person, shown, wait, timeout, resizes=size is None)
                started, outcome = await converse(terminal, command_line(command), talk)
                explain.keep(started.explain(text=False))
        except asyncio.CancelledError as cancelled:
            if json:
                await _print_end(made.command, command_line(command), ending_signal(cancelled))
            raise
        if json:
            _print_outcome(outcome, _note(outcome))
            if no_server is not None and outcome.state == "waiting":
                print(f"truetty: it asks for input and was ended: {no_server}", file=sys.stderr)
        else:
            for note in leftovers_at_close(outcome.notes):
                print(f"truetty: {note}", file=sys.stderr)
        return status(started, outcome, silent=json, wait=wait, timeout=timeout)

    return run_until_signalled(running())


def option_words(options: Mapping[str, object]) -> list[str]:
    """Options of a command line by their names: switches that are on, and those that have a value."""
    words: list[str] = []
    for name, value in options.items():
        match value:
            case None | False:
                pass
            case True:
                words.append(name)
            case list():
                words += [word for one in value for word in (name, str(one))]
            case (columns, rows):
                words += [name, f"{columns}x{rows}"]
            case float():
                words += [name, f"{value:.15g}"]
            case _:
                words += [name, str(value)]
    return words


class _NoServer(Exception):
    """For this reason."""


async def _print_end(command: Command | None, text: str, number: int) -> None:
    """A signal has ended us. `command` is None where it was not started."""
    ended = f"{Signals(number).name} has ended truetty run"
    if command is not None:
        _print_outcome(await command.report(), f"{ended}, and the command with it")
    else:
        from truetty.cli.terminals.starting import NotStarted

        NotStarted(f"{ended}: nothing was run", 128 + number).tell(text, ["run"], json=True)


def _print_outcome(outcome: Outcome, note: str | None) -> None:
    """As an object. `note` says why the command was ended, and its terminal closed, after that."""
    from json import dumps

    outcome = dataclasses.replace(outcome, notes=notes_at_close(outcome.notes))
    if note is not None:
        outcome = dataclasses.replace(outcome, closed=True, notes=(*outcome.notes, note))
    indent = 2 if sys.stdout.isatty() else None
    print(dumps(dataclasses.asdict(outcome), ensure_ascii=False, indent=indent))


def _note(outcome: Outcome) -> str | None:
    """Why a command that stood like this was ended."""
    match outcome.state:
        case "waiting":
            asked = outcome.waiting.prompt.strip() if outcome.waiting is not None else ""
            words = f" ({on_one_line(asked)!r})" if asked else ""
            return f"it asked for input{words}, there was no more, and it was ended"
        case "running":
            return WAIT_OVER
    return None


def _is_for_server(opening: OpeningOptions) -> bool:
    """Whether a command of `--json` runs in the user's own server, where it can be left running when it asks.

    Not where a pipe or a file is its input (a terminal and /dev/null are character devices); not where TRUETTY_ON names
    another server; and not where the settings have a policy: the server judges every command, and `run` judges none.
    """
    is_fed = sys.stdin is not None and not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    return not is_fed and not os.environ.get("TRUETTY_ON") and opening.settings().policy is None


def _variables(opening: OpeningOptions, color: Color) -> dict[str, str | None]:
    """Of the caller: the kind of terminal, if there is one that the shell can use, and whether colours are wanted."""
    variables: dict[str, str | None] = {}
    term = os.environ.get("TERM")
    if term and not (term == "dumb" and table.find(opening.settings().shell, os.environ).row.needs_cursor):
        variables["TERM"] = term
    if color != "auto":
        variables["NO_COLOR"] = "1" if color == "never" else None
    return variables


def screen_size() -> tuple[int, int] | None:
    """Of the terminal we are on; None where it does not say. COLUMNS and LINES may be another terminal's."""
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    return (columns, rows) if columns and rows else None


def status(
    command: Command, outcome: Outcome, *, silent: bool, wait: float | None = None, timeout: float | None = None
) -> int:
    if outcome.state != "finished" or command.timed_out:
        if not silent:
            print(f"truetty: {_why(command, outcome, wait, timeout)}", file=sys.stderr)
        return PATIENCE_OVER
    if outcome.exit_code is None:
        print("truetty: the command has ended, but its exit code is unknown", file=sys.stderr)
        return OURS
    return outcome.exit_code


def _why(command: Command, outcome: Outcome, wait: float | None, timeout: float | None) -> str:
    """It was ended before it had finished."""
    text = f"'{on_one_line(excerpt(command.text))}'"
    if command.timed_out:
        return f"stopped after {timeout:g} s (--timeout): {text} had not finished."
    if outcome.state == "waiting":
        return f"{text} asks for input, and there is no more; it was ended."
    if outcome.state == "lost":
        return f"the terminal of {text} is lost."
    return f"stopped after {wait:g} s (--wait): {text} had not finished."


class Talk(NamedTuple):
    """How a command is talked to."""

    person: bool  # at a terminal: keys are passed on as they come
    shown: Way
    wait: float | None = None
    timeout: float | None = None
    resizes: bool = True


async def converse(terminal: Terminal, text: str, talk: Talk) -> tuple[Command, Outcome]:
    """Run it, show what it prints and pass on what is typed. One that has stopped itself goes on when we do."""
    with suspension(terminal) as suspending:
        command = await terminal.start(text, timeout=talk.timeout)
        keys = keyboard(terminal, suspending, resizes=talk.resizes) if talk.person else piped(terminal, command)
        with interrupts(command), keys as feed:
            outcome = await follow(command, feed, wait=talk.wait, shown=talk.shown)
    if talk.person and is_stopped(outcome):
        stop_ourselves()
        return await converse(terminal, "fg", talk)
    return command, outcome


async def follow(command: Command, feed: Feed, *, wait: float | None = None, shown: Way) -> Outcome:
    """Show output and pass input until the command has finished, `wait` is over, or there is no more input."""
    show = Show(command, shown)
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
        if outcome.state == "waiting" and not await feed.answer(patient=shown != "nothing", timeout=seconds):
            break
    show.more(command, last=True)
    return await command.wait(0)
