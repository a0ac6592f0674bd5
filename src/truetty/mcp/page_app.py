"""The pages of handoffs over HTTP: how they look, and what their buttons do.

Rule 1: it listens on the loopback, answers only to its own name and port, and is used from its own pages only.
Rule 2: no script, nothing from elsewhere, nothing cached, nothing logged.
Rule 3: `visits.py` decides who may open a page and what may be typed; here it is shown.
Rule 4: what the kernel says is at the top. What an agent or a program says is below, in quotes or a frame, whole, with
        every invisible character spelled out. The top of the page does not scroll away, however long the rest is.
Rule 5: a field hides what is typed only where the terminal does.
"""

from __future__ import annotations

import html
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from truetty.core.errors import TruettyError
from truetty.mcp.http import Listener
from truetty.mcp.visits import Visit, Visits
from truetty.server.wire.door import guard
from truetty.service import reader
from truetty.service.reader import Look
from truetty.text.quoting import whole

# A password or a pasted key. A longer text was pasted by mistake.
LONGEST_FORM: Final = 64 * 1024
SCREEN_LINES: Final = 12  # of the screen, so that the person sees what asks

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
header { position: sticky; top: 0; padding: .5rem 0; background: Canvas; overflow-wrap: anywhere }
h1 { font-size: 1.15rem }
pre, blockquote { padding: 1rem; border: 1px solid; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere }
pre { direction: ltr; unicode-bidi: bidi-override }
blockquote { margin: 0; font-style: italic; unicode-bidi: isolate }
.warning { padding: .8rem 1rem; border-radius: 6px; background: #b00020; color: #fff; font-weight: bold }
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
<p id="echo">{echo}</p>
<label for="text">Type here, to {whom}:</label>
<input id="text" name="text" type="{kind}" autocomplete="off" spellcheck="false" aria-describedby="echo"{focus}>
<input type="hidden" name="key" value="{key}"><input type="hidden" name="asked" value="{asked}">
<label><input name="enter" type="checkbox" value="yes" checked> press Enter after it</label><br>
<button>Type it</button><button formaction="/look">Look again</button><button formaction="/back">Give it back</button>
</form>
"""


GONE: Final = "This link was used already, or is no longer valid. Ask the agent for a new one."
OPENED: Final = (
    "This link was used already: it was opened before, at {}. If that was not you, it was another program or person, "
    "the agent perhaps. Ask for a new link: it makes this one and its page worthless."
)


# What a page has sent: `key`, `text`, `enter`, and `asked`, the secrecy that the page was made for.
Form = Mapping[str, str]


async def serve(visits: Visits) -> Listener:
    """On a port of its own."""
    listener = Listener("127.0.0.1", 0)
    app = PageApp(visits, cookie=f"truetty_{listener.port}")
    await listener.start(guard(app.routes(), listener.hosts, listener.origins))
    return listener


class PageApp:
    def __init__(self, visits: Visits, cookie: str) -> None:
        self._visits = visits
        self._cookie = cookie

    def routes(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/style.css", self._style, methods=["GET"]),
                Route("/type", self._button(self._type, "typed"), methods=["POST"]),
                Route("/look", self._button(self._look), methods=["POST"]),
                Route("/back", self._button(self._give_back), methods=["POST"]),
                Route("/{code}", self._enter, methods=["GET"]),
            ]
        )

    async def _style(self, request: Request) -> Response:
        return PlainTextResponse(STYLE, headers=HEADERS, media_type="text/css")

    async def _enter(self, request: Request) -> Response:
        code = request.path_params["code"]
        try:
            visit = self._visits.enter(code, request.headers.get("user-agent", ""))
        except TruettyError as error:  # it must be recorded, and cannot be
            return PlainTextResponse(str(error), 503, headers=HEADERS)
        if visit is None:
            visit = self._visits.enter_again(code, request.cookies.get(self._cookie))
            return page(request, visit) if visit is not None else gone(request, self._visits.opened_at(code))
        answer = page(request, visit)
        answer.set_cookie(self._cookie, visit.cookie, httponly=True, samesite="strict", path="/")
        return answer

    def _button(
        self, act: Callable[[Visit, Form], Awaitable[None]], done: str = ""
    ) -> Callable[[Request], Awaitable[Response]]:
        """What a button does, for a browser with the cookie and the page's key; then the page says `done`."""

        async def endpoint(request: Request) -> Response:
            visit = self._visits.find(request.cookies.get(self._cookie))
            form = await read_form(request)
            if form is None:
                return PlainTextResponse("too long", 413, headers=HEADERS)
            if visit is None or not self._visits.knows(visit, form.get("key", "")):
                return gone(request)
            try:
                await act(visit, form)
            except TruettyError as error:
                return page(request, visit, str(error))
            return page(request, visit, done)

        return endpoint

    async def _type(self, visit: Visit, form: Form) -> None:
        enter, asked = form.get("enter") == "yes", form.get("asked")
        await self._visits.type(visit, form.get("text", ""), enter=enter, asked=asked)

    async def _look(self, visit: Visit, form: Form) -> None:
        """The page alone, as it is now."""

    async def _give_back(self, visit: Visit, form: Form) -> None:
        visit.give_back()


async def read_form(request: Request) -> Form | None:
    """None if it is longer than a page may send, or does not say how long it is."""
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()) or int(length[:9]) > LONGEST_FORM:
        return None
    async with request.form() as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


