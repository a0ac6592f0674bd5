"""Lines of a client that are no messages: what each is answered.

Rule: `id` is null in the answer to a line in which none can be read, as JSON-RPC has it.
"""

from __future__ import annotations

import json
from typing import Final

NO_JSON: Final = -32700  # "Parse error" of JSON-RPC
NO_MESSAGE: Final = -32600  # "Invalid Request"
_PARTS: Final = ("method", "result", "error")  # one of these makes an object a request, a notification or an answer


def refusal(line: str | bytes) -> str | None:
    """The answer to this line; None: it is a message, or it is empty."""
    if not line.strip():
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _answer(None, NO_JSON, f"Parse error: the line is no JSON: {error}")
    if not isinstance(message, dict):
        return _answer(None, NO_MESSAGE, "Invalid Request: a message is an object, one on each line")
    if not any(name in message for name in _PARTS):
        return _answer(message.get("id"), NO_MESSAGE, "Invalid Request: the object has no method, result or error")
    return None


def _answer(id: object, code: int, reason: str) -> str:
    named = id if isinstance(id, str | int) and not isinstance(id, bool) else None
    return json.dumps({"jsonrpc": "2.0", "id": named, "error": {"code": code, "message": reason}}) + "\n"
