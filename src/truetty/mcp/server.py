"""The tools as an MCP server: the newest revision of the protocol and those before it, by the official SDK.

Rule 1: refusals are results of tools, which models read; only what is no call of a tool of ours is a protocol error.
Rule 2: a result is text. Some clients show models the text, some the structured content, some both, so there is one
        of them. What programs want is in `_meta`, without what does not apply: google-adk shows models all of a result,
        Gemini CLI and Qwen Code all of an error. With `--structured` it is structured content, with all names.
Rule 3: what happens to commands that no call waits for is sent by `notifications/message` where the client has a
        session, and by `resources/updated` of one resource where it has none and listens; and with its next call in any
        case.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final, get_args

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from truetty import __version__
from truetty.core import kinds
from truetty.core.errors import TruettyError
from truetty.functions import schemas
from truetty.functions.result import Result, result
from truetty.functions.table import BY_NAME, Verb
from truetty.functions.words import Report
from truetty.functions.words import notice as notice_line
from truetty.mcp import words
from truetty.mcp.asking import ClientCaller, InputRequired
from truetty.mcp.catalogue import TITLES, input_schema, output_schema
from truetty.mcp.session import Face, Session, Tell
from truetty.mcp.sessions import ClientSessions
from truetty.mcp.tools import ClientVerbs
from truetty.service.notices import Notice

NAME: Final = "truetty"
NOTICES: Final = "truetty://notices"
RESULT: Final = "truetty/result"  # of a result's `_meta`: its data
# The tools do not change while the server runs.
LASTING: Final = CacheHint(ttl_ms=60 * 60 * 1000, scope="public")
LEVELS: Final[tuple[types.LoggingLevel, ...]] = get_args(types.LoggingLevel)

Context = ServerRequestContext[Any, Any]


def build(sessions: ClientSessions) -> Server[Any]:
    handlers = Handlers(sessions)
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title="truetty",
        description="Terminals that tell the truth: what ran, what it printed, how it ended, what it waits for.",
        instructions=words.instructions(sessions.setup.guard, lasts=sessions.setup.face.lasts),
        cache_hints={"tools/list": LASTING, "server/discover": LASTING},
        get_tool_input_schema=handlers.input_schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_read_resource=handlers.read_resource,
        on_subscriptions_listen=ListenHandler(handlers.bus),
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, handlers.set_level)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME))
    return server


def _tool(verb: Verb, face: Face) -> types.Tool:
    return types.Tool(
        name=face.prefix + verb.name,
        title=TITLES[verb.name],
        description=verb.description,
        input_schema=input_schema(verb, face.patience),
        output_schema=output_schema() if face.structured else None,
        # By the protocol's defaults a tool writes, may destroy and reaches out: only what differs is said.
        annotations=types.ToolAnnotations(read_only_hint=True) if verb.read_only else None,
    )


def tool_result(answer: Result, *, structured: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=answer.data if structured else None,
        is_error=answer.error is not None,
        _meta=None if structured else {RESULT: dict(item for item in answer.data.items() if _applies(*item))},
    )


def _applies(name: str, value: object) -> bool:
    """An empty list of matches or terminals is a fact; these two are lists in every result."""
    return value is not None and not (name in ("notes", "notices") and value == [])


class Handlers:
    """One method for each request of the protocol."""

    def __init__(self, sessions: ClientSessions) -> None:
        self._sessions = sessions
        self._face = sessions.setup.face
        self._tools = {self._face.prefix + name: (name, _tool(verb, self._face)) for name, verb in BY_NAME.items()}
        self.bus: Final = InMemorySubscriptionBus()

    def input_schema(self, name: str) -> schemas.Schema | None:
        return self._tools[name][1].input_schema if name in self._tools else None

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool for _, tool in self._tools.values()])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if params.name not in self._tools:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}; {kinds.listing(self._tools)}")
        try:
            session = await self._session(ctx)
        except TruettyError as error:
            return tool_result(result(Report(error=error)), structured=self._face.structured)
        try:
            verbs = ClientVerbs(session, ClientCaller(ctx, params), self._sessions.mark(ctx))
            with self._sessions.answering(ctx):
                answer = await verbs.call(self._tools[params.name][0], params.arguments or {})
            return tool_result(answer, structured=self._face.structured)
        except InputRequired as required:
            return required.result

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        notices = types.Resource(
            uri=NOTICES,
            name="notices",
            title="Notices",
            description="What happened to commands that no call waited for, oldest first. Listen to it for news.",
            mime_type="application/json",
        )
        return types.ListResourcesResult(resources=[notices])

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if params.uri != NOTICES:
            raise MCPError(types.INVALID_PARAMS, f"Resource not found; there is {NOTICES}", data={"uri": params.uri})
        news = json.dumps([dataclasses.asdict(notice) for notice in (await self._session_or_error(ctx)).news], indent=1)
        contents = types.TextResourceContents(uri=NOTICES, mime_type="application/json", text=news)
        return types.ReadResourceResult(contents=[contents])

    async def set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        session = await self._session_or_error(ctx)
        session.quiet_below = LEVELS.index(params.level)
        return types.EmptyResult()

    async def _session(self, ctx: Context) -> Session:
        """The client's own; `LimitReached` where there is no room for a new client."""
        session = await self._sessions.of(ctx)
        session.tell = self._way(ctx, session)
        return session

    async def _session_or_error(self, ctx: Context) -> Session:
        """For requests whose answer has no place for a refusal: where there is no room it is a protocol error."""
        try:
            return await self._session(ctx)
        except TruettyError as error:
            raise MCPError(types.INVALID_REQUEST, str(error), data={"code": error.code}) from error

    def _way(self, ctx: Context, session: Session) -> Tell:
        """How the client of this request is notified between its requests."""
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:

            async def updated(notice: Notice) -> None:
                await self.bus.publish(ResourceUpdated(NOTICES))

            return updated

        async def message(notice: Notice) -> None:
            level: types.LoggingLevel = "info" if notice.what == "finished" else "notice"
            if LEVELS.index(level) >= session.quiet_below:
                data = {**dataclasses.asdict(notice), "message": notice_line(notice, self._face.prefix)}
                params = types.LoggingMessageNotificationParams(level=level, logger=NAME, data=data)
                await ctx.session.send_notification(types.LoggingMessageNotification(params=params))

        return message
