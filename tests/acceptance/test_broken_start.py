"""Start-up files that read, hang, exit, become another shell or are not there; a home or a directory that is gone.

Opening never hangs and never raises for what a person's files do: the terminal then says what it is.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from truetty.until import Match

# Short, since it is waited for where the first prompt does not come by itself.
STARTUP = 1.0
FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
SHELLS = ["bash", "zsh", "fish", "dash", "ksh93", "mksh", "ash"]
PROGRAMS = {"ash": ["busybox", "ash"]}


def terminal_with(shell: str, home: Path, rc: str, startup: float = STARTUP) -> truetty.Terminal:
    file = home / FILES.get(shell, ".rc")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(rc + "\n")
    env: dict[str, str | None] = {"HOME": str(home)}
    if shell not in FILES:
        env["ENV"] = str(file)
    return truetty.Terminal(PROGRAMS.get(shell, shell), env=env, startup=startup)


def seen(terminal: truetty.Terminal) -> str:
    return terminal.transcript.read().decode(errors="replace")[-3000:]


async def works(terminal: truetty.Terminal) -> None:
    for text, code, output in [("echo hello", 0, "hello\n"), ("sh -c 'exit 42'", 42, ""), ("echo again", 0, "again\n")]:
        outcome = await terminal.run(text, wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", code, output), (
            outcome,
            seen(terminal),
        )


def script(text: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | env | {"PYTHONPATH": str(Path(truetty.__file__).parents[1])}
    words = [sys.executable, "-c", textwrap.dedent(text), *arguments]
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL)


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


READS = """
    import asyncio, sys, truetty
    async def main():
        async with truetty.Terminal(sys.argv[1:], startup=1) as terminal:
            command = await terminal.start('echo "answer: $answer"')
            outcome = await command.wait(20)
            print(outcome.state, repr(outcome.output))
            await command.send("x\\n")
            outcome = await command.wait(20, "finished")
            print(outcome.state, outcome.exit_code, repr(outcome.output))
            print((await terminal.run("echo again", wait=20)).output)
            print(ascii(terminal.transcript.read().decode(errors="replace")), file=sys.stderr)
    asyncio.run(main())
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_a_file_that_reads_the_keyboard(shell: str, home: Path, program: Callable[[str], str]) -> None:
    """In a process of its own: where no prompt was ever seen, none can be known by its look."""
    program(PROGRAMS.get(shell, [shell])[0])
    file = home / FILES.get(shell, ".rc")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("read answer\n")
    done = script(READS, *PROGRAMS.get(shell, [shell]), ENV=str(file))
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert (first, rest) == ("waiting ''", ["finished 0 'answer: x\\n'", "again", ""]), done


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_file_that_asks_for_a_password(shell: str, home: Path, program: Callable[[str], str]) -> None:
    """ssh-add and gpg do that: a program in the file reads, with the echo off."""
    asking = f"{sys.executable} -c 'import getpass; getpass.getpass()'"
    async with terminal_with(shell, home, asking) as terminal:
        outcome = await terminal.run("echo hello", wait=PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, (outcome, seen(terminal))
        assert outcome.waiting.kind == "secret", outcome
        command = terminal.command
        assert command is not None
        await command.send("hunter2\n")
        outcome = await command.wait(PATIENCE, "finished")
        assert (outcome.exit_code, outcome.output) == (0, "hello\n"), (outcome, seen(terminal))
        await works(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_file_that_hangs(shell: str, home: Path) -> None:
    async with terminal_with(shell, home, "/bin/sleep 1000") as terminal:
        outcome = await terminal.run("echo hello", wait=1)
        assert (outcome.state, outcome.output, outcome.waiting) == ("running", "", None), (outcome, seen(terminal))
        with pytest.raises(truetty.Busy):
            await terminal.start("echo second")
        assert "echo hello" not in seen(terminal)  # nothing is typed to what does not read
        command = terminal.command
        assert command is not None
        await command.interrupt()  # the sleep ends; then the command can run
        outcome = await command.wait(PATIENCE, "finished")
        told = (outcome.state, outcome.exit_code, outcome.output)
        assert told == ("finished", 0, "hello\n"), (outcome, seen(terminal))
        await works(terminal)


async def test_closing_a_terminal_that_hangs_leaves_nothing(home: Path) -> None:
    async with terminal_with("bash", home, "/bin/sleep 1000 & echo $! >~/pid; /bin/sleep 1000") as terminal:
        pid = terminal.pid
        assert pid is not None and not ended(pid)
    assert terminal.closed and ended(pid)
    assert ended(int((home / "pid").read_text()))


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shell != "fish"])  # fish ignores `exit` there
async def test_a_file_that_exits(shell: str, home: Path) -> None:
    async with terminal_with(shell, home, "exit 5", PATIENCE) as terminal:
        assert terminal.closed and terminal.exit_code == 5, seen(terminal)
        assert not terminal.busy
        with pytest.raises(truetty.Closed) as refused:
            await terminal.run("echo hello")
        assert refused.value.code == "closed" and refused.value.exit_code == 5
        assert refused.value.terminal_id == terminal.id


