"""What passes between a client of MCP and a server of terminals, as far as the next connection must know it.

Rule 1: a message of the client's is passed on as it was written. What the server must know beside it stands in a line
        before it (`marked`).
Rule 2: on a new connection the client's greeting comes first, and the client does not see that it is answered again.
        Then come the requests without an answer, in their order.
Rule 3: a request of the server's has an id that no connection has twice. An answer to one of an earlier connection is
        dropped, and the client hears that it is needed no longer.
"""

from __future__ import annotations

import itertools
import json
import secrets
from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from truetty.core.errors import ChannelLost, TruettyError
from truetty.functions.result import Report, result

KEY_BYTES: Final = 16
# Of a result's `_meta`: its data, as `mcp/server.py` has it.
RESULT: Final = "truetty/result"
VERSION: Final = "io.modelcontextprotocol/protocolVersion"  # of a request's `_meta`, in the revisions without sessions
FAILED: Final = -32000  # an error of the server's, in JSON-RPC
TOO_LARGE: Final = -32600
CALL: Final = "tools/call"
MOST_TRIES: Final = 5  # of one request in a row: the connection may be cut because of it

MOST_QUESTIONS: Final = 100  # that the next server hears of
MOST_ENDS: Final = 100  # the same

Message = dict[str, Any]


@dataclass(slots=True)
class _Request:
    """One of the client's that has no answer."""

    message: Message
    text: str
    key: str | None  # of a call of a tool
    tries: int = 0  # how often it was sent


