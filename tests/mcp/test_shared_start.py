"""`truetty mcp --shared` and `--on`: what is the client's and what the server's, other addresses, and refusals."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import mcp_types as types
import pytest

from tests.client.conftest import address
from tests.client.proxy import proxy
from tests.mcp.lasting import call, joined, shared
from tests.mcp.served import PACKAGE, eventually, once, server
from tests.server.live import Live


@pytest.fixture
def live(home: Path, tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path / "state")
    yield made
    made.end()


def refused(*options: str, **variables: str) -> str:
    """What `truetty mcp` with these says on standard error."""
    made = server(*options, env=variables)
    ended = subprocess.run([made.command, *made.args], env=made.env, input="", capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (125, "")
    return ended.stderr


def test_what_cannot_be_is_an_error_at_the_start(live: Live, tmp_path: Path) -> None:
    state = {"TRUETTY_STATE": live.place.folder}
    assert "--http serves terminals of its own" in refused("--shared", "--http", **state)
    assert "TRUETTY_SANDBOX is a setting of this process" in refused("--shared", **state, TRUETTY_SANDBOX="read-only")
    assert "is no address" in refused("--on", "nowhere", **state)
    assert "no server answers at" in refused("--on", f"unix:{tmp_path / 'none'}", **state)
    assert not live.is_running()
    assert "no such directory" in refused("--shared", "--cwd", "/nowhere", **state)
    assert "no-such-shell" in refused("--shared", "--shell", "no-such-shell", **state)


# In every Python that is started with it, these packages are not found.
WITHOUT = """
from importlib.machinery import PathFinder

