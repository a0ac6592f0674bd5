"""The document of the page, and the files that it loads.

Rule 1: all places of the page are one document; its script looks at the path. It holds no secret, so it needs no login.
Rule 2: nothing of a request is a path: a file is served if its name is in the list of what was built.
Rule 3: a script or a style runs if it is a file of ours, or has the nonce of this load. Text of a terminal has neither.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from truetty.core import lazy

STATIC: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
PREFIX: Final = "/static/"
NONCE: Final = "__NONCE__"
PLACES: Final = lazy.pattern(r"/|/history|/t/[^/]{1,200}(/c/[^/]{1,200})?")
_HASHED: Final = lazy.pattern(r".*[-.]([0-9a-f]{8,}|[0-9A-Z]{8,})\.\w+")

KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}
ENCODINGS: Final = {"br": ".br", "gzip": ".gz"}  # the best first; twins that were built

# Of every answer. Referrer-Policy: with none at all browsers send no Origin either.
HEADERS: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# Of every answer that is no document.
CLOSED: Final = "default-src 'none'; frame-ancestors 'none'; sandbox"
# xterm.js makes style elements, which get the nonce, and style attributes for 24-bit colours.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; "
    "style-src-attr 'unsafe-inline'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
NOT_BUILT: Final = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>truetty</title></head>
<body><p>This truetty was installed without its page. In a checkout, <code>npm ci && node build.mjs</code> in the folder
<code>web</code> builds it.</p></body></html>
"""


class Documents:
    def __init__(self, folder: str = STATIC) -> None:
        self._folder = folder

    def answer(self, request: Request) -> Response:
        path = request.scope["path"]
        if request.method not in ("GET", "HEAD"):
            return _plain("only GET and HEAD are taken here", 405, {"allow": "GET, HEAD"})
        if PLACES.fullmatch(path):
            return self._document()
        if path == "/favicon.ico":
            return Response(status_code=204)
        if path.startswith(PREFIX) and (name := path.removeprefix(PREFIX)) in (names := self._names()):
            return self._file(name, names, request)
        return _plain("there is nothing here", 404)

    def _names(self) -> frozenset[str]:
        """What was built, as it stands behind the prefix."""
        found: set[str] = set()
        for folder, _, files in os.walk(self._folder):
            inside = os.path.relpath(folder, self._folder)
            found.update(name if inside == "." else f"{inside}/{name}" for name in files)
        return frozenset(found)

    def _document(self) -> Response:
        nonce = secrets.token_urlsafe(16)
        headers = {"content-security-policy": POLICY.format(nonce=nonce), "cache-control": "no-store"}
        try:
            text = _read(os.path.join(self._folder, "index.html")).decode()
        except FileNotFoundError:
            return Response(NOT_BUILT, 503, headers, KINDS["html"])
        return Response(text.replace(NONCE, nonce), 200, headers, KINDS["html"])

    def _file(self, name: str, names: frozenset[str], request: Request) -> Response:
        kind = KINDS.get(name.rpartition(".")[2])
        if kind is None:
            return _plain("there is nothing here", 404)
        data, headers = self._encoded(name, names, request.headers.get("accept-encoding", ""))
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        headers |= {"etag": tag, "vary": "accept-encoding", "content-security-policy": CLOSED}
        headers["cache-control"] = "max-age=31536000, immutable" if _HASHED.fullmatch(name) else "no-cache"
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, 200, headers, kind)

    def _encoded(self, name: str, names: frozenset[str], accepted: str) -> tuple[bytes, dict[str, str]]:
        words = {word.partition(";")[0].strip().lower() for word in accepted.split(",")}
        for encoding, ending in ENCODINGS.items():
            if encoding in words and name + ending in names:
                return _read(os.path.join(self._folder, name + ending)), {"content-encoding": encoding}
        return _read(os.path.join(self._folder, name)), {}


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _plain(text: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    found = {"cache-control": "no-store", "content-security-policy": CLOSED, **(headers or {})}
    return Response(text, status, found, "text/plain; charset=utf-8")
