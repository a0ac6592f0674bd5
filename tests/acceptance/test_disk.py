"""When the disk cannot keep what a command prints: the command goes on, the gap is told, and writing resumes."""

from __future__ import annotations

import errno
import gc
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE

MUCH = "head -c 300000 /dev/zero | tr '\\0' x; echo; echo the end; sh -c 'exit 3'"
SIZE = 300_000 + len("\r\nthe end\r\n")
LITTLE = "head -c 20000 /dev/zero | tr '\\0' y"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where transcripts go."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


@pytest.fixture
def tiny_disk(folder: Path) -> Iterator[Path]:
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk, where the machine lets it")
    try:
        yield folder
    finally:
        gc.collect()
        subprocess.run(["umount", "-l", str(folder)], check=True)


def check(terminal: truetty.Terminal, outcome: truetty.Outcome, why: str) -> None:
    assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 3, "mark")
    assert outcome.output_bytes == SIZE and not outcome.complete
    assert outcome.output.endswith("the end\n")
    assert terminal.command is not None
    missing = terminal.command.output.missing
    assert 0 < missing < SIZE and len(terminal.command.output.raw()) == SIZE - missing
    assert outcome.notes == (f"{missing:,} bytes of the output could not be kept: {why}",)


async def test_disk_full(tiny_disk: Path) -> None:
    (tiny_disk / "filler").write_bytes(bytes(32_768))
    async with truetty.Terminal("bash", rc=False, memory=10_000) as terminal:
        outcome = await terminal.run(MUCH, wait=PATIENCE)
        check(terminal, outcome, os.strerror(errno.ENOSPC))
        (tiny_disk / "filler").unlink()
        outcome = await terminal.run(LITTLE, wait=PATIENCE)
        assert (outcome.complete, outcome.notes, outcome.output) == (True, (), "y" * 20_000)  # there is room again


async def test_folder_removed(folder: Path) -> None:
    async with truetty.Terminal("bash", rc=False, memory=10_000) as terminal:
        command = await terminal.start(f"{LITTLE}; echo half; read x; {MUCH}")
        assert (await command.wait(PATIENCE)).state == "waiting"
        (made,) = folder.glob("truetty-*")
        shutil.rmtree(made)
        await command.send("go\n")
        outcome = await command.wait(PATIENCE, "finished")
        assert (outcome.exit_code, outcome.complete) == (3, True)  # an open file lives on, and is put back
        assert command.output.raw().startswith(b"y" * 20_000) and outcome.output.endswith("the end\n")
        path = command.output.path
        assert path is not None and Path(path).exists()
        shutil.rmtree(Path(path).parent)
    assert terminal.transcript.read().count(b"x") >= 300_000  # rescued once more when it was closed


async def test_errors_of_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, failing = os.pwrite, True

    def pwrite(descriptor: int, data: bytes, offset: int) -> int:
        if failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(descriptor, data, offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    async with truetty.Terminal("bash", rc=False, memory=10_000) as terminal:
        outcome = await terminal.run(MUCH, wait=PATIENCE)
        check(terminal, outcome, os.strerror(errno.EIO))
        failing = False
        outcome = await terminal.run(LITTLE, wait=PATIENCE)
        assert (outcome.complete, outcome.notes, outcome.output) == (True, (), "y" * 20_000)  # writing has resumed
