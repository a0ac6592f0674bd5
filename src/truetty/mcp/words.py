"""Every word that is said to a model: what the tools are for, how things stand, and what can be done next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from truetty.core.errors import TruettyError
from truetty.core.outcome import Outcome, Waiting
from truetty.core.prompts import SECRETS
from truetty.notices import Notice

NO_OUTPUT: Final = "(no output)"
ONLY_BLANKS: Final = "(nothing but blanks and empty lines)"
NO_NEW_OUTPUT: Final = "(no new output)"
NO_MORE_OUTPUT: Final = "(no more output)"
NO_MATCH: Final = "(no line matches)"
# In the line that stands for what was left out of an output.
REST: Final = "call read with the command_id and an offset or grep"
# Of a prompt or a command that is quoted in a line.
QUOTED: Final = 200

INSTRUCTIONS: Final = """\
Real shells that stay: directory, variables and jobs are kept from one run to the next. Every result says how the \
command stands: finished (exit_code null: nobody knows it), running (it goes on: wait, read, stop), or waiting for \
input (send answers). Nothing is ended because a call's time is over; only stop ends a command. Secrets are never \
yours to type: call handoff, and the user types them. Silence means nothing: what prints nothing is running."""

RUN: Final = """\
Run a shell command and get its output, exit code and state. Waits up to `wait` seconds (30) for it to finish or to \
ask for input; then it goes on by itself and is reported as running. The shell stays: cd and variables last. While a \
command runs, further ones get another terminal."""
READ: Final = """\
Read a command's output: what no read gave before, a page from `offset` (go on at next_offset), lines matching \
`grep`, or the last `tail` lines. Nothing that was printed is lost."""
WAIT: Final = """\
Wait for a running command. `for` says for what: settled (finished or asking for input), exit, input, match:REGEX \
(in new output), idle:SECONDS (printed nothing for so long), port:NUMBER (it listens). Never ends the command."""
SEND: Final = """\
Type into a running command: `text` as it is, then `keys` by name (Enter, C-c, Up, F5), then Enter if `enter`; then \
wait for what it does. With nothing to type it only waits. Secrets are refused: use handoff."""
SCREEN: Final = "What a person would see of the terminal now: for full-screen programs (editors, pagers, menus)."
STOP: Final = """\
End a command: interrupt, then terminate, then kill its processes. Returns its final state and names what it left \
running. The shell stays, unless `close`."""
TERMINALS: Final = "The terminals that are open: where each is, and what runs in it."
HANDOFF: Final = """\
Let the user type into a command that waits, for secrets above all. Opens a page for the user; you cannot type there \
until the command has gone on or the user gave it back."""

ID: Final = "the command_id, or the terminal_id for the last command there"


def state(outcome: Outcome, reached: str | None = None) -> str:
    """One line: how it stands, where."""
    where = f"{outcome.command_id} in terminal {outcome.terminal_id}, {outcome.cwd or 'directory unknown'}"
    return f"{_state(outcome, reached)} [{where}]"


def _state(outcome: Outcome, reached: str | None) -> str:
    seconds = f"{outcome.duration:.1f} s"
    match outcome.state:
        case "finished":
            closed = "; its shell has ended" if outcome.closed else ""
            if outcome.exit_code is None:
                return f"finished after {seconds}, exit code unknown: nobody knows whether it succeeded{closed}"
            signal = f" ({outcome.signal})" if outcome.signal else ""
            return f"finished after {seconds}, exit code {outcome.exit_code}{signal}{closed}"
        case "waiting":
            return f"waiting for input after {seconds}: {asked(outcome.waiting)}"
        case "lost":
            return f"lost after {seconds}: the terminal vanished, and nobody knows how the command ended"
        case "running":
            come = {"match": ", the pattern was found", "idle": ", it went quiet", "port": ", the port is open"}
            return f"running for {seconds}{come.get(reached or '', '')}"


def asked(waiting: Waiting | None) -> str:
    if waiting is None:
        return "for what is unknown"
    parts: list[str] = [waiting.asks or waiting.kind]
    if waiting.program:
        parts.append(f"by {waiting.program}")
    if waiting.prompt:
        parts.append(repr(waiting.prompt[-QUOTED:]))
    if waiting.choices:
        parts.append(f"choices {', '.join(waiting.choices)}")
    if waiting.default is not None:
        parts.append(f"default {waiting.default}")
    if not waiting.certain:
        parts.append("(it may go on by itself)")
    return " ".join(parts)


