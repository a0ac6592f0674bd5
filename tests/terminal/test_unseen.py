"""Terminals of which the kernel cannot be asked: the marks alone must do, and what they cannot tell is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, eventually
from tests.stage import Stage
from truetty.core.observation import Observation
from truetty.host.base import USUAL
from truetty.host.kernel.blind import BlindObserver
from truetty.host.kernel.linux import LinuxLook
from truetty.host.local import LocalHost
from truetty.terminal.report import UNTOLD
from truetty.terminal.stop import UNSEEN
from truetty.until import Match


@pytest.fixture(params=["blind", "refused"])
def unseen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, home: Path) -> LocalHost:
    """A host that cannot see: it has no /proc, or /proc/PID/syscall may not be read, as where we may not trace."""
    if request.param == "blind":
        return LocalHost(BlindObserver)
    monkeypatch.setattr(LinuxLook, "_calling", lambda look: None)
    return LocalHost()


def in_front(terminal: truetty.Terminal) -> Callable[[], bool]:
    """Whether the program `sleep` holds the terminal: the test may look where the observer may not."""

    def fact() -> bool:
        group = Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()[5]
        try:
            return Path(f"/proc/{group}/comm").read_text() == "sleep\n"
        except OSError:
            return False

    return fact


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
async def test_opening_does_not_use_up_its_time(unseen: LocalHost, shell: str) -> None:
    """With a limit that a test could not survive: a wait for it hangs."""
    async with truetty.Terminal(shell, rc=False, startup=100_000, host=unseen) as terminal:
        outcome = await terminal.run("echo hello", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 0, "mark")
        assert (outcome.output, outcome.notes) == ("hello\n", ())


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash"])
async def test_an_interrupted_program_ends_with_the_prompt(unseen: LocalHost, shell: str) -> None:
    async with truetty.Terminal(shell, rc=False, host=unseen) as terminal:
        command = await terminal.start("sleep 100")
        await eventually(in_front(terminal), "sleep is in front")
        await command.interrupt()
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 130, "prompt")
        assert "sleep" not in outcome.output
        assert (await terminal.run("echo next", wait=PATIENCE)).output == "next\n"


async def test_that_waiting_cannot_be_told_is_said(unseen: LocalHost) -> None:
    async with truetty.Terminal("bash", rc=False, host=unseen) as terminal:
        command = await terminal.start("read x; echo got $x")
        outcome = await command.wait(0.2)
        assert (outcome.state, outcome.waiting, outcome.notes) == ("running", None, (UNTOLD,))
        await command.send("this\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.evidence) == ("finished", "mark")
        assert outcome.output.endswith("got this\n") and outcome.notes == ()
        # Keys were sent while no look could show a reader: some may stand at the prompt, and are cleared first.
        assert (await terminal.run("echo next", wait=PATIENCE)).output == "next\n"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_what_stands_half_typed_at_the_prompt_is_cleared(unseen: LocalHost, shell: str) -> None:
    async with truetty.Terminal(shell, rc=False, host=unseen) as terminal:
        await terminal.send("echo half")
        outcome = await terminal.run("echo whole", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "whole\n")


async def test_a_line_typed_at_the_prompt_is_waited_for(unseen: LocalHost) -> None:
    async with truetty.Terminal("bash", rc=False, host=unseen) as terminal:
        await terminal.send("sleep 100\n")
        await eventually(in_front(terminal), "sleep is in front")
        command = await terminal.start("echo after")
        assert (await command.wait(0.2)).state == "running"
        await terminal.press("C-c")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.output) == ("finished", "after\n")


async def test_a_program_without_marks_is_typed_to_at_once(unseen: LocalHost) -> None:
    async with truetty.Terminal("cat", startup=100_000, host=unseen) as terminal:
        command = await terminal.start("hello")
        outcome = await command.wait(PATIENCE, until=Match("hello"))
        assert (outcome.state, outcome.notes) == ("running", (UNTOLD,))


async def test_kill_ends_the_group_in_front(unseen: LocalHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truetty.terminal.stop.GRACE", 0.5)
    async with truetty.Terminal("bash", rc=False, host=unseen) as terminal:
        command = await terminal.start("(trap '' INT TERM; echo armed; sleep 100)")
        await command.wait(PATIENCE, until=Match("armed"))
        outcome = await command.kill()
        assert (outcome.state, outcome.exit_code, outcome.closed) == ("finished", 137, False)


async def test_kill_says_that_processes_cannot_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truetty.terminal.stop.GRACE", 0.01)
    stage = Stage()
    stage.observer.living = None
    stage.observer.sees, stage.observer.observation = False, Observation("unknown", conclusive=False)
    terminal = await stage.open()
    command = await terminal.start("while :; do :; done")
    stage.say(("C",))
    outcome = await command.kill()
    assert outcome.state == "running" and outcome.notes == (UNSEEN, UNTOLD)
    await terminal.close()


async def test_the_next_command_is_typed_at_the_prompt_not_at_the_end_mark() -> None:
    stage = Stage()
    stage.observer.sees, stage.observer.observation = False, Observation("unknown", conclusive=False)
    terminal = await stage.open()
    first = await terminal.start("x")
    stage.say(("C",), ("D", 3, ""))
    assert (await first.wait(PATIENCE)).exit_code == 3
    stage.typed()
    await terminal.start("y")
    await stage.looked(2)
    assert stage.typed() == b""  # prompt hooks may run, and read what is typed
    stage.say(("P", 3, ""), b"$ ")
    await eventually(lambda: bool(stage.channel.written), "it is typed")
    await terminal.close()


async def test_a_prompt_whose_mark_was_lost_is_typed_to(unseen: LocalHost) -> None:
    async with truetty.Terminal("bash", rc=False, host=unseen) as terminal:
        outcome = await terminal.run("unset PROMPT_COMMAND; PS1='$ '", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        for number in range(2):
            outcome = await terminal.run(f"echo {number}", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, f"{number}\n")


@pytest.mark.parametrize(("in_front", "canonical"), [(False, False), (True, False), (False, True)])
async def test_a_program_in_front_is_answered(in_front: bool, canonical: bool) -> None:
    """What is in front of the shell and reads key by key: the shell's editor would take the answer for keys."""
    stage = Stage()
    stage.observer.sees, stage.observer.observation = False, Observation("unknown", conclusive=False)
    terminal = await stage.open()
    await terminal.start("x")
    stage.observer.in_front = in_front
    stage.observer.tty = replace(USUAL, canonical=canonical, echo=False)
    stage.say(("C",))
    stage.typed()
    stage.say(b"\x1b[c")
    await stage.looked()
    assert stage.typed() == (b"" if in_front or canonical else b"\x1b[?1;2c")
    await terminal.close()
