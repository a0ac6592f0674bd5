"""What clients ask first, answered before the SDK is imported: that takes a second, and some clients do not wait that
long for the list of tools.

Rule 1: an answer is the one that the SDK gives, byte by byte. `tools/make_greeting.py` has asked it for them, for every
        version of the protocol; they lie in `greeting.json`.
Rule 2: only the requests below are answered here, and only if nothing in them can be wrong. The SDK answers the rest.
Rule 3: the first request decides, as with the SDK: one with a version in its `_meta` begins the revision of 2026-07-28,
        `initialize` begins an earlier one. After anything else nothing is answered here.

    initialize, then ping and tools/list .......... until 2025-11-25
    server/discover and tools/list ................ from 2026-07-28 on
"""

from __future__ import annotations

import json
import os

DATA = os.path.join(os.path.dirname(__file__), "greeting.json")
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT = "io.modelcontextprotocol/clientInfo"
# A greeting has some hundred bytes.
LONGEST = 64 * 1024
LARGEST_ID = 1 << 53

Object = dict[str, object]


class Greeting:
    """The beginning of one connection. `structured`: of a server with `--structured`; `lasts`: with `--shared`."""

    def __init__(self, *, structured: bool = False, lasts: bool = False) -> None:
        with open(DATA, encoding="utf-8") as file:
            self._answers: dict[str, dict[str, Object]] = json.load(file)
        self._versions = self._answers["handshake"].pop("versions")  # asked for, and then spoken
        for era in self._answers.values():
            schema, listed = era.pop("outputSchema"), era["tools/list"]
            shared = era.pop("shared")
            if lasts:
                first = era["initialize" if "initialize" in era else "server/discover"]
                first["instructions"] = shared["instructions"]
            if structured and isinstance(listed["tools"], list):
                listed["tools"] = [_with_schema(tool, schema) for tool in listed["tools"]]
        self._era: str | None = None  # a key of the answers; "": one that is not known here

    def answer(self, line: bytes) -> tuple[str | int, bytes] | None:
        """The id of the request, and the line that answers it. None: this one is the SDK's."""
        request = _request(line)
        if request is None:
            return None
        id, method, params = request
        if self._era is None:
            self._era = self._era_of(method, params)
        result = self._result(method, params)
        if result is None:
            return None
        message = {"jsonrpc": "2.0", "id": id, "result": result}
        return id, json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"

    def _era_of(self, method: str, params: Object) -> str:
        if method == "initialize":
            return "handshake" if self._initialized(params) is not None else ""
        version = _meta(params).get(VERSION)
        return version if isinstance(version, str) and version in self._answers else ""

    def _result(self, method: str, params: Object) -> Object | None:
        if method == "initialize":
            return self._initialized(params) if self._era == "handshake" else None
        if self._era == "handshake":
            plain = params.keys() <= {"_meta"} and _is_plain_meta(_meta(params))
        else:
            plain = params.keys() == {"_meta"} and _is_envelope(_meta(params)) and _meta(params)[VERSION] == self._era
        return self._answers.get(self._era or "", {}).get(method) if plain else None

    def _initialized(self, params: Object) -> Object | None:
        """What `initialize` gives; None if the SDK may refuse it."""
        asked = params.get("protocolVersion")
        if params.keys() != {"protocolVersion", "capabilities", "clientInfo"} or not isinstance(asked, str):
            return None
        if asked not in self._versions or not _are_capabilities(params["capabilities"]):
            return None
        if not _is_client(params["clientInfo"]):
            return None
        return {**self._answers["handshake"]["initialize"], "protocolVersion": self._versions[asked]}


def _with_schema(tool: Object, schema: object) -> Object:
    """Members of a tool are in the order of their names."""
    return dict(sorted({**tool, "outputSchema": schema}.items()))


def _request(line: bytes) -> tuple[str | int, str, Object] | None:
    """Its id, method and params, if it is a request without anything unusual in it."""
    # An escape may be half of a character, which is wrong in JSON and no error here.
    if len(line) > LONGEST or b"\\u" in line:
        return None
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not {"jsonrpc", "id", "method"} <= message.keys():
        return None
    if message["jsonrpc"] != "2.0" or not message.keys() <= {"jsonrpc", "id", "method", "params"}:
        return None
    id, method, params = message["id"], message["method"], message.get("params", {})
    if not _is_id(id) or not isinstance(method, str) or not isinstance(params, dict):
        return None
    return id, method, params


def _is_id(id: object) -> bool:
    if isinstance(id, str):
        return id.isascii() and id.isprintable()
    return type(id) is int and abs(id) < LARGEST_ID


def _meta(params: Object) -> Object:
    meta = params.get("_meta", {})
    return meta if isinstance(meta, dict) else {"": meta}


def _is_plain_meta(meta: Object) -> bool:
    """What a request of the earlier revisions may carry."""
    return meta.keys() <= {"progressToken"} and all(isinstance(token, str) or _is_id(token) for token in meta.values())


def _is_envelope(meta: Object) -> bool:
    """What every request of the revision of 2026-07-28 carries."""
    if not {VERSION, CAPABILITIES} <= meta.keys() or not meta.keys() <= {VERSION, CAPABILITIES, CLIENT}:
        return False
    return _are_capabilities(meta[CAPABILITIES]) and (CLIENT not in meta or _is_client(meta[CLIENT]))


def _is_client(value: object) -> bool:
    """A program's name and version."""
    if not isinstance(value, dict) or not {"name", "version"} <= value.keys() <= {"name", "version", "title"}:
        return False
    return all(isinstance(text, str) for text in value.values())


def _are_capabilities(value: object) -> bool:
    """Those that clients have, in the form that they have."""
    if not isinstance(value, dict):
        return False
    for name, capability in value.items():
        if not isinstance(capability, dict):
            return False
        flags = {"listChanged"} if name == "roots" else set()
        if name == "tasks" or not all(
            isinstance(setting, bool) if key in flags else isinstance(setting, dict)
            for key, setting in capability.items()
        ):
            return False
    return True
