"""`truetty mcp --shared`: terminals outlive the client, and the client outlives the server."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.mcp.lasting import call, descendants, joined, kill, shared
from tests.mcp.served import ERAS, PATIENCE, alive, eventually, once
from tests.server.live import Live
from tests.server.storm import reached

# A client that starts a build, says that it runs, and waits for its end.
CLIENT = """
import asyncio, sys
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import Implementation

async def main():
    parameters = StdioServerParameters.model_validate_json(sys.argv[1])
    info = Implementation(name="builder", version="1")
    async with Client(stdio_client(parameters), mode=sys.argv[3], client_info=info) as client:
        await client.call_tool("run", {"command": sys.argv[2], "wait": 1000})

asyncio.run(main())
"""
# Of a build: it prints much, says that it has begun, goes on when it may, and fails.
LINES = 3000


def build(folder: Path) -> str:
    begun, go = folder / "begun", folder / "go"
    return f"seq {LINES}; echo x >>{begun}; {once(go)}; seq {LINES + 1} {2 * LINES}; (exit 7)"


@pytest.fixture
def live(home: Path, tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path / "state")
    yield made
    made.end()


@pytest.mark.parametrize(
    ("era", "pipe_too", "server_too"),
    [*((era, True, False) for era in ERAS), ("legacy", False, False), ("legacy", True, True)],
)
async def test_a_client_killed_in_mid_build_is_followed_by_one_that_reads_all_of_it(
    live: Live, tmp_path: Path, era: str, pipe_too: bool, server_too: bool
) -> None:
    parameters = shared(live)
    words = (sys.executable, "-c", CLIENT, parameters.model_dump_json(), build(tmp_path), era)
    first = await asyncio.create_subprocess_exec(*words, start_new_session=True)
    await eventually((tmp_path / "begun").exists, "the build has begun")
    pipes = descendants(first.pid, lambda words: "truetty mcp" in words)
    assert pipes
    for pid in [first.pid, *(pipes if pipe_too else [])]:
        os.kill(pid, signal.SIGKILL)
    await first.wait()
    await eventually(lambda: not any(map(alive, pipes)), "the pipe is gone")
    if server_too:
        journal = Path(live.place.path("journal"))
        await eventually(lambda: '"cut"]' in journal.read_text(), "the server has seen it")
        kill(live)
    async with joined(parameters, mode=era, name="builder") as second:
        found = await call(second, "terminals")
        (row,) = found["terminals"]
        assert (row["state"], row["own"]) == ("running", True)
        assert row["task"] == f"builder@{os.getcwd()}"
        assert [notice["what"] for notice in found["notices"]] == ["running"]
        (tmp_path / "go").touch()
        ended = await call(second, "wait", id=row["command_id"], wait=PATIENCE)
        assert (ended["state"], ended["exit_code"]) == ("finished", 7)
        whole = await call(second, "read", id=row["command_id"], offset=0, limit=1_000_000)
        assert whole["output"].split() == [str(number) for number in range(1, 2 * LINES + 1)]
        # Its shell is the one that the client before has left.
        assert (await call(second, "run", command="echo $?"))["terminal_id"] == row["terminal_id"]
    assert (tmp_path / "begun").read_text() == "x\n"


@pytest.mark.parametrize("era", ERAS)
async def test_a_run_whose_server_is_killed_gets_its_answer(live: Live, tmp_path: Path, era: str) -> None:
    async with joined(shared(live), mode=era) as client:
        await call(client, "run", command="cd /; x=kept")
        running = asyncio.ensure_future(call(client, "run", command=build(tmp_path), wait=PATIENCE))
        await eventually((tmp_path / "begun").exists, "the build has begun")
        kill(live)
        kill(live)
        (tmp_path / "go").touch()
        ended = await running
        assert (ended["state"], ended["exit_code"], ended["is_error"]) == ("finished", 7, False)
        assert ended["output"].startswith("1\n2\n") and ended["output"].endswith(f"{2 * LINES}\n")
        after = await call(client, "run", command="echo $PWD $x")
        assert (after["output"], after["terminal_id"]) == ("/ kept\n", ended["terminal_id"])
    assert (tmp_path / "begun").read_text() == "x\n"


async def test_a_wait_whose_server_is_killed_is_asked_again(live: Live, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with joined(shared(live)) as client:
        started = await call(client, "run", command=f"{once(go)}; echo done", background=True)
        waiting = asyncio.ensure_future(call(client, "wait", id=started["command_id"], wait=PATIENCE))
        await call(client, "terminals")  # so the wait has arrived
        kill(live)
        go.touch()
        ended = await waiting
        assert (ended["exit_code"], ended["output"]) == (0, "done\n")


async def test_a_send_whose_server_is_killed_types_nothing_twice_and_says_so(live: Live, tmp_path: Path) -> None:
    got = tmp_path / "got"
    async with joined(shared(live)) as client:
        asks = await call(client, "run", command=f"while read line; do echo $line >>{got}; done", wait=PATIENCE)
        assert asks["state"] == "waiting"
        sending = asyncio.ensure_future(
            call(client, "send", id=asks["command_id"], text="one", enter=True, wait=PATIENCE, until="exit")
        )
        await eventually(got.exists, "the line was typed")
        kill(live)
        cut = await sending
        assert cut["is_error"] and cut["error"]["code"] == "channel_lost"
        assert "whether anything was typed is not known" in cut["text"]
        assert (cut["error"]["command_id"], cut["error"]["state"]) == (asks["command_id"], "waiting")
        assert f'screen(id="{asks["command_id"]}")' in cut["next"]
        await call(client, "send", id=asks["command_id"], keys=["C-d"], wait=PATIENCE)
    assert got.read_text() == "one\n"


async def test_two_clients_of_one_name_have_terminals_of_their_own_and_see_the_others(live: Live) -> None:
    parameters = shared(live)
    async with joined(parameters) as first, joined(parameters) as second:
        one = await call(first, "run", command="cd /; mine=1")
        two = await call(second, "run", command="echo $PWD $mine")
        assert two["terminal_id"] != one["terminal_id"] and two["output"] == f"{os.getcwd()}\n"
        task = f"tester@{os.getcwd()}"
        found = await call(second, "terminals")
        rows = [(row["terminal_id"], row["task"], row["own"]) for row in found["terminals"]]
        assert rows == [(two["terminal_id"], f"{task} (2)", True), (one["terminal_id"], task, False)]
        assert f'(of "{task}")' in found["text"] and "1 of them not yours" in found["text"]
        # By its id it can be read, and used.
        assert (await call(second, "read", id=one["command_id"]))["exit_code"] == 0
        there = await call(second, "run", command="echo $PWD $mine", terminal_id=one["terminal_id"])
        assert there["output"] == "/ 1\n"
        kill(live)
        # Each has its own again, whichever comes first.
        again = await call(second, "run", command="pwd")
        assert again["terminal_id"] == two["terminal_id"]
        assert (await call(first, "run", command="pwd"))["terminal_id"] == one["terminal_id"]


async def test_tasks_that_clients_name_are_their_own(live: Live) -> None:
    async with joined(shared(live), name="a") as first, joined(shared(live), name="b") as second:
        one = await call(first, "run", command="true", task="fix")
        two = await call(second, "run", command="true", task="fix")
        assert one["terminal_id"] != two["terminal_id"]
        rows = (await call(first, "terminals"))["terminals"]
        assert [(row["task"], row["own"]) for row in rows] == [
            (f"a@{os.getcwd()}: fix", True),
            (f"b@{os.getcwd()}: fix", False),
        ]


async def test_notices_reach_the_client_whose_command_it_was(live: Live, tmp_path: Path) -> None:
    async with joined(shared(live), name="a") as first, joined(shared(live), name="b") as second:
        started = await call(first, "run", command=once(tmp_path / "go"), background=True)
        (tmp_path / "go").touch()
        await call(second, "wait", id=started["command_id"], wait=PATIENCE)
        assert (await call(second, "terminals"))["notices"] == []
        (notice,) = (await call(first, "terminals"))["notices"]
        assert (notice["command_id"], notice["what"]) == (started["command_id"], "finished")


@pytest.mark.parametrize("task", [None, "fix"])
async def test_an_end_that_was_not_told_is_told_by_the_next_server(
    live: Live, tmp_path: Path, task: str | None
) -> None:
    async with joined(shared(live)) as client:
        named = {} if task is None else {"task": task}
        ended = await call(client, "run", command=once(tmp_path / "one"), background=True, **named)
        dies = await call(client, "run", command=once(tmp_path / "two"), background=True, task="other")
        (tmp_path / "one").touch()
        live.get(f"/v1/commands/{ended['command_id']}/wait?timeout={PATIENCE}&until=finished")
        os.kill(live.pid(), signal.SIGKILL)
        (tmp_path / "two").touch()  # that one ends without a server, or with the next
        live.get(f"/v1/commands/{dies['command_id']}/wait?timeout={PATIENCE}&until=finished")
        kill(live)
        found = (await call(client, "terminals"))["notices"]
        assert {(one["command_id"], one["what"], one["exit_code"]) for one in found} == {
            (ended["command_id"], "finished", 0),
            (dies["command_id"], "finished", 0),
        }
        kill(live)
        assert (await call(client, "terminals"))["notices"] == []


# Makes a server die once, with an answer that has notices: before it is sent, or when it was sent and nothing else was
# done.
DIES_WITH_NOTICES = """
import os, signal
from starlette.websockets import WebSocket

