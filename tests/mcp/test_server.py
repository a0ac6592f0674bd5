"""The server as the official SDK's own client sees it, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.mcp import results
from tests.mcp.served import ERAS, PATIENCE, eventually, once, setup, two_lines
from truetty.functions.table import BY_NAME
from truetty.mcp import sessions as sessions_module
from truetty.mcp.server import NOTICES, build
from truetty.mcp.session import Session
from truetty.mcp.sessions import LONGEST_NAME, Sessions
from truetty.text.quoting import whole

NAMES = ["run", "read", "wait", "send", "screen", "stop", "terminals", "handoff"]


class Served:
    def __init__(self, sessions: Sessions, client: Client) -> None:
        self.sessions = sessions
        self.client = client

    @property
    def session(self) -> Session:
        (session,) = self.sessions._open.values()
        return session

    async def __call__(self, name: str, /, **given: object) -> dict[str, Any]:
        result = await self.client.call_tool(name, given)
        return results.both(result)


@asynccontextmanager
async def served(era: str, policy: str = "allow", **arguments: Any) -> AsyncIterator[Served]:
    async with Sessions(setup(policy)) as sessions, Client(build(sessions), mode=era, **arguments) as client:
        yield Served(sessions, client)


@pytest.mark.parametrize("era", ERAS)
async def test_there_are_eight_tools_with_one_result_shape(home: Path, era: str) -> None:
    async with served(era) as call:
        tools = (await call.client.list_tools()).tools
        assert [tool.name for tool in tools] == NAMES == list(BY_NAME)
        assert len({json.dumps(tool.output_schema) for tool in tools}) == 1
        for tool in tools:
            read_only = tool.annotations is not None and tool.annotations.read_only_hint
            assert tool.description and bool(read_only) is (tool.name in ("read", "wait", "screen", "terminals"))


async def test_what_a_model_reads_of_the_tools_has_less_than_5000_characters(home: Path) -> None:
    """It is sent with every request of a model. Only one client sends the output schema too."""
    async with served("legacy") as call:
        tools = (await call.client.list_tools()).tools
        read = [
            one.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"output_schema"}) for one in tools
        ]
        assert len(json.dumps(read, separators=(",", ":"))) < 5000


@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_answers_in_that_shape_and_the_client_checks_it(home: Path, era: str) -> None:
    async with served(era) as call:
        await call.client.list_tools()  # from here on the client holds every result against its schema
        ran = await call("run", cmd="read -p 'Name? ' n; echo hi $n")
        assert (ran["state"], ran["is_error"]) == ("waiting", False)
        id = ran["command_id"]
        for name in ("read", "screen", "terminals"):
            assert not (await call(name, **({} if name == "terminals" else {"id": id})))["is_error"]
        assert not (await call("wait", id=id, wait=0))["is_error"]
        assert not (await call("handoff", id=id, reason="x"))["is_error"]
        assert not (await call("send", id=id, text="x", wait=0))["is_error"]
        assert not (await call("stop", id=id))["is_error"]
        assert (await call("send", id=id, text="x"))["is_error"]
        refused = await call("run", command="ls", cmnd="ls")
        assert refused["is_error"] and refused["error"]["code"] == "misuse" and refused["state"] is None


@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_tool_is_a_protocol_error_that_names_the_known_ones(home: Path, era: str) -> None:
    async with served(era) as call:
        with pytest.raises(MCPError, match="run, read, wait, send, screen, stop, terminals, handoff"):
            await call.client.call_tool("bash", {"command": "ls"})


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_earlier_revisions_are_spoken_too(home: Path, version: str) -> None:
    from mcp.shared.memory import create_client_server_memory_streams

    async with Sessions(setup()) as sessions, create_client_server_memory_streams() as (ours, theirs):
        server: Server[Any] = build(sessions)
        serving = asyncio.ensure_future(server.run(*theirs, server.create_initialization_options()))
        incoming, outgoing = ours

        async def ask(id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
            from mcp.shared.message import SessionMessage

            await outgoing.send(
                SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=id, method=method, params=params))
            )
            with anyio.fail_after(PATIENCE):
                answer = await incoming.receive()
            assert isinstance(answer, SessionMessage) and isinstance(answer.message, types.JSONRPCResponse), answer
            return answer.message.result

        info = {"name": "test", "version": "1"}
        greeting = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
        hello = await ask(1, "initialize", greeting)
        assert hello["protocolVersion"] == version and hello["serverInfo"]["name"] == "truetty"
        result = await ask(2, "tools/call", {"name": "run", "arguments": {"command": "echo hi"}})
        assert result["content"][0]["text"].startswith("exit 0 [")
        assert result["_meta"]["truetty/result"]["exit_code"] == 0
        await outgoing.aclose()
        await serving


async def test_progress_carries_live_output(home: Path) -> None:
    heard: list[tuple[float, str | None]] = []
    go = home / "go"

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        go.touch()

    async with served("legacy") as call:
        given = {"command": two_lines(go), "wait": PATIENCE}
        await call.client.call_tool("run", given, progress_callback=progress)
        assert "".join(message or "" for _, message in heard) == "one\ntwo\n"
        assert [done for done, _ in heard] == sorted({done for done, _ in heard})


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_does_not_end_the_command(home: Path, era: str) -> None:
    async with served(era) as call:
        calling = asyncio.ensure_future(call("run", command=f"{once(home / 'go')}; echo went on"))
        sessions = call.sessions._open
        await eventually(lambda: any(one.service.terminals() for one in sessions.values()), "a terminal")
        (terminal,) = call.session.service.terminals()
        await eventually(lambda: terminal.busy, "it runs")
        calling.cancel()
        await asyncio.wait({calling})
        await eventually(lambda: not call.session.calls, "the call is over")
        assert terminal.busy
        (home / "go").touch()
        done = await call("wait", id=terminal.id)
        assert (done["exit_code"], done["output"]) == (0, "went on\n")


async def test_notices_are_notifications_with_a_session(home: Path) -> None:
    heard: list[types.LoggingMessageNotificationParams] = []

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params)

    async with served("legacy", logging_callback=log) as call:
        left = await call("run", command=f"{once(home / 'a')}; (exit 4)", wait=0)
        (home / "a").touch()
        await eventually(lambda: bool(heard), "a notification of its end")
        assert heard[0].data["command_id"] == left["command_id"] and heard[0].data["exit_code"] == 4
        asking = await call("run", command=f"{once(home / 'b')}; read -p 'Sure? ' x", wait=0)
        (home / "b").touch()
        await eventually(lambda: len(heard) > 1, "a notification that it asks")
        assert (heard[1].data["what"], heard[1].data["prompt"]) == ("waiting", "Sure? ")
        assert heard[1].data["command_id"] == asking["command_id"]
        told = await call("terminals")
        assert [notice["what"] for notice in told["notices"]] == ["waiting"]  # the other came with the second run
        await call("stop", id=asking["command_id"])
        with pytest.warns(MCPDeprecationWarning):
            await call.client.session.set_logging_level("error")
        quiet = await call("run", command=once(home / "c"), wait=0)
        (home / "c").touch()
        command = call.session.service.command(quiet["command_id"])
        await eventually(lambda: command.finished and quiet["command_id"] in str(call.session.news), "it ends")
        assert len(heard) == 2


async def test_a_call_that_waits_gets_no_notification_beside_its_answer(home: Path) -> None:
    heard: list[object] = []

    async def log(params: object) -> None:
        heard.append(params)

    async with served("legacy", logging_callback=log) as call:
        left = await call("run", command=once(home / "go"), wait=0)
        waiting = asyncio.ensure_future(call("wait", id=left["command_id"]))
        await eventually(lambda: call.session.calls == 1, "the call waits")
        (home / "go").touch()
        assert (await waiting)["state"] == "finished"
        await call("run", command="true")
        assert heard == []


async def test_notices_are_a_resource_to_listen_to_without_a_session(home: Path) -> None:
    async with served("2026-07-28") as call:
        (resource,) = (await call.client.list_resources()).resources
        assert resource.uri == NOTICES
        async with call.client.listen(resource_subscriptions=[NOTICES]) as news:
            left = await call("run", command=f"{once(home / 'go')}; (exit 4)", wait=0)
            (home / "go").touch()
            with anyio.fail_after(PATIENCE):
                event = await news.__anext__()
            assert NOTICES in str(event)
        (content,) = (await call.client.read_resource(NOTICES)).contents
        assert isinstance(content, types.TextResourceContents)
        assert [notice["command_id"] for notice in json.loads(content.text)] == [left["command_id"]]
        with pytest.raises(MCPError, match=NOTICES):
            await call.client.read_resource("truetty://nothing")


@pytest.mark.parametrize("era", ERAS)
async def test_a_policy_asks_the_user_through_the_client(home: Path, era: str) -> None:
    answers = iter(
        [
            types.ElicitResult(action="accept", content={"allow": True}),
            types.ElicitResult(action="accept", content={"allow": False}),
            types.ElicitResult(action="accept", content={}),
            types.ElicitResult(action="decline"),
            types.ElicitResult(action="cancel"),
        ]
    )
    asked: list[str] = []

    async def elicit(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return next(answers)

    async with served(era, "read-only", elicitation_callback=elicit) as call:
        assert (await call("run", command=f"cd {home}; ls"))["exit_code"] == 0
        assert asked == []
        assert (await call("run", command="touch made"))["exit_code"] == 0
        for _ in range(4):
            denied = await call("run", command="rm made")
            assert denied["is_error"] and denied["error"]["code"] == "denied"
        assert (home / "made").exists()
        assert len(asked) == 5 and all("made" in message for message in asked)


@pytest.mark.parametrize("era", ERAS)
async def test_under_a_policy_no_program_is_started_as_a_shell(home: Path, era: str) -> None:
    program = home / "prog"
    program.write_text(f"#!/bin/sh\ntouch {home}/made\nexec sh\n")
    program.chmod(0o755)
    (home / "Makefile").write_text(f"all:\n\ttouch {home}/made\n")
    async with served(era, "read-only") as call:
        for shell in ("make", "./prog", str(program), "../prog"):
            denied = await call("run", command="ls", shell=shell, cwd=str(home))
            assert denied["error"]["code"] == "denied" and "no shell is named" in denied["text"]
        assert (await call("terminals"))["terminals"] == [] and not (home / "made").exists()
        assert (await call("run", command="echo there", shell="dash", cwd=str(home)))["output"] == "there\n"


@pytest.mark.parametrize("era", ERAS)
async def test_where_the_client_cannot_ask_the_answer_is_no(home: Path, era: str) -> None:
    async with served(era, "read-only") as call:
        denied = await call("run", command=f"touch {home}/made")
        assert denied["error"]["code"] == "denied" and "no person can be asked" in denied["text"]
        assert not (home / "made").exists()


@pytest.mark.parametrize("era", ERAS)
async def test_a_handoff_is_offered_as_a_link_by_the_client(home: Path, era: str) -> None:
    links: list[str] = []

    async def elicit(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        links.append(params.url)
        return types.ElicitResult(action="accept")

    async with served(era, elicitation_callback=elicit) as call:
        asked = await call("run", command="read -s -p 'Password: ' p")
        offered = await call("handoff", id=asked["command_id"], reason="the password", wait=0.1)
        assert len(links) == 1 and links[0] not in offered["text"] and offered["url"] is None


def test_what_a_person_says_yes_to_is_seen_whole() -> None:
    assert whole("a\nb") == "a\nb"
    assert whole("rm \x1b[2K\u202e x") == "rm <U+001B>[2K<U+202E> x"
    assert whole("x" * 500) == "x" * 500
    assert "[… 1,003 characters are left out here …]" in whole("x" * 9000 + "end")
    assert whole("x" * 9000 + "end").endswith("xend")


async def test_a_flood_of_names_closes_no_terminal_of_others(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "MOST_CLIENTS", 3)
    async with Sessions(setup(), shared=True) as sessions:

        async def call(client: str, name: str, **given: object) -> types.CallToolResult:
            info = types.Implementation(name=client, version="1")
            async with Client(build(sessions), mode="2026-07-28", client_info=info) as made:
                return await made.call_tool(name, given)

        await call("first", "run", command="cd /tmp")
        for number in range(10):  # none of these has a terminal: each makes room for the next
            assert not (await call(f"name {number}", "terminals")).is_error
        assert len(sessions._open) == 3
        for client in ("second", "third"):
            assert not (await call(client, "run", command="true")).is_error
        refused = await call("fourth", "run", command="touch made")
        assert refused.is_error
        assert results.data(refused)["error"]["code"] == "limit_reached" and not (home / "made").exists()
        again = await call("first", "run", command="pwd")
        assert results.data(again)["output"] == "/tmp\n"
        info = types.Implementation(name="fifth", version="1")
        async with Client(build(sessions), mode="2026-07-28", client_info=info) as made:
            with pytest.raises(MCPError) as error:
                await made.read_resource(NOTICES)
            assert error.value.error.data == {"code": "limit_reached"}


async def test_a_name_is_not_longer_than_a_name(home: Path) -> None:
    async with Sessions(setup(), shared=True) as sessions:
        for length, is_error in ((LONGEST_NAME, False), (LONGEST_NAME + 1, True), (100_000, True)):
            info = types.Implementation(name="n" * length, version="1")
            async with Client(build(sessions), mode="2026-07-28", client_info=info) as client:
                assert (await client.call_tool("terminals", {})).is_error is is_error
        assert [len(key) for key in sessions._open] == [len("client ") + LONGEST_NAME]
