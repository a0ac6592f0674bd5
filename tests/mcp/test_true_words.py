"""What a model is told of terminals and commands is so: over stdio, as it reads it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.mcp.raw import RawClient, command_id, raw_client
from tests.mcp.served import PATIENCE, eventually, once


@pytest.fixture
async def client(home: Path) -> AsyncIterator[RawClient]:
    async with raw_client("--cwd", str(home), env={"HOME": str(home)}) as made:
        yield made


async def said(client: RawClient, name: str, /, **arguments: object) -> str:
    text, refused = await client.call(name, arguments)
    assert not refused, text
    return text


async def refusal(client: RawClient, name: str, /, **arguments: object) -> str:
    text, refused = await client.call(name, arguments)
    assert refused, text
    return text


async def cut_off(client: RawClient, home: Path, command: str, prefix: str = "") -> None:
    """Start a command, and cancel its call when it runs."""
    arguments = {"command": f"touch begun; {command}", "wait": PATIENCE}
    call = client.send("tools/call", {"name": f"{prefix}run", "arguments": arguments})
    await eventually((home / "begun").exists, "the command runs")
    client.write("notifications/cancelled", {"requestId": call, "reason": "timed out"})


async def test_a_command_whose_call_was_cut_off_is_named_in_the_next_result_once(client: RawClient, home: Path) -> None:
    await cut_off(client, home, once(home / "go"))
    told = await said(client, "terminals")
    assert 'notice: t1-1 still runs ("touch begun; while [ ! -e ' in told
    assert '…"), its call was cut off: wait(id="t1-1")' in told
    assert "cut off" not in await said(client, "terminals")
    (home / "go").touch()
    assert "cut off" not in await said(client, "wait", id="t1-1", wait=PATIENCE)


async def test_a_notice_names_the_tools_as_they_are_called(home: Path) -> None:
    async with raw_client("--cwd", str(home), "--prefix", "tt_", env={"HOME": str(home)}) as client:
        await cut_off(client, home, "sleep 1000 # wait(", prefix="tt_")
        named = await said(client, "tt_terminals")
        assert "sleep 1000 # wait(" in named and "its call was cut off: tt_wait(id=" in named


async def test_a_run_beside_one_that_runs_says_where_it_is_and_why(client: RawClient, home: Path) -> None:
    await said(client, "run", command="cd /; true")
    busy = command_id(await said(client, "run", command=f"cat {home}/go; {once(home / 'go')}", wait=0))
    beside = await said(client, "run", command="pwd")
    assert f'note: ran in t2, new, in "{home}": t1 is busy with {busy} ("cat /' in beside
    assert "note: ran in" not in await said(client, "run", command="pwd", terminal_id="t2")
    (home / "go").touch()
    await said(client, "wait", id=busy, wait=PATIENCE)
    assert 'note: ran in t1, in "/": it is free, as is t2\n' in await said(client, "run", command="pwd")
    assert "note: ran in" not in await said(client, "run", command="pwd")


async def test_a_secret_is_refused_in_few_words(client: RawClient) -> None:
    asked = command_id(await said(client, "run", command="read -s -p 'Password: ' x"))
    refused = await refusal(client, "send", id=asked, text="hunter2\n")
    assert refused.startswith(
        "error: denied: it asks for a secret, which a person types. Nothing was typed.\nnext: handoff"
    )


async def test_what_is_closed_is_said_closed_and_not_offered(client: RawClient, home: Path) -> None:
    ended = command_id(await said(client, "run", command="exit 3"))
    assert "none is open: run opens one" in await refusal(client, "run", command="true", terminal_id="t9")
    assert "t1 was closed" in await refusal(client, "run", command="touch made", terminal_id="t1")
    assert f"{ended} has finished, and t1 is closed. Nothing was typed." in await refusal(
        client, "send", id=ended, text="x"
    )
    after = await said(client, "run", command="true")
    assert f'note: ran in t2, new, in "{home}": t1 is closed' in after
    assert "no terminal 't9'; open: t2. Nothing ran." in await refusal(client, "run", command="true", terminal_id="t9")
    finished = command_id(after)
    assert f"{finished} has finished: there is nothing to type into. Nothing was typed." in await refusal(
        client, "send", id="t2", text="x"
    )
    assert "closed" in await said(client, "stop", id=finished, close=True)
    assert "closed" in await said(client, "read", id=finished)
    assert not (home / "made").exists()
