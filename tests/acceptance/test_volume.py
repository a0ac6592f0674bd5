"""Every byte is stored, however many there are, and memory does not grow with them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, opened

ROOT = Path(__file__).resolve().parents[2]
# What a transcript may have in memory, the digest of a long output, and what Python keeps for itself.
FLAT = 24_000_000


def check(kind: str, megabytes: float) -> None:
    environ = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    command = [sys.executable, "-m", "tests.acceptance.volume", kind, str(megabytes)]
    ended = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    print(kind, megabytes, ended.stdout)
    seen = json.loads(ended.stdout)
    assert seen["equal"] and seen["complete"], seen
    assert (seen["bytes"], seen["code"]) == (megabytes * 1_000_000, 0)
    assert 0 < seen["characters shown"] <= 30_000
    assert seen["grown"] < FLAT, seen


@pytest.mark.parametrize(("kind", "megabytes"), [("text", 40), ("line", 5), ("binary", 2)])
def test_every_byte(kind: str, megabytes: float) -> None:
    check(kind, megabytes)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("kind", "megabytes"), [("text", 1000), ("line", 500), ("binary", 50)])
def test_every_byte_of_a_gigabyte(kind: str, megabytes: float) -> None:
    check(kind, megabytes)


SAMPLE = "aé日\U0001f600e\u0301".encode()


@pytest.mark.parametrize("cut", range(1, len(SAMPLE)))
async def test_characters_cut_at_every_byte(cut: int, home: Path) -> None:
    """The two halves come in reads of their own: each is printed only when the other side has been heard."""
    program = home / "halves.py"
    program.write_text(
        f"import os\nsample = {SAMPLE!r}\nos.write(1, sample[:{cut}])\nos.read(0, 1)\nos.write(1, sample[{cut}:])\n"
    )
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"stty raw -echo; python3 {program}; stty sane")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and command.output.raw() == SAMPLE[:cut]
        assert command.output.complete
        await command.send("x")
        outcome = await command.wait(PATIENCE, "finished")
        assert hashlib.sha256(command.output.raw()).digest() == hashlib.sha256(SAMPLE).digest()
        assert outcome.output == SAMPLE.decode() and outcome.notes == ()
