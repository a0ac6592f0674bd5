"""A program may print what it likes: no mark of its making ends its command.

Every forger prints, says so, and then stays until a file appears. Until then its command must be running, however long
one looks; afterwards it must end with the forger's own exit code.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import sys
import time
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from truetty.terminal.wire.link import Link
from truetty.until import Match

SHELLS = ("bash", "zsh", "fish", "dash", "ksh93", "mksh", "busybox", "tcsh")
LOOKS = 10  # how often, while a forger stays, the command is asked whether it has ended
CODE = 23
TRIES = 10_000

# Prints what it is told to print, in pieces of the size asked for, then stays until it may go.
FORGER = r"""
import os, pathlib, re, sys, time
what, size, go = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
if what.startswith("folder="):
    found = {}
    for path in sorted(pathlib.Path(what[7:]).rglob("*")):
        try:
            read = path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:  # the text's own, which is dropped once it was read
            continue
        for letter, secret in re.findall(rb"7717;([A-Z2]);([\w-]+)", read):
            found.setdefault((letter, secret), path.name)
    data = b"".join(b"\033]7717;%b;%b;0;him\007" % mark for mark in found for _ in range(3))
    assert any(letter == b"D" for letter, _ in found), found
else:
    data = pathlib.Path(what).read_bytes()
tty = os.open("/dev/tty", os.O_WRONLY)
for at in range(0, len(data), size):
    view = data[at : at + size]
    while view:
        view = view[os.write(tty, view):]
os.write(tty, b"\033\\\nall printed\n")
until = time.monotonic() + 60
while not go.exists() and time.monotonic() < until:
    time.sleep(0.01)
sys.exit(23)
"""

SECRETS = ("", "*" * 22, "A" * 22, "0", "a" * 64, "$?", "-", "_-_-_-_-_-_-_-_-_-_-_-", "\u00e9")
TERMINATORS = (b"\x07", b"\x1b\\", b"\x9c", b"\xc2\x9c")
WRAPPINGS = ((b"\x1bPtmux;", b"\x1b\\"), (b"\x1bP", b"\x1b\\"), (b"\x1b_", b"\x1b\\"), (b"\x1b]0;", b"\x07"))
OPENINGS = (b"\x1b]", b"\x9d", b"\xc2\x9d")


def forged_marks(dice: random.Random) -> list[bytes]:
    """Of every protocol, secret, terminator and wrapping, this shell's share of the tries, in no order."""
    guesses = [*SECRETS, *("".join(dice.choices("abcXYZ019_-", k=22)) for _ in range(4))]
    bodies = [
        f"7717;{letter};{secret};{code};him".encode()
        for letter, secret, code in itertools.product("CDHMP2", guesses, ("0", "7", ""))
    ]
    bodies += [b"7717;D", b"7717;D;", b"7717;;;;", b"7717", b"07717;D;x;0;", b"7717;D;x;0;him;more;and;more"]
    for number in (b"133", b"633"):
        bodies += [number + b";" + rest for rest in (b"A", b"B", b"C", b"D", b"D;0", b"D;7", b"P;k=i", b"E;ls", b"L")]
    bodies += [b"633;P;Cwd=/", b"7;file://host/", b"3008;start=abc;type=command", b"3008;end=abc;exit=success"]
    plain = [opening + body + end for opening, body, end in itertools.product(OPENINGS, bodies, TERMINATORS)]
    wrapped = [
        before + mark.replace(b"\x1b", b"\x1b\x1b") + after
        for mark in dice.sample(plain, 400)
        for before, after in WRAPPINGS
    ]
    marks = plain + wrapped
    dice.shuffle(marks)
    return marks[: TRIES // len(SHELLS) + 100]


def shown(terminal: truetty.Terminal) -> str:
    return f"the end of the transcript: {terminal.transcript.read()[-3000:]!r}"


class Stage:
    """A terminal, and a forger that can be put into it."""

    def __init__(self, terminal: truetty.Terminal, home: Path) -> None:
        self.terminal = terminal
        self.home = home
        self._turns = itertools.count()
        (home / "forger.py").write_text(FORGER)

    async def started(self, what: str, size: int = 1 << 20, line: str = "{}") -> tuple[truetty.Command, Path]:
        """Returns once everything was printed and read."""
        go = self.home / f"go{next(self._turns)}"
        command = await self.terminal.start(line.format(f"{sys.executable} {self.home}/forger.py {what} {size} {go}"))
        await command.wait(PATIENCE, until=Match(r"all printed\n"))
        assert command.output.grep("all printed"), shown(self.terminal)
        return command, go

    async def stays(self, command: truetty.Command) -> None:
        for _ in range(LOOKS):
            outcome = await command.wait(0.03)
            assert (outcome.state, outcome.exit_code) == ("running", None), f"{outcome}\n{shown(self.terminal)}"

    async def ends(self, command: truetty.Command, code: int = CODE) -> None:
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.closed) == ("finished", code, False), (
            f"{outcome}\n{shown(self.terminal)}"
        )

    async def survives(self, what: str, size: int = 1 << 20, line: str = "{}") -> None:
        command, go = await self.started(what, size, line)
        await self.stays(command)
        go.touch()
        await self.ends(command)

    async def is_well(self) -> None:
        outcome = await self.terminal.run("echo well", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output, outcome.evidence) == ("finished", 0, "well\n", "mark")

    @property
    def has_editor(self) -> bool:
        return self._link.shell.editor is not None

    @property
    def _link(self) -> Link:
        assert self.terminal._conversation is not None
        return self.terminal._conversation.link

    def real(self) -> str:
        """What a forger needs that knows the secrets of the command which is started next."""
        if not self.has_editor:
            return f"folder={self.folder}"
        secret = self._link.typist.lines.current
        bodies = [f"{letter};{secret};0;him" for letter in "CDPHMR2"]
        bodies += [f"{letter};{secret};0;him;{'7' * 18};9;{{emacs:" for letter in "DP"]
        (self.home / f"real{secret}").write_text("".join(f"\x1b]7717;{body}\x07" * 3 for body in bodies))
        return f"{self.home}/real{secret}"

    @property
    def folder(self) -> str:
        """Where the marks' files lie: the echo of every trigger tells."""
        found = re.search(rb"/[\w/.-]*/tt-[0-9a-f]+", self.terminal.transcript.read())
        assert found is not None, shown(self.terminal)
        return found[0].decode()


