"""What goes back to a model: one shape for all verbs, as text to read and as data.

Rule 1: every verb answers with all names of `FIELDS`; what does not apply is null.
Rule 2: what is sent is JSON whatever it holds: names of files and programs may be no text.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from truetty.core.errors import TruettyError
from truetty.functions import words
from truetty.functions.words import Report as Report
from truetty.functions.words import message_of, sendable

# Long facts of an error (a command of a megabyte) are cut: the caller has them.
LONGEST_FACT: Final = 2000
SCREEN_FIELDS: Final = ("cursor", "cursor_visible", "size", "title", "alternate")

Type = Literal["state", "text", "whole", "number", "flag", "object", "objects", "texts", "notices"]


@dataclass(frozen=True, slots=True)
class ResultField:
    """A name of the data: its type (or null; never null: texts, notices), and what it holds."""

    type: Type
    help: str


# In the order they are sent.
FIELDS: Final[Mapping[str, ResultField]] = {
    "state": ResultField(
        "state", "how it stands: finished, running, waiting (for input), lost (its terminal vanished)"
    ),
    "exit_code": ResultField("whole", "null while it runs, and when it is unknown: never take null for success"),
    "output": ResultField("text", "clean text within the budget; of read and screen: what was asked for"),
    "signal": ResultField("text", "the signal that ended it, such as SIGKILL"),
    "evidence": ResultField("text", "what proved that it has ended: mark, exit, kernel or prompt (weak)"),
    "command_id": ResultField("text", "names the command in other calls"),
    "terminal_id": ResultField("text", "names its terminal: its shell keeps directory, variables and jobs"),
    "omitted": ResultField("whole", "characters of what was asked for that are not in `output`; read has them"),
    "original_tokens": ResultField("whole", "about how many tokens the whole output is"),
    "complete": ResultField("flag", "whether every byte it printed so far is stored"),
    "waiting": ResultField(
        "object", "what it asks for: kind, prompt, program, certain, asks, choices, labels, default, hint"
    ),
    "duration": ResultField("number", "seconds it ran, or has been running"),
    "cwd": ResultField("text", "the shell's directory"),
    "closed": ResultField("flag", "whether the terminal's shell has ended"),
    "strategy": ResultField("text", "how it was watched: rich (our marks), basic, none (the kernel alone)"),
    "notes": ResultField("texts", "what else is worth knowing"),
    "reached": ResultField(
        "text", "what the wait came back for: exit, input, match, idle, port; null: its time was over"
    ),
    "notices": ResultField(
        "notices",
        "what happened to your other commands since your last call: command_id, terminal_id, what, exit_code, prompt, "
        "command",
    ),
    "next": ResultField("text", "what you can do next"),
    "offset": ResultField("whole", "read: where in the whole output this begins, in characters"),
    "next_offset": ResultField("whole", "read: where the first character stands that is left out; null: none is, now"),
    "file": ResultField("text", "the whole output as a text file, where some of it is left out; gone with the server"),
    "matches": ResultField("objects", "read: lines found by grep"),
    "screen": ResultField("object", f"screen: {', '.join(SCREEN_FIELDS)}"),
    "terminals": ResultField("objects", "terminals: those that are open"),
    "url": ResultField("text", "handoff: where the user types; it works once"),
    "error": ResultField("object", "why nothing was done: code, message, and the facts"),
}


@dataclass(frozen=True, slots=True)
class Result:
    """What goes back to the model: `text` to read, or `data` as JSON. `error` is an error's code."""

    text: str
    data: dict[str, object]
    error: str | None = None

    @property
    def json(self) -> str:
        return json.dumps(self.data, ensure_ascii=False)


def result(report: Report) -> Result:
    answer, visible, screen, error = report.answer, report.visible, report.screen, report.error
    data: dict[str, object] = dict.fromkeys(FIELDS)
    if answer is not None:
        data |= {name: value for name, value in dataclasses.asdict(answer.outcome).items() if name in FIELDS}
        data["reached"] = answer.reached
        if answer.matches is not None:
            data["matches"] = [dataclasses.asdict(match) for match in answer.matches]
    if visible is not None:
        data |= {"output": visible.text, "omitted": visible.omitted}
        data |= {"offset": visible.offset, "next_offset": visible.next_offset}
    data |= {
        "notes": report.all_notes,
        "notices": [dataclasses.asdict(notice) for notice in report.all_notices],
        "next": report.next,
        "screen": None if screen is None else {name: getattr(screen, name) for name in SCREEN_FIELDS},
        "terminals": report.terminals,
        "url": report.url,
        "file": report.file,
        "error": None if error is None else _error(error),
    }
    plain = {name: _plain(value) for name, value in data.items()}
    return Result(words.text(report), plain, error.code if error is not None else None)


def _error(error: TruettyError) -> dict[str, object]:
    facts = {name: fact[:LONGEST_FACT] if isinstance(fact, str) else fact for name, fact in error.facts.items()}
    return {**facts, "code": error.code, "message": message_of(error)}


def _plain(value: object) -> object:
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return sendable(value)
        case Mapping():
            return {str(name): _plain(item) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
    return str(value)
