"""The verbs over plain HTTP: routes made from the table.

Rule 1: a request that changes something has `Content-Type: application/json` or a `Truetty-Client` header, which no
        form of a web page can send.
Rule 2: a body that is too large is refused before it is read.
Rule 3: bytes come as bytes, streams as lines of JSON, everything else as one JSON object.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from truetty.core import lazy
from truetty.core.errors import ChannelLost, Misuse
from truetty.server import fields, limits, protocol, rights
from truetty.server.caller import HttpCaller
from truetty.server.dispatch import Dispatch
from truetty.server.events import Events, Listener, encoded, texts
from truetty.server.forms import Bytes
from truetty.server.refusals import TooLarge, Unknown, head_too_large, refusal
from truetty.server.rights import Credential
from truetty.server.shapes import plain
from truetty.server.verbs import VERBS, Verb
from truetty.server.wire import openapi

LOG: Final = logging.getLogger("truetty.server")
CLIENT: Final = "truetty-client"
_RANGE: Final = lazy.pattern(r"bytes=(\d{1,18})-(\d{1,18})?")
_JSON: Final = "application/json"
# A person may be asked whether they may.
ASKING: Final = frozenset({"run", "start", "send", "type", "type_in", "answer"})


def answer(value: object, status: int = 200) -> Response:
    return Response(encoded(value), status, media_type=_JSON, headers={"cache-control": "no-store"})


def refused(error: Exception) -> Response:
    found = refusal(error)
    if found.status >= 500 and not hasattr(error, "facts"):
        LOG.error("a request has failed", exc_info=error)
    response = answer({"error": plain(found)}, found.status)
    if isinstance(error, TooLarge):
        response.headers["connection"] = "close"  # the rest of the body is not read
    return response


def routes(dispatch: Dispatch, events: Events) -> list[Route]:
    described = encoded(openapi.describe())

    async def description(request: Request) -> Response:
        return Response(described, media_type=_JSON)

    return [
        *(Route(verb.path, _endpoint(verb, dispatch, events), methods=[verb.method]) for verb in VERBS),
        Route("/v1/openapi.json", description, methods=["GET"]),
        Route("/{rest:path}", _unknown, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
    ]


async def _unknown(request: Request) -> Response:
    return refused(Unknown("no such route: /v1/openapi.json lists them", name=request.url.path[:100]))


def _endpoint(verb: Verb, dispatch: Dispatch, events: Events) -> Any:
    async def endpoint(request: Request) -> Response:
        try:
            return await respond(request)
        except Exception as error:
            return refused(error)

    async def respond(request: Request) -> Response:
        if verb.name not in protocol.TIMELESS:
            protocol.check(request.headers.get(protocol.HEADER))
        given = await _fields(verb, request)
        name = (request.headers.get(CLIENT) or "")[: limits.LONGEST_NAME] or None
        caller = HttpCaller(name, rights.of(request.scope))
        if verb.name == "events":
            wanted = fields.read(verb.fields, given)
            caller.credential.check(verb.name, verb.needs, wanted)
            return _stream(_lines(events, events.listen(wanted["since"], wanted["epoch"]), caller.credential))
        key = request.headers.get("idempotency-key")
        calling = dispatch.call(verb, given, caller, key)
        leave = partial(dispatch.leave, key)
        found = await (_while_connected(request, calling, leave) if verb.name in ASKING else calling)
        if verb.stream:
            return _stream(_encoded(found))
        return _bytes(found, request) if isinstance(found, Bytes) else answer(plain(found))

    return endpoint


async def _while_connected(request: Request, work: Coroutine[Any, Any, Any], leave: Callable[[], None]) -> Any:
    """The answer. A client that has gone wants none: what it has asked a person is taken back."""
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            working.cancel()
            await asyncio.wait({working})
            leave()
            raise ChannelLost("the client has gone", reason="the client has gone")
        return working.result()
    finally:
        gone.cancel()
        working.cancel()


# -- what is asked


async def _fields(verb: Verb, request: Request) -> dict[str, Any]:
    if len(request.url.path) + len(request.url.query) > limits.LONGEST_URL:
        raise TooLarge("the URL is too long", limit="url", value=limits.LONGEST_URL)
    # uvicorn bounds a head that is not whole yet. One that comes whole in one read is as large as that read.
    if sum(len(name) + len(value) for name, value in request.headers.raw) > limits.LARGEST_HEAD:
        raise head_too_large()
    given = fields.from_query(verb.fields, dict(request.query_params))
    if verb.method == "GET":
        return {**given, **_range(verb, request), **request.path_params}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON and CLIENT not in request.headers:
        message = "a request that changes something needs Content-Type: application/json or a Truetty-Client header"
        raise Misuse(f"{message}. Nothing was done.")
    return {**given, **await _body(request), **request.path_params}


async def _body(request: Request) -> Mapping[str, Any]:
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length[:20]) > limits.LARGEST_BODY:
        raise _too_large()
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limits.LARGEST_BODY:
            raise _too_large()
        parts.append(part)
    if not size:
        return {}
    try:
        found = fields.decoded(b"".join(parts))
    except (ValueError, RecursionError):
        raise Misuse("the body is no JSON. Nothing was done.") from None
    if not isinstance(found, dict):
        raise Misuse("the body is no JSON object. Nothing was done.")
    return found


def _too_large() -> TooLarge:
    most = limits.LARGEST_BODY
    return TooLarge(f"a body has at most {most:,} bytes. Nothing was done.", limit="body", value=most)


def _range(verb: Verb, request: Request) -> dict[str, int]:
    """`Range: bytes=FIRST-LAST` of a verb that takes offset and limit."""
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None or verb.answer is not Bytes:
        return {}
    first = int(found[1])
    return {"offset": first, **({"limit": max(0, int(found[2]) + 1 - first)} if found[2] else {})}


# -- what is answered


def _bytes(found: Bytes, request: Request) -> Response:
    headers = {
        "cache-control": "no-store",
        "truetty-offset": str(found.offset),
        "truetty-next-offset": str(found.next_offset),
        "truetty-size": str(found.size),
    }
    if _RANGE.fullmatch(request.headers.get("range", "")) is None:  # none, or one that is passed over
        return Response(found.data, media_type="application/octet-stream", headers=headers)
    if found.next_offset == found.offset:
        return Response(b"", 416, headers={**headers, "content-range": f"bytes */{found.size}"})
    headers["content-range"] = f"bytes {found.offset}-{found.next_offset - 1}/{found.size}"
    return Response(found.data, 206, media_type="application/octet-stream", headers=headers)


def _stream(lines: AsyncIterator[str]) -> Response:
    return StreamingResponse(lines, media_type="application/x-ndjson", headers={"cache-control": "no-store"})


async def _encoded(values: AsyncIterator[Any]) -> AsyncIterator[str]:
    async for value in values:
        yield encoded(plain(value)) + "\n"


async def _lines(events: Events, listener: Listener, credential: Credential) -> AsyncIterator[str]:
    try:
        async for text in texts(events, listener, credential):
            yield text + "\n"
    finally:
        listener.close()