@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_a_file_that_kills_its_shell(shell: str, home: Path) -> None:
    async with terminal_with(shell, home, "kill -9 $$") as terminal:
        assert terminal.closed and terminal.exit_code == 137, seen(terminal)


async def test_a_file_that_reads_and_then_exits(home: Path) -> None:
    async with terminal_with("bash", home, "read x; exit $x") as terminal:
        command = await terminal.start("echo never")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting", (outcome, seen(terminal))
        await command.send("7\n")
        outcome = await command.wait(PATIENCE, "finished")
        told = (outcome.state, outcome.exit_code, outcome.evidence, outcome.closed, outcome.output)
        assert told == ("finished", 7, "exit", True, ""), (outcome, seen(terminal))
        assert "nothing showed that the command had run" in " ".join(outcome.notes), outcome


async def test_a_file_that_reads_and_then_exits_well(home: Path) -> None:
    async with terminal_with("bash", home, "read x; exit 0") as terminal:
        command = await terminal.start("echo never")
        await command.wait(PATIENCE)
        await command.send("7\n")
        outcome = await command.wait(PATIENCE, "finished")
        told = (outcome.state, outcome.exit_code, outcome.evidence, outcome.ok, outcome.output)
        assert told == ("finished", None, "exit", False, ""), (outcome, seen(terminal))


BECOMES = [("bash", "zsh -f"), ("bash", "dash"), ("bash", "bash --norc"), ("zsh", "bash --norc"),
           ("fish", "bash --norc"),
           ("bash", "fish -N"), ("dash", "zsh -f")]  # fmt: skip


@pytest.mark.parametrize(("shell", "other"), BECOMES)
async def test_a_file_that_becomes_another_shell(shell: str, other: str, home: Path) -> None:
    async with terminal_with(shell, home, f"exec {other}") as terminal:
        assert not terminal.closed
        outcome = await terminal.run("echo hello", wait=PATIENCE)
        assert outcome.state == "finished" and outcome.output == "hello\n", (outcome, seen(terminal))
        assert outcome.exit_code in (0, None)
        await works(terminal)
        assert terminal.shell == other.split()[0]


async def test_a_file_that_becomes_a_program(home: Path) -> None:
    async with terminal_with("bash", home, "exec cat") as terminal:
        outcome = await terminal.run("hello", wait=PATIENCE)
        assert outcome.exit_code is None, (outcome, seen(terminal))
        assert outcome.state in ("waiting", "finished") and outcome.evidence != "mark", (outcome, seen(terminal))


async def test_a_file_that_runs_another_shell(home: Path) -> None:
    """Not `exec`: a nested shell reads the keyboard, and the command is kept until that has ended."""
    async with terminal_with("bash", home, "dash -i") as terminal:
        command = await terminal.start("echo hello $0")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.output == "", (outcome, seen(terminal))
        await command.send("exit\n")
        outcome = await command.wait(PATIENCE, "finished")
        assert (outcome.exit_code, outcome.output) == (0, "hello bash\n"), (outcome, seen(terminal))
        await works(terminal)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("what", ["missing", "directory", "dangling", "endless"])
