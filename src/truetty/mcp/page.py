"""The page on which a person types into a terminal that was handed over: on this machine only, started when needed.

Rule 1: it listens on the loopback, answers only to its own name and port, and is used from its own pages only.
Rule 2: no script, nothing from elsewhere, nothing cached, nothing logged.
Rule 3: who comes in and what may be typed is decided in `visits.py`; here it is shown.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from truetty.core.errors import TruettyError
from truetty.core.outcome import Waiting
from truetty.mcp.visits import Visit, Visits

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from truetty.mcp.http import Listener

# A password or a pasted key; whoever pastes more has pasted the wrong thing.
LONGEST: Final = 64 * 1024
LINES: Final = 12  # of the screen, so that the person sees who asks

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with none at all browsers send no Origin either
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

STYLE: Final = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem }
:root { color-scheme: light dark }
pre { padding: 1rem; border: 1px solid; border-radius: 6px; overflow-x: auto; white-space: pre-wrap }
input[type=text], input[type=password] { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box }
button { font: inherit; padding: .4rem 1rem; margin: 1rem .5rem 0 0 }
"""

_PAGE: Final = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>truetty</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css"></head><body>
{body}</body></html>
"""
_FORM: Final = """\
<form method="post" action="/type" autocomplete="off">
<label for="text">{label}</label>
<input id="text" name="text" type="{kind}" autocomplete="off" spellcheck="false" autofocus>
<input type="hidden" name="key" value="{key}"><input type="hidden" name="asked" value="{asked}">
<label><input name="enter" type="checkbox" value="yes" checked> press Enter after it</label><br>
<button>Type it</button><button formaction="/look">Look again</button><button formaction="/back">Give it back</button>
</form>
"""


@dataclass(frozen=True, slots=True)
class Typed:
    """What a form brought."""

    text: str = field(repr=False)
    enters: bool
    asked: str | None  # as the page said that has the form


class Page:
    def __init__(self, visits: Visits) -> None:
        self._visits = visits
        self._listener: Listener | None = None
        self._starting: asyncio.Lock | None = None

    async def link(self, visit: Visit) -> str:
        """Where this visit begins. The first one starts the page."""
        self._starting = self._starting or asyncio.Lock()
        async with self._starting:
            if self._listener is None:
                from truetty.mcp.http import Listener, guarded

                listener = Listener("127.0.0.1", 0)
                await listener.start(guarded(self._app(listener), listener.hosts, listener.origins))
                self._listener = listener
        return f"{self._listener.url}/{visit.code}"

    async def close(self) -> None:
        if self._listener is not None:
            await self._listener.close()
        await self._visits.close()

    def _app(self, listener: Listener) -> Callable[..., Awaitable[None]]:
        from starlette.applications import Starlette
        from starlette.responses import PlainTextResponse
        from starlette.routing import Route

        cookie = f"truetty_{listener.port}"

        async def style(request: Request) -> Response:
            return PlainTextResponse(STYLE, headers=HEADERS, media_type="text/css")

        async def enter(request: Request) -> Response:
            visit = self._visits.enter(request.path_params["code"])
            if visit is None:
                visit = self._visits.enter_again(request.path_params["code"], request.cookies.get(cookie))
                return _answer(request, visit) if visit is not None else _gone(request)
            answer = _answer(request, visit)
            answer.set_cookie(cookie, visit.cookie, httponly=True, samesite="strict", path="/")
            return answer

        def posted(act: Callable[[Visit, Typed], Awaitable[None]]) -> Callable[[Request], Awaitable[Response]]:
            async def endpoint(request: Request) -> Response:
                visit = self._visits.find(request.cookies.get(cookie))
                if int(request.headers.get("content-length") or LONGEST + 1) > LONGEST:
                    return PlainTextResponse("too long", 413, headers=HEADERS)
                async with request.form() as form:
                    key, text, asked = form.get("key"), form.get("text"), form.get("asked")
                    enters = form.get("enter") == "yes"
                if visit is None or not isinstance(key, str) or not self._visits.knows(visit, key):
                    return _gone(request)
                typing = Typed(text if isinstance(text, str) else "", enters, asked if isinstance(asked, str) else None)
                try:
                    await act(visit, typing)
                except TruettyError as error:
                    return _answer(request, visit, str(error))
                return _answer(request, visit, "typed" if act is typed else "")

            return endpoint

        async def typed(visit: Visit, typing: Typed) -> None:
            await self._visits.type(visit, typing.text, enter=typing.enters, asked=typing.asked)

        async def look(visit: Visit, typing: Typed) -> None:
            return None

        async def back(visit: Visit, typing: Typed) -> None:
            self._visits.give_back(visit)

        return Starlette(
            routes=[
                Route("/style.css", style, methods=["GET"]),
                Route("/type", posted(typed), methods=["POST"]),
                Route("/look", posted(look), methods=["POST"]),
                Route("/back", posted(back), methods=["POST"]),
                Route("/{code}", enter, methods=["GET"]),
            ]
        )


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _gone(request: Request) -> Response:
    from starlette.responses import HTMLResponse, JSONResponse

    told = "This link was used already, or is no longer valid. Ask the agent for a new one."
    if _wants_json(request):
        return JSONResponse({"error": told}, 403, headers=HEADERS)
    return HTMLResponse(_PAGE.format(body=f"<p>{told}</p>"), 403, headers=HEADERS)


def _answer(request: Request, visit: Visit, said: str = "") -> Response:
    """How the command stands, and the form to type into."""
    from starlette.responses import HTMLResponse, JSONResponse

    command = visit.command
    waiting = command.waiting
    visit.shown = visit.asking
    secret = visit.shown != "open"
    if _wants_json(request):
        prompt = waiting.prompt if waiting is not None else None
        facts = {"reason": visit.reason, "command": command.text, "state": command.state, "prompt": prompt}
        page = {"secret": secret, "asked": visit.shown, "key": visit.key, "said": said}
        return JSONResponse({**facts, **page}, headers=HEADERS)
    parts = [f"<p><strong>{html.escape(visit.reason)}</strong></p>", f"<p>Command {html.escape(command.id)}:</p>"]
    parts.append(f"<pre>{html.escape(command.text[:2000])}</pre>")
    if said:
        parts.append(f"<p>{html.escape(said)}</p>")
    if command.finished:
        parts.append("<p>The command has finished. You can close this page.</p>")
    else:
        parts += [f"<p>{_state(waiting)}</p>", f"<pre>{html.escape(_screen(visit))}</pre>"]
        label = html.escape(waiting.prompt if waiting is not None and waiting.prompt else "Type here")
        kind = "password" if secret else "text"
        parts.append(_FORM.format(label=label, kind=kind, key=html.escape(visit.key), asked=visit.shown))
        if not visit.held:
            parts.append("<p>The agent may type again. If you type, the terminal is yours once more.</p>")
    return HTMLResponse(_PAGE.format(body="\n".join(parts)), headers=HEADERS)


def _state(waiting: Waiting | None) -> str:
    if waiting is None:
        return "It is running, and waits for nothing."
    who = f" ({html.escape(waiting.program)})" if waiting.program else ""
    return f"It waits for input{who}:"


def _screen(visit: Visit) -> str:
    try:
        lines = visit.service.screen(visit.command.terminal_id).text.split("\n")
    except TruettyError:
        return ""
    return "\n".join(lines[-LINES:])
