"""Asking the user through the client, in whichever way its protocol revision has.

    2025 and before    the server sends elicitation/create and waits for the answer
    2026-07-28         the call is answered with "input required", and comes again with the answer

Rule 1: only an explicit yes is a yes. If the client cannot ask, no person can be asked.
Rule 2: an answer counts for the call it was asked for: what we asked comes back sealed and is compared.
Rule 3: a link is shown by the client once. If the model calls again without an answer, the client could not show it
        (Copilot CLI 1.0 says that it can, and cannot read "input required"): then the model gets the address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from truetty.mcp.caller import LinkOffer, Reply
from truetty.policy import Decision
from truetty.text.quoting import whole

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

PERMISSION: Final = "permission"
LINK: Final = "handoff"
_YES_OR_NO: Final = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Allow it?", "description": "Only a yes lets it run."}},
    "required": ["allow"],
}


class InputRequired(BaseException):
    """The client must ask the user and call again. No handler of errors catches it: a verb must not answer it."""

    def __init__(self, key: str, request: types.ElicitRequest, state: str) -> None:
        super().__init__(key)
        self.result = types.InputRequiredResult(input_requests={key: request}, request_state=state)


class ClientCaller:
    """The client's side of one call, as `Caller` has it."""

    def __init__(self, ctx: ServerRequestContext[object, object], params: types.CallToolRequestParams) -> None:
        self._ctx = ctx
        self._params = params
        self._modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def wants_progress(self) -> bool:
        return self._ctx.meta is not None and self._ctx.meta.get("progress_token") is not None

    async def progress(self, seconds: float, text: str) -> None:
        await self._ctx.session.report_progress(seconds, message=text)

    async def permit(self, decision: Decision) -> bool | None:
        can = self._elicitation()
        if can is None or (can.form is None and can.url is not None):
            return None
        message = f"{decision.reason}\n\n{whole(decision.command)}"

        async def request() -> types.ElicitRequestFormParams:
            return types.ElicitRequestFormParams(message=message, requested_schema=_YES_OR_NO)

        answer = await self._ask(PERMISSION, request, _digest(PERMISSION, decision.command, decision.reason))
        if answer is None or answer.action == "cancel":
            return None
        return answer.action == "accept" and (answer.content or {}).get("allow") is True

    async def show_link(self, link: Callable[[], Awaitable[str]], offer: LinkOffer) -> Reply:
        can = self._elicitation()
        if can is None or can.url is None:
            return "unreachable"

        async def request() -> types.ElicitRequestURLParams:
            url = await link()
            id = None if self._modern else _digest(LINK, url)[:32]
            return types.ElicitRequestURLParams(message=offer.message, url=url, elicitation_id=id)

        state = _digest(LINK, offer.about)
        answer = self._brought(LINK, state) if offer.again else await self._ask(LINK, request, state)
        if answer is None:
            return "unreachable"
        return "accepted" if answer.action == "accept" else "declined"

    def _elicitation(self) -> types.ElicitationCapability | None:
        capabilities = self._ctx.session.client_capabilities
        return capabilities.elicitation if capabilities is not None else None

    async def _ask(
        self,
        key: str,
        make: Callable[[], Awaitable[types.ElicitRequestFormParams | types.ElicitRequestURLParams]],
        state: str,
    ) -> types.ElicitResult | None:
        """The user's answer; None if the client could not get one. What is asked is made when it is asked."""
        if self._modern:
            if self._params.request_state != state or key not in (self._params.input_responses or {}):
                raise InputRequired(key, types.ElicitRequest(params=await make()), state)
            return self._brought(key, state)
        if not self._ctx.session.can_send_request:
            return None
        request = types.ElicitRequest(params=await make())
        on_this_stream = ServerMessageMetadata(related_request_id=self._ctx.request_id)  # of the call, over HTTP
        try:
            return await self._ctx.session.send_request(request, types.ElicitResult, metadata=on_this_stream)
        except (MCPError, ValidationError):
            return None

    def _brought(self, key: str, state: str) -> types.ElicitResult | None:
        """The answer that this call brings to what was asked."""
        answer = (self._params.input_responses or {}).get(key)
        return answer if self._params.request_state == state and isinstance(answer, types.ElicitResult) else None


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
