"""Write `src/truetty/mcp/greeting.json`: what the server answers to a client's first requests, as the SDK says it.

    python tools/make_greeting.py            write it
    python tools/make_greeting.py --check    write nothing; exit status 1 if it is not what would be written

To run after a change of the tools, of the instructions or of the version, and after an update of the SDK.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from truetty.mcp.greeting import CAPABILITIES, CLIENT, DATA, VERSION
from truetty.mcp.server import build
from truetty.mcp.session import Face, Setup
from truetty.mcp.sessions import Sessions
from truetty.settings import Settings

WHO = {"name": "greeting", "version": "1"}


class Lines:
    """A client: as standard input it says these lines, as standard output it takes the answers. It waits for each."""

    def __init__(self, lines: list[str]) -> None:
        self.answers: list[str] = []
        self._lines = lines
        self._answered = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._lines:
            self._answered.clear()
            yield line
            if "id" in json.loads(line):
                await self._answered.wait()

    async def write(self, line: str) -> None:
        self.answers.append(line)
        self._answered.set()

    async def flush(self) -> None:
        pass


async def ask(lines: list[str], *, structured: bool = False, lasts: bool = False) -> list[str]:
    """What the SDK answers to these lines on one connection, as lines."""
    client = Lines(lines)
    file = cast("anyio.AsyncFile[str]", client)
    face = Face(structured=structured, lasts=lasts)
    async with Sessions(Setup.of(Settings.load({}), face=face)) as sessions:
        server = build(sessions)
        async with stdio_server(file, file) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    return client.answers


def request(method: str, params: dict[str, object] | None = None, id: str | int = 1) -> str:
    message = {"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})}
    return json.dumps(message) + "\n"


def initialize(version: str) -> str:
    return request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": WHO})


def envelope(version: str) -> dict[str, object]:
    return {"_meta": {VERSION: version, CLIENT: WHO, CAPABILITIES: {}}}


def results(*lines: str, structured: bool = False, lasts: bool = False) -> list[Any]:
    answers = asyncio.run(ask(list(lines), structured=structured, lasts=lasts))
    return [json.loads(answer)["result"] for answer in answers]


def handshake() -> dict[str, object]:
    """The earlier revisions: their answers are the same, but for the version itself."""
    versions: dict[str, str] = {}
    found: dict[str, object] = {}
    for version in KNOWN_PROTOCOL_VERSIONS:
        first, ping, tools = results(initialize(version), request("ping"), request("tools/list"))
        versions[version] = first["protocolVersion"]
        first["protocolVersion"] = HANDSHAKE_PROTOCOL_VERSIONS[-1]
        these = {"initialize": first, "ping": ping, "tools/list": tools}
        if found and found != these:
            raise SystemExit(f"make_greeting: {version} is answered otherwise than those before: greeting.py knows one")
        found = these
    schema = output_schema(initialize(HANDSHAKE_PROTOCOL_VERSIONS[-1]), request("tools/list"))
    return {"versions": versions, **found, "outputSchema": schema, "shared": shared(initialize(max(versions)))}


def modern(version: str) -> dict[str, object]:
    methods = ("server/discover", "tools/list")
    lines = [request(method, envelope(version)) for method in methods]
    answers = dict(zip(methods, results(*lines), strict=True))
    return {**answers, "outputSchema": output_schema(lines[-1]), "shared": shared(lines[0])}


def shared(line: str) -> object:
    """What is different in the answer to this line with `--shared`."""
    (plain,), (lasting,) = results(line), results(line, lasts=True)
    changed = {name: value for name, value in lasting.items() if plain.get(name) != value}
    if changed.keys() != {"instructions"}:
        raise SystemExit(f"make_greeting: {sorted(changed)} differ with --shared: greeting.py knows the instructions")
    return changed


def output_schema(*lines: str) -> object:
    """With `--structured` every tool has it; nothing else of the answers is different. The last line asks for tools."""
    schemas = [tool["outputSchema"] for tool in results(*lines, structured=True)[-1]["tools"]]
    if any(json.dumps(schema) != json.dumps(schemas[0]) for schema in schemas):
        raise SystemExit("make_greeting: the tools have several schemas of their results: greeting.py knows one")
    return schemas[0]


def main() -> int:
    data = {
        "handshake": handshake(),
        **{version: modern(version) for version in MODERN_PROTOCOL_VERSIONS},
    }
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    if sys.argv[1:] == ["--check"]:
        with open(DATA, encoding="utf-8") as file:
            if file.read() != text:
                print("mcp/greeting.json is out of date: run python tools/make_greeting.py", file=sys.stderr)
                return 1
        return 0
    with open(DATA, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