def notice(notice: Notice) -> str:
    match notice.what:
        case "finished":
            code = "unknown" if notice.exit_code is None else str(notice.exit_code)
            return f"{notice.command_id} has finished, exit code {code}"
        case "waiting":
            return f"{notice.command_id} waits for input: {(notice.prompt or '')[-QUOTED:]!r}"
        case "lost":
            return f"{notice.command_id} is lost: its terminal vanished"


def next_step(outcome: Outcome) -> str:
    """What can be done about a command, in a line."""
    id = outcome.command_id
    match outcome.state:
        case "running":
            return f"wait(id={id!r}) goes on waiting, read(id={id!r}) shows new output, stop(id={id!r}) ends it"
        case "waiting":
            return _answering(outcome.waiting, id)
        case "lost":
            return "run opens a new terminal; check what the command did before running it again"
        case "finished":
            if outcome.omitted:
                return f"read(id={id!r}, offset=0) has all of the output, read(id={id!r}, grep=…) searches it"
            if outcome.exit_code is None:
                return "check what the command did before going on: its exit code is unknown"
            if outcome.closed:
                return "run opens a new terminal; this one's shell has ended"
            return "run the next command; the shell keeps its directory and variables"


def _answering(waiting: Waiting | None, id: str) -> str:
    stop = f"stop(id={id!r}) ends it"
    if waiting is None:
        return f"screen(id={id!r}) shows it; {stop}"
    if waiting.kind == "secret" or waiting.asks in SECRETS:
        return f"handoff(id={id!r}) lets the user type it: never ask for the secret, never type it; {stop}"
    match waiting.kind:
        case "fullscreen":
            return f"screen(id={id!r}) shows it, send(id={id!r}, keys=[…]) presses keys; {stop}"
        case "key":
            return f"send(id={id!r}, text=…) presses a key, keys=[…] by name; {stop}"
        case "shell":
            return f"send(id={id!r}, text='…', enter=true) runs a line in it; {stop}"
        case "continuation":
            return f"send(id={id!r}, text='…', enter=true) completes the command; {stop}"
        case _:
            choice = waiting.choices[0] if waiting.choices else "…"
            return f"send(id={id!r}, text={choice!r}, enter=true) answers; {stop}"


_AFTER: Final = {
    "busy": "wait({id}) or stop({id}), or run without terminal_id to use another terminal",
    "unknown_terminal": "use one of the ids named, or terminals to see what is open",
    "closed": "run without terminal_id opens a new terminal",
    "bad_command": "change the command text",
    "bad_key": "use one of the names of keys",
    "misuse": "call again with other arguments",
    "denied": "do not try to get around it: ask the user, or do something else",
    "limit_reached": "stop what is no longer needed with stop(id=…, close=true)",
    "spawn_failed": "check cwd and shell",
}


def after_error(error: TruettyError) -> str | None:
    """What can be done when nothing was done."""
    match error.facts.get("why"):
        case "secret":
            return "handoff lets the user type the secret; stop ends the command"
        case "handed over":
            return "wait: the user has it; you can type again when the command has gone on or the user gave it back"
    id = error.facts.get("command_id") or error.facts.get("terminal_id")
    advice = _AFTER.get(error.code)
    return advice.format(id=f"id={id!r}" if isinstance(id, str) else "id=…") if advice is not None else None


def handed_over(url: str | None) -> str:
    if url is None:
        return "wait for it: the user has the page open; do not ask for the secret"
    return "show the url to the user and wait: the page is on this machine, or `truetty answer URL` in a terminal here"


NOTHING_RAN: Final = "run a command"
NONE_OPEN: Final = "run opens one"
OPEN: Final = "run(terminal_id=…) uses one of them; wait, read, send, screen and stop take its id"
NO_REASON: Final = "it asks for something that only you should type"


def next_page(id: str, offset: int) -> str:
    return f"read(id={id!r}, offset={offset}) has the next page"


def idle(id: str, cwd: str | None) -> str:
    return f"nothing has run yet [terminal {id}, {cwd or 'directory unknown'}]"


def closed(id: str) -> str:
    return f"closed [terminal {id}]"


def count(number: int) -> str:
    return "no terminal is open" if not number else f"{number} terminal{'s' if number > 1 else ''} open"


def row(row: Mapping[str, object]) -> str:
    last = f"{row['command_id']}: {row['command']!r}" if row["command_id"] else "nothing has run"
    return f"{row['terminal_id']}  {row['state']}  {row['shell']}  {row['cwd']}  {last}"


def invitation(reason: str, command: str) -> str:
    return f"{reason}\nCommand: {command[:QUOTED]}"