async def dying(self, text, send=WebSocket.send_text):
    dies = '"notices":[{{' in text.replace(" ", "") and os.path.exists({flag!r})
    if dies:
        os.unlink({flag!r})
    if not dies or {sent}:
        await send(self, text)
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)

WebSocket.send_text = dying
"""


@pytest.mark.parametrize("sent", [False, True])
async def test_a_notice_in_an_answer_whose_server_is_killed_is_told_once(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bool
) -> None:
    flag = tmp_path / "flag"
    (tmp_path / "sitecustomize.py").write_text(DIES_WITH_NOTICES.format(flag=str(flag), sent=sent))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    live = Live(tmp_path / "state")
    try:
        live.pid()  # it starts with these variables
        async with joined(shared(live)) as client:
            ended = await call(client, "run", command=once(tmp_path / "go"), background=True)
            (tmp_path / "go").touch()
            live.get(f"/v1/commands/{ended['command_id']}/wait?timeout={PATIENCE}&until=finished")
            before = live.pid()
            flag.touch()
            (notice,) = (await call(client, "terminals"))["notices"]
            assert (notice["command_id"], notice["what"], notice["exit_code"]) == (ended["command_id"], "finished", 0)
            assert live.pid() != before and not flag.exists()
            assert (await call(client, "terminals"))["notices"] == []
            kill(live)
            assert (await call(client, "terminals"))["notices"] == []
    finally:
        live.end()


@pytest.mark.parametrize("era", ERAS)
async def test_a_question_that_the_client_knows_is_no_notice_of_the_next_server(live: Live, era: str) -> None:
    async with joined(shared(live), mode=era) as client:
        asks = await call(client, "run", command="read -p 'Sure? ' x; read -p 'More? ' x")
        assert asks["waiting"]["prompt"] == "Sure? "
        for _ in range(2):
            kill(live)
            await eventually(lambda: live.get("/v1/terminals/t1")["command"]["state"] == "waiting", "it asks again")
            assert (await call(client, "terminals"))["notices"] == []
        live.post("/v1/commands/t1-1/type", text="yes", keys=["Enter"])
        assert live.get(f"/v1/commands/t1-1/wait?timeout={PATIENCE}&until=match:More")["reached"] == "match"
        await eventually(lambda: live.get("/v1/commands/t1-1")["state"] == "waiting", "it asks more")
        (notice,) = (await call(client, "terminals"))["notices"]
        assert (notice["what"], notice["prompt"]) == ("waiting", "More? ")


async def test_the_end_of_the_input_closes_no_terminal(live: Live, tmp_path: Path) -> None:
    parameters = shared(live)
    process = await asyncio.create_subprocess_exec(
        parameters.command, *parameters.args, env=parameters.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    ask = {"name": "run", "arguments": {"command": build(tmp_path), "wait": PATIENCE}}
    for id, method, params in ((1, "initialize", about), (2, "tools/call", ask)):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode())
        process.stdin.write(b"\n")
    await eventually((tmp_path / "begun").exists, "the build has begun")
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    (terminal,) = live.get("/v1/terminals")["terminals"]
    assert (terminal["command"]["state"], terminal["client"]) == ("running", "raw")
    (tmp_path / "go").touch()
    ended = live.get(f"/v1/commands/{terminal['command']['id']}/wait?until=finished")
    assert ended["exit_code"] == 7


async def test_a_server_that_is_stopped_ends_calls_and_the_next_one_starts_another(live: Live, tmp_path: Path) -> None:
    async with joined(shared(live)) as client:
        running = asyncio.ensure_future(call(client, "run", command=build(tmp_path), wait=PATIENCE))
        await eventually((tmp_path / "begun").exists, "the build has begun")
        live.end()
        cut = await running
        assert cut["is_error"] and cut["error"]["code"] == "channel_lost" and "terminals()" in cut["next"]
        assert not live.is_running()
        assert (await call(client, "run", command="echo on"))["output"] == "on\n"
    assert (tmp_path / "begun").read_text() == "x\n"


async def test_an_upgrade_is_not_seen_by_the_client(live: Live, tmp_path: Path) -> None:
    async with joined(shared(live)) as client:
        running = asyncio.ensure_future(call(client, "run", command=build(tmp_path), wait=PATIENCE))
        await eventually((tmp_path / "begun").exists, "the build has begun")
        before = live.pid()
        live.post("/v1/upgrade")
        while reached(live) == before:
            pass
        (tmp_path / "go").touch()
        ended = await running
        assert (ended["exit_code"], ended["is_error"]) == (7, False)
    assert (tmp_path / "begun").read_text() == "x\n"


def _has_grown(file: Path, size: int) -> bool:
    return file.exists() and file.stat().st_size > size


@pytest.mark.parametrize("times", [6, pytest.param(60, marks=[pytest.mark.long, pytest.mark.timeout(3600)])])
async def test_a_storm_of_kills_runs_everything_once(live: Live, tmp_path: Path, times: int) -> None:
    """Commands come one after the other, and the server is killed at any time."""
    ran, chance = tmp_path / "ran", random.Random(times)
    over = asyncio.Event()
    killed = 0

    async def strike() -> None:
        nonlocal killed
        while killed < times:
            before = await asyncio.to_thread(reached, live)
            # At a random time after the next command has begun; a file says that it has.
            size = ran.stat().st_size if ran.exists() else 0
            await eventually(partial(_has_grown, ran, size), "another one has run")
            await asyncio.wait({asyncio.ensure_future(over.wait())}, timeout=chance.random() / 10)
            os.kill(before, signal.SIGKILL)
            killed += 1
        over.set()

    async with joined(shared(live)) as client:
        await call(client, "run", command="cd /")
        striking = asyncio.ensure_future(strike())
        number = 0
        while not over.is_set():
            number += 1
            found = await call(client, "run", command=f"echo {number} >>{ran}; echo {number} $PWD", wait=PATIENCE)
            assert (found["output"], found["exit_code"]) == (f"{number} /\n", 0), found["text"]
        await striking
    assert ran.read_text().split() == [str(one) for one in range(1, number + 1)]
