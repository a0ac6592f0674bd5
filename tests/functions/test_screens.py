"""What a model reads of programs that have the screen, of stopped jobs, and of lines without their Enter."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from truetty import functions
from truetty.functions import Result
from truetty.service.registry import Registry
from truetty.service.service import Service

Call = Callable[..., Awaitable[Result]]


@pytest.fixture
async def call(home: Path) -> AsyncIterator[Call]:
    async with Service(Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})) as service:

        async def done(name: str, **given: object) -> Result:
            result = await functions.call(service, name, {"wait": PATIENCE, **given})
            assert result.error is None, result.text
            return result

        yield done


def head(result: Result) -> str:
    return result.text.partition("\n\n")[0]


def body(result: Result) -> str:
    return result.text.partition("\n\n")[2]


async def test_a_dialog_is_in_the_answer_with_its_question(call: Call) -> None:
    asked = await call("run", command="whiptail --yesno 'Sure thing?' 10 40")
    assert ': yes-no "Sure thing?" choices "Yes", "No"' in head(asked)
    assert ", its screen is below [" in head(asked) and "Enter alone is 'Yes'" in head(asked)
    lines = body(asked).splitlines()
    assert lines[0].startswith("┌─") and any("Sure thing?" in line for line in lines)
    assert asked.data["output"] == body(asked)
    answered = await call("send", id=asked.data["command_id"], keys=["Enter"])
    assert head(answered).startswith("exit 0, no output [")


async def test_a_pager_and_a_clock_are_shown_as_they_stand(call: Call) -> None:
    paged = await call("run", command="printf '%s\\n' first second | LESS= less")
    assert "first\nsecond\n" in body(paged) and ": pager " in head(paged) and "press q to leave" in head(paged)
    assert (await call("send", id=paged.data["command_id"], text="q")).data["exit_code"] == 0
    watched = await call("run", command="watch -n 1 echo now", until="match:now", wait=0.5)
    while "now" not in body(watched):
        watched = await call("wait", id=watched.data["command_id"], wait=0.1)
    assert head(watched).startswith("running ") and ", its screen is below [" in head(watched)
    await call("stop", id=watched.data["command_id"])


async def test_what_was_printed_before_a_pager_does_not_hide_that_it_has_the_screen(call: Call) -> None:
    paged = await call("run", command="echo before; printf '%s\\n' first second | LESS= less")
    assert body(paged) == "before\n"
    assert f'next: screen(id="{paged.data["command_id"]}") shows its screen; send(' in head(paged)
    await call("send", id=paged.data["command_id"], text="q")


async def test_what_is_left_out_of_a_last_screen_can_be_read(call: Call) -> None:
    """Its place in the output is not known, and without an offset `read` shows what is new."""
    asked = await call("run", command="printf '\\e[?1049h'; seq 9000; read x")
    ended = await call("send", id=asked.data["command_id"], keys=["Enter"])
    assert ended.data["state"] == "finished" and f'read(id="{asked.data["command_id"]}", offset=0) has them' in head(
        ended
    )


@pytest.mark.parametrize("lines", [1000, 100_000])
async def test_the_smallest_budget_has_both_ends(call: Call, lines: int) -> None:
    ran = await call("run", command=f"seq {lines}", max_output_tokens=1)
    assert body(ran).startswith("1\n") and body(ran).endswith(f"\n{lines}\n") and len(body(ran)) <= 200


async def test_the_largest_budget_is_a_page(call: Call) -> None:
    ran = await call("run", command="yes | head -c 3000000", max_output_tokens=10**9)
    assert len(ran.text) < 1_001_000 and "characters are left out" in head(ran)


async def test_where_no_question_is_known_none_is_quoted(call: Call) -> None:
    shown = await call("run", command="top")
    assert ': screen by "top"' in head(shown) and "PID" in body(shown)
    assert (await call("send", id=shown.data["command_id"], text="q")).data["state"] == "finished"


async def test_an_editor_is_left_as_its_hint_says(call: Call) -> None:
    edited = await call("run", command="vim -u NONE -n made")
    assert ": editor " in head(edited) and "keys=[…]): to leave without saving" in head(edited)
    left = await call("send", id=edited.data["command_id"], keys=["Escape"], text=":q!\n")
    if left.data["state"] != "finished":  # the text goes first, as it was asked for
        left = await call("send", id=edited.data["command_id"], text=":q!", enter=True)
    assert left.data["exit_code"] == 0


async def test_a_stopped_job_is_said_to_be_stopped_and_how_it_goes_on(call: Call) -> None:
    stopped = await call("run", command="sh -c 'kill -STOP $$; echo went on'")
    assert "note: stopped in the background: sh" in head(stopped) and "running" not in head(stopped)
    assert 'next: run(command="fg") lets it go on' in head(stopped)
    assert "went on" in (await call("run", command="fg")).text


async def test_a_question_in_a_pipe_is_not_guessed(call: Call) -> None:
    asked = await call("run", command="python3 -c \"print('got', input('ok? [Y/n] '))\" 2>&1 | tail -3")
    id = asked.data["command_id"]
    assert "waiting" in head(asked) and 'by "python3"' in head(asked)
    assert "prints into a pipe to tail: if it has asked something, the question is still there" in head(asked)
    assert f'next: send(id="{id}", text="…", enter=true)' in asked.text.splitlines()
    assert body(await call("send", id=id, text="y", enter=True)).endswith("ok? [Y/n] got y\n")


@pytest.mark.parametrize("command", ["read -p 'name: ' x; echo hi $x", "python3 -q"])
async def test_a_line_without_its_enter_is_said_to_lack_it(call: Call, command: str) -> None:
    asked = await call("run", command=command)
    typed = await call("send", id=asked.data["command_id"], text="7+1", wait=0.2)
    assert "note: it reads lines, and no Enter was pressed" in head(typed)
    assert f'next: send(id="{asked.data["command_id"]}", keys=["Enter"])' in head(typed)
    ended = await call("send", id=asked.data["command_id"], keys=["Enter"])
    assert ("hi 7+1" if "read" in command else "8") in body(ended) and "no Enter" not in head(ended)
    await call("stop", id=asked.data["command_id"], close=True)
