"""A crowd of clients with all verbs, each cut off at random: nothing lost, doubled or mixed up, and nothing grows."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.patience import PATIENCE
from tests.server.live import Live, Talk

SEED = int(os.environ.get("TRUETTY_TEST_SEED", "1"))
CUT = 0.25  # of the calls lose their connection before they are answered


class Caller:
    """Asks again with the same key until it is answered; knows what must have happened."""

    def __init__(self, number: int, server: Live, folder: Path) -> None:
        self.random = random.Random(SEED * 1000 + number)
        self.server = server
        self.name = f"caller-{number}"
        self.file = folder / self.name
        self.ran: list[str] = []  # tokens in the order in which their commands were asked for
        self.count: Counter[str] = Counter()

    async def work(self, end: Callable[[Caller], bool]) -> None:
        acts: list[Callable[[], Awaitable[None]]] = [self.run, self.answer, self.stop, self.open_and_close, self.look]
        while not end(self):
            await self.random.choice(acts)()
            self.count["acts"] += 1

    async def call(self, do: str, **fields: Any) -> Any:
        """One verb, on a connection of its own; the retry key makes it one verb however often it is asked."""
        key = {"key": f"{self.name}-{secrets.token_hex(8)}"} if do in ("run", "start", "send", "open") else {}
        while True:
            try:
                async with self.server.connect(**{"Truetty-Client": self.name}) as talk:
                    number = await talk.begin(do, **key, **fields)
                    if do != "close" and self.random.random() < CUT:
                        await self.leave(talk)
                        continue
                    answer = await talk.end(number)
                    assert "ok" in answer, (do, fields, answer)
                    return answer["ok"]
            except ConnectionClosed:
                continue

    async def leave(self, talk: Talk) -> None:
        self.count["cut"] += 1
        for _ in range(self.random.randrange(3)):
            await talk.call("hello")
        if self.random.random() < 0.5:
            talk.websocket.transport.abort()

    def token(self) -> str:
        self.ran.append(secrets.token_hex(6))
        return self.ran[-1]

    async def run(self) -> None:
        token, code = self.token(), self.random.randrange(256)
        command = f"echo {token} >> {self.file}; echo {token}; (exit {code})"
        outcome = await self.call("run", command=command, task=self.name, wait=PATIENCE)
        assert (outcome["output"], outcome["exit_code"]) == (f"{token}\n", code), outcome

    async def answer(self) -> None:
        token = self.token()
        command = f"read x; echo $x >> {self.file}; echo got $x"
        started = await self.call("start", command=command, task=self.name)
        waiting = await self.call("wait", command_id=started["id"], timeout=PATIENCE, after_episode=0)
        assert waiting["state"] == "waiting", waiting
        fields = {"text": token, "keys": ["Enter"], "wait": PATIENCE, "until": "finished"}
        outcome = await self.call("send", command_id=started["id"], **fields)
        assert outcome["output"].endswith(f"got {token}\n") and outcome["exit_code"] == 0, outcome

    async def stop(self) -> None:
        token = self.token()
        command = f"echo {token} >> {self.file}; sleep 1000"
        started = await self.call("start", command=command, task=self.name)
        while token not in self.lines():
            await asyncio.sleep(0.01)  # a file says it: no event tells of it
        outcome = await self.call("stop", command_id=started["id"])
        assert outcome["state"] == "finished" and outcome["exit_code"] != 0, outcome

    async def open_and_close(self) -> None:
        token = self.token()
        terminal = await self.call("open", shell="bash", rc=False)
        fields = {"command": f"echo {token} >> {self.file}; echo {token}", "terminal": terminal["id"]}
        outcome = await self.call("run", **fields, wait=PATIENCE)
        assert (outcome["output"], outcome["terminal_id"]) == (f"{token}\n", terminal["id"]), outcome
        page = await self.call("read", command_id=outcome["command_id"], offset=0)
        assert page["text"] == f"{token}\n", page
        await self.call("close", terminal_id=terminal["id"])

    async def look(self) -> None:
        found = await self.call("list")
        assert all(one["task"] != self.name for one in found["terminals"] if one["client"] != self.name)

    def lines(self) -> list[str]:
        return self.file.read_text().split() if self.file.exists() else []


class Size:
    """What a server has and takes, with no terminal open."""

    def __init__(self, server: Live, pid: int) -> None:
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        rows = Path(f"/proc/{pid}/status").read_text().splitlines()
        self.memory = next(int(row.split()[1]) for row in rows if row.startswith("VmRSS:")) >> 10  # MB
        self.files = sum(len(files) for _, _, files in os.walk(server.place.folder))

    def __repr__(self) -> str:
        return f"{self.memory} MB, {self.descriptors} descriptors, {self.files} files"


async def rest(server: Live, pid: int, most: int | None = None) -> Size:
    """All terminals are closed. `most`: descriptors, once the connections that were cut off are closed too."""
    async with server.connect() as talk:
        assert talk.hello["pid"] == pid
        for terminal in (await talk.call("list"))["terminals"]:
            await talk.call("close", terminal_id=terminal["id"])
        status = await talk.call("status")
        assert (status["terminals"], status["running"]) == (0, [])
    async with asyncio.timeout(PATIENCE):
        while (found := Size(server, pid)) and most is not None and found.descriptors > most:
            await asyncio.sleep(0.01)
    return found


def after(seconds: float) -> Callable[[Caller], bool]:
    end = time.monotonic() + seconds
    return lambda caller: time.monotonic() >= end


def acts(count: int) -> Callable[[Caller], bool]:
    return lambda caller: caller.count["acts"] >= count


@pytest.mark.parametrize(
    ("callers", "seconds"),
    [(6, None), pytest.param(100, 60, marks=[pytest.mark.long, pytest.mark.timeout(1800)])],
    ids=["some", "a_hundred"],
)
async def test_a_crowd(
    server: Live,
    home: Path,
    tmp_path: Path,
    callers: int,
    seconds: int | None,
    record_property: Callable[[str, str], None],
) -> None:
    settings = home / ".config" / "truetty" / "truetty.toml"
    settings.parent.mkdir(parents=True)
    # Each has a terminal for its task and opens others; those whose opening was cut off are open for a while.
    settings.write_text(f"terminals = {5 * callers}\n")
    pid = server.pid()
    async with server.connect() as talk:
        await talk.call("open", shell="bash", rc=False)  # the first one opens what all of them use
    fresh = await rest(server, pid)
    sizes: list[Size] = []
    crowd = [Caller(number, server, tmp_path) for number in range(callers)]
    for part in (1, 2):
        end = acts(5 * part) if seconds is None else after(seconds / 2)
        await asyncio.gather(*(caller.work(end) for caller in crowd))
        sizes.append(await rest(server, pid, fresh.descriptors))
    for caller in crowd:
        assert caller.lines() == caller.ran  # each once, in the order in which they were asked for
    first, second = sizes
    assert second.files <= max(first.files, fresh.files + 64), sizes  # closed terminals are remembered up to a number
    assert second.memory <= first.memory * 1.25 + 8, sizes
    total = sum((caller.count for caller in crowd), Counter[str]())
    commands = sum(len(caller.ran) for caller in crowd)
    told = f"{callers} callers, {total['acts']} acts, {commands} commands, {total['cut']} cut off; none lost or doubled"
    record_property("report", f"crowd: {told}; {fresh}, then {first}, then {second}")
    print(told, fresh, first, second)
