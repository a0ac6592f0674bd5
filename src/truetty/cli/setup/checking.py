"""`truetty setup --check`: the server started as a client would start it, and what that client would see.

Rule 1: what stands in the client's file is started; where nothing does, what `setup` would write.
Rule 2: with the variables that the client hands on, which may be few.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import subprocess
import time
from typing import IO, Final

from truetty.cli.setup.clients import Client, ServerLaunch

# Longer than any client waits.
LIMIT: Final = 60.0
FAILED: Final = 1
_INITIALIZE: Final[dict[str, object]] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "truetty setup", "version": "1"},
}


class NoAnswer(Exception):
    """The server has ended, or is silent."""


def check(client: Client, started: ServerLaunch, entry: object, path: str) -> int:
    """The exit status: 0 if the client would have the tools in time."""
    there: dict[str, object] = entry if isinstance(entry, dict) else client.entry(started)
    words = _words(there)
    known = "as in" if there is entry else "as `truetty setup` would write it into"
    print(f"{client.title}, {known} {path}: {shlex.join(words)}")
    try:
        server = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_variables(client, there),
        )
    except OSError as error:
        print(f"it cannot be started: {error.strerror}")
        return FAILED
    assert server.stdin is not None
    with server:
        try:
            return _greet(client, there, server)
        except NoAnswer as error:
            server.kill()
            with contextlib.suppress(BrokenPipeError):  # what it has not read is still to be written
                server.stdin.close()
            assert server.stderr is not None
            print(f"{error}: {server.stderr.read().decode(errors='replace').strip() or 'it says nothing'}")
            return FAILED


def _words(entry: dict[str, object]) -> list[str]:
    command, arguments = entry.get("command"), entry.get("args")
    words = [
        *(command if isinstance(command, list) else [command]),
        *(arguments if isinstance(arguments, list) else []),
    ]
    return [str(word) for word in words]


def _variables(client: Client, entry: dict[str, object]) -> dict[str, str]:
    """What the server gets: of our variables those that the client hands on, and those of its entry."""
    named = entry.get("env_vars")
    passed = client.variables and client.variables | {str(name) for name in (named if isinstance(named, list) else [])}
    own = entry.get("env", entry.get("environment"))
    inherited = {name: value for name, value in os.environ.items() if passed is None or name in passed}
    return {**inherited, **({str(name): str(value) for name, value in own.items()} if isinstance(own, dict) else {})}


def _greet(client: Client, entry: dict[str, object], server: subprocess.Popen[bytes]) -> int:
    begin = time.monotonic()
    assert server.stdin is not None and server.stdout is not None
    _ask(server, "initialize", _INITIALIZE)
    first = time.monotonic() - begin
    server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    answer = _ask(server, "tools/list", {})
    listed = time.monotonic() - begin
    tools = answer.get("tools")
    names = [str(tool["name"]) for tool in tools] if isinstance(tools, list) else []
    characters = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False))
    print(f"initialize is answered after {first:.2f} s, tools/list after {listed:.2f} s")
    print(f"{len(names)} tools, {characters:,} characters: {', '.join(names)}")
    server.stdin.close()
    return _judge(client, entry, listed)


def _judge(client: Client, entry: dict[str, object], seconds: float) -> int:
    if client.patience is None:
        print(f"how long {client.title} waits is not known")
        return 0
    patience, then = client.patience(entry)
    late = seconds > patience
    print(f"{client.title} waits {patience:g} s; {then}{': this is too late' if late else ''}")
    return FAILED if late else 0


def _ask(server: subprocess.Popen[bytes], method: str, params: dict[str, object]) -> dict[str, object]:
    assert server.stdin is not None and server.stdout is not None
    message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    try:
        server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
    except BrokenPipeError:
        raise NoAnswer("it has ended") from None
    found = json.loads(_line(server.stdout))
    result = found.get("result")
    if not isinstance(result, dict):
        raise NoAnswer(f"it does not answer {method}")
    return result


def _line(file: IO[bytes]) -> bytes:
    if not select.select([file], [], [], LIMIT)[0]:
        raise NoAnswer(f"it has said nothing for {LIMIT:g} s")
    line = file.readline()
    if not line:
        raise NoAnswer("it has ended")
    return line
