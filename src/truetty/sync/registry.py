"""Registry, blocking."""

from __future__ import annotations

import builtins
from types import TracebackType
from typing import Self, Unpack

import truetty
from truetty.service.seat import Place, ShellName
from truetty.settings import Settings
from truetty.sync.loop import loop
from truetty.sync.terminal import Command, Terminal
from truetty.terminal.options import Making
from truetty.text.digest import REST


class Registry:
    """Terminals, reused; see `truetty.Registry`. It is open as soon as it is made."""

    def __init__(
        self,
        *,
        limit: int | None = 100,
        per_task: int | None = None,
        idle: float | None = None,
        warm: int = 0,
        shell: ShellName = None,
        cwd: Place = None,
        **defaults: Unpack[Making],
    ) -> None:
        self._begin(
            truetty.Registry(limit=limit, per_task=per_task, idle=idle, warm=warm, shell=shell, cwd=cwd, **defaults)
        )

    def _begin(self, inner: truetty.Registry) -> None:
        self._inner = inner
        loop.call(inner.__aenter__())
        loop.keep(inner)

    @classmethod
    def from_settings(cls, settings: Settings, *, rest: str = REST) -> Self:
        made = cls.__new__(cls)
        made._begin(truetty.Registry.from_settings(settings, rest=rest))
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def warm(self) -> int:
        return loop.ask(lambda: self._inner.warm)

    @property
    def completed(self) -> tuple[Command, ...]:
        return tuple(map(Command, loop.ask(lambda: self._inner.completed)))

    def announce(self) -> builtins.list[Command]:
        return [*map(Command, loop.ask(self._inner.announce))]

    def acquire(
        self,
        cwd: Place = None,
        *,
        task: str | None = None,
        require_cwd: bool = False,
        shell: ShellName = None,
        **arguments: Unpack[Making],
    ) -> Terminal:
        return Terminal.of(
            loop.call(self._inner.acquire(cwd, task=task, require_cwd=require_cwd, shell=shell, **arguments))
        )

    def get(self, id: str) -> Terminal:
        return Terminal.of(loop.ask(lambda: self._inner.get(id)))

    def list(self) -> builtins.list[Terminal]:
        return [Terminal.of(terminal) for terminal in loop.ask(self._inner.list)]

    def release(self, task: str | Terminal) -> builtins.list[Terminal]:
        whose = task._inner if isinstance(task, Terminal) else task
        return [Terminal.of(terminal) for terminal in loop.ask(lambda: self._inner.release(whose))]

    def give_up(self, terminal: Terminal) -> None:
        loop.ask(lambda: self._inner.give_up(terminal._inner))

    def close(self) -> None:
        loop.call(self._inner.close())
        loop.forget(self._inner)
