"""What a model reads of a result, and the same as JSON.

Rule 1: what we say stands above the first empty line, what a program printed below it. So nothing that is printed can
        look like a word of ours; what comes from a program and stands above is in quotes, on one line.
Rule 2: an exit code that nobody knows is said to be unknown; a command that runs is never said to be done.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Final

from truetty.core.errors import TruettyError
from truetty.core.outcome import Outcome, State, Waiting
from truetty.notices import Notice
from truetty.output.screen import Screen
from truetty.service import Page, Report
from truetty.terminal import Terminal

# What a model can do next, by how the command stands. {id} is the command's.
Advice = Mapping[State, str]
ADVICE: Final[Advice] = {
    "running": "It goes on: wait for it, read its output or stop it, with id {id}.",
    "waiting": "Answer with send or end it with stop, with id {id}.",
}


def report_text(report: Report, advice: Advice = ADVICE) -> str:
    outcome = report.outcome
    said = [_standing(outcome)]
    if outcome.waiting is not None:
        said.append(_asked(outcome.waiting))
    if outcome.state in advice:
        said.append(advice[outcome.state].format(id=outcome.command_id))
    if outcome.omitted:
        said.append(f"{outcome.omitted} characters are left out below: read them with id {outcome.command_id}.")
    if not outcome.complete:
        said.append("Some of its output is lost.")
    said += [f"Note: {note}" for note in outcome.notes]
    return _page([*said, *_meanwhile(report.notices)], outcome.output)


def report_data(report: Report) -> dict[str, object]:
    """The outcome's names, and the report's."""
    return {
        **_fields(report.outcome),
        "reached": report.reached,
        "notices": [_fields(notice) for notice in report.notices],
    }


def page_text(page: Page, state: State, exit_code: int | None) -> str:
    said = [f"Output of command {page.command_id}, which is {state}{_with_code(state, exit_code)}."]
    if page.next_offset is not None:
        said.append(f"There is more: read from offset {page.next_offset} on.")
    rows = [
        row for match in page.matches for row in _match_rows(match.line_number, match.before, match.line, match.after)
    ]
    if rows:
        said.append(f"Lines that match: {len(page.matches)}.")
    text = "\n".join(rows) if rows else page.text
    if not text:
        said.append("Nothing matches, or there is nothing new." if page.offset is None else "There is nothing there.")
    return _page([*said, *_meanwhile(page.notices)], text)


def page_data(page: Page, state: State, exit_code: int | None) -> dict[str, object]:
    return {**_fields(page), "state": state, "exit_code": exit_code}


def screen_text(screen: Screen) -> str:
    column, row = screen.cursor
    title = f", title {_quoted(screen.title)}" if screen.title else ""
    kind = "a full-screen program's" if screen.alternate else "the terminal's"
    return _page([f"Screen ({kind}), cursor in line {row + 1}, column {column + 1}{title}."], screen.text)


def screen_data(screen: Screen) -> dict[str, object]:
    return {name: value for name, value in _fields(screen).items() if name != "dump"}


def terminals_text(terminals: Iterable[Terminal]) -> str:
    rows = []
    for terminal in terminals:
        command = terminal.command
        what = f"{command.state}: {_quoted(command.text[:80])} (id {command.id})" if command is not None else "unused"
        rows.append(f"{terminal.id}  {terminal.shell}  {_quoted(terminal.cwd or '')}  {what}")
    return "\n".join(rows) or "No terminal is open."


def terminals_data(terminals: Iterable[Terminal]) -> dict[str, object]:
    return {"terminals": [_terminal(terminal) for terminal in terminals]}


def error_text(error: TruettyError) -> str:
    return f"Error ({error.code}): {error}"


def error_data(error: TruettyError) -> dict[str, object]:
    return {"error": error.code, "message": str(error), "facts": _plain(error.facts)}


# -- sentences


def _standing(outcome: Outcome) -> str:
    state = outcome.state
    where = f"command {outcome.command_id}, terminal {outcome.terminal_id}"
    silent = "" if outcome.output else "; it printed nothing"
    said = f"{state}{_with_code(state, outcome.exit_code)}"
    if outcome.signal is not None:
        said += f", ended by {outcome.signal}"
    elif state == "lost":
        said += ": its terminal vanished, and nobody knows how it ended"
    elif state in ("running", "waiting"):
        said += f" after {outcome.duration:.1f} s"
    shell = "; its shell has ended, and the terminal is closed" if outcome.closed else ""
    return f"{said[0].upper()}{said[1:]} ({where}){silent}{shell}."


def _with_code(state: State, exit_code: int | None) -> str:
    if state != "finished":
        return ""
    return f", exit code {exit_code}" if exit_code is not None else ", exit code unknown"


def _asked(waiting: Waiting) -> str:
    said = f"It asks {_quoted(waiting.prompt)}" if waiting.prompt.strip() else f"It reads the keyboard ({waiting.kind})"
    if waiting.asks is not None:
        said += f" ({waiting.asks})"
    if waiting.choices:
        said += f"; answers: {', '.join(map(_quoted, waiting.choices))}"
    if waiting.default is not None:
        said += f"; Enter alone: {_quoted(waiting.default)}"
    return f"{said}. {waiting.hint}".rstrip()


def _meanwhile(notices: Iterable[Notice]) -> list[str]:
    said = []
    for notice in notices:
        what = f"{notice.what}{_with_code('finished', notice.exit_code)}" if notice.what == "finished" else notice.what
        asks = f", asks {_quoted(notice.prompt)}" if notice.prompt else ""
        said.append(f"Meanwhile: command {notice.command_id} in terminal {notice.terminal_id} is {what}{asks}.")
    return said


def _match_rows(number: int, before: tuple[str, ...], line: str, after: tuple[str, ...]) -> list[str]:
    above = [f"{number - len(before) + at}- {text}" for at, text in enumerate(before)]
    below = [f"{number + at}- {text}" for at, text in enumerate(after, 1)]
    return [*above, f"{number}: {line}", *below]


def _page(said: list[str], printed: str) -> str:
    head = "\n".join(" ".join(line.splitlines()) for line in said)
    return f"{head}\n\n{printed}" if printed else head


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# -- JSON


def _terminal(terminal: Terminal) -> dict[str, object]:
    command = terminal.command
    last = {"id": command.id, "text": command.text, "state": command.state} if command is not None else None
    return {
        "id": terminal.id, "shell": terminal.shell, "cwd": terminal.cwd, "busy": terminal.busy,
        "strategy": terminal.strategy, "task": terminal.task, "name": terminal.name, "command": last,
    }  # fmt: skip


def _fields(value: Outcome | Notice | Page | Screen) -> dict[str, object]:
    return {name: _plain(item) for name, item in dataclasses.asdict(value).items()}


def _plain(value: object) -> object:
    """As JSON knows it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
