"""What is dealt with is dealt with whole: a conversation is never entered while it is in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS
from tests.stage import until
from truetty.terminal.wire.steps import Steps


def test_what_happens_inside_comes_next() -> None:
    done: list[str] = []
    steps = Steps(lambda: done.append("after"))

    def outer() -> None:
        steps.take(done.append, "inner")
        done.append("outer")

    steps.take(outer)
    assert done == ["outer", "after", "inner", "after"]


def test_a_step_that_fails_stops_nothing() -> None:
    done: list[str] = []
    steps = Steps(lambda: None)

    def fail() -> None:
        steps.take(done.append, "left")
        raise OSError

    with pytest.raises(OSError):
        steps.take(fail)
    steps.take(done.append, "next")
    assert done == ["left", "next"]


def test_steps_behind_one_that_fails_are_taken_in_their_turn() -> None:
    done: list[str] = []
    steps = Steps(lambda: None)

    def fail() -> None:
        raise OSError

    def outer() -> None:
        steps.take(fail)
        steps.take(done.append, "behind it")

    with pytest.raises(OSError):
        steps.take(outer)
    assert done == ["behind it"]
    steps.take(done.append, "next")
    assert done == ["behind it", "next"]


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_conversation_is_never_inside_itself(
    shell: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that answer, listeners, a recording, keys, an interrupt, a shell that is replaced."""
    depths: list[int] = []

    class Counted(Steps):
        def __init__(self, after: Callable[[], None]) -> None:
            self.depth = 0

            def counted() -> None:
                self.depth += 1
                depths.append(self.depth)
                after()
                self.depth -= 1

            super().__init__(counted)

    monkeypatch.setattr("truetty.terminal.wire.conversation.Steps", Counted)
    rules = [truetty.Reply("Sure", "yes", limit=3)]
    async with truetty.Terminal(shell, env={"HOME": str(home)}, replies=rules) as terminal:
        terminal.record(tmp_path / "x.cast", input=True)
        for _ in range(3):
            command = await terminal.start("sh -c 'printf \"Sure? \"; read x; echo got $x'")
            heard = [event async for event in command.events()]
            assert heard and "got yes" in command.output.text()
        command = await terminal.start("sleep 600")
        await command.send("typed ahead")
        await until(lambda: command.activity.processes == ("sleep",))
        await command.interrupt()
        assert (await command.wait(PATIENCE)).state == "finished"
        assert (await terminal.run(f"exec {shell}", wait=PATIENCE)).state == "finished"
        assert (await terminal.run("echo again", wait=PATIENCE)).output == "again\n"
    assert len(depths) > 20 and set(depths) == {1}
