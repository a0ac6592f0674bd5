"""Bad input is refused at once, by type and with its facts; the terminal is unharmed. Output is bounded in memory."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from truetty.until import Match


@pytest.fixture
async def terminal(home: Path) -> AsyncIterator[truetty.Terminal]:
    async with truetty.Terminal("bash", env={"HOME": str(home)}, rc=False) as opened:
        yield opened


async def unharmed(terminal: truetty.Terminal) -> None:
    for text, code, output in [("echo fine", 0, "fine\n"), ("(exit 42)", 42, "")]:
        outcome = await terminal.run(text, wait=PATIENCE)
        told = (outcome.state, outcome.exit_code, outcome.output, outcome.evidence)
        assert told == ("finished", code, output, "mark"), (outcome, terminal.transcript.read())


# -- commands that are none


@pytest.mark.parametrize("text", ["", " ", "\n", "\t \r\n", "\u2003\u00a0", "a\0b", "\0", "echo x\0", "echo 'a\0b'"])
async def test_refused_text(terminal: truetty.Terminal, text: str) -> None:
    before = terminal.transcript.size
    for verb in (terminal.run, terminal.start):
        with pytest.raises(truetty.BadCommand) as refused:
            await verb(text)
        assert isinstance(refused.value, truetty.Misuse)
        assert refused.value.code == "bad_command" and refused.value.command == text and refused.value.reason
    assert terminal.transcript.size == before and not terminal.busy and terminal.command is None
    await unharmed(terminal)


@pytest.mark.parametrize("text", [None, 7, b"echo bytes", ["echo", "list"]])
async def test_text_of_a_wrong_type(terminal: truetty.Terminal, text: object) -> None:
    with pytest.raises((truetty.BadCommand, TypeError)):
        await terminal.run(text)  # type: ignore[arg-type]
    assert not terminal.busy
    await unharmed(terminal)


async def test_text_that_no_bytes_stand_for(terminal: truetty.Terminal) -> None:
    """A lone surrogate is no character. Either a refusal or a finished command, and the terminal goes on."""
    try:
        outcome = await terminal.run("echo \ud800", wait=PATIENCE)
    except truetty.BadCommand as error:
        assert error.reason
    else:
        assert outcome.state == "finished"
    assert not terminal.busy
    await unharmed(terminal)


@pytest.mark.parametrize(
    "text", ["\x01\x02\x03", "echo a\x1b[31mb", "echo \x7f", "echo a\rb", "\x04", "\x1a", "echo \x03x", "\x1b[201~ls"]
)
async def test_control_bytes_are_the_shells_affair(terminal: truetty.Terminal, text: str) -> None:
    outcome = await terminal.run(text, wait=PATIENCE)
    assert outcome.state == "finished" and outcome.exit_code is not None, (outcome, terminal.transcript.read())
    await unharmed(terminal)


# -- terminals that cannot be


@pytest.mark.parametrize(
    "shell", ["nosuchshell", "/nonexistent/bash", "/etc/passwd", "/tmp", "", [], ["nosuchshell", "-i"], "bash\0"]
)  # fmt: skip
async def test_an_unknown_shell(shell: str | list[str], home: Path) -> None:
    folders = set(Path("/dev/shm").glob("tt-*"))
    with pytest.raises(truetty.SpawnFailed) as refused:
        await truetty.Terminal.open(shell)
    assert isinstance(refused.value, truetty.HostError) and refused.value.code == "spawn_failed"
    assert refused.value.shell in (shell, shell[:1] and shell[0]) and refused.value.reason
    assert str(refused.value)
    mine = {folder for folder in set(Path("/dev/shm").glob("tt-*")) - folders if owner(folder) == os.getpid()}
    assert not mine


def owner(folder: Path) -> int | None:
    try:
        return int((folder / "owner").read_text().split()[0])
    except OSError:
        return None


@pytest.mark.parametrize("place", ["/nonexistent/place", "/etc/passwd", "", "a\0b", "\ud800"])
async def test_a_missing_directory(place: str, home: Path) -> None:
    with pytest.raises(truetty.SpawnFailed) as refused:
        await truetty.Terminal.open("bash", cwd=place)
    assert refused.value.code == "spawn_failed" and refused.value.cwd == place and refused.value.reason


async def test_a_directory_as_a_path(tmp_path: Path, home: Path) -> None:
    with pytest.raises(truetty.SpawnFailed) as refused:
        await truetty.Terminal.open("bash", cwd=tmp_path / "missing")
    assert refused.value.cwd == str(tmp_path / "missing")


SIZES = [(0, 0), (0, 30), (120, 0), (-1, 30), (120, -1), (65536, 30), (120, 65536), (10**30, 1)]


@pytest.mark.parametrize("size", SIZES)
async def test_a_size_that_cannot_be(size: tuple[int, int], home: Path, terminal: truetty.Terminal) -> None:
    with pytest.raises(truetty.Misuse) as refused:
        truetty.Terminal("bash", size=size)
    assert (refused.value.code, refused.value.columns, refused.value.rows) == ("misuse", *size)
    with pytest.raises(truetty.Misuse) as refused:
        await terminal.resize(*size)
    assert (refused.value.columns, refused.value.rows) == size
    assert terminal.size == (120, 30)
    assert (await terminal.run("stty size", wait=PATIENCE)).output == "30 120\n"
    await unharmed(terminal)


@pytest.mark.parametrize("size", [("80", "24"), (80.5, 24), (None, None), (80,), 80, "80x24"])
async def test_a_size_of_a_wrong_type(size: object, terminal: truetty.Terminal) -> None:
    with pytest.raises((truetty.Misuse, TypeError)):
        await truetty.Terminal.open("bash", size=size, rc=False)  # type: ignore[arg-type]
    if isinstance(size, tuple):
        with pytest.raises((truetty.Misuse, TypeError)):
            await terminal.resize(*size)
    assert terminal.size == (120, 30)
    await unharmed(terminal)


@pytest.mark.parametrize("size", [(1, 1), (65535, 65535), (2, 500)])
async def test_a_strange_size_is_served(size: tuple[int, int], terminal: truetty.Terminal) -> None:
    await terminal.resize(*size)
    outcome = await terminal.run("stty size", wait=PATIENCE)
    assert (outcome.exit_code, outcome.output) == (0, f"{size[1]} {size[0]}\n"), (outcome, terminal.transcript.read())
    await unharmed(terminal)


@pytest.mark.parametrize("env", [{"A\0": "x"}, {"A": "x\0y"}, {"A=B": "x"}, {"": "x"}])
async def test_a_variable_that_cannot_be(env: dict[str, str], home: Path) -> None:
    with pytest.raises((truetty.Misuse, truetty.SpawnFailed)):
        await truetty.Terminal.open("bash", env=env, rc=False)


# -- keys


@pytest.mark.parametrize(
    "names", [("Nokey",), ("",), ("C-",), ("Enter", "Nokey"), ("C-c-c",), ("F99",), ("M-",), ("C-é",)]
)
async def test_a_bad_key(terminal: truetty.Terminal, names: tuple[str, ...]) -> None:
    command = await terminal.start('read x; echo "got:$x"')
    assert (await command.wait(PATIENCE)).state == "waiting"
    for press in (terminal.press, command.press):
        with pytest.raises(truetty.BadKey) as refused:
            await press(*names)
        assert isinstance(refused.value, truetty.Misuse)
        assert refused.value.code == "bad_key" and refused.value.key in names
        assert isinstance(refused.value.known, list | tuple | frozenset | set)
    await command.send("y\n")  # no key of a refused call was pressed, not even the good one before it
    outcome = await command.wait(PATIENCE, "finished")
    assert (outcome.exit_code, outcome.output) == (0, "y\ngot:y\n"), outcome
    await unharmed(terminal)


@pytest.mark.parametrize("what", [None, 7, 3.5, ["x"]])
async def test_sending_what_is_no_text(terminal: truetty.Terminal, what: object) -> None:
    with pytest.raises((truetty.Misuse, TypeError)):
        await terminal.send(what)  # type: ignore[arg-type]
    with pytest.raises((truetty.Misuse, TypeError)):
        await terminal.press(what)  # type: ignore[arg-type]
    await unharmed(terminal)


# -- a second command


async def test_a_second_command_is_refused(terminal: truetty.Terminal) -> None:
    first = await terminal.start('read x; echo "got:$x"')
    assert (await first.wait(PATIENCE)).state == "waiting"
    for verb in (terminal.run, terminal.start):
        with pytest.raises(truetty.Busy) as refused:
            await verb("echo second")
        assert isinstance(refused.value, truetty.Misuse) and refused.value.code == "busy"
        facts = (refused.value.terminal_id, refused.value.command_id, refused.value.command, refused.value.state)
        assert facts == (terminal.id, first.id, first.text, "waiting")
    assert terminal.command is first
    await first.send("y\n")
    assert (await first.wait(PATIENCE, "finished")).output == "y\ngot:y\n"
    await unharmed(terminal)


async def test_many_at_once_and_one_is_taken(terminal: truetty.Terminal) -> None:
    tried = await asyncio.gather(
        *(terminal.run(f"echo n{n}; sleep 0.2", wait=PATIENCE) for n in range(20)), return_exceptions=True
    )
    taken = [one for one in tried if isinstance(one, truetty.Outcome)]
    assert len(taken) == 1 and taken[0].output == "n0\n"
    assert sum(isinstance(one, truetty.Busy) for one in tried) == 19
    await unharmed(terminal)


async def test_a_finished_command_takes_nothing(terminal: truetty.Terminal) -> None:
    command = await terminal.start("echo done")
    outcome = await command.wait(PATIENCE)
    for call in (command.send("x\n"), command.press("Enter")):
        with pytest.raises(truetty.Misuse) as refused:
            await call
        assert refused.value.command_id == command.id
    assert await command.interrupt() is False
    assert await command.kill() == outcome == await command.wait(0) == command.outcome
    await unharmed(terminal)


@pytest.mark.parametrize("pattern", ["(", "[a", "*"])
async def test_a_pattern_that_is_none(terminal: truetty.Terminal, pattern: str) -> None:
    command = await terminal.start("read x")
    with pytest.raises((truetty.Misuse, re.error)):
        await command.wait(PATIENCE, Match(pattern))
    with pytest.raises(truetty.Misuse):
        command.output.grep(pattern)
    await command.send("\n")
    assert (await command.wait(PATIENCE, "finished")).exit_code == 0
    await unharmed(terminal)


@pytest.mark.parametrize("ending", ["interrupt", "kill", "press"])
async def test_ended_before_it_could_begin(terminal: truetty.Terminal, ending: str) -> None:
    """Ctrl-C throws away what was typed and not yet read: the shell may never see the command, and no call may hang."""
    for _ in range(4):
        command = await terminal.start("echo begun; sleep 1000")
        match ending:
            case "interrupt":
                await command.interrupt()
            case "kill":
                await command.kill()
            case "press":
                await command.press("C-c")
        outcome = await command.wait(PATIENCE, Match("begun"))  # or its end
        if outcome.state == "running":
            outcome = await command.wait(1, "finished")
        if outcome.state == "running":
            outcome = await command.kill()  # the key came between two programs, as it may for a person
        assert outcome.state == "finished", (outcome, terminal.transcript.read())
        assert outcome.exit_code in (130, 143, None), outcome
        await unharmed(terminal)


# -- a closed terminal

VERBS: dict[str, Callable[[truetty.Terminal], Awaitable[object]]] = {
    "run": lambda terminal: terminal.run("echo x"),
    "start": lambda terminal: terminal.start("echo x"),
    "send": lambda terminal: terminal.send("x"),
    "press": lambda terminal: terminal.press("Enter"),
    "resize": lambda terminal: terminal.resize(80, 24),
}


@pytest.mark.parametrize("verb", VERBS)
async def test_a_closed_terminal(verb: str, home: Path) -> None:
    terminal = await truetty.Terminal.open("bash", rc=False)
    ended = await terminal.run("exit 3", wait=PATIENCE)
    assert (ended.state, ended.exit_code, ended.closed, ended.evidence) == ("finished", 3, True, "exit")
    for _ in range(2):
        with pytest.raises(truetty.Closed) as refused:
            await VERBS[verb](terminal)
        facts = (refused.value.code, refused.value.terminal_id, refused.value.exit_code)
        assert facts == ("closed", terminal.id, 3)
        await terminal.close()
    assert terminal.closed and not terminal.busy and terminal.exit_code == 3


@pytest.mark.parametrize("verb", VERBS)
async def test_a_terminal_that_is_not_open_yet(verb: str, home: Path) -> None:
    terminal = truetty.Terminal("bash", rc=False)
    with pytest.raises(truetty.Misuse):
        await VERBS[verb](terminal)
    await terminal.close()


async def test_closed_while_a_command_runs(terminal: truetty.Terminal) -> None:
    command = await terminal.start("echo go; sleep 1000")
    await command.wait(PATIENCE, Match("go"))
    waiting = asyncio.ensure_future(command.wait())
    await terminal.close()
    outcome = await asyncio.wait_for(waiting, PATIENCE)
    assert outcome.state == "finished" and outcome.evidence in ("exit", "mark") and outcome.closed
    assert command.outcome is not None and not terminal.busy
    # What it printed can be read all the same. The shell may still say how its command ended before it ends itself.
    assert command.output.text() in ("go\n", "go\nHangup\n")


# -- output without end

BIG = 100_000_000
# The most of a terminal that is kept in memory is a megabyte; the rest is Python's own.
ROOM = 64 * 1024 * 1024
FLOOD = f"""
    import asyncio, resource, truetty
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    async def main():
        async with truetty.Terminal("bash", rc=False) as terminal:
            await terminal.run("echo warm", wait={PATIENCE})
            before = peak()
            outcome = await terminal.run(r"head -c {BIG} /dev/zero | tr '\\0' x", wait={PATIENCE})
            grown = peak() - before
            print(outcome.state, outcome.exit_code, outcome.output_bytes, outcome.complete)
            print(len(outcome.output), outcome.omitted)
            print((await terminal.run("echo after", wait={PATIENCE})).output.strip())
            print(grown)
    asyncio.run(main())
"""


def test_output_is_bounded_in_memory_and_counted_exactly(home: Path) -> None:
    env = os.environ | {"PYTHONPATH": str(Path(truetty.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FLOOD)], env=env, capture_output=True, text=True, timeout=2 * PATIENCE
    )
    assert done.returncode == 0, done.stderr
    first, counts, after, grown = done.stdout.splitlines()
    assert first == f"finished 0 {BIG} True" and after == "after"
    kept, omitted = map(int, counts.split())
    assert BIG - 30_000 <= omitted < BIG and kept < 31_000
    assert int(grown) < ROOM, f"{int(grown):,} bytes more"