found = PathFinder.find_spec
names = {names!r}
PathFinder.find_spec = classmethod(lambda cls, name, *more: None if name in names else found(name, *more))
"""


@pytest.mark.parametrize(
    ("missing", "extra"),
    [(("websockets",), "[server]"), (("uvicorn", "starlette", "websockets"), "[server]"), (("mcp",), "[mcp]")],
)
def test_a_missing_extra_is_named(live: Live, tmp_path: Path, missing: tuple[str, ...], extra: str) -> None:
    folder = tmp_path / "without"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WITHOUT.format(names=missing))
    path = f"{folder}:{PACKAGE.parent}"
    said = refused("--shared", TRUETTY_STATE=live.place.folder, PYTHONPATH=path)
    assert any(f"{name} is missing" in said for name in missing) and extra in said


async def test_directory_variables_and_shell_are_the_client_s(live: Live, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    live.pid()  # it runs already, with other variables
    made = shared(live, env={"MINE": "yes", "MY_TOKEN": "hidden"}, cwd=place)
    async with joined(made) as client:
        ran = await call(client, "run", command="echo $PWD $MINE [$MY_TOKEN]")
        assert ran["output"] == f"{place} yes []\n"
        (row,) = (await call(client, "terminals"))["terminals"]
        assert row["task"] == f"tester@{place}"


async def test_the_first_root_is_the_place_of_a_client_that_has_roots(live: Live, tmp_path: Path) -> None:
    root = tmp_path / "root of it"
    root.mkdir()

    async def roots(context: object) -> types.ListRootsResult:
        return types.ListRootsResult.model_validate({"roots": [{"uri": root.as_uri()}]})

    async with joined(shared(live), list_roots_callback=roots) as client:
        assert (await call(client, "run", command="pwd"))["output"] == f"{root}\n"
        (row,) = (await call(client, "terminals"))["terminals"]
        assert row["task"] == f"tester@{root}"


async def test_the_policy_is_each_client_s(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "file"
    careful = shared(live, "--policy", "read-only", "--sandbox", "none")
    async with joined(careful, name="careful") as one, joined(shared(live), name="free") as other:
        no = await call(one, "run", command=f"touch {file}")
        assert no["is_error"] and no["error"]["code"] == "denied" and not file.exists()
        assert (await call(one, "run", command="echo yes"))["output"] == "yes\n"
        theirs = await call(other, "run", command=f"touch {file}")
        assert theirs["exit_code"] == 0 and file.exists()
        # A terminal of another client is judged by the policy of the client that names it.
        there = await call(one, "run", command=f"rm {file}", terminal_id=theirs["terminal_id"])
        assert there["error"]["code"] == "denied" and file.exists()


async def test_the_settings_of_the_server_hold_for_its_clients(live: Live, home: Path, tmp_path: Path) -> None:
    folder = home / ".config" / "truetty"
    folder.mkdir(parents=True)
    (folder / "truetty.toml").write_text('[policy]\ndefault = "allow"\ndeny = ["touch"]\n')
    async with joined(shared(live)) as client:
        no = await call(client, "run", command=f"touch {tmp_path / 'file'}")
        assert no["error"]["code"] == "denied"


async def test_the_look_of_the_tools_is_the_client_s(live: Live) -> None:
    made = shared(live, "--prefix", "terminal_", "--wait", "7", "--structured")
    async with joined(made) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} >= {"terminal_run", "terminal_wait"}
        assert all(tool.output_schema is not None for tool in tools)
        (run,) = (tool for tool in tools if tool.name == "terminal_run")
        assert run.input_schema["properties"]["wait"]["default"] == 7
        result = await client.call_tool("terminal_run", {"command": "echo hi"})
        assert isinstance(result, types.CallToolResult) and result.structured_content is not None
        assert result.structured_content["output"] == "hi\n"


async def test_it_says_that_terminals_last(live: Live) -> None:
    async with joined(shared(live)) as client:
        await call(client, "terminals")
        assert client.instructions is not None and "outlive this session" in client.instructions


async def test_a_connection_that_is_cut_is_made_again_and_nothing_runs_twice(live: Live, tmp_path: Path) -> None:
    ran, go = tmp_path / "ran", tmp_path / "go"
    async with proxy(tmp_path, address(live)) as between:
        made = server("--on", between.where, env={"TRUETTY_STATE": str(tmp_path / "unused")})
        async with joined(made) as client:
            await call(client, "run", command="true")
            running = asyncio.ensure_future(call(client, "run", command=f"echo x >>{ran}; {once(go)}; echo end"))
            await eventually(ran.exists, "it runs")
            between.cut()
            go.touch()
            ended = await running
            assert (ended["exit_code"], ended["output"], ended["is_error"]) == (0, "end\n", False)
            # The answer is lost on its way, and comes again.
            between.hold()
            running = asyncio.ensure_future(call(client, "run", command=f"echo y >>{ran}; echo out"))
            await eventually(lambda: "y" in ran.read_text(), "it has run")
            between.cut()
            assert (await running)["output"] == "out\n"
        assert between.connections == 3
    assert ran.read_text() == "x\ny\n"
    assert not os.path.exists(tmp_path / "unused")


async def test_a_port_takes_the_token_and_nothing_else(live: Live, tmp_path: Path) -> None:
    web = live.post("/v1/web", port=0, with_token=True)
    token, elsewhere = Path(web["token_file"]).read_text().strip(), {"TRUETTY_STATE": str(tmp_path / "unused")}
    assert "needs a token: set TRUETTY_TOKEN to it" in refused("--on", web["url"], **elsewhere)
    wrong = refused("--on", web["url"], TRUETTY_TOKEN=f"{token}x", **elsewhere)
    assert f"the server at {web['url']} does not take the token in TRUETTY_TOKEN" in wrong
    async with joined(server("--on", web["url"], env={**elsewhere, "TRUETTY_TOKEN": token})) as client:
        ended = await call(client, "run", command="echo $TRUETTY_TOKEN-")
        assert (ended["exit_code"], ended["output"]) == (0, "-\n")
    assert len(live.get("/v1/terminals")["terminals"]) == 1
