"""Starting a command: in the terminal that is named, or in one of its task's, in the sandbox or outside of it.

Rule 1: a command is judged for the place where it will run, before a terminal is opened; and again if its terminal is
        elsewhere by then.
Rule 2: what runs outside begins in the directory in which it would have run inside.
"""

from __future__ import annotations

from truetty.policy import Asker
from truetty.service.commands import StartRequest
from truetty.service.permissions import Location, Permissions, Subject
from truetty.service.registry import Registry
from truetty.terminal.command import Command
from truetty.terminal.options import Making
from truetty.terminal.terminal import Terminal


class Starter:
    def __init__(self, registry: Registry, permissions: Permissions) -> None:
        self._registry = registry
        self._permissions = permissions

    async def start(self, request: StartRequest, timeout: float | None, asker: Asker | None) -> Command:
        with self._permissions.refusals(request.command, Subject(request.task, request.terminal)):
            if request.terminal is not None:
                return await self._start_in(request.terminal, request, timeout, asker)
            return await self._start_somewhere(request, timeout, asker)

    async def _start_in(
        self, terminal: str, request: StartRequest, timeout: float | None, asker: Asker | None
    ) -> Command:
        chosen = self._registry.get(terminal)
        await self._permissions.judge_in(chosen, request.command, asker, is_outside=self.is_outside(chosen))
        return await chosen.start(request.command, timeout=timeout)

    async def _start_somewhere(self, request: StartRequest, timeout: float | None, asker: Asker | None) -> Command:
        subject = Subject(request.task)
        self._permissions.check_shell(request.command, request.shell, subject)
        cwd, making = request.cwd, Making()
        if request.outside:
            cwd, _ = await self._registry.expected(cwd, task=request.task, shell=request.shell)
            making["sandbox"] = None
        where = await self._registry.expected(cwd, task=request.task, shell=request.shell, **making)
        location = Location(*where, request.outside)
        permit = await self._permissions.judge(request.command, location, subject, asker)
        chosen = await self._registry.acquire(cwd, task=request.task, shell=request.shell, **making)
        try:
            is_outside = self.is_outside(chosen)
            await self._permissions.judge_in(chosen, request.command, asker, location, permit, is_outside=is_outside)
            return await chosen.start(request.command, timeout=timeout)
        except BaseException:
            self._registry.release(chosen)
            raise

    def is_outside(self, terminal: Terminal) -> bool:
        """Of the sandbox that terminals are in."""
        return self._registry.sandbox is not None and terminal.options.sandbox is None