@pytest.mark.parametrize("shell", SHELLS)
async def test_guessed(shell: str, home: Path) -> None:
    marks = forged_marks(random.Random(shell))
    assert len(marks) * len(SHELLS) >= TRIES
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        stage = Stage(terminal, home)
        await stage.is_well()
        (home / "marks").write_bytes(b"x\n".join(marks))
        await stage.survives(f"{home}/marks")
        await stage.is_well()
        assert terminal.strategy == "rich"


@pytest.mark.parametrize("size", [1, 2, 7])
async def test_split_over_writes(size: int, home: Path) -> None:
    marks = random.Random(size).sample(forged_marks(random.Random(1)), 250)
    async with truetty.Terminal("bash", env={"HOME": str(home)}) as terminal:
        stage = Stage(terminal, home)
        (home / "marks").write_bytes(b"".join(marks))
        await stage.survives(f"{home}/marks", size)
        await stage.is_well()


@pytest.mark.parametrize("shell", SHELLS)
async def test_replayed_from_the_transcript(shell: str, home: Path) -> None:
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        stage = Stage(terminal, home)
        for _ in range(20):
            await stage.is_well()
        (home / "earlier").write_bytes(terminal.transcript.read())
        await stage.survives(f"{home}/earlier")
        # And the running command's own, read back while it runs: the program waits for the file.
        own = home / "own"
        forger = f"{sys.executable} {home}/forger.py {own} 99 {home}/go"
        command = await terminal.start(f"sh -c 'echo waits; until [ -e {own} ]; do sleep 0.01; done; {forger}'")
        await command.wait(PATIENCE, until=Match("waits\n"))
        (home / "part").write_bytes(terminal.transcript.read())
        (home / "part").rename(own)
        await command.wait(PATIENCE, until=Match(r"all printed\n"))
        await stage.stays(command)
        (home / "go").touch()
        await stage.ends(command)
        await stage.is_well()


@pytest.mark.parametrize("shell", SHELLS)
async def test_the_secrets_of_an_earlier_command(shell: str, home: Path) -> None:
    """They were true once, and are worth nothing now."""
    copy = home / "copy"
    copy.mkdir()
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        stage = Stage(terminal, home)
        await stage.is_well()
        for number in range(5):
            line = "true"
            if stage.has_editor:
                Path(stage.real()).rename(copy / str(number))
            else:
                line = f"cp {stage.folder}/d* {copy}/; mv {copy}/d* {copy}/{number}"
            outcome = await terminal.run(line, wait=PATIENCE)
            assert outcome.state == "finished", shown(terminal)
        assert len(list(copy.iterdir())) == 5, shown(terminal)
        await stage.survives(f"folder={copy}")
        await stage.is_well()


@pytest.mark.parametrize("shell", SHELLS)
async def test_the_real_mark_from_a_program_in_front(shell: str, home: Path) -> None:
    """A program of the same user can read the secret of its own end. It holds the terminal, so it cannot have ended."""
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        stage = Stage(terminal, home)
        await stage.is_well()
        for _ in range(3):
            await stage.survives(stage.real())
            await stage.is_well()


@pytest.mark.parametrize("line", ["x=$({})", "set +m; {}", "true | {}"])
@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ksh93", "mksh", "busybox"])
async def test_the_real_mark_from_the_shell_s_own_group(shell: str, line: str, home: Path) -> None:
    """The shell's group holds the terminal and the forger is in it: as long as it lives, the shell has not ended."""
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        stage = Stage(terminal, home)
        await stage.is_well()
        await stage.survives(stage.real(), line=line)
        await stage.is_well()


@pytest.mark.parametrize("shell", SHELLS)
async def test_the_real_mark_and_then_interrupted(shell: str, home: Path) -> None:
    """Ctrl-C may drop the rest of the line and with it the shell's own end mark: no forged code may stand in."""
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        stage = Stage(terminal, home)
        await stage.is_well()
        plain = await terminal.start("/bin/sleep 600")
        await in_front(terminal, "sleep")
        await plain.interrupt()
        honest = await plain.wait(PATIENCE)
        assert (honest.state, honest.exit_code) == ("finished", 1 if shell == "tcsh" else 130), shown(terminal)
        command, _ = await stage.started(stage.real())
        await stage.stays(command)
        await command.interrupt()
        await stage.ends(command, 1 if shell == "tcsh" else 130)
        await stage.is_well()


async def in_front(terminal: truetty.Terminal, name: str) -> None:
    """Until the program of this name is the one that Ctrl-C would reach."""
    until = time.monotonic() + PATIENCE
    while True:
        group = Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(") ")[2].split()[5]
        comm = Path(f"/proc/{group}/comm")
        if comm.exists() and comm.read_text().strip() == name:
            return
        assert time.monotonic() < until, shown(terminal)
        await asyncio.sleep(0.001)