# -- how it looks


def gone(request: Request, opened_at: float | None = None) -> Response:
    reason = GONE if opened_at is None else OPENED.format(_moment(opened_at))
    if _wants_json(request):
        return JSONResponse({"error": reason}, 403, headers=HEADERS)
    return HTMLResponse(_PAGE.format(body=f"<p>{html.escape(reason)}</p>"), 403, headers=HEADERS)


def page(request: Request, visit: Visit, message: str = "") -> Response:
    """How the command stands, and the form to type into."""
    look = visit.look()
    if _wants_json(request):
        return JSONResponse(_facts(visit, look, message), headers=HEADERS)
    return HTMLResponse(_PAGE.format(body="\n".join(_parts(visit, look, message))), headers=HEADERS)


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _facts(visit: Visit, look: Look, message: str) -> dict[str, object]:
    command, waiting = visit.command, look.waiting
    return {
        "reader": look.sentence,
        "warnings": look.warnings,
        "echo": look.echo,
        "opened_before": [_moment(at) for at in visit.earlier],
        "reason": visit.reason,
        "command": command.text,
        "state": command.state,
        "prompt": waiting.prompt if waiting is not None else None,
        "secret": visit.secrecy == "hidden",
        "asked": visit.secrecy,
        "key": visit.key,
        "message": message,
    }


def _parts(visit: Visit, look: Look, message: str) -> list[str]:
    command = visit.command
    heading = "The command has finished. You can close this page." if command.finished else look.sentence
    warnings = [] if command.finished else [f'<p class="warning">{_text(warning)}</p>' for warning in look.warnings]
    parts = [f"<header><h1>{_text(heading)}</h1>", *warnings, "</header>"]
    parts += [f"<p>A page like this was opened before, at {_moment(at)}. Was it you?</p>" for at in visit.earlier]
    if message:
        parts.append(f"<p>{_text(message)}</p>")
    parts += ["<p>The agent says:</p>", f"<blockquote>“{_text(visit.reason)}”</blockquote>"]
    parts += [f"<p>The agent’s command {_text(command.id)}:</p>", f"<pre>{_text(command.text)}</pre>"]
    if command.finished:
        return parts
    parts += ["<p>The terminal shows, in the words of the programs in it:</p>", f"<pre>{_text(_screen(visit))}</pre>"]
    whom = reader.name(look.reader) if look.reader is not None else "the program that reads next"
    kind = "password" if visit.secrecy == "hidden" else "text"
    form = {"echo": look.echo, "whom": _text(whom), "kind": kind, "key": html.escape(visit.key)}
    focus = "" if warnings else " autofocus"  # a person who is warned should not type at once
    parts.append(_FORM.format(**form, asked=visit.secrecy, focus=focus))
    if visit.handoff is None:
        parts.append("<p>The agent may type again. If you type, the terminal is yours once more.</p>")
    return parts


def _text(text: str) -> str:
    return html.escape(whole(text))


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def _screen(visit: Visit) -> str:
    try:
        lines = visit.service.screen(visit.command.terminal_id).text.split("\n")
    except TruettyError:
        return ""
    return "\n".join(lines[-SCREEN_LINES:])
