"""Conversations of real clients with the server, as a file of lines, and how one is played again.

    {"send": MESSAGE, "call": LABEL}    a line of the client; of a tool call the label that it has in the script
    {"answered": ID}                    the client had this answer before it sent the next line
    {"asked": METHOD}                   a request of the server that the client answers next

Rule 1: what differs from run to run is replaced: numbers of requests, folders, and ids of commands and terminals, which
        stand as `COMMAND:LABEL` and `TERMINAL:LABEL`. What a client adds to every call (`_meta`) stays in the first.
Rule 2: nothing waits when a conversation is played. The command that outlasts the client's patience is known to have
        begun by the file it makes, and ends by another where the client waited for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.acceptance.session import eventually
from tests.clients.script import CALLS, OVER, STARTED, Call, command_of, filled
from truetty.mcp.greeting import CAPABILITIES, CLIENT, VERSION

Entry = dict[str, Any]
LONGEST_LINE = 1 << 24
# Of `_meta`: what changes an answer.
NEEDED = ("progressToken", VERSION, CAPABILITIES, CLIENT)


def text_of(message: Mapping[str, Any]) -> str:
    """What an answer to a tool call says to a model."""
    if "error" in message:
        return str(message["error"]["message"])
    return "\n".join(part["text"] for part in message["result"]["content"])


def label_of(params: Mapping[str, Any], texts: Mapping[str, str], known: Iterable[str]) -> str | None:
    """The call of the script that this one is: of those that are left, the one with the most in common."""

    def common(call: Call) -> int:
        arguments = filled(dict(call.arguments), texts)
        assert isinstance(arguments, dict)
        sent = params.get("arguments", {})
        return sum(name in sent and sent[name] == value for name, value in arguments.items())

    left = [call for call in CALLS.values() if call.verb == params["name"] and call.label not in known]
    best = max(left, key=common, default=None)
    return best.label if best is not None and (common(best) or not best.arguments) else None


def recorded(wire: Iterable[str], folders: Mapping[str, Path]) -> list[Entry]:
    """From what the tap has written."""
    entries: list[Entry] = []
    numbers: dict[object, int] = {}
    labels: dict[int, str] = {}
    texts: dict[str, str] = {}
    for line in wire:
        passed = json.loads(line)
        text = passed["line"]
        for name, folder in folders.items():
            text = text.replace(str(folder), name)
        message = json.loads(text)
        match passed["from"], "method" in message, "id" in message:
            case "client", True, True:
                numbers[message["id"]] = message["id"] = len(numbers) + 1
                entry: Entry = {"send": message}
                if message["method"] == "tools/call":
                    label = label_of(message["params"], texts, labels.values())
                    if label is not None:
                        entry["call"] = labels[message["id"]] = label
                    arguments = message["params"].get("arguments", {})
                    message["params"]["arguments"] = {key: _named(arguments[key], texts) for key in arguments}
                    if len(labels) > 1:
                        message["params"] = _short(message["params"])
                entries.append(entry)
            case "client", _, _:
                if message.get("method") == "notifications/cancelled":
                    message["params"]["requestId"] = numbers[message["params"]["requestId"]]
                entries.append({"send": message})
            case "server", True, True:
                entries.append({"asked": message["method"]})
            case "server", False, True:
                number = numbers[message["id"]]
                entries.append({"answered": number})
                if number in labels:
                    texts[labels[number]] = text_of(message)
    return entries


def _named(value: object, texts: Mapping[str, str]) -> object:
    for label in texts:
        id = command_of(label, texts)
        if id is not None and value == id:
            return f"COMMAND:{label}"
        if id is not None and value == id.split("-")[0]:
            return f"TERMINAL:{label}"
    return value


def _short(params: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in params.get("_meta", {}).items() if name in NEEDED}
    return {**{name: value for name, value in params.items() if name != "_meta"}, **({"_meta": kept} if kept else {})}


class Player:
    """Plays a conversation against a server: `texts` has what each call of the script was answered."""

    def __init__(self, server: asyncio.subprocess.Process, project: Path, folders: Mapping[str, Path]) -> None:
        assert server.stdin is not None and server.stdout is not None
        self._input, self._output = server.stdin, server.stdout
        self._project, self._folders = project, folders
        self._labels: dict[int, str] = {}
        self._answered: set[int] = set()
        self._asked: list[object] = []  # numbers of the server's requests
        self.texts: dict[str, str] = {}

    async def play(self, entries: list[Entry]) -> None:
        for entry, following in zip(entries, [*entries[1:], {}], strict=True):
            if "send" in entry:
                await self._send(entry["send"], entry.get("call"))
                if entry.get("call") == "long" and following == {"answered": entry["send"]["id"]}:
                    (self._project / OVER).touch()
            elif "asked" in entry:
                while not self._asked:
                    await self._receive()
            else:
                while entry["answered"] not in self._answered:
                    await self._receive()

    async def _send(self, message: dict[str, Any], label: str | None) -> None:
        if "id" in message and "method" not in message:
            message = {**message, "id": self._asked.pop(0)}
        long = next((number for number, label in self._labels.items() if label == "long"), None)
        if long is not None and long not in self._answered:
            # The client has given it up: what it is answered in the end is read by no model.
            del self._labels[long]
            await eventually((self._project / STARTED).exists, "the long command has begun")
        if label is not None:
            self._labels[message["id"]] = label
        text = re.sub(r"(COMMAND|TERMINAL):([\w-]+)", self._id, json.dumps(message))
        for name, folder in self._folders.items():
            text = text.replace(name, str(folder))
        self._input.write(text.encode() + b"\n")
        await self._input.drain()

    def _id(self, found: re.Match[str]) -> str:
        id = command_of(found[2], self.texts)
        assert id is not None, (found[0], self.texts)
        return id if found[1] == "COMMAND" else id.split("-")[0]

    async def _receive(self) -> None:
        line = await self._output.readline()
        assert line, "the server has ended"
        message = json.loads(line)
        if "method" in message:
            if "id" in message:
                self._asked.append(message["id"])
            return
        self._answered.add(message["id"])
        if (label := self._labels.get(message["id"])) is not None:
            self.texts[label] = text_of(message)


async def played(entries: list[Entry], command: list[str], project: Path, home: Path) -> dict[str, str]:
    """What each call was answered by a server that is started for it, in a home of its own."""
    environ = {**os.environ, "HOME": str(home), "SHELL": "/bin/bash"}
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, cwd=project, env=environ, limit=LONGEST_LINE
    )
    player = Player(server, project, {"{project}": project, "{home}": home})
    try:
        await player.play(entries)
    finally:
        assert server.stdin is not None
        server.stdin.close()
        await server.wait()
    return player.texts
