"""The tools on real shells, without a protocol between."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from tests.mcp.served import JOB, PATIENCE, Person, alive, eventually, once, pids, tools, two_lines
from truetty.functions import words


async def test_the_shell_stays_from_one_run_to_the_next(home: Path) -> None:
    async with tools() as call:
        first = await call("run", command="cd /tmp; export MARK=here; echo hi")
        assert (first["state"], first["exit_code"], first["output"], first["evidence"]) == (
            *("finished", 0, "hi\n", "mark"),
        )
        again = await call("run", cmd="pwd; echo $MARK")
        assert (again["output"], again["terminal_id"], again["cwd"]) == ("/tmp\nhere\n", first["terminal_id"], "/tmp")


async def test_a_command_runs_where_it_is_told_to(home: Path) -> None:
    async with tools() as call:
        assert (await call("run", command="pwd", workdir=str(home)))["output"] == f"{home}\n"
        nowhere = await call("run", command="pwd", cwd="/nowhere/at/all")
        assert nowhere["error"] is not None and "no such directory" in call.text


async def test_patience_ends_the_wait_and_not_the_command(home: Path) -> None:
    async with tools() as call:
        go = home / "go"
        running = await call("run", command=f"{once(go)}; echo done", timeout_ms=100)
        assert (running["state"], running["exit_code"], running["reached"]) == ("running", None, None)
        assert running["next"] == "wait, read or stop"
        go.touch()
        done = await call("wait", id=running["command_id"])
        assert (done["state"], done["exit_code"], done["output"], done["reached"]) == ("finished", 0, "done\n", "exit")


async def test_run_waits_for_what_it_is_told_to_and_in_the_task_it_is_told_to(home: Path) -> None:
    async with tools() as call:
        ready = await call("run", command="echo ready; sleep 1000", until="match:ready")
        assert (ready["state"], ready["reached"]) == ("running", "match")
        mine = await call("run", command="x=mine")
        other = await call("run", command="echo [$x]", task="other")
        assert other["output"] == "[]\n" and other["terminal_id"] != mine["terminal_id"]
        assert (await call("run", command="echo [$x]"))["output"] == "[mine]\n"


async def test_a_second_command_gets_a_terminal_of_its_own(home: Path) -> None:
    async with tools() as call:
        first = await call("run", command="sleep 100", background=True)
        second = await call("run", command="echo free")
        assert second["terminal_id"] != first["terminal_id"]
        busy = await call("run", command="echo no", terminal_id=first["terminal_id"])
        assert busy["error"]["code"] == "busy"
        assert f'stop(id="{first["command_id"]}")' in str(busy["next"])
        rows = (await call("terminals"))["terminals"]
        assert [row["state"] for row in rows] == ["running", "idle"]


async def test_a_question_is_answered(home: Path) -> None:
    async with tools() as call:
        asked = await call("run", command="read -p 'Continue? [y/N] ' a; echo got $a")
        assert (asked["state"], asked["reached"]) == ("waiting", "input")
        assert asked["waiting"]["asks"] == "yes-no"
        done = await call("send", session_id=asked["command_id"], chars="y\n")
        assert (done["state"], done["exit_code"]) == ("finished", 0)
        assert str(done["output"]).endswith("got y\n")
        after = await call("send", id=asked["command_id"], text="y\n")
        assert after["error"]["code"] == "misuse" and "has finished" in call.text


async def test_enter_and_keys_are_pressed(home: Path) -> None:
    async with tools() as call:
        asked = await call("run", command="read a; echo got $a; read b; echo and $b")
        again = await call("send", id=asked["terminal_id"], text="one", enter=True)
        assert again["state"] == "waiting" and "got one" in str(again["output"])
        done = await call("send", id=asked["terminal_id"], text="twx", keys=["Backspace", "o", "Enter"])
        assert done["state"] == "finished" and "and two" in str(done["output"])
        assert (await call("send", id=asked["terminal_id"], keys=["NoSuchKey"]))["error"] is not None


async def test_with_nothing_to_type_it_waits(home: Path) -> None:
    async with tools() as call:
        go = home / "go"
        running = await call("run", command=f"{once(go)}; echo done", wait=0)
        go.touch()
        assert (await call("send", id=running["command_id"], chars="", yield_time_ms=30_000))["output"] == "done\n"


async def test_a_secret_is_refused_and_handed_over(home: Path) -> None:
    async with tools() as call:
        asked = await call("run", command="read -s -p 'Password: ' a; echo; echo ${#a}")
        refused = await call("send", id=asked["command_id"], text="hunter2\n")
        assert refused["error"]["code"] == "denied" and "handoff" in str(refused["next"])
        offered = await call("handoff", id=asked["command_id"], reason="your password")
        assert str(offered["url"]).startswith("http://127.0.0.1:") and str(offered["url"]) in call.text
        kept = await call("send", id=asked["command_id"], text="hunter2\n")
        assert "it asks for a secret" in str(kept["error"]["message"])
        assert (await call("stop", id=asked["command_id"]))["state"] == "finished"
        assert (await call("handoff", id=asked["command_id"]))["error"]["code"] == "misuse"


async def test_a_client_that_shows_links_gets_it_and_the_model_does_not(home: Path) -> None:
    async with tools(person=Person(replies="accepted")) as call:
        asked = await call("run", command="read -s -p 'Password: ' a")
        offered = await call("handoff", id=asked["command_id"], wait=0.1)
        assert offered["url"] is None and len(call.person.links) == 1
        assert call.person.links[0] not in call.text


async def test_a_client_that_declines_keeps_nobody_from_typing(home: Path) -> None:
    async with tools(person=Person(replies="declined")) as call:
        asked = await call("run", command="read -p 'Name: ' a; echo $a")
        offered = await call("handoff", id=asked["command_id"])
        assert offered["error"] is None and offered["url"] == call.person.links[0]
        assert str((await call("send", id=asked["command_id"], text="Ada\n"))["output"]).endswith("Ada\n")


async def test_waits_for_a_port_silence_and_a_pattern(home: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with tools() as call:
        server = await call("run", command=f"python3 -u -m http.server {port} --bind 127.0.0.1", wait=0)
        listening = await call("wait", id=server["command_id"], port=port)
        assert (listening["state"], listening["reached"]) == ("running", "port")
        quiet = await call("wait", id=server["command_id"], until="idle:0.1")
        assert (quiet["state"], quiet["reached"]) == ("running", "idle")
        both = await call("wait", id=server["command_id"], idle=1, port=port)
        assert both["error"]["code"] == "misuse"
        wrong = await call("wait", id=server["command_id"], until="ever")
        assert "port:NUMBER" in str(wrong["error"]["message"])
        stopped = await call("stop", id=server["command_id"])
        assert stopped["state"] == "finished"
        ready = await call("run", command=f"{once(home / 'go')}; echo ready on 1; sleep 1000", wait=0)
        (home / "go").touch()
        found = await call("wait", id=ready["command_id"], match="ready on [0-9]")
        assert (found["state"], found["reached"], found["output"]) == ("running", "match", "ready on 1\n")
        assert "the pattern was found" in call.text


async def test_stop_ends_what_does_not_want_to_end_and_names_what_is_left(home: Path) -> None:
    async with tools() as call:
        stubborn = await call("run", command="bash -c 'trap \"\" INT TERM; cat'")
        assert stubborn["state"] == "waiting"
        stopped = await call("stop", id=stubborn["command_id"])
        assert (stopped["state"], stopped["signal"]) == ("finished", "SIGKILL")
        assert (await call("run", command="echo well"))["output"] == "well\n"
        left = await call("run", command="sleep 1001 & cat")
        stopped = await call("stop", id=left["command_id"])
        assert stopped["state"] == "finished"
        assert any("sleep (" in note for note in stopped["notes"]), stopped
        closed = await call("stop", id=left["command_id"], close=True)
        assert closed["closed"] is not None
        rows = (await call("terminals"))["terminals"]
        assert rows == []


async def test_an_unused_terminal_can_be_closed(home: Path) -> None:
    async with tools() as call:
        terminal = await call.session.service.registry.acquire(task="mcp")
        assert (await call("stop", id=terminal.id))["error"] is not None
        assert (await call("screen", id=terminal.id))["screen"] is not None
        assert (await call("stop", id=terminal.id, close=True))["error"] is None
        assert terminal.closed


async def test_the_screen_of_a_full_screen_program(home: Path, program) -> None:
    (home / "text").write_text("\n".join(f"line {number}" for number in range(200)))
    async with tools() as call:
        pager = await call("run", command=f"{program('less')} {home}/text")
        assert pager["waiting"]["kind"] == "fullscreen"
        seen = await call("screen", id=pager["command_id"])
        assert "line 3" in str(seen["output"]) and seen["screen"]["alternate"] is True
        assert (await call("send", id=pager["command_id"], text="q"))["state"] == "finished"


async def test_unknown_ids_answer_with_the_valid_ones(home: Path) -> None:
    async with tools() as call:
        none = await call("read", id="t999999")
        assert none["error"]["known"] == [] and "none is open: run opens one" in call.text
        ran = await call("run", command="true")
        for tool in ("read", "wait", "send", "screen", "stop", "handoff"):
            unknown = await call(tool, id="t999999")
            assert unknown["error"]["code"] == "unknown_terminal"
            assert str(ran["terminal_id"]) in unknown["error"]["known"]
            missing = await call(tool)
            assert str(ran["terminal_id"]) in missing["error"]["known"]


async def test_output_is_read_by_pages_by_pattern_and_from_its_end(home: Path) -> None:
    async with tools() as call:
        ran = await call("run", command="seq 20000")
        whole = "".join(f"{number}\n" for number in range(1, 20001))
        assert ran["omitted"] and "read" in str(ran["output"])
        pages, offset = [], 0
        while offset is not None:
            page = await call("read", id=ran["command_id"], offset=offset, limit=20_000)
            assert page["offset"] == offset
            pages.append(str(page["output"]))
            offset = page["next_offset"]
        assert "".join(pages) == whole
        found = await call("read", id=ran["command_id"], grep="^1999[89]$", context=1)
        assert found["output"] == "19997-19997\n19998:19998\n19999:19999\n20000-20000\n"
        assert [match["line_number"] for match in found["matches"]] == [19998, 19999]
        assert (await call("read", id=ran["command_id"], tail=2))["output"] == "19999\n20000\n"
        assert (await call("read", id=ran["command_id"], offset=10**9))["output"] == ""
        assert words.NO_MORE_OUTPUT in call.text
        assert (await call("read", id=ran["command_id"], grep="("))["error"]["code"] == "misuse"


async def test_unread_output_is_given_once(home: Path) -> None:
    async with tools() as call:
        running = await call("run", command="echo one; read x; echo two; sleep 1000", wait=PATIENCE)
        assert running["output"] == "one\n"
        assert (await call("read", id=running["command_id"]))["output"] == ""
        assert f'next: send(id="{running["command_id"]}"' in call.text and "offset=0" not in call.text
        new = str((await call("send", id=running["command_id"], text="\n", wait=0))["output"])
        async with asyncio.timeout(PATIENCE):
            while "two\n" not in new:
                new += str((await call("wait", id=running["command_id"], idle=0.01))["output"])
        assert new.strip() == "two"
        for verb in ("wait", "send"):
            assert (await call(verb, id=running["command_id"], wait=0))["output"] == ""
            assert words.NO_NEW_OUTPUT in call.text
        assert (await call("read", id=running["command_id"]))["output"] == ""
        assert f"next: {words.GO_ON}" in call.text and "offset=0" not in call.text
        assert (await call("read", id=running["command_id"], offset=0))["output"] == "one\n\ntwo\n"
        assert (await call("stop", id=running["command_id"]))["output"] in ("", "^C\n")
        assert (await call("read", id=running["command_id"]))["output"] == ""
        assert "offset=0) has all of it" in call.text


async def test_a_request_that_comes_again_gets_the_output_again(home: Path) -> None:
    async with tools() as call:
        text = f"echo one; echo x >>{home}/made"
        for _ in range(2):
            assert (await call("run", command=text, key="k", wait=PATIENCE))["output"] == "one\n"
        assert (home / "made").read_text() == "x\n"


async def test_the_directory_is_said_where_it_is_new(home: Path) -> None:
    async with tools() as call:
        for command, said in (
            (f"cd {home}", f'exit 0, no output [ID] in "{home}"'),
            ("true", "exit 0, no output [ID]"),
            ("cd /", 'exit 0, no output [ID] in "/"'),
            ("false", "exit 1, no output [ID]"),
        ):
            ran = await call("run", command=command, wait=PATIENCE)
            assert call.text == said.replace("ID", str(ran["command_id"]))


async def test_a_budget_of_tokens_is_kept(home: Path) -> None:
    async with tools() as call:
        ran = await call("run", command="seq 20000", max_output_tokens=500)
        assert len(str(ran["output"])) <= 2000
        assert ran["omitted"] and ran["original_tokens"]
        assert str(ran["output"]).endswith("20000\n")


async def test_a_call_that_comes_again_runs_nothing_twice(home: Path) -> None:
    async with tools() as call:
        first = await call("run", command="echo x >> count; wc -l < count", cwd=str(home), key="k1")
        again = await call("run", command="echo x >> count; wc -l < count", cwd=str(home), key="k1")
        assert (again["command_id"], again["output"]) == (first["command_id"], "1\n")


async def test_what_happened_meanwhile_is_told_with_the_next_call_once(home: Path) -> None:
    async with tools() as call:
        left = await call("run", command=f"{once(home / 'go')}; (exit 3)", wait=0)
        (home / "go").touch()
        command = call.session.service.command(str(left["command_id"]))
        await eventually(lambda: command.finished, "it ends")
        told = await call("run", command="true")
        (notice,) = told["notices"]
        assert (notice["command_id"], notice["what"], notice["exit_code"]) == (left["command_id"], "finished", 3)
        assert f"notice: {left['command_id']} finished, exit 3" in call.text
        assert (await call("terminals"))["notices"] == []


async def test_a_cancelled_call_ends_its_wait_and_its_command_is_told_of(home: Path) -> None:
    async with tools() as call:
        waiting = asyncio.ensure_future(call("run", command=f"{once(home / 'go')}; echo went on"))
        service = call.session.service
        await eventually(lambda: any(terminal.busy for terminal in service.terminals()), "it runs")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        (terminal,) = service.terminals()
        assert terminal.command is not None and terminal.busy
        (home / "go").touch()
        await eventually(lambda: terminal.command is not None and terminal.command.finished, "it ends by itself")
        told = await call("terminals")
        assert [notice["command_id"] for notice in told["notices"]] == [terminal.command.id]
        assert '("while [ ! -e ' in call.text and '…"), its call was cut off' in call.text
        assert (await call("read", id=terminal.id))["output"] == "went on\n"


async def test_live_output_is_shown_to_a_client_that_asks_for_it(home: Path) -> None:
    go = home / "go"
    async with tools(person=Person(wants_progress=True, on_live=go.touch)) as call:
        assert (await call("run", command=two_lines(go), wait=PATIENCE))["exit_code"] == 0
        assert "".join(call.person.live) == "one\ntwo\n"
    async with tools() as call:
        await call("run", command=two_lines(go))
        assert call.person.live == []


class Stalled(Person):
    """A client that does not read its second piece of progress."""

    def __init__(self, go: Path) -> None:
        super().__init__(wants_progress=True, on_live=go.touch)
        self.stalls = asyncio.Event()

    async def progress(self, seconds: float, text: str) -> None:
        await super().progress(seconds, text)
        if "two" in text:
            self.stalls.set()
            await asyncio.get_running_loop().create_future()


async def test_a_call_that_is_cut_off_while_it_shows_progress_has_shown_nothing(home: Path) -> None:
    go = home / "go"
    person = Stalled(go)
    async with tools(person=person) as call:
        running = asyncio.ensure_future(call("run", command=two_lines(go), wait=PATIENCE))
        await asyncio.wait_for(person.stalls.wait(), PATIENCE)
        (terminal,) = call.session.service.terminals()
        assert terminal.command is not None
        await terminal.command.wait(PATIENCE)
        running.cancel()
        await asyncio.wait({running})
        assert (await call("read", id=terminal.id))["output"] == "one\ntwo\n"


async def test_a_policy_is_asked_and_nobody_means_no(home: Path) -> None:
    async with tools("read-only") as call:
        assert (await call("run", command="ls", cwd=str(home)))["exit_code"] == 0
        assert call.person.asked == []
        denied = await call("run", command="touch made", cwd=str(home))
        assert denied["error"]["code"] == "denied" and "no person can be asked" in call.text
        call.person.allows = True
        assert (await call("run", command="touch made", cwd=str(home)))["exit_code"] == 0
        call.person.allows = False
        assert (await call("run", command="rm made", cwd=str(home)))["error"] is not None
        assert (home / "made").exists()
        assert [decision.verdict for decision in call.person.asked] == ["ask"] * 3


async def test_kill_after_ends_a_command(home: Path) -> None:
    async with tools() as call:
        ended = await call("run", command="sleep 1000", kill_after=0.3)
        assert ended["state"] == "finished" and ended["exit_code"] not in (0, None)
        assert any("time-out" in note for note in ended["notes"])


async def test_a_shell_that_ends_is_told_and_the_next_command_gets_another(home: Path) -> None:
    async with tools() as call:
        ended = await call("run", command="exit 3")
        assert (ended["state"], ended["exit_code"], ended["closed"]) == ("finished", 3, True)
        assert "its shell ended: " in call.text
        assert (await call("run", command="echo new"))["terminal_id"] != ended["terminal_id"]


async def test_nothing_is_left_when_the_session_ends(home: Path) -> None:
    async with tools() as call:
        left = pids(await call("run", command=JOB))
    assert not any(map(alive, left))
