"""What the lines of the journal say of terminals and of retry keys."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NotRequired, TypedDict

from truetty.server import limits
from truetty.server.state.journal import Line
from truetty.server.state.keys import PastKey
from truetty.terminal.keeping import CommandRecord, TerminalRecord

# Of each terminal so many commands are remembered.
MOST_COMMANDS: Final = 100
# And so many changes of size: of what was printed before them, the size is not known.
MOST_SIZES: Final = 64


class Label(TypedDict):
    """What callers know of a terminal beside what the shell does."""

    name: str | None
    task: str | None
    client: str | None  # which has opened it
    opened_at: float
    own: bool  # as in `service.registry.Origin`
    usual: bool
    until_finished: NotRequired[bool]  # it is closed when its first command has ended


def records_of(lines: list[Line]) -> dict[str, TerminalRecord]:
    """By terminal, in the order in which they were opened."""
    records: dict[str, TerminalRecord] = {}
    for line in lines:
        match line:
            case {"t": str(id), "stray": _}:
                records.pop(id, None)
            case {"t": str(id), "open": dict(opened)}:
                records[id] = TerminalRecord(opened)
            case {"t": str(id), "forget": True}:
                records.pop(id, None)
            case {"t": str(id), **what} if id in records:
                _add(records[id], what)
    return records


def lines_of(id: str, record: TerminalRecord) -> Iterator[Line]:
    """For a journal that begins anew: what is still needed of one terminal."""
    yield {"t": id, "open": record.opened}
    if record.label is not None:
        yield {"t": id, "label": record.label}
    record.forget(MOST_COMMANDS)
    for command in record.commands:
        yield {"t": id, "begun": command.begun, "at": command.started_at, "by": command.starter}
        yield {"t": id, "given": [command.begun["serial"], *command.given]}
        if command.news is not None:
            yield {"t": id, "news": [command.begun["serial"], *command.news]}
        if command.waiting_since is not None and command.ended is None:
            yield {"t": id, "waits": [command.begun["serial"], command.waiting_since]}
        if command.ended is not None:
            yield {"t": id, "end": command.ended}
    for at, size in record.sizes:
        yield {"t": id, "size": size, "at": at}
    for gap in record.gaps:
        yield {"t": id, "gap": gap}
    if record.lease is not None:
        yield {"t": id, "lease": record.lease}
    if record.exit is not None:
        yield {"t": id, "exit": record.exit}
    if record.closed:
        yield {"t": id, "close": True}


def unlabelled(record: TerminalRecord) -> Label:
    """The server before was killed when a command was typed into a new terminal, and before it had answered."""
    options = record.opened["options"]
    opened_at = record.commands[0].started_at or time.time()
    return Label(name=options["name"], task=options["task"], client=None, opened_at=opened_at, own=False, usual=False)


def keys_of(lines: list[Line], terminals: Collection[str]) -> list[PastKey]:
    """Those that are young enough, the newest last, and what was made with each: of these terminals."""
    found: dict[str, PastKey] = {}
    youngest = time.time() - limits.KEY_SECONDS
    for line in lines:
        match line:
            case {"key": str(key), "digest": digest, "verb": verb, "at": at, "made": made} if at > youngest:
                found[key] = PastKey(key, digest, verb, at, made)
            case {"key": str(key), "t": id, "begun": {"serial": serial}} if key in found:
                found[key] = replace(found[key], made=f"{id}-{serial}")
            case {"key": str(key), "t": id, "open": _} if (
                key in found and found[key].verb == "open" and id in terminals
            ):
                found[key] = replace(found[key], made=id)
    return list(found.values())[-limits.MOST_KEYS :]


def _add(record: TerminalRecord, what: Mapping[str, Any]) -> None:
    commands = record.commands
    match what:
        case {"begun": {"serial": serial} as begun} if commands and commands[-1].begun["serial"] == serial:
            commands[-1].begun = begun
        case {"begun": {"serial": _} as begun}:
            commands.append(CommandRecord(begun, started_at=what.get("at"), starter=what.get("by")))
        case {"typed": serial} if commands and commands[-1].begun["serial"] == serial:
            commands[-1].begun = {**commands[-1].begun, "typed": True}
        case {"end": ended} if commands:
            commands[-1].ended = ended
            if record.lease is not None and record.lease["state"] != "held":
                record.lease = None  # the notes of this command tell of it
        case {"given": [serial, waited, read]}:
            for command in _with_serial(commands, serial):
                command.given = (waited, read)
        case {"news": [serial, agent, state]}:
            for command in _with_serial(commands, serial):
                command.news = (agent, state)
        case {"waits": [serial, since]}:
            for command in _with_serial(commands, serial):
                command.waiting_since = since
        case {"exit": [code, signal]}:
            record.exit = (code, signal)
        case {"size": [columns, rows], "at": at}:
            record.sizes = [*record.sizes[1 - MOST_SIZES :], (at, (columns, rows))]
        case {"gap": [start, _, _] as gap}:
            if record.gaps and record.gaps[-1][0] == start:
                record.gaps.pop()
            record.gaps.append((start, gap[1], gap[2]))
        case {"close": True}:
            record.closed = True
        case {"label": label}:
            record.label = label
        case {"lease": lease}:
            record.lease = lease


def _with_serial(commands: Sequence[CommandRecord], serial: int) -> Iterator[CommandRecord]:
    """The one with this number, if it is there."""
    return itertools.islice((one for one in reversed(commands) if one.begun["serial"] == serial), 1)
