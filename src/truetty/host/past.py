"""A channel whose shell has ended, in a process before this one: nothing can be asked of it or typed."""

from __future__ import annotations

from collections.abc import Mapping

from truetty.host.base import Ended, Family, ShellProcess, Sink, Tty


class NoFiles:
    """Its private directory is gone."""

    path = ""

    def write(self, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        return

    def drop(self, name: str) -> None:
        return

    def has(self, name: str) -> bool | None:
        return None


class PastChannel:
    """`ended`: how; without code and signal if that is not known."""

    pid: int | None = None
    sees = False
    knows_prompt = False

    def __init__(self, ended: Ended) -> None:
        self.files = NoFiles()
        self.tty = Tty()
        self.process = ShellProcess()
        self.family = Family()
        self._ended = ended

    def learn(self) -> bool:
        return False

    def learn_hook(self, place: object) -> None:
        return

    def attach(self, sink: Sink) -> None:
        sink.on_end(self._ended)

    def look(self) -> None:
        return

    def write(self, data: bytes) -> None:
        return

    async def drained(self) -> None:
        return

    def resize(self, columns: int, rows: int) -> None:
        return

    def signal(self, target: int, number: int) -> bool:
        return False

    async def close(self, *, keep_jobs: bool = False) -> None:
        return
