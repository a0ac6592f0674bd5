"""One MCP client and its terminals: a service of its own, or a place as a guest in a server of terminals.

Rule 1: a client's commands run for one task unless it names others: its next command finds the shell as the last one
        left it.
Rule 2: the client is notified of a command only if none of its calls waits for that command.
Rule 3: when the session ends, every terminal is closed and no process is left. A guest's are its host's, and stay.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from truetty.functions.verbs import MODEL_BUDGET, USUAL_PATIENCE, Patience, characters_of, model_budget
from truetty.mcp.desk import ClientDesk
from truetty.mcp.page import HandoffPage
from truetty.policy import Policy
from truetty.service.capacity import Shared
from truetty.service.guard import Guard
from truetty.service.notices import Notice
from truetty.service.policies import policy_of
from truetty.service.service import Service
from truetty.settings import Settings
from truetty.terminal.command import Command
from truetty.text.digest import Budget

MCP_TASK: Final = "mcp"
# Notices that can be read again as a resource.
MOST_NOTICES: Final = 100

Tell = Callable[[Notice], Coroutine[object, object, None]]


@dataclass(frozen=True, slots=True)
class Face:
    """How the tools look to a client."""

    structured: bool = False  # results have structured content, and the tools say its schema
    prefix: str = ""  # of the tools' names: some clients add none, and show `read` and `run` beside tools of others
    patience: Patience = USUAL_PATIENCE
    reads_files: bool = True  # the client is on this machine
    lasts: bool = False  # terminals outlive the client
    answer_on: str | None = None  # where `truetty answer` finds the command, if the user has no page of this machine


@dataclass(frozen=True, slots=True)
class Setup:
    """What every session of a server is made with."""

    guard: Guard
    policy: Policy
    page: HandoffPage
    shared: Shared  # the limits that all sessions have together
    face: Face

    @classmethod
    def of(cls, settings: Settings, policy: str = "settings", face: Face | None = None) -> Setup:
        guard = Guard.of(settings, policy)
        return cls(guard, policy_of(settings, policy), HandoffPage(), Shared.of(settings), face or Face())

    @property
    def settings(self) -> Settings:
        return self.guard.settings

    def service(self) -> Service:
        asked_outside = self.guard.is_behind_policy
        return Service.from_settings(self.settings, policy=self.policy, shared=self.shared, asked_outside=asked_outside)

    def budget(self, tokens: int | None = None) -> Budget:
        """How much of an output is shown: as the user has set it, or what suits models."""
        if tokens is not None:
            characters = characters_of(tokens)
        elif self.settings.origins.get("budget", "default") == "default":
            characters = MODEL_BUDGET
        else:
            characters = self.settings.budget
        return model_budget(characters, self.settings.head_share)


class Session:
    """`service` is one on terminals that others have too, for this task, and `desk` reaches the people there. Without
    it the session has its own."""

    def __init__(
        self, setup: Setup, service: Service | None = None, task: str = MCP_TASK, desk: ClientDesk | None = None
    ) -> None:
        self.setup: Final = setup
        self.desk: Final = desk
        self.task: Final = task
        self.is_guest: Final = service is not None
        self.service: Final = service or setup.service()
        self.news: Final[deque[Notice]] = deque(maxlen=MOST_NOTICES)
        self.tell: Tell | None = None  # how this client is notified, once it has shown a way
        self.quiet_below = 0  # notifications of a lower level are not wanted
        self.calls = 0  # under way
        self.used_at = 0.0
        self._watchers: Counter[str] = Counter()
        self._leave = self.service.notices.listen(self._on_notice, task if self.is_guest else None)

    async def close(self) -> None:
        self._leave()
        if self.is_guest:
            return
        self.setup.page.visits.forget(self.service)
        await self.service.close()

    @property
    def idle(self) -> bool:
        """Nothing is asked and nothing runs."""
        return not self.calls and not any(terminal.busy for terminal in self.service.terminals())

    @contextmanager
    def count_call(self) -> Iterator[None]:
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1
            self.used_at = asyncio.get_running_loop().time()

    @contextmanager
    def watch(self, command: Command) -> Iterator[None]:
        """A call waits for this command: it needs no notification."""
        self._watchers[command.id] += 1
        try:
            yield
        finally:
            self._watchers[command.id] -= 1
            self._watchers += Counter()  # drops those with no watcher

    async def _on_notice(self, notice: Notice) -> None:
        if notice.command_id not in self._watchers:
            self.news.append(notice)
            if self.tell is not None:
                await self.tell(notice)
