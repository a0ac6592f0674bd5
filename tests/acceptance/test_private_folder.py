"""The private folder of a terminal: other pid namespaces, small disks, and commands that remove it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

import truetty
from tests.acceptance.session import PATIENCE
from truetty.host.folder import OWNER, PREFIX, place

SHELLS = ("bash", "zsh", "fish", "dash")
TINY_DISK = "mount -t tmpfs -o size=64k none /dev/shm"
PROGRAM = f"""
import asyncio, sys, truetty
async def main():
    async with truetty.Terminal(sys.argv[1], rc=False) as terminal:
        for text in sys.argv[2:]:
            try:
                outcome = await terminal.run(text.replace("LONG", ": " + "x" * 200_000), wait={PATIENCE})
                print(outcome.state, outcome.exit_code, outcome.output.strip())
            except truetty.HostError as error:
                print(error)
asyncio.run(main())
"""


class Elsewhere(Protocol):
    def __call__(self, prepare: str, shell: str, *texts: str, **env: str) -> list[str]: ...


@pytest.fixture
def elsewhere(program: Callable[[str], str]) -> Elsewhere:
    """Runs texts in a terminal that is opened in namespaces of its own, after a line of shell; returns the outcomes."""
    order = [program("unshare"), "--user", "--map-root-user", "--pid", "--fork", "--mount", "--mount-proc"]
    if subprocess.run([*order, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets no process make namespaces")

    def run(prepare: str, shell: str, *texts: str, **env: str) -> list[str]:
        line = [*order, "sh", "-c", f'{prepare} && exec "$@"', "sh", sys.executable, "-c", PROGRAM, program(shell)]
        environ = os.environ | {"PYTHONPATH": str(Path(truetty.__file__).parents[1])} | env
        done = subprocess.run([*line, *texts], env=environ, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.splitlines()

    return run


def folders() -> set[Path]:
    """Those of this process."""
    return {path for path in Path(place()).glob(f"{PREFIX}*") if owner(path) == os.getpid()}


def owner(path: Path) -> int | None:
    try:
        return int((path / OWNER).read_text().split()[0])
    except (OSError, IndexError):  # it is being made or removed
        return None


async def test_a_terminal_in_another_pid_namespace_leaves_it_alone(elsewhere: Elsewhere) -> None:
    before = folders()
    async with truetty.Terminal("bash", rc=False) as terminal:
        mine = folders() - before
        assert elsewhere("true", "bash", "echo there") == ["finished 0 there"]
        assert mine and mine <= folders()
        outcome = await terminal.run("echo here", wait=PATIENCE)
        assert (outcome.exit_code, outcome.output, outcome.notes) == (0, "here\n", ())


@pytest.mark.parametrize("shell", SHELLS)
def test_a_command_that_finds_no_room_leaves_room_for_the_next(elsewhere: Elsewhere, shell: str) -> None:
    """Every place is the small disk."""
    outcomes = elsewhere(TINY_DISK, shell, "LONG", "LONG", "echo b", TMPDIR="/dev/shm", XDG_RUNTIME_DIR="")
    refused = "the command was not sent: No space left on device"
    assert outcomes == [refused, refused, "finished 0 b"]


def test_a_full_disk_is_not_opened_on(elsewhere: Elsewhere, tmp_path: Path) -> None:
    full = f"{TINY_DISK} && {{ cat /dev/zero >/dev/shm/filler 2>/dev/null; true; }}"
    folder = f"ls -d {tmp_path}/{PREFIX}* >/dev/null && echo here"
    assert elsewhere(full, "bash", folder, "LONG", XDG_RUNTIME_DIR=str(tmp_path)) == ["finished 0 here", "finished 0 "]
    assert elsewhere(full, "bash", folder, TMPDIR=str(tmp_path), XDG_RUNTIME_DIR="") == ["finished 0 here"]


@pytest.mark.parametrize("shell", SHELLS)
async def test_an_end_without_a_code_says_that_the_folder_was_removed(
    shell: str, home: Path, program: Callable[[str], str]
) -> None:
    before = folders()
    async with truetty.Terminal(program(shell), env={"HOME": str(home)}, rc=False) as terminal:
        (path,) = folders() - before
        command = await terminal.start("cat; sh -c 'exit 3'")
        assert (await command.wait(PATIENCE)).state == "waiting"
        shutil.rmtree(path)
        await command.send("\x04")
        outcome = await command.wait(PATIENCE, "finished")
        if shell in ("bash", "zsh", "fish"):  # their own hooks tell the end, and need no file
            assert (outcome.state, outcome.exit_code, outcome.notes) == ("finished", 3, ())
        else:
            assert (outcome.state, outcome.exit_code) == ("finished", None)
            why = f"the exit code is unknown: {path} or a file in it was removed while the command ran"
            assert outcome.notes == (why,)
        outcome = await terminal.run("sh -c 'exit 4'", wait=PATIENCE)
        assert (outcome.exit_code, outcome.evidence) == (4, "mark")
