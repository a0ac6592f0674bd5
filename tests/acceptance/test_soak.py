"""Thousands of short commands in one terminal: none finished early, none lost, none out of order, and nothing grows.

Every command prints a line with its own serial number first and another one last, and ends with a code that was drawn
for it. A command that was called finished too early lacks its last line; one that was given another's output or code
has the wrong number in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import random
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from truetty.until import Match

SYNTAX_ERROR = {"bash": 2, "zsh": 1, "fish": 123, "dash": 2, "ksh93": 3, "mksh": 1, "busybox": 2, "tcsh": 1}
# The exit code after Ctrl-C in `sleep`: tcsh has one of its own.
INTERRUPTED = {"tcsh": 1}
# What a shell says of its own jobs, when it likes to: `[1] 4711`, `[1]+  Done   sleep 0.02`, fish's `fish: Job 1, …`.
# mksh counts its zombies wrongly and says so.
NOTICE = re.compile(rb"(?:\[\d+\]|fish: Job \d+|internal warning: j_async).*\r\n")
CONTROL_C = re.compile(rb"\^C(?:[\r\n]*)\Z")
COUNTS = {"bash": 250, "zsh": 200, "fish": 75, "dash": 350, "ksh93": 250, "mksh": 250, "busybox": 125, "tcsh": 150}
KINDS = ("plain", "plain", "plain", "plain", "silent", "nap", "job", "detached", "flood", "syntax", "interrupt")


@dataclass(frozen=True, slots=True)
class Drawn:
    kind: str
    text: str
    raw: bytes | None  # None: whatever the shell says of the error
    code: int


def draw(shell: str, serial: int, dice: random.Random) -> Drawn:
    kind = dice.choice(KINDS)
    code = dice.randrange(121)
    separator = dice.choice(("; ", "\n"))
    first, last = f"echo begin {serial}", f"echo end {serial}"
    leave = f"sh -c 'exit {code}'" if shell in ("fish", "tcsh") or dice.random() < 0.3 else f"(exit {code})"
    raw = b"begin %d\r\nend %d\r\n" % (serial, serial)
    match kind:
        case "silent":
            return Drawn(kind, leave, b"", code)
        case "nap":
            middle = f"sleep 0.00{dice.randrange(1, 10)}"
        case "job":
            middle = "sleep 0.02 &"
            separator = "\n"
        case "detached":
            middle = "sh -c 'sleep 0.02 &'"
        case "flood":
            middle = f"head -c 50000 /dev/zero | tr '\\0' x; echo {serial}"
            raw = b"begin %d\r\n%b%d\r\nend %d\r\n" % (serial, b"x" * 50000, serial, serial)
        case "syntax":
            return Drawn(kind, f"echo begin {serial} 'never closed", None, SYNTAX_ERROR[shell])
        case "interrupt":
            text = separator.join((first, "/bin/sleep 600", last, leave))
            return Drawn(kind, text, b"begin %d\r\n" % serial, INTERRUPTED.get(shell, 130))
        case _:
            middle = ":" if shell != "tcsh" else "true"
    return Drawn(kind, separator.join((first, middle, last, leave)), raw, code)


def own_folders() -> list[Path]:
    """The private directories that this very process made."""
    found = []
    for place in (Path("/dev/shm"), Path(tempfile.gettempdir())):
        for folder in place.glob("tt-*"):
            try:
                owner = (folder / "owner").read_text().split()[0]
            except (OSError, IndexError):
                continue
            if owner == str(os.getpid()):
                found.append(folder)
    return found


def files_of_ours() -> int:
    return sum(len(files) for folder in own_folders() for _, _, files in os.walk(folder))


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processes_of(session: int) -> list[str]:
    """Everything that still lives in the session that a terminal's shell led."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        name, _, rest = text.partition(") ")
        if int(rest.split()[3]) == session and rest[0] != "Z":
            found.append(name)
    return found


async def in_front(terminal: truetty.Terminal, name: str) -> None:
    """Until the program of this name is the one that Ctrl-C would reach."""
    until = time.monotonic() + PATIENCE
    while True:
        group = Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(") ")[2].split()[5]
        with contextlib.suppress(OSError):
            if Path(f"/proc/{group}/comm").read_text().strip() == name:
                return
        assert time.monotonic() < until, terminal.transcript.read()[-1500:]
        await asyncio.sleep(0.001)


async def run_one(terminal: truetty.Terminal, serial: int, drawn: Drawn) -> None:
    def shown() -> str:
        return f"{drawn} ended as {command.snapshot()}\nthe transcript's end: {terminal.transcript.read()[-1500:]!r}"

    command = await terminal.start(drawn.text)
    if drawn.kind == "interrupt":
        # Not before: a shell that is interrupted between two programs may start the next one all the same.
        await command.wait(PATIENCE, until=Match(f"begin {serial}\n"))
        await in_front(terminal, "sleep")
        assert await command.interrupt(), shown()
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "finished", shown()
    raw = NOTICE.sub(b"", command.output.raw())
    if drawn.kind == "interrupt":
        raw = CONTROL_C.sub(b"", raw)  # the tty's echo of the key, and the line the shell begins after it
    if drawn.raw is None:
        assert b"end %d\r\n" % serial not in raw, shown()
    else:
        same = raw == drawn.raw  # not compared in the assertion: a picture of how 50 kB differ takes a minute
        assert same, shown()
    assert outcome.exit_code == drawn.code, shown()
    assert (outcome.closed, outcome.complete) == (False, True), shown()


async def soak(shell: str, count: int, home: Path, seed: int) -> None:
    dice = random.Random(f"{seed} {shell}")
    descriptors, folders = open_descriptors(), own_folders()
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        session = terminal.pid
        assert session is not None
        # More than a transcript keeps in memory, so that its file is open before anything is counted.
        outcome = await terminal.run("head -c 3000000 /dev/zero | tr '\\0' x", wait=PATIENCE)
        assert (outcome.state, outcome.output_bytes) == ("finished", 3_000_000), terminal.transcript.read()[-1500:]
        levels = 0, 0, 0
        for serial in range(count):
            if serial == count // 3:
                levels = open_descriptors(), files_of_ours(), resident()
            await run_one(terminal, serial, draw(shell, serial, dice))
        await asyncio.sleep(0)  # the last command's files are dropped when the loop comes round
        assert open_descriptors() <= levels[0]
        assert files_of_ours() <= levels[1]
        assert resident() <= levels[2] + 8_000_000  # a page here and there, but nothing for each of thousands
    until = time.monotonic() + PATIENCE
    while processes_of(session) and time.monotonic() < until:
        await asyncio.sleep(0.01)
    assert processes_of(session) == []
    assert own_folders() == folders
    assert open_descriptors() <= descriptors
    # What was printed can still be read; its file goes with the last who holds it.
    assert terminal.transcript.read(0, 1), "the transcript went with its terminal"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of one's own, so that what is left in it can be counted."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.mark.parametrize("shell", COUNTS)
async def test_soak(shell: str, home: Path, temporary: Path) -> None:
    await soak(shell, COUNTS[shell], home, 7717)
    gc.collect()
    assert list(temporary.glob("truetty-*")) == []


@pytest.mark.long
@pytest.mark.parametrize("shell", COUNTS)
async def test_soak_long(shell: str, home: Path, temporary: Path) -> None:
    """A hundred thousand over all shells, in the same proportion."""
    await soak(shell, 100_000 * COUNTS[shell] // sum(COUNTS.values()) + 1, home, time.time_ns())
    gc.collect()
    assert list(temporary.glob("truetty-*")) == []
