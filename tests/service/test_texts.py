"""The text of an output as a file: what stays of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Prints the path of a file, and waits.
PROGRAM = """
import asyncio, sys
from truetty.service import Registry, Service

async def main():
    async with Service(Registry(shell="sh", rc=False)) as service:
        report = await service.run("echo text")
        print(await service.texts.save(service.command(report.outcome.command_id)), flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


def start(place: Path) -> tuple[subprocess.Popen[str], Path]:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    return program, Path(program.stdout.readline().strip())


def test_a_file_ends_with_its_service(tmp_path: Path, home: Path) -> None:
    program, path = start(tmp_path)
    assert path.read_text() == "text\n" and path.is_relative_to(tmp_path)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    program.communicate("\n")
    assert not path.parent.exists()


def test_the_file_of_a_service_that_was_killed_is_swept_by_the_next(tmp_path: Path, home: Path) -> None:
    program, path = start(tmp_path)
    program.kill()
    program.communicate()
    assert path.exists()
    after, its = start(tmp_path)
    assert its.exists() and not path.parent.exists()
    after.communicate("\n")
