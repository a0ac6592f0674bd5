"""Terminals of this program and of a server: the same calls, the same values, the same errors."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.client.conftest import Open
from tests.patience import PATIENCE
from truetty import events, until

LONG = PATIENCE


# ── what is known of a terminal


async def test_a_new_terminal(opened: Open, tmp_path: Path) -> None:
    terminal = await opened(cwd=tmp_path, name="build", task="fix", size=(90, 20))
    assert terminal.id.startswith("t") and terminal.pid > 0
    assert (terminal.shell, terminal.cwd, terminal.name, terminal.task) == ("bash", str(tmp_path), "build", "fix")
    assert (terminal.size, terminal.strategy) == ((90, 20), "rich")
    assert (terminal.busy, terminal.closed, terminal.exit_code, terminal.command) == (False, False, None, None)
    assert terminal.jobs == []
    assert repr(terminal) == f"<Terminal {terminal.id} bash idle>"


async def test_it_inherits_this_programs_environment_and_directory(
    opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FROM_HERE", "one two")
    monkeypatch.setenv("GOES", "no")
    monkeypatch.chdir(tmp_path)
    terminal = await opened(env={"MORE": "3", "GOES": None})
    outcome = await terminal.run('echo "$FROM_HERE,$MORE,${GOES-unset}"; pwd', wait=LONG)
    assert outcome.output == f"one two,3,unset\n{tmp_path}\n"


async def test_a_relative_directory_is_relative_to_this_program(
    opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    assert (await opened(cwd="below")).cwd == str(tmp_path / "below")


async def test_name_and_task_can_be_changed(terminal: Any) -> None:
    terminal.name, terminal.task = "other", "more"
    assert (terminal.name, terminal.task) == ("other", "more")
    terminal.name = None
    assert (terminal.name, terminal.task) == (None, "more")


async def test_properties_are_up_to_date_when_a_call_returns(terminal: Any, tmp_path: Path) -> None:
    command = await terminal.start(f"cd {tmp_path}; read x; exit 3")
    assert terminal.command is command and terminal.busy and not command.finished
    await command.wait(LONG)
    assert command.state == "waiting" and command.waiting.kind == "line"
    await command.send("\n")
    outcome = await command.wait(LONG, "finished")
    assert (outcome.exit_code, outcome.closed, outcome.cwd) == (3, True, str(tmp_path))
    assert (command.state, command.exit_code, command.finished, command.waiting) == ("finished", 3, True, None)
    assert (terminal.busy, terminal.closed, terminal.exit_code, terminal.cwd) == (False, True, 3, str(tmp_path))
    assert terminal.command is command


# ── running


async def test_without_a_budget_an_outcome_has_everything(opened: Open) -> None:
    terminal = await opened(budget=None)
    outcome = await terminal.run("seq 1 200000", wait=LONG)
    assert (outcome.output_lines, outcome.omitted) == (200_000, 0)
    assert outcome.output == "".join(f"{number}\n" for number in range(1, 200_001))


@pytest.mark.parametrize(
    ("text", "output", "code"),
    [("echo hi", "hi\n", 0), ("false", "", 1), ("printf 'a\\nb'; (exit 7)", "a\nb", 7), ("echo ü 🙂", "ü 🙂\n", 0)],
)
async def test_run(terminal: Any, text: str, output: str, code: int) -> None:
    outcome = await terminal.run(text, wait=LONG)
    assert isinstance(outcome, truetty.Outcome)
    assert (outcome.state, outcome.output, outcome.exit_code, outcome.reached) == ("finished", output, code, "exit")
    assert (outcome.terminal_id, outcome.command_id) == (terminal.id, terminal.command.id)
    assert outcome.ok == (code == 0) and outcome.evidence in ("mark", "exit")
    assert terminal.command.outcome == outcome


async def test_patience_ends_the_wait_and_not_the_command(terminal: Any) -> None:
    outcome = await terminal.run("read x; echo $x", wait=0)
    assert outcome.state in ("running", "waiting") and outcome.exit_code is None
    command = terminal.command
    assert command.outcome is None
    await command.wait(LONG)
    await terminal.send("on\n")
    assert (await command.wait(LONG, "finished")).output == "on\non\n"


async def test_a_time_out_ends_the_command(terminal: Any) -> None:
    outcome = await terminal.run("sleep 1000", timeout=0.1, wait=LONG)
    assert outcome.state == "finished" and terminal.command.timed_out
    assert (await terminal.run("echo on", wait=LONG)).output == "on\n"


async def test_a_shell_that_another_one_replaces(opened: Open) -> None:
    terminal = await opened()
    assert terminal.shell == "bash"
    await terminal.run("exec zsh -f", wait=PATIENCE)
    assert (await terminal.run("echo ${ZSH_VERSION:+zsh}", wait=PATIENCE)).output == "zsh\n"
    assert terminal.shell == "zsh"


async def test_one_command_after_the_other_in_one_shell(terminal: Any) -> None:
    await terminal.run("x=5", wait=LONG)
    assert (await terminal.run("echo $x", wait=LONG)).output == "5\n"
    first = await terminal.start("true")
    await first.wait(LONG)
    second = await terminal.start("echo two")
    await second.wait(LONG)
    assert terminal.command is second and first.exit_code == 0 and first.text == "true"
    assert second.id != first.id and second.terminal_id == terminal.id


# ── questions


@pytest.mark.parametrize(
    ("text", "kind"),
    [("read -p 'Name? ' x", "line"), ("read -s -p 'Password: ' x", "secret"), ("read -n 1 -p 'Go? ' x", "key")],
)
async def test_a_question(terminal: Any, text: str, kind: str) -> None:
    outcome = await terminal.run(text, wait=LONG)
    assert (outcome.state, outcome.reached) == ("waiting", "input")
    assert isinstance(outcome.waiting, truetty.Waiting)
    assert (outcome.waiting.kind, outcome.waiting.program, outcome.waiting.certain) == (kind, "bash", True)
    command = terminal.command
    assert command.waiting == outcome.waiting
    assert command.hides_typing == (kind == "secret")
    assert command.reader is not None and command.reader.pid == terminal.pid
    await command.send("y" if kind == "key" else "y\n")
    assert (await command.wait(LONG)).exit_code == 0


async def test_a_further_wait_is_for_the_next_question(terminal: Any) -> None:
    command = await terminal.start("read -p 'One? ' a; read -p 'Two? ' b; echo $a$b")
    assert (await command.wait(LONG)).waiting.prompt == "One? "
    assert (await command.wait(0)).reached is None
    await command.send("1\n")
    assert (await command.wait(LONG)).waiting.prompt == "Two? "
    await command.send(b"2\n")
    assert (await command.wait(LONG)).output == "One? 1\nTwo? 2\n12\n"


async def test_reply_rules_answer(opened: Open) -> None:
    terminal = await opened(replies=[truetty.Reply("Continue", "yes")])
    outcome = await terminal.run("read -p 'Continue? ' x; echo got $x", wait=LONG)
    assert outcome.output.endswith("got yes\n") and outcome.notes


@pytest.mark.parametrize("plain", [True, False])
async def test_a_callback_answers(opened: Open, plain: bool) -> None:
    asked: list[truetty.Waiting] = []

    def answer(waiting: truetty.Waiting) -> str | None:
        asked.append(waiting)
        return "red\n" if "Colour" in waiting.prompt else None

    async def later(waiting: truetty.Waiting) -> str | None:
        await asyncio.sleep(0)
        return answer(waiting)

    terminal = await opened(on_waiting=answer if plain else later)
    outcome = await terminal.run("read -p 'Colour? ' x; read -p 'Size? ' y; echo $x $y", wait=LONG)
    assert (outcome.state, outcome.waiting.prompt) == ("waiting", "Size? ")
    await terminal.command.send("9\n")
    assert (await terminal.command.wait(LONG)).output.endswith("red 9\n")
    assert [waiting.prompt for waiting in asked] == ["Colour? ", "Size? "]


# ── what a wait is for


async def test_until_a_pattern(terminal: Any) -> None:
    command = await terminal.start("echo one; echo port=8080; read x")
    outcome = await command.wait(LONG, re.compile("PORT=(?P<number>[0-9]+)", re.IGNORECASE))
    assert outcome.reached == command.reached == "match"
    assert outcome.match["number"] == "8080" and outcome.match.groups() == ("8080",)
    outcome = await command.wait(0, until.Match("port"))  # it was returned already
    assert outcome.reached is None
    await command.send("failed: x\n")
    outcome = await command.wait(LONG, until.Match("ready", "failed: (.)"))
    assert (outcome.match.index, outcome.match[1]) == (1, "x")


async def test_until_other_values(terminal: Any) -> None:
    command = await terminal.start("read a; read b")
    assert (await command.wait(LONG, until.Input())).reached == "input"
    assert (await command.wait(LONG, until.Idle(0.01))).reached == "idle"
    assert (await command.wait(LONG, "idle:0.01")).reached == "idle"
    await command.send("typed\n")
    assert (await command.wait(LONG, "match:ty.ed")).reached == "match"
    await command.send("\n")
    assert (await command.wait(LONG, "exit")).reached == "exit"


async def test_until_a_port(terminal: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = free.getsockname()[1]
    program = f"import socket; s = socket.create_server(('127.0.0.1', {number})); input()"
    command = await terminal.start(f'python3 -c "{program}"')
    assert (await command.wait(LONG, until.Port(number))).reached == "port"
    await command.send("\n")
    assert (await command.wait(LONG, "finished")).exit_code == 0


@pytest.mark.parametrize(
    "wanted",
    ["thank you", re.compile("thank.you"), lambda screen: "thank you" in screen.text],
    ids=["text", "pattern", "function"],
)
async def test_until_the_screen(terminal: Any, wanted: Any) -> None:
    command = await terminal.start("read a; echo thank you; read b")
    wait = asyncio.ensure_future(command.wait(LONG, until.Screen(wanted)))
    await command.wait(LONG)
    await command.send("x\n")
    assert (await wait).reached == "screen"
    await command.send("y\n")
    outcome = await command.wait(LONG, until.Screen(lambda screen: False))
    assert (outcome.reached, outcome.state) == ("exit", "finished")


async def test_a_screen_that_never_comes_ends_with_patience(terminal: Any) -> None:
    command = await terminal.start("read a")
    outcome = await command.wait(0.05, until.Screen(lambda screen: False))
    assert (outcome.reached, command.finished) == (None, False)


async def test_several_wait_for_one_command(terminal: Any) -> None:
    command = await terminal.start("read x; echo $x")
    await command.wait(LONG)
    waits = [asyncio.ensure_future(command.wait(LONG, "finished")) for _ in range(20)]
    await command.send("all\n")
    assert {outcome.output for outcome in await asyncio.gather(*waits)} == {"all\nall\n"}


async def test_a_wait_that_is_cancelled_leaves_everything_as_it_was(terminal: Any) -> None:
    command = await terminal.start("read -p 'x? ' x; echo $x")
    waiting = asyncio.ensure_future(command.wait(LONG, "finished"))
    running = asyncio.ensure_future(command.wait(LONG))
    await running
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await command.send("on\n")
    assert (await command.wait(LONG, "finished")).output == "x? on\non\n"


async def test_opening_that_is_cancelled_leaves_no_terminal(registry: Any, opened: Open) -> None:
    opening = asyncio.ensure_future(opened())
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    terminal = await opened()
    async with asyncio.timeout(LONG):
        while registry.list() != [terminal]:
            await terminal.run("true", wait=LONG)


# ── typing and ending


async def test_keys(terminal: Any) -> None:
    command = await terminal.start("cat")
    await command.wait(LONG)
    await command.type("one", "Enter")
    await command.press("C-d")
    assert (await command.wait(LONG, "finished")).output == "one\none\n"


async def test_the_keyboard_of_the_terminal(terminal: Any) -> None:
    command = await terminal.start("read -n 1 x; echo $x; cat")
    await command.wait(LONG)
    await terminal.press("F5")
    await command.wait(LONG, until.Idle(0.01))
    await terminal.press("C-c")
    assert (await command.wait(LONG, "finished")).exit_code == 130


async def test_interrupt(terminal: Any) -> None:
    command = await terminal.start("sleep 1000")
    assert await command.interrupt() is True
    outcome = await command.wait(LONG, "finished")
    assert (outcome.exit_code, outcome.signal) == (130, "SIGINT")
    assert await command.interrupt() is False


@pytest.mark.parametrize("verb", ["stop", "kill"])
async def test_stop(terminal: Any, verb: str) -> None:
    command = await terminal.start("trap '' INT; sleep 1000")
    outcome = await getattr(command, verb)()
    assert outcome.state == "finished" and command.finished
    assert (await terminal.run("echo on", wait=LONG)).output == "on\n"


async def test_a_shell_that_is_killed(terminal: Any) -> None:
    command = await terminal.start("read x")
    await command.wait(LONG)
    os.kill(terminal.pid, signal.SIGKILL)
    outcome = await command.wait(LONG, "finished")
    assert (outcome.exit_code, outcome.signal, outcome.closed) == (137, "SIGKILL", True)
    assert (terminal.closed, terminal.exit_code) == (True, 137)


# ── output


async def test_reading_an_output(terminal: Any) -> None:
    await terminal.run("seq 1 1000", wait=LONG)
    output = terminal.command.output
    numbers = "".join(f"{number}\n" for number in range(1, 1001))
    assert output.text() == await output.slices.text() == numbers
    assert output.raw() == output.read() == numbers.replace("\n", "\r\n").encode()
    assert output.read(3, 5) == b"2\r\n3\r" and output.read(1 << 20) == b"" and output.read(-5, 4) == b"1\r\n2"
    assert (output.bytes, output.lines, output.missing, output.complete) == (len(output.raw()), 1000, 0, True)
    assert output.page(2, 4) == await output.slices.page(2, 4) == "2\n3\n" and output.page(1 << 20) == ""
    assert output.text(head=1, tail=1).startswith("1\n") and output.text(head=1, tail=1).endswith("1000\n")
    assert output.text(300) == await output.slices.text(truetty.Budget(300))
    assert len(output.text(300)) <= 300
    assert await output.slices.lines() == 1000


async def test_unread(terminal: Any) -> None:
    command = await terminal.start("echo one; read x; echo two")
    await command.wait(LONG)
    assert command.output.unread() == "one\n"
    assert command.output.unread() == await command.output.slices.unread() == ""
    await command.send("\n")
    await command.wait(LONG, "finished")
    assert await command.output.slices.unread() == "\ntwo\n"


async def test_grep(terminal: Any) -> None:
    await terminal.run("seq 1 30", wait=LONG)
    output = terminal.command.output
    found = output.grep("^7$", 1)
    assert found == await output.slices.grep("^7$", 1)
    (one,) = found
    assert (one.line_number, one.line, one.before, one.after) == (7, "7", ("6",), ("8",))
    assert [match.line for match in output.grep(re.compile("^2.$"), limit=3)] == ["20", "21", "22"]
    await terminal.run("echo Error; echo warning", wait=LONG)
    output = terminal.command.output
    wanted = re.compile(r"error  # it", re.IGNORECASE | re.VERBOSE)
    assert [match.line for match in output.grep(wanted)] == ["Error"]
    assert [match.line for match in await output.slices.grep(wanted)] == ["Error"]


async def test_megabytes(terminal: Any) -> None:
    outcome = await terminal.run("seq 1 700000", wait=LONG)
    output = terminal.command.output
    assert outcome.omitted > 0 and outcome.output_lines == 700_000
    assert len(output.raw()) == output.bytes == outcome.output_bytes
    assert output.raw().endswith(b"699999\r\n700000\r\n") and output.text().endswith("699999\n700000\n")


async def test_an_output_is_there_when_its_terminal_is_closed(terminal: Any) -> None:
    await terminal.run("echo kept", wait=LONG)
    command = terminal.command
    await terminal.close()
    assert command.output.text() == "kept\n" and command.outcome.output == "kept\n"
    assert b"kept" in terminal.transcript.read()


async def test_the_transcript(terminal: Any) -> None:
    await terminal.run("echo one", wait=LONG)
    transcript = terminal.transcript
    whole = transcript.read()
    assert b"one\r\n" in whole and len(whole) == transcript.size
    assert transcript.read(5, 10) == whole[5:15]
    assert (transcript.gaps(), transcript.trouble) == ((), None)


async def test_the_screen(terminal: Any) -> None:
    command = await terminal.start("clear; printf '\\033]0;My title\\007'; echo shown; read x")
    assert (await command.wait(LONG)).state == "waiting"  # nothing more is drawn: no prompt comes
    screen = terminal.screen()
    assert isinstance(screen, truetty.Screen) and await terminal.screen() == screen
    assert (screen.lines[0], screen.size, screen.title, screen.alternate) == ("shown", (120, 30), "My title", False)
    assert "shown" in terminal.picture(title="A bar") and "A bar" in terminal.picture(title="A bar")
    end, data = terminal.shown()
    assert b"shown" in data and terminal.shown(end) == (end, b"")
    await command.send("\n")
    assert (await command.wait(LONG, "finished")).exit_code == 0


async def test_resize(terminal: Any) -> None:
    await terminal.resize(100, 40)
    assert terminal.size == (100, 40)
    assert (await terminal.run("stty size", wait=LONG)).output == "40 100\n"


async def test_explain_and_activity(terminal: Any) -> None:
    command = await terminal.start("read x")
    await command.wait(LONG)
    activity = command.activity
    assert isinstance(activity, truetty.Activity)
    assert (activity.output_bytes, command.reads_lines, command.is_full_screen) == (0, True, False)
    assert command.standing().state == "waiting" and (await command.report()).state == "waiting"
    assert command.snapshot().waiting == command.waiting
    await command.send("\n")
    await command.wait(LONG, "finished")
    assert "read x" in command.explain() and "read x" not in command.explain(text=False)


async def test_jobs(terminal: Any) -> None:
    await terminal.run("sleep 1000 &", wait=LONG)
    assert [job.name for job in terminal.jobs] == ["sleep"]


# ── events


async def test_events_of_a_command(terminal: Any) -> None:
    command = await terminal.start("echo one; read x; echo two; (exit 4)")
    found: list[events.Event] = []
    async for event in command.events():
        found.append(event)
        if isinstance(event, events.Waiting):
            await command.send("in\n")
    assert found[0] == events.Started(command.id, command.text)
    text = "".join(event.text for event in found if isinstance(event, events.Output))
    assert text == "one\nin\ntwo\n"
    assert [type(event) for event in found if not isinstance(event, events.Output)] == [
        *(events.Started, events.Waiting, events.Resumed, events.Finished)
    ]
    assert found[-1] == events.Finished(command.outcome) and command.outcome.exit_code == 4


async def test_a_stream_of_a_command_that_has_ended(terminal: Any) -> None:
    await terminal.run("echo hi", wait=LONG)
    found = [event async for event in terminal.command.events()]
    assert [type(event) for event in found] == [events.Started, events.Output, events.Finished]


async def test_a_stream_that_is_closed(terminal: Any) -> None:
    command = await terminal.start("read x")
    stream = command.events()
    assert isinstance(await anext(stream), events.Started)
    await stream.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


# ── registry


async def test_the_registry_finds_terminals(registry: Any, opened: Open) -> None:
    one, two = await opened(), await opened()
    assert registry.list() == [one, two]
    assert registry.get(one.id) is one
    await one.close()
    assert registry.list() == [two] and registry.get(one.id) is one
    with pytest.raises(truetty.UnknownTerminal) as caught:
        registry.get("t999999")
    assert (caught.value.code, caught.value.facts) == (
        "unknown_terminal",
        {"terminal_id": "t999999", "known": [two.id]},
    )


async def test_acquire_and_release(registry: Any, tmp_path: Path) -> None:
    mine = await registry.acquire(tmp_path, task="a", shell="bash", rc=False)
    assert (mine.task, mine.cwd) == ("a", str(tmp_path))
    assert await registry.acquire(task="a", shell="bash", rc=False) is mine
    other = await asyncio.create_task(registry.acquire(task="a", shell="bash", rc=False))
    assert other is not mine
    assert set(registry.release("a")) == {mine, other}
    assert (mine.task, other.task) == (None, None)


async def test_a_terminal_is_given_back(registry: Any, tmp_path: Path) -> None:
    mine = await registry.acquire(tmp_path, shell="bash", rc=False)
    assert registry.release(mine) == [mine]
    assert await asyncio.create_task(registry.acquire(tmp_path, shell="bash", rc=False)) is mine


async def test_completed(registry: Any, terminal: Any) -> None:
    command = await terminal.start("echo unread")
    async with asyncio.timeout(LONG):
        async for _ in command.events():
            pass
    assert command in registry.completed and command.unread
    command.output.unread()
    assert command not in registry.completed and not command.unread


# ── errors


async def test_busy(terminal: Any) -> None:
    command = await terminal.start("read x")
    with pytest.raises(truetty.Busy) as caught:
        await terminal.run("true")
    facts = caught.value.facts
    assert (caught.value.code, facts["terminal_id"], facts["command_id"]) == ("busy", terminal.id, command.id)
    assert facts["command"] == "read x" and facts["state"] in ("running", "waiting")
    assert str(caught.value).endswith("Nothing was run.")


async def test_closed(terminal: Any) -> None:
    await terminal.run("exit 5", wait=LONG)
    for call in (terminal.run("true"), terminal.send("x"), terminal.press("Enter"), terminal.resize(80, 24)):
        with pytest.raises(truetty.Closed) as caught:
            await call
        assert (caught.value.code, caught.value.facts) == ("closed", {"terminal_id": terminal.id, "exit_code": 5})
    await terminal.close()
    await terminal.close()


async def test_what_is_sent_to_a_finished_command(terminal: Any) -> None:
    await terminal.run("true", wait=LONG)
    command = terminal.command
    for call in (command.send("x"), command.press("Enter"), command.type("x")):
        with pytest.raises(truetty.Misuse) as caught:
            await call
        assert caught.value.facts == {"command_id": command.id, "exit_code": 0}


async def test_a_line_that_is_too_long(terminal: Any) -> None:
    command = await terminal.start("cat")
    await command.wait(LONG)
    with pytest.raises(truetty.Misuse) as caught:
        await command.send("x" * 5000 + "\n")
    assert caught.value.facts == {"bytes": 5000, "limit": 4095}


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda terminal: terminal.run(""), truetty.BadCommand),
        (lambda terminal: terminal.run("a\0b"), truetty.BadCommand),
        (lambda terminal: terminal.run(["ls"]), truetty.BadCommand),
        (lambda terminal: terminal.run("ls", wait=-1), truetty.Misuse),
        (lambda terminal: terminal.run("ls", wait=float("nan")), truetty.Misuse),
        (lambda terminal: terminal.run("ls", timeout=0), truetty.Misuse),
        (lambda terminal: terminal.run("ls", timeout=1, kill_after=1), truetty.Misuse),
        (lambda terminal: terminal.start("ls", timeout="1"), truetty.Misuse),
        (lambda terminal: terminal.press("Hyper-X"), truetty.BadKey),
        (lambda terminal: terminal.press(["Enter"]), truetty.BadKey),
        (lambda terminal: terminal.send(7), truetty.Misuse),
        (lambda terminal: terminal.resize(0, 5), truetty.Misuse),
        (lambda terminal: terminal.resize("80", 24), truetty.Misuse),
    ],
)
async def test_wrong_arguments(terminal: Any, wrong: Any, kind: type[truetty.TruettyError]) -> None:
    with pytest.raises(truetty.TruettyError) as caught:
        await wrong(terminal)
    assert type(caught.value) is kind
    assert terminal.command is None


@pytest.mark.parametrize("arguments", [{"timeout": -1}, {"until": "soon"}, {"until": 7}, {"timeout": "1"}])
async def test_wrong_waits(terminal: Any, arguments: dict[str, Any]) -> None:
    command = await terminal.start("read x")
    with pytest.raises(truetty.Misuse):
        await command.wait(**arguments)


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"size": (0, 0)}, truetty.Misuse),
        ({"env": {"A=B": "1"}}, truetty.Misuse),
        ({"rc": "no"}, truetty.Misuse),
        ({"colour": "red"}, truetty.Misuse),
        ({"shell": "no-such-shell"}, truetty.SpawnFailed),
        ({"cwd": "/no/such/folder"}, truetty.SpawnFailed),
        ({"startup": float("inf")}, truetty.Misuse),
        ({"sandbox": "sand"}, truetty.Misuse),
        ({"replies": ["yes"]}, truetty.Misuse),
    ],
)
async def test_terminals_that_cannot_be(registry: Any, arguments: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(truetty.TruettyError) as caught:
        await registry.open(**arguments)
    assert type(caught.value) is kind
    assert registry.list() == []


async def test_an_outcome_that_is_checked(terminal: Any) -> None:
    with pytest.raises(truetty.CommandFailed) as caught:
        (await terminal.run("echo no; false", wait=LONG)).check()
    assert caught.value.outcome.exit_code == 1
