"""The one result of all tools: which names it has, what each holds, and how it reads as text.

Rule 1: every tool answers with all of these names; what does not apply is null.
Rule 2: the text says the same: the state in a line, the output, notes and notices, and one line on what can be done.
Rule 3: nothing said here sounds like success unless an exit code of 0 is known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import TruettyError
from truetty.core.outcome import Outcome, Waiting
from truetty.mcp import words
from truetty.notices import Notice
from truetty.output.screen import Screen

# Long facts of an error (a command of a megabyte) are cut: the caller has them.
LONGEST_FACT: Final = 2000


def _or_null(**kind: object) -> Mapping[str, object]:
    """Not by a list of types: not every client's dialect of JSON Schema has those."""
    return {"anyOf": [kind, {"type": "null"}]}


_TEXT: Final = _or_null(type="string")
_WHOLE: Final = _or_null(type="integer")
_NUMBER: Final = _or_null(type="number")
_FLAG: Final = _or_null(type="boolean")
_TABLE: Final = _or_null(type="object")
_TABLES: Final = _or_null(type="array", items={"type": "object"})

# Name, type, meaning: the order is that of the result.
FIELDS: Final[Mapping[str, tuple[Mapping[str, object], str]]] = {
    "state": (
        _or_null(type="string", enum=["finished", "running", "waiting", "lost"]),
        "how the command stands: finished, running, waiting (for input), lost (its terminal vanished)",
    ),
    "exit_code": (_WHOLE, "null while it runs, and when nobody knows it: never take null for success"),
    "output": (_TEXT, "clean text within the budget; of read and screen: what was asked for"),
    "signal": (_TEXT, "the signal that ended it, such as SIGKILL"),
    "evidence": (_TEXT, "why it is believed to have ended: mark, exit, kernel or prompt (weak)"),
    "command_id": (_TEXT, "names the command in other calls"),
    "terminal_id": (_TEXT, "names its terminal: its shell keeps directory, variables and jobs"),
    "omitted": (_WHOLE, "characters of the output that are not in `output`; read has them"),
    "original_tokens": (_WHOLE, "about how many tokens the whole output is"),
    "complete": (_FLAG, "whether every byte it printed so far is stored"),
    "waiting": (_TABLE, "what it waits for: kind, prompt, program, certain, asks, choices, labels, default, hint"),
    "duration": (_NUMBER, "seconds it ran, or has been running"),
    "cwd": (_TEXT, "the shell's directory"),
    "closed": (_FLAG, "whether the terminal's shell has ended"),
    "strategy": (_TEXT, "how it was watched: rich (our marks), basic, none (the kernel alone)"),
    "notes": ({"type": "array", "items": {"type": "string"}}, "what else is worth knowing"),
    "reached": (_TEXT, "what the wait came back for: exit, input, match, idle, port; null: its time was over"),
    "notices": (
        {"type": "array", "items": {"type": "object"}},
        "what happened to other commands since your last call: command_id, terminal_id, what, exit_code, prompt",
    ),
    "next": (_TEXT, "what you can do next"),
    "offset": (_WHOLE, "read: where in the output this page begins, in characters"),
    "next_offset": (_WHOLE, "read: where the next page begins; null: there is no more, now"),
    "matches": (_TABLES, "read: lines found by grep"),
    "screen": (_TABLE, "screen: cursor, cursor_visible, size, title, alternate"),
    "terminals": (_TABLES, "terminals: those that are open"),
    "url": (_TEXT, "handoff: where the user types; it works once"),
    "error": (_TABLE, "why nothing was done: code, message, and the facts"),
}

MISREAD: Final = frozenset({"exit_code", "omitted", "reached"})


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool has to say."""

    outcome: Outcome | None = None
    headline: str | None = None  # instead of the command's state
    output: str | None = None  # instead of the outcome's
    omitted: int | None = None  # with `output`: what of it is missing
    nothing: str = words.NO_OUTPUT  # said in place of an output that is empty
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


def schema() -> dict[str, object]:
    """Without the meanings, but for what could be misread: eight tools carry it, and some clients show it to models."""
    said = {name: {"description": help} if name in MISREAD else {} for name, (_, help) in FIELDS.items()}
    properties = {name: {**kind, **said[name]} for name, (kind, _) in FIELDS.items()}
    return {"type": "object", "properties": properties, "required": list(FIELDS)}


def structured(result: Result) -> dict[str, object]:
    """With all names of `FIELDS`."""
    found: dict[str, object] = dict.fromkeys(FIELDS)
    if (outcome := result.outcome) is not None:
        found |= {name: value for name, value in fields(outcome).items() if name in FIELDS}
    if result.output is not None:
        found |= {"output": result.output, "omitted": result.omitted}
    found |= {
        "notes": list(_notes(result)),
        "reached": result.reached,
        "notices": [fields(notice) for notice in result.notices],
        "next": result.next,
        "offset": result.offset,
        "next_offset": result.next_offset,
        "matches": None if result.matches is None else [dict(one) for one in result.matches],
        "screen": None if result.screen is None else _screen(result.screen),
        "terminals": None if result.terminals is None else [dict(one) for one in result.terminals],
        "url": result.url,
        "error": None if result.error is None else _error(result.error),
    }
    return {name: _sendable(value) for name, value in found.items()}


def text(result: Result) -> str:
    """What a model reads first."""
    outcome = result.outcome
    parts = [result.headline or (words.state(outcome, result.reached) if outcome is not None else "")]
    shown = result.output if result.output is not None else (outcome.output if outcome is not None else None)
    if result.error is not None:
        parts = [f"error: {result.error.code}: {result.error}"]
    elif shown is not None:
        empty = words.ONLY_BLANKS if shown else result.nothing
        parts += ["", shown.rstrip("\n") if shown.strip() else empty, ""]
    if result.url is not None:
        parts.append(f"url: {result.url}")
    parts += [f"note: {note}" for note in _notes(result)]
    parts += [f"notice: {words.notice(notice)}" for notice in result.notices]
    if result.next:
        parts.append(f"next: {result.next}")
    return str(_sendable("\n".join(parts)))


def _notes(result: Result) -> tuple[str, ...]:
    return (*(result.outcome.notes if result.outcome is not None else ()), *result.notes)


def fields(value: Outcome | Notice | Waiting) -> dict[str, object]:
    """Its names and values."""
    found: dict[str, object] = {}
    for one in dataclasses.fields(value):
        item: object = getattr(value, one.name)
        found[one.name] = fields(item) if isinstance(item, Waiting) else item
    return found


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


def _sendable(value: object) -> object:
    """As JSON can say it: names of files and programs may hold bytes that are no text."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if _broken(value) else value
        case Mapping():
            return {str(name): _sendable(item) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_sendable(item) for item in value]
    return str(value)


def _broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