class Traffic:
    """`structured`: results have structured content."""

    def __init__(self, *, structured: bool = False) -> None:
        self.task: str | None = None  # that the server has given the client
        # By command: the prompt of its waiting, as the client was told; the last ones.
        self.questions: Final[dict[str, str]] = {}
        self.ends: Final[deque[str]] = deque(maxlen=MOST_ENDS)  # commands of whose end a notice has told the client
        self._structured = structured
        self._requests: dict[str, _Request] = {}  # by id
        self._greeting: dict[str, str] = {}  # by method: what a new connection begins with
        self._replays: set[str] = set()  # ids of what was said again on this connection
        self._server_requests: dict[str, Any] = {}  # of this connection: the server's id for each of ours
        self._numbers = itertools.count(1)

    # -- from the client

    def from_client(self, line: str) -> str | None:
        """What is to be sent; None: nothing."""
        text = line.rstrip("\r\n")
        message = _object(text)
        if message is None:
            return text
        method, id = message.get("method"), message.get("id")
        if method is None:
            return self._answer(message)
        if method in ("initialize", "notifications/initialized", "logging/setLevel"):
            self._greeting[method] = text
        if method == "notifications/cancelled":
            self._requests.pop(_named((message.get("params") or {}).get("requestId")), None)
        if id is None:
            return text
        key = secrets.token_urlsafe(KEY_BYTES) if method == CALL else None
        request = self._requests[_named(id)] = _Request(message, text, key)
        return self._send(request)

    def refuse(self, line: str, reason: str) -> str | None:
        """The answer to a request that is not sent; None: it is none."""
        message = _object(line)
        if message is None or "method" not in message or message.get("id") is None:
            return None
        return _line({"jsonrpc": "2.0", "id": message["id"], "error": {"code": TOO_LARGE, "message": reason}})

    def _answer(self, message: Message) -> str | None:
        """To a request of the server's."""
        if message.get("id") not in self._server_requests:
            return None
        return _line({**message, "id": self._server_requests.pop(message["id"])})

    def _send(self, request: _Request) -> str:
        request.tries += 1
        if request.key is None:
            return request.text
        return marked(request.text, {"id": request.message["id"], "key": request.key, "again": request.tries > 1})

    # -- from the server

    def from_server(self, text: str) -> str | None:
        """The line for the client; None: it is not for the client."""
        message: Message = json.loads(text)
        if "jsonrpc" not in message:
            self.task = message.get("task", self.task)
            return None
        method, id = message.get("method"), message.get("id")
        if method is None:
            self._requests.pop(_named(id), None)
            self._note_news(message)
            return None if id in self._replays else f"{text.rstrip()}\n"
        if id is not None:
            own = f"truetty-{next(self._numbers)}"
            self._server_requests[own] = id
            return _line({**message, "id": own})
        if method == "notifications/cancelled":
            return self._cancel(message)
        return f"{text.rstrip()}\n"

    def _note_news(self, message: Message) -> None:
        """Which commands wait for input, and which have ended, as this answer says."""
        answer = message.get("result") or {}
        data = answer.get("structuredContent") or (answer.get("_meta") or {}).get(RESULT) or {}
        said = [(data.get("command_id") or "", data.get("state"), data.get("waiting"))]
        said += [(one["command_id"], one["what"], one) for one in data.get("notices") or ()]
        for command_id, state, waiting in said:
            self.questions.pop(command_id, None)
            if state in ("finished", "lost"):
                self.ends.append(command_id)
            if state == "waiting" and waiting:
                self.questions[command_id] = waiting.get("prompt") or ""
        while len(self.questions) > MOST_QUESTIONS:
            del self.questions[next(iter(self.questions))]

    def _cancel(self, message: Message) -> str | None:
        """The server needs no answer to a request of its own."""
        params = message.get("params") or {}
        own = next((own for own, id in self._server_requests.items() if id == params.get("requestId")), None)
        if own is None:
            return None
        del self._server_requests[own]
        return _line({**message, "params": {**params, "requestId": own}})

    # -- a connection is cut, and made

    def cut(self) -> list[str]:
        """What the client is to hear: what the server has asked needs no answer. So it is with requests that were sent
        so often that one of them may be what cuts the connection.
        """
        open_requests = list(self._server_requests)
        self._server_requests.clear()
        self._replays.clear()
        params = ({"requestId": own, "reason": "the server has gone"} for own in open_requests)
        cancellations = [
            _line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": one}) for one in params
        ]
        reason = f"the connection to the server was cut {MOST_TRIES} times while this call was under way"
        return [*cancellations, *self.give_up(ChannelLost(reason, reason="cut"), MOST_TRIES)]

    def begin(self) -> list[str]:
        """What is sent first on a new connection."""
        under_way = {_named(request.message["id"]): request for request in self._requests.values()}
        texts = []
        for text in self._greeting.values():
            message = json.loads(text)
            request = under_way.pop(_named(message.get("id")), None) if "id" in message else None
            texts.append(self._replay(message, text) if request is None else self._send(request))
        return [*texts, *(self._send(request) for request in under_way.values())]

    def settle(self) -> None:
        """What is under way has not cut the connection: it may be sent again as often as at first."""
        for request in self._requests.values():
            request.tries = min(request.tries, 1)

    def _replay(self, message: Message, text: str) -> str:
        if "id" not in message:
            return text
        own = f"truetty-{next(self._numbers)}"
        self._replays.add(own)
        return _line({**message, "id": own})

    def give_up(self, error: TruettyError, tries: int = 0) -> list[str]:
        """The answers to the requests that have none, and that were sent so often."""
        given_up = {id: one for id, one in self._requests.items() if one.tries >= tries}
        self._requests = {id: one for id, one in self._requests.items() if id not in given_up}
        failures = ((one.message["id"], self._failure(one, error)) for one in given_up.values())
        return [_line({"jsonrpc": "2.0", "id": id, **failure}) for id, failure in failures]

    def _failure(self, request: _Request, error: TruettyError) -> Message:
        if request.key is None:
            return {"error": {"code": FAILED, "message": str(error)}}
        found = result(Report(error=error, next="terminals() lists what is there; it starts a server if there is none"))
        data = {name: value for name, value in found.data.items() if value is not None}
        is_modern = VERSION in ((request.message.get("params") or {}).get("_meta") or {})
        return {
            "result": {
                "content": [{"type": "text", "text": found.text}],
                **({"structuredContent": found.data} if self._structured else {"_meta": {RESULT: data}}),
                "isError": True,
                **({"resultType": "complete"} if is_modern else {}),
            }
        }


def marked(text: str, mark: Message) -> str:
    """A message of the client's, with what the server must know of it."""
    return f"{json.dumps({'mark': mark})}\n{text}"


def unmarked(text: str) -> tuple[str, Message | None]:
    """The message, and what stands before it."""
    first, newline, rest = text.partition("\n")
    if not newline:
        return text, None
    mark = _object(first)
    return (rest, mark["mark"]) if mark is not None and isinstance(mark.get("mark"), dict) else (text, None)


def _object(text: str) -> Message | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _named(id: object) -> str:
    """1 and "1" are two ids."""
    return json.dumps(id)


def _line(message: Message) -> str:
    """Escapes stay escapes: half of a character cannot be sent otherwise."""
    return json.dumps(message, separators=(",", ":")) + "\n"
