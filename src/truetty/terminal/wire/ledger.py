"""Where it is written down, as it happens, what the next process must know of a terminal's commands."""

from __future__ import annotations

from typing import Protocol

from truetty.core.standing import Standing


class Ledger(Protocol):
    """Each returns when the record is out of this process's memory. Raises OSError where it cannot be."""

    def on_ask(self, record: Standing) -> None:
        """A command is to be typed when the prompt is free."""

    def on_send(self, record: Standing) -> None:
        """It is about to be typed, and nothing of it was."""

    def on_typed(self, serial: int) -> None:
        """All of the command with this number was typed."""

    def on_exit(self, code: int | None, signal: int | None) -> None:
        """The shell has ended, and was not reaped yet."""

    def on_given(self, serial: int, waited: int, read: int | None) -> None:
        """Waits have returned so many bytes of the command with this number. `read`: where `unread` goes on; None: it
        was not called."""

    def on_end(self, record: Standing) -> None:
        """It has ended."""
