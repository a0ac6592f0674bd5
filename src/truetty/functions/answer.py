"""The one answer of all verbs: which names it has, what each holds, and how it is sent.

Rule 1: every verb answers with all of these names; what does not apply is null.
Rule 2: what is sent is JSON whatever it holds: names of files and programs may be no text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import TruettyError
from truetty.core.outcome import Outcome, Waiting
from truetty.service.notices import Notice
from truetty.text.screen import Screen

# Long facts of an error (a command of a megabyte) are cut: the caller has them.
LONGEST_FACT: Final = 2000

# In the order they are sent.
FIELDS: Final[Mapping[str, str]] = {
    "state": "how the command stands: finished, running, waiting (for input), lost (its terminal vanished)",
    "exit_code": "null while it runs, and when nobody knows it: never take null for success",
    "output": "clean text within the budget; of read and screen: what was asked for",
    "signal": "the signal that ended it, such as SIGKILL",
    "evidence": "why it is believed to have ended: mark, exit, kernel or prompt (weak)",
    "command_id": "names the command in other calls",
    "terminal_id": "names its terminal: its shell keeps directory, variables and jobs",
    "omitted": "characters of the output that are not in `output`; read has them",
    "original_tokens": "about how many tokens the whole output is",
    "complete": "whether every byte it printed so far is stored",
    "waiting": "what it waits for: kind, prompt, program, certain, asks, choices, labels, default, hint",
    "duration": "seconds it ran, or has been running",
    "cwd": "the shell's directory",
    "closed": "whether the terminal's shell has ended",
    "strategy": "how it was watched: rich (our marks), basic, none (the kernel alone)",
    "notes": "what else is worth knowing",
    "reached": "what the wait came back for: exit, input, match, idle, port; null: its time was over",
    "notices": "what happened to other commands since your last call: command_id, terminal_id, what, exit_code, prompt",
    "next": "what you can do next",
    "offset": "read: where in the output this page begins, in characters",
    "next_offset": "read: where the next page begins; null: there is no more, now",
    "matches": "read: lines found by grep",
    "screen": "screen: cursor, cursor_visible, size, title, alternate",
    "terminals": "terminals: those that are open",
    "url": "handoff: where the user types; it works once",
    "error": "why nothing was done: code, message, and the facts",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verb has to say."""

    outcome: Outcome | None = None
    headline: str | None = None  # instead of the command's state
    output: str | None = None  # instead of the outcome's
    omitted: int | None = None  # with `output`: what of it is missing
    nothing: str | None = None  # said of an output that is empty, instead of that there is none
    reached: str | None = None
    notes: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    next: str | None = None
    offset: int | None = None
    next_offset: int | None = None
    matches: Sequence[Mapping[str, object]] | None = None
    screen: Screen | None = None
    terminals: Sequence[Mapping[str, object]] | None = None
    url: str | None = None
    error: TruettyError | None = None

    @property
    def shown(self) -> str | None:
        """What a program printed."""
        if self.output is None and self.outcome is not None:
            return self.outcome.output
        return self.output

    @property
    def all_notes(self) -> tuple[str, ...]:
        return (*(self.outcome.notes if self.outcome is not None else ()), *self.notes)


def data(answer: Answer) -> dict[str, object]:
    """With all names of `FIELDS`, as JSON knows them."""
    found: dict[str, object] = dict.fromkeys(FIELDS)
    if (outcome := answer.outcome) is not None:
        found |= {name: value for name, value in fields(outcome).items() if name in FIELDS}
    if answer.output is not None:
        found |= {"output": answer.output, "omitted": answer.omitted}
    found |= {
        "notes": answer.all_notes,
        "reached": answer.reached,
        "notices": [fields(notice) for notice in answer.notices],
        "next": answer.next,
        "offset": answer.offset,
        "next_offset": answer.next_offset,
        "matches": answer.matches,
        "screen": None if answer.screen is None else _screen(answer.screen),
        "terminals": answer.terminals,
        "url": answer.url,
        "error": None if answer.error is None else _error(answer.error),
    }
    return {name: _plain(value) for name, value in found.items()}


def fields(value: Outcome | Notice | Waiting) -> dict[str, object]:
    """Its names and values."""
    found: dict[str, object] = {}
    for one in dataclasses.fields(value):
        item: object = getattr(value, one.name)
        found[one.name] = fields(item) if isinstance(item, Waiting) else item
    return found


def sendable(text: str) -> str:
    """Without what is no text: bytes that were read as such."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text


def _screen(screen: Screen) -> dict[str, object]:
    return {
        "cursor": screen.cursor,
        "cursor_visible": screen.cursor_visible,
        "size": screen.size,
        "title": screen.title,
        "alternate": screen.alternate,
    }


def _error(error: TruettyError) -> dict[str, object]:
    facts = {name: fact[:LONGEST_FACT] if isinstance(fact, str) else fact for name, fact in error.facts.items()}
    return {**facts, "code": error.code, "message": str(error)[:LONGEST_FACT]}


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
