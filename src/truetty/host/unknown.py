"""The parts of a channel of which nothing can be told: every answer is `None`, and nothing is changed.

A host that only carries bytes has these three; one that knows more replaces what it knows.
"""

from __future__ import annotations

from truetty.host.base import Modes, Process


class UnknownTty:
    def modes(self) -> Modes | None:
        return None

    def foreground(self) -> int | None:
        return None

    def shell_in_front(self) -> bool | None:
        return None

    def unread(self) -> int | None:
        return None

    def adopt(self) -> None:
        return

    def mend(self) -> None:
        return

    def resume(self) -> None:
        return


class UnknownProcess:
    def cwd(self) -> str | None:
        return None

    def program(self) -> str | None:
        return None

    def argv(self) -> tuple[str, ...] | None:
        return None

    def image(self) -> object:
        return None

    def mentions(self, text: str) -> bool | None:
        return None

    def consumed(self) -> int | None:
        return None

    def reaped(self) -> int | None:
        return None

    def cpu(self) -> float | None:
        return None


class UnknownFamily:
    def children(self) -> list[Process] | None:
        return None

    def everyone(self) -> list[Process] | None:
        return None

    def ports(self) -> frozenset[int] | None:
        return None

    def port_is_open(self, number: int) -> bool | None:
        return None
