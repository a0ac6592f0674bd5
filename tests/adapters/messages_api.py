"""The part of Anthropic's Messages API that the `claude` program calls, on loopback: a script is the model."""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.adapters.script import Call, Script


class MessagesApi:
    def __init__(self, script: Script) -> None:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_HEAD(self) -> None:
                self.send_response(200)
                self.end_headers()

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
                if "count_tokens" in self.path:
                    self._send("application/json", json.dumps({"input_tokens": 1}))
                elif body.get("stream"):
                    self._send("text/event-stream", _stream(api.answer(body)))
                else:
                    self._send("application/json", json.dumps(_message(api.answer(body))))

            def _send(self, kind: str, text: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

        self._script = script
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> MessagesApi:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self, home: str) -> dict[str, str]:
        """Nothing of the user's own configuration and account is read."""
        return {
            **{name: "" for name in os.environ if name.startswith(("ANTHROPIC_", "CLAUDE"))},
            "HOME": home,
            "CLAUDE_CONFIG_DIR": f"{home}/.claude",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self._server.server_port}",
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ENABLE_TOOL_SEARCH": "false",
        }

    def answer(self, body: dict[str, Any]) -> Call | None:
        """Requests without tools (a title, a summary) are not the script's."""
        if not body.get("tools"):
            return None
        content = body["messages"][-1]["content"]
        results = [] if isinstance(content, str) else [one for one in content if one["type"] == "tool_result"]
        return self._script.turn(_text(results[-1]["content"]) if results else None)


def _text(content: str | list[dict[str, Any]] | None) -> str:
    """Without what the `claude` program itself adds behind a result."""
    text = content if isinstance(content, str) else "\n".join(one.get("text", "") for one in content or ())
    return text.partition("\n\n<system-reminder>")[0]


def _block(call: Call | None) -> dict[str, Any]:
    if call is None:
        return {"type": "text", "text": "done"}
    return {"type": "tool_use", "id": f"toolu_{call.id}", "name": call.name, "input": call.arguments}


def _message(call: Call | None) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [_block(call)],
        "stop_reason": "end_turn" if call is None else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _stream(call: Call | None) -> str:
    message = _message(call)
    block = message["content"][0]
    begin: dict[str, Any] = {"type": "text", "text": ""} if call is None else {**block, "input": {}}
    delta = (
        {"type": "text_delta", "text": block["text"]}
        if call is None
        else {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    )
    usage = message["usage"]
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begin},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
