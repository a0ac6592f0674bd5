"""Starting a command: in the terminal that is named, or in one of its task's, in the sandbox or outside of it.

Rule 1: a command is judged for the place where it will run, before a terminal is opened; and again if its terminal is
        elsewhere by then.
Rule 2: a task's command begins in the directory that the task's last one has left, inside or outside.
Rule 3: where the sandbox is there because of a policy (`asked_outside`), a command that a person allows runs outside of
        it. So it can do what was allowed.
Rule 4: nothing is started in a terminal that a person has.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final
from weakref import WeakValueDictionary

from truetty.core.errors import Misuse
from truetty.policy import Asker
from truetty.service.commands import StartRequest
from truetty.service.leases import Leases
from truetty.service.move import Move, move
from truetty.service.permissions import Location, Permissions, Subject
from truetty.service.registry import Registry
from truetty.terminal.command import Command
from truetty.terminal.options import Making
from truetty.terminal.terminal import Terminal

NOTHING: Final = "Nothing was run."


class Starter:
    def __init__(
        self, registry: Registry, permissions: Permissions, leases: Leases, *, asked_outside: bool = False
    ) -> None:
        self._registry = registry
        self._leases = leases
        self._permissions = permissions
        self._asked_outside = asked_outside and registry.sandbox is not None
        self._last: WeakValueDictionary[str, Terminal] = WeakValueDictionary()  # in which a task's last command began

    async def start(
        self,
        request: StartRequest,
        timeout: float | None,
        asker: Asker | None,
        inherited: Mapping[str, str] | None = None,
    ) -> tuple[Command, Move | None]:
        """The command, and that it runs elsewhere than the task's last one, if the caller does not know that.

        `inherited` are the variables of a new terminal, in place of this program's.
        """
        with self._permissions.refusals(request.command, Subject(request.task, request.terminal)):
            if request.terminal is not None:
                return await self._start_in(request.terminal, request, timeout, asker), None
            return await self._start_somewhere(request, timeout, asker, inherited)

    async def _start_in(
        self, terminal: str, request: StartRequest, timeout: float | None, asker: Asker | None
    ) -> Command:
        chosen = self._registry.get(terminal)
        self._leases.check(chosen.id, done=NOTHING)
        if self._asked_outside and not self.is_outside(chosen) and await self._leaves(request, Location.of(chosen)):
            message = f"terminal {terminal} is in the sandbox, and what the user is asked for runs outside of it"
            raise Misuse(f"{message}: name no terminal", terminal_id=terminal)
        await self._permissions.judge_in(chosen, request.command, asker, is_outside=self.is_outside(chosen))
        self._leases.check(chosen.id, done=NOTHING)
        started = await chosen.start(request.command, timeout=timeout)
        self._remember(request, chosen)
        return started

    async def _start_somewhere(
        self,
        request: StartRequest,
        timeout: float | None,
        asker: Asker | None,
        inherited: Mapping[str, str] | None,
    ) -> tuple[Command, Move | None]:
        subject = Subject(request.task)
        self._permissions.check_shell(request.command, request.shell, subject)
        cwd, making = self._directory(request), Making()
        location = Location(*await self._registry.expected(cwd, task=request.task, shell=request.shell))
        if request.outside or await self._leaves(request, location):
            cwd, making = location.cwd, Making(sandbox=None)
            where = await self._registry.expected(cwd, task=request.task, shell=request.shell, **making)
            location = Location(*where, is_outside=True)
        permit = await self._permissions.judge(request.command, location, subject, asker)
        last = self._last.get(request.task or "")
        chosen = await self._registry.acquire(
            cwd, task=request.task, shell=request.shell, inherited=inherited, **making
        )
        try:
            is_outside = self.is_outside(chosen)
            await self._permissions.judge_in(chosen, request.command, asker, location, permit, is_outside=is_outside)
            self._leases.check(chosen.id, done=NOTHING)
            started = await chosen.start(request.command, timeout=timeout)
        except BaseException:
            self._registry.release(chosen)
            raise
        self._remember(request, chosen)
        return started, None if last is None else move(last, chosen, is_new=self._registry.is_new(chosen))

    def _remember(self, request: StartRequest, terminal: Terminal) -> None:
        if request.task is not None:
            self._last[request.task] = terminal

    async def _leaves(self, request: StartRequest, location: Location) -> bool:
        """Whether it runs outside although that was not asked for."""
        return self._asked_outside and await self._permissions.asks(request.command, location)

    def _directory(self, request: StartRequest) -> str | None:
        """In which it begins inside; None: as the task's terminal there was left."""
        last = None if request.task is None else self._last.get(request.task)
        if request.cwd is not None or last is None or not self.is_outside(last):
            return request.cwd
        return last.cwd if last.cwd is not None and os.path.isdir(last.cwd) else None

    def is_outside(self, terminal: Terminal) -> bool:
        """Of the sandbox that terminals are in."""
        return self._registry.sandbox is not None and terminal.options.sandbox is None
