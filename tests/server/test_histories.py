"""Many clients at once that come, call, are cut off and ask again: nothing runs twice, nothing is lost or mixed up."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.patience import PATIENCE
from tests.server.live import Live, Talk
from tests.stage import until

SEED = int(os.environ.get("TRUETTY_TEST_SEED", "1"))


class Client:
    """Runs commands that leave a line each in a file, in terminals of its own and in a shared one."""

    def __init__(self, number: int, server: Live, folder: Path) -> None:
        self.random = random.Random(SEED * 1000 + number)
        self.server = server
        self.name = f"client-{number}"
        self.file = folder / self.name
        self.asked: list[str] = []
        self.cuts = 0

    async def work(self, commands: int) -> None:
        for _ in range(commands):
            await self.run_once(secrets.token_hex(6))

    async def run_once(self, token: str) -> None:
        """Asks with the same key until it is answered."""
        self.asked.append(token)
        fields = {"command": f"echo {token} >> {self.file}; echo {token}", "task": self.name, "wait": PATIENCE}
        key = f"key-{token}"
        while True:
            try:
                async with self.server.connect(**{"Truetty-Client": self.name}) as talk:
                    if self.random.random() < 0.5:
                        await talk.call("listen", since=0)
                    number = await talk.begin("run", key=key, **fields)
                    if self.random.random() < 0.4:
                        self.cuts += 1
                        await self.leave(talk)
                        continue
                    answer = await talk.end(number)
                    assert answer["ok"]["output"] == f"{token}\n", answer
                    assert (answer["ok"]["state"], answer["ok"]["exit_code"]) == ("finished", 0)
                    await self.look(talk, answer["ok"])
                    return
            except ConnectionClosed:
                continue

    async def leave(self, talk: Talk) -> None:
        """In mid-call, at once or some messages later, politely or not."""
        for _ in range(self.random.randrange(3)):
            await talk.call("hello")
        if self.random.random() < 0.5:
            talk.websocket.transport.abort()

    async def look(self, talk: Talk, report: dict[str, Any]) -> None:
        match self.random.randrange(4):
            case 0:
                raw = await talk.call("text", command_id=report["command_id"])
                assert raw["text"] == report["output"]
            case 1:
                assert (await talk.call("show", terminal_id=report["terminal_id"]))["task"] == self.name
            case 2:
                await talk.call("screen", terminal_id=report["terminal_id"])
            case 3:
                assert (await talk.refused("run", command="true", key=f"key-{self.asked[-1]}"))["code"] == "key_reused"


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.parametrize(
    ("count", "commands"), [(12, 8), pytest.param(40, 100, marks=pytest.mark.long)], ids=["some", "many"]
)
async def test_nothing_runs_twice_and_nothing_is_lost(
    server: Live, tmp_path: Path, count: int, commands: int, record_property: Any
) -> None:
    pid = server.pid()
    async with server.connect() as talk:
        await talk.call("close", terminal_id=(await talk.call("open", shell="bash", rc=False))["id"])
        before = descriptors(pid)
    clients = [Client(number, server, tmp_path) for number in range(count)]
    await asyncio.gather(*(client.work(commands) for client in clients))
    for client in clients:
        assert client.file.read_text().split() == client.asked  # each once, in the order in which they were asked for
    async with server.connect() as talk:
        assert talk.hello["pid"] == pid
        for terminal in (await talk.call("list"))["terminals"]:
            await talk.call("close", terminal_id=terminal["id"])
        status = await talk.call("status")
        assert (status["terminals"], status["running"]) == (0, [])
        await until(lambda: descriptors(pid) <= before)  # connections that were cut off are closed by and by
    cuts = sum(client.cuts for client in clients)
    record_property(
        "report", f"server: {count} clients, {count * commands} commands, {cuts} cut off; none lost or doubled"
    )
