"""What makes one terminal outlive this process: the server has it (`server/state/keeping.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from truetty.core.standing import Standing
from truetty.host.base import Host
from truetty.store.lasting import GapRecord
from truetty.store.transcript import Transcript
from truetty.terminal.wire.ledger import Ledger


class Keeping(Ledger, Protocol):
    @property
    def id(self) -> str:
        """The terminal's, such as "t1"."""

    @property
    def host(self) -> Host:
        """Which starts its shell in such a way that it goes on without this process."""

    @property
    def transcript(self) -> Transcript:
        """All that it prints, in a file that stays."""

    def printed_since(self, offset: int) -> Iterator[bytes]:
        """Let the transcript begin there again, and give all that was stored since."""

    def on_open(self, record: Standing) -> None:
        """The shell has started, and its first prompt is there or was waited for long enough."""

    def on_resize(self, size: tuple[int, int]) -> None: ...
    def on_close(self) -> None:
        """It is closed: no process of it is left."""


@dataclass(slots=True)
class CommandRecord:
    """Of one command: what was last written before anything was typed, and its end."""

    begun: Standing
    ended: Standing | None = None
    started_at: float | None = None  # seconds since 1970
    starter: tuple[str, str | None] | None = None  # what has started it, as its owner wrote it
    given: tuple[int, int | None] = (0, None)  # of its output, as in `Ledger.on_given`
    news: tuple[str, Any] | None = None  # what its agent knows of it, as its owner wrote it
    waiting_since: float | None = None  # seconds since 1970, as its owner wrote it


@dataclass(slots=True)
class TerminalRecord:
    """All that was written of one terminal."""

    opened: Standing
    commands: list[CommandRecord] = field(default_factory=list)  # the oldest first
    exit: tuple[int | None, int | None] | None = None  # code and signal of its shell, once it has ended
    closed: bool = False
    label: Standing | None = None  # what callers know of it; None: none was told of it
    sizes: list[tuple[int, tuple[int, int]]] = field(default_factory=list)  # with the offset where each begins
    gaps: list[GapRecord] = field(default_factory=list)  # of its transcript, in order
    lease: Standing | None = None  # of a person who has typed there, until an outcome has told of it

    def forget(self, most: int) -> None:
        """All but so many commands; and how the shell stood, of all but the last two: one may not be typed yet."""
        self.commands = self.commands[-most:]
        for command in self.commands[:-2]:
            command.begun = _without_link(command.begun)
            command.ended = None if command.ended is None else _without_link(command.ended)

    @property
    def link(self) -> Standing:
        """What was last known of its shell."""
        size = {"size": self.sizes[-1][1], "sizes": self.sizes} if self.sizes else {}
        ended = [(one.ended.get("output_from"), one) for one in self.commands if one.ended is not None]
        past = [(at, one.begun["text"], one.started_at) for at, one in ended if None not in (at, one.started_at)]
        return {**self._last_link, **size, "past": past, "echoes": self._echoes}

    @property
    def _echoes(self) -> list[Standing]:
        """The echoes of our own lines, each with the text that people see in its place."""
        ended = [(one.ended, one.begun["text"]) for one in self.commands if one.ended is not None]
        return [
            {**echo, "text": text if echo["is_command"] else ""}
            for record, text in [(self.opened, ""), *ended]
            for echo in record.get("echoes", ())
        ]

    @property
    def _last_link(self) -> Standing:
        for command in reversed(self.commands):
            for record in (command.ended, command.begun):
                if record is not None and "link" in record:
                    return record["link"]  # type: ignore[no-any-return]
        return self.opened["link"]  # type: ignore[no-any-return]


def _without_link(record: Standing) -> Standing:
    return {name: value for name, value in record.items() if name != "link"}
