"""What a command has left in the background, where its terminal is closed when the command has ended."""

from __future__ import annotations

from collections.abc import Iterable

from truetty.terminal.wire.survivors import RUNNING, STOPPED


def notes_at_close(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes of an outcome, when its terminal is closed: those processes have ended too."""
    return tuple(_ended(note) if _is_of_leftovers(note) else note for note in notes)


def leftovers_at_close(notes: Iterable[str]) -> list[str]:
    """Only what those notes say of such processes."""
    return [_ended(note) for note in notes if _is_of_leftovers(note)]


def _is_of_leftovers(note: str) -> bool:
    return note.partition(": ")[0] in (RUNNING, STOPPED)


def _ended(note: str) -> str:
    return f"ended with it: {note.partition(': ')[2]}; --keep lets it run"