async def test_a_file_that_is_none(shell: str, what: str, home: Path) -> None:
    file = home / FILES.get(shell, ".rc")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    match what:
        case "directory":
            file.mkdir()
        case "dangling":
            file.symlink_to(home / "nowhere")
        case "endless":
            file.symlink_to(file)
    env: dict[str, str | None] = {"HOME": str(home)}
    if shell not in FILES:
        env["ENV"] = str(file)
    async with truetty.Terminal(PROGRAMS.get(shell, shell), env=env) as terminal:
        await works(terminal)
        assert terminal.strategy == "rich"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("place", ["missing", None, "", "/dev/null"])
async def test_a_home_that_is_not_there(shell: str, place: str | None, home: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "missing") if place == "missing" else place
    async with truetty.Terminal(PROGRAMS.get(shell, shell), env={"HOME": place}) as terminal:
        await works(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_directory_that_is_deleted(shell: str, home: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    async with truetty.Terminal(PROGRAMS.get(shell, shell), env={"HOME": str(home)}, cwd=place) as terminal:
        assert terminal.cwd == str(place)
        place.rmdir()
        for text, code, output in [("echo hello", 0, "hello\n"), ("/bin/false", 1, "")]:
            outcome = await terminal.run(text, wait=PATIENCE)
            assert (outcome.exit_code, outcome.output) == (code, output), (outcome, seen(terminal))
        outcome = await terminal.run("cd /", wait=PATIENCE)
        assert (outcome.exit_code, outcome.cwd) == (0, "/"), (outcome, seen(terminal))


DELETED = """
    import asyncio, os, sys, tempfile, truetty
    async def main():
        place = tempfile.mkdtemp()
        os.chdir(place)
        os.rmdir(place)
        for cwd in (None, "/", "/usr"):
            async with truetty.Terminal("bash", cwd=cwd, rc=False) as terminal:
                outcome = await terminal.run("echo hello; cd / 2>/dev/null", wait=20)
                print(cwd, outcome.exit_code, outcome.output, end="")
        try:
            async with truetty.Terminal("bash", cwd=".", rc=False) as terminal:
                print("opened", terminal.closed)
        except truetty.SpawnFailed as error:
            print(error.code)
    asyncio.run(main())
"""


def test_our_own_directory_is_deleted(home: Path) -> None:
    done = script(DELETED)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "None 0 hello\n/ 0 hello\n/usr 0 hello\nspawn_failed\n"


async def test_a_shell_that_was_started_elsewhere_is_still_the_same(home: Path, tmp_path: Path) -> None:
    """When the marks are lost, nothing is said of a change that was none: `cwd` is entered by a shell of its own."""
    (home / ".bashrc").write_text("hook() { unset PROMPT_COMMAND; }\nPROMPT_COMMAND=hook\n")
    async with truetty.Terminal("bash", env={"HOME": str(home)}, cwd=tmp_path) as terminal:
        await works(terminal)
        command = await terminal.start("sh -c 'echo go; exec sleep 1000'")
        await command.wait(PATIENCE, Match("go"))
        await command.interrupt()
        outcome = await command.wait(PATIENCE, "finished")
        assert (outcome.exit_code, outcome.notes) == (130, ()), (outcome, seen(terminal))


async def test_many_at_once_with_slow_files(home: Path) -> None:
    """Ten terminals whose files take a second each are opened side by side, not one after the other."""
    (home / ".bashrc").write_text("sleep 1\n")

    async def one(number: int) -> str:
        async with truetty.Terminal("bash", env={"HOME": str(home)}) as terminal:
            return (await terminal.run(f"echo n{number}", wait=PATIENCE)).output

    assert await asyncio.gather(*map(one, range(10))) == [f"n{number}\n" for number in range(10)]
