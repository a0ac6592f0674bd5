"""One MCP client of a server of terminals: its session runs in the server, on the server's terminals.

Rule 1: the policy, the sandbox, the shell and the look of the tools are the client's, as its command line says. All
        else is as the server's settings say.
Rule 2: what cannot be is refused when the client comes, not in its first call.
Rule 3: the end of a client closes nothing. Calls that wait are cancelled, and what they wait for goes on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.websockets import WebSocket

from truetty.core.errors import SpawnFailed
from truetty.functions.verbs import Patience
from truetty.host.local import LocalHost
from truetty.host.sandbox import problem
from truetty.host.wall import Sandbox
from truetty.mcp.desk import ClientDesk
from truetty.mcp.lines import Lines
from truetty.mcp.opening import Opening
from truetty.mcp.page import HandoffPage
from truetty.mcp.server import build
from truetty.mcp.session import Face, Session, Setup
from truetty.mcp.sessions import client_name
from truetty.policy import Audit
from truetty.server.acts.desk import Desk
from truetty.service.capacity import Shared
from truetty.service.commands import StartRequest
from truetty.service.guard import Guard
from truetty.service.policies import policy_of
from truetty.service.registry import Registry
from truetty.service.service import Service
from truetty.settings import Settings
from truetty.terminal.command import Command
from truetty.terminal.options import Making
from truetty.text.quoting import on_one_line

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

ROOTS_SECONDS: Final = 5.0  # for a client's answer about its roots; without one its directory counts


class Clients(Protocol):
    """All clients of a server."""

    @property
    def service(self) -> Service: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def desk(self) -> Desk: ...

    def claim(self, client: SharedClient, wanted: str) -> str:
        """The task of a client that wants this one."""

    async def start(
        self,
        client: SharedClient,
        key: str,
        request: StartRequest,
        start: Callable[[], Coroutine[object, object, Command]],
    ) -> Command:
        """Once for each key."""


class SharedClient:
    """One client. It is to `mcp/server.py` what `Sessions` are. `on_task`: it has got this one."""

    def __init__(self, clients: Clients, opening: Opening, on_task: Callable[[str], Awaitable[None]]) -> None:
        self.opening: Final = opening
        self.setup: Final = _setup(clients, opening)
        self.name = ""  # as it calls itself
        self._clients = clients
        self._on_task = on_task
        self._session: Session | None = None
        self._lines: Lines | None = None
        self._making = asyncio.Lock()

    async def check(self) -> None:
        settings = self.setup.settings
        if (walls := Sandbox.of(settings.sandbox)) is not None and (reason := problem(walls)) is not None:
            raise SpawnFailed(f"the sandbox cannot be made: {reason}", reason=reason)
        variables = {**(self.opening.environ or os.environ), **settings.env}
        await LocalHost().find(settings.shell, variables)
        self._registry(None)

    async def run(self, websocket: WebSocket, is_leaving: Callable[[], bool]) -> None:
        """On a connection of its own, until it has gone."""
        server = build(self)
        self._lines = Lines(websocket, is_leaving)
        lines = cast("anyio.AsyncFile[str]", self._lines)
        try:
            async with stdio_server(lines, lines) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            self._lines.close()
            await self.close()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    @property
    def is_busy(self) -> bool:
        """A call of it is being answered."""
        return self._session is not None and bool(self._session.calls)

    async def of(self, ctx: ServerRequestContext[object, object]) -> Session:
        async with self._making:
            if self._session is None:
                self._session = await self._make(ctx)
            return self._session

    def mark(self, ctx: ServerRequestContext[object, object]) -> Mapping[str, object]:
        return {} if self._lines is None else self._lines.take_mark(ctx.request_id)

    def answering(self, ctx: ServerRequestContext[object, object]) -> AbstractContextManager[None]:
        return nullcontext() if self._lines is None else self._lines.answering(ctx.request_id)

    async def _make(self, ctx: ServerRequestContext[object, object]) -> Session:
        self.name = on_one_line(client_name(ctx)) or "client"
        root = await self._root(ctx)
        task = self._clients.claim(self, f"{self.name}@{root or self.opening.workspace}")
        await self._on_task(task)
        service = self._service(root)
        return Session(
            self.setup, service, task, ClientDesk(self._clients.desk, service, self.name, task, self.opening.policy)
        )

    def _service(self, root: str | None) -> Service:
        setup = self.setup
        return Service(
            self._registry(root),
            policy=setup.policy,
            audit=None if setup.settings.audit is None else Audit(setup.settings.audit),
            asked_outside=setup.guard.is_behind_policy,
            books=self._clients.service.books,
            once=partial(self._clients.start, self),
            inherited=self.opening.environ if setup.settings.inherit_env else None,
        )

    def _registry(self, root: str | None) -> Registry:
        """The server's, with this client's way to make terminals."""
        settings, place = self.setup.settings, self._place(root)
        walls = Sandbox.of(settings.sandbox)
        making = Making(rc=settings.rc, sandbox=None if walls is None else walls.within(place))
        return self._clients.service.registry.variant(settings.shell, place, **making)

    def _place(self, root: str | None) -> str:
        """In which terminals begin."""
        named = self.opening.cwd or self.setup.settings.workspace
        if named is not None:
            return os.path.expanduser(named)
        places = (root, self.opening.workspace) if self.opening.here else ()
        return next((one for one in places if one is not None and os.path.isdir(one)), os.path.expanduser("~"))

    async def _root(self, ctx: ServerRequestContext[object, object]) -> str | None:
        """Its first root, in the revisions that have them. None: it has none, or does not say."""
        capabilities = ctx.session.client_capabilities
        if self.opening.cwd is not None or capabilities is None or capabilities.roots is None:
            return None
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS or not ctx.session.can_send_request:
            return None
        try:
            async with asyncio.timeout(ROOTS_SECONDS):
                listed = await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
        except Exception:  # a client that cannot say it still has a directory
            return None
        return next((path for one in listed.roots if (path := _path(str(one.uri))) is not None), None)


def _setup(clients: Clients, opening: Opening) -> Setup:
    named = {name: getattr(opening, name) for name in ("sandbox", "shell", "rc")}
    given = {name: value for name, value in named.items() if value is not None}
    origins = MappingProxyType({**clients.settings.origins, **dict.fromkeys(given, "argument")})
    Sandbox.of(opening.sandbox)  # a name that is none is refused
    settings = replace(clients.settings, **given, origins=origins)
    patience = Patience(opening.wait, inf if opening.most_wait is None else opening.most_wait)
    answers = None if opening.here or opening.where is None else opening.where
    face = Face(opening.structured, opening.prefix, patience, reads_files=opening.here, lasts=True, answer_on=answers)
    policy = policy_of(settings, opening.policy)
    if opening.policy == "settings" and (rules := clients.desk.rules.rules):
        policy = policy.extended(rules)
    return Setup(Guard.of(settings, opening.policy), policy, HandoffPage(), Shared.of(settings), face)


def _path(uri: str) -> str | None:
    """Of a root on the client's machine."""
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" and parts.path else None
