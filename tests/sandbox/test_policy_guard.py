"""`truetty mcp --policy read-only` has a sandbox behind it, where one can be made; as a client of MCP sees it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.mcp import results
from tests.mcp.served import ERAS, server
from truetty.host.sandbox import BUBBLEWRAP
from truetty.service.guard import ALONE
from truetty.service.permissions import OUTSIDE

# Inside of this no further sandbox can be made.
NO_WALL = (BUBBLEWRAP, "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--")


class Agent:
    def __init__(self, client: Client, asked: list[str]) -> None:
        self.client = client
        self.asked = asked  # what the user has read
        self.answer = True

    async def run(self, command: str, **given: object) -> dict[str, Any]:
        result = await self.client.call_tool("run", {"command": command, **given})
        return results.both(result)


@asynccontextmanager
async def agent(era: str, *options: str, before: tuple[str, ...] = ()) -> AsyncIterator[Agent]:
    asked: list[str] = []

    async def elicit(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"allow": made.answer})

    started = server("--policy", "read-only", *options)
    words = [*before, started.command, *started.args]
    parameters = StdioServerParameters(command=words[0], args=words[1:], env=started.env)
    async with Client(stdio_client(parameters), mode=era, elicitation_callback=elicit) as client:
        made = Agent(client, asked)
        yield made


@pytest.mark.parametrize("era", ERAS)
async def test_what_the_policy_allows_runs_inside_and_what_the_user_allows_outside(
    home: Path, place: Path, era: str
) -> None:
    async with agent(era, "--cwd", str(place)) as call:
        inside = await call.run("ls; echo /proc/self/mountinfo")
        assert inside["exit_code"] == 0 and any("sandbox read-only" in note for note in inside["notes"])
        assert call.asked == []
        made = await call.run("touch made")
        assert made["exit_code"] == 0 and (place / "made").exists()
        assert made["terminal_id"] != inside["terminal_id"]
        (question,) = call.asked
        assert "No rule allows `touch made`." in question and OUTSIDE in question
        assert (await call.run("ls"))["terminal_id"] == inside["terminal_id"]
        assert (await call.run("ls"))["output"] == "made\n" and len(call.asked) == 1
        call.answer = False
        refused = await call.run("rm made")
        assert refused["error"]["code"] == "denied" and (place / "made").exists()


async def test_the_kernel_holds_what_the_policy_cannot_see(home: Path, place: Path) -> None:
    """`gcc --version` is allowed by its name, and a project has put a program of that name on the PATH."""
    program = place / "gcc"
    program.write_text(f"#!/bin/sh\ntouch {place}/made\n")
    program.chmod(0o755)
    path = f"PATH={place}:{os.environ['PATH']}"
    async with agent("2026-07-28", "--cwd", str(place), before=("/usr/bin/env", path)) as call:
        held = await call.run("gcc --version")
        assert held["exit_code"] == 1 and call.asked == [] and not (place / "made").exists()
        assert "read-only in this terminal's sandbox" in held["text"]
    async with agent("2026-07-28", "--cwd", str(place), "--sandbox", "none", before=("/usr/bin/env", path)) as call:
        assert (await call.run("gcc --version"))["exit_code"] == 0 and (place / "made").exists()


@pytest.mark.parametrize("era", ERAS)
async def test_the_directory_goes_on_from_one_side_to_the_other(home: Path, place: Path, era: str) -> None:
    for name in ("one", "two"):
        (place / name).mkdir()
    async with agent(era, "--cwd", str(place)) as call:
        await call.run("cd one")
        assert (await call.run("touch made; cd ../two"))["exit_code"] == 0
        assert (place / "one" / "made").exists()
        assert (await call.run("pwd"))["output"] == f"{place}/two\n"
        await call.run("cd ..")
        await call.run("touch here")
        assert (place / "here").exists()


async def test_a_terminal_inside_is_no_place_for_what_must_be_asked(home: Path, place: Path) -> None:
    async with agent("2026-07-28", "--cwd", str(place)) as call:
        inside = await call.run("ls")
        refused = await call.run("touch made", terminal_id=inside["terminal_id"])
        assert refused["error"]["code"] == "misuse" and "name no terminal" in refused["text"]
        assert call.asked == [] and not (place / "made").exists()


async def test_a_directory_in_a_private_place_can_be_read(home: Path, place: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        (Path(folder) / "there").touch()
        async with agent("2026-07-28", "--cwd", str(place)) as call:
            assert (await call.run("ls", cwd=folder))["output"] == "there\n"
            assert (await call.run("touch made", cwd=folder))["exit_code"] == 0
            assert (Path(folder) / "made").exists() and len(call.asked) == 1


@pytest.mark.parametrize("sandbox", ["none", "workspace"])
async def test_a_sandbox_that_the_user_has_chosen_stays(home: Path, place: Path, sandbox: str) -> None:
    async with agent("2026-07-28", "--cwd", str(place), "--sandbox", sandbox) as call:
        inside = await call.run("ls")
        assert any("sandbox workspace" in note for note in inside["notes"]) is (sandbox == "workspace")
        made = await call.run("touch made")
        assert made["terminal_id"] == inside["terminal_id"] and (place / "made").exists()
        (question,) = call.asked
        assert OUTSIDE not in question


async def test_the_instructions_say_where_commands_run(home: Path, place: Path) -> None:
    async with agent("legacy", "--cwd", str(place)) as call:
        assert "read-only sandbox" in (call.client.instructions or "")
    async with agent("legacy", "--cwd", str(place), before=NO_WALL) as call:
        assert "no sandbox stands behind it" in (call.client.instructions or "")
        made = await call.run("touch made")
        assert made["exit_code"] == 0 and (place / "made").exists() and len(call.asked) == 1


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Where no sandbox can be made."""
    env = server().env
    return subprocess.run([*NO_WALL, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env)


def test_where_no_sandbox_can_be_made_the_user_is_warned(home: Path, place: Path) -> None:
    started = server("--policy", "read-only", "--cwd", str(place))
    ended = run(started.command, *started.args)
    (line,) = ended.stderr.splitlines()
    assert ended.returncode == 0 and line.startswith(f"truetty mcp: {ALONE}: bwrap: ")
    assert ALONE in run(sys.executable, "-m", "truetty", "doctor").stdout
    assert run(started.command, *started.args, "--sandbox", "none").stderr == ""
