"""A devpts of its own has the same numbers as ours: who sits on one of those is neither signalled nor judged."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, eventually, opened

# Takes the terminal of a given number on a new devpts, says so, and at the end says which signals came.
STRANGER = """
import fcntl, os, signal, sys, termios
folder, number = sys.argv[1], int(sys.argv[2])
seen = []
for one in (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT):
    signal.signal(one, lambda number, frame: seen.append(number))
master = -1
while not os.path.exists(f"{folder}/{number}"):
    master = os.open(f"{folder}/ptmx", os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(master, termios.TIOCSPTLCK if hasattr(termios, "TIOCSPTLCK") else 0x40045431, b"\\0" * 4)
slave = os.open(f"{folder}/{number}", os.O_RDWR)
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
print("here", flush=True)
sys.stdin.readline()
print(seen, flush=True)
"""


@contextmanager
def stranger(number: int, folder: Path) -> Iterator[subprocess.Popen[str]]:
    folder.mkdir()
    (folder / "stranger.py").write_text(STRANGER)
    own = folder / "pts"
    own.mkdir()
    mount = f"mount -t devpts -o newinstance,ptmxmode=0666 devpts {own}"
    bind = f"mount --bind {own} /dev/pts"
    line = f"{mount} && {bind} && exec setsid {sys.executable} {folder}/stranger.py {own} {number}"
    with subprocess.Popen(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", line],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "here\n":
                assert process.stderr is not None
                reason = process.stderr.read()
                if "not permitted" in reason or "denied" in reason:
                    pytest.skip(f"no mounts of one's own can be made here: {reason.strip()}")
                raise AssertionError(reason)
            yield process
        finally:
            if process.poll() is None:
                process.kill()


async def test_whoever_has_the_same_number_on_another_devpts_is_left_alone(home: Path, tmp_path: Path) -> None:
    async with opened("bash", home) as terminal:
        told = await terminal.run("tty", wait=PATIENCE)
        number = int(told.output.strip().removeprefix("/dev/pts/"))
        with stranger(number, tmp_path / "stranger") as process:
            running = await terminal.start("sleep 1000")
            await eventually(lambda: running.state == "running", "sleep")
            everyone = terminal._conversation.link.channel.family.everyone()  # type: ignore[union-attr]
            assert everyone is not None and process.pid not in {one.pid for one in everyone}
            await terminal.close()
            output, _ = process.communicate("\n", PATIENCE)
            assert output == "[]\n"
            assert process.returncode == 0
