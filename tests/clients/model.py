"""A model on the loopback that plays the script, and keeps what a model is sent."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.clients.dialects import ASIDE, DIALECTS, FINAL, SEARCHES, Calls, Chat, Dialect, Reading, Responses, Turn
from tests.clients.script import SCRIPT, filled
from truetty.functions.table import BY_NAME

VERBS = tuple(BY_NAME)
ENDS = "final_answer"  # the tool by which an agent of smolagents ends


class Model:
    """`readings`: by the label of the call. `tools`: ours, as they stood in a request."""

    def __init__(self) -> None:
        self.readings: dict[str, Reading] = {}
        self.tools: dict[str, object] = {}
        self.strange: list[str] = []  # requests that no dialect knows
        self._lock = threading.Lock()

    def next(self, turn: Turn) -> Calls:
        with self._lock:
            for (step, place), reading in turn.results.items():
                if step < len(SCRIPT):  # after it comes the tool that ends an agent
                    self.readings.setdefault(SCRIPT[step][place].label, reading)
            ours = _ours(turn.tools)
            self.tools = ours or self.tools
        if turn.aside or not turn.tools:
            return ()
        if turn.step >= len(SCRIPT):
            return ((ENDS, {"answer": FINAL}),) if ENDS in turn.tools else ()
        search = next((name for name in SEARCHES if name in turn.tools), None)
        if search is not None and not ours and turn.searches == 0:
            names = ",".join(f"mcp__truetty__{verb}" for verb in VERBS)
            return ((search, {"query": f"select:{names}", "max_results": len(VERBS)}),)
        texts = {label: reading.text for label, reading in self.readings.items()}
        return [(self._name(call.verb), filled(dict(call.arguments), texts)) for call in SCRIPT[turn.step]]

    def _name(self, verb: str) -> str:
        return next((name for name in self.tools if _verb(name) == verb), f"mcp__truetty__{verb}")

    def answer(self, dialect: Dialect, body: dict[str, Any], path: str) -> tuple[Turn, list[dict[str, Any]]]:
        turn = dialect.read(body, path)
        return turn, dialect.write(turn, self.next(turn), ASIDE if turn.aside else FINAL)


def _ours(tools: dict[str, object]) -> dict[str, object]:
    """A client that puts the server's name before ours may have a `read` of its own."""
    named = {name: tool for name, tool in tools.items() if _verb(name)}
    return {name: tool for name, tool in named.items() if "truetty" in name} or named


def _verb(name: str) -> str | None:
    found = re.fullmatch(r"(?:.*truetty[_/.:-]+)?(\w+?)", name)
    return found[1] if found and found[1] in VERBS else None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "scripted", "object": "model", "created": 1, "owned_by": "x"}]})

    def do_POST(self) -> None:
        path = self.path.split("?")[0]
        body = json.loads(self._body() or b"{}")
        dialect = next((each for each in DIALECTS if re.search(each.path, path)), None)
        if dialect is None:
            self.model.strange.append(path)
            return self._json({"totalTokens": 10} if path.endswith(":countTokens") else {})
        turn, events = self.model.answer(dialect, body, path)
        if not turn.stream:
            return self._json(events[0])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if isinstance(dialect, Responses) else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if isinstance(dialect, Chat):
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        found = b""
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def _json(self, value: object) -> None:
        raw = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(model: Model) -> Iterator[int]:
    """The port."""
    handler = type("Handler", (_Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
