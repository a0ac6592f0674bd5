"""A program in a framework's environment, and the end of all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LIMIT = 840.0  # seconds, less than a test has


@dataclass(frozen=True)
class Ended:
    code: int
    output: str
    errors: str


def run(command: list[str], folder: Path, environ: dict[str, str]) -> Ended:
    """Output goes to files: what the program leaves running would keep a pipe open. Its process group is ended."""
    output, errors = folder / "output.txt", folder / "errors.txt"
    with output.open("wb") as out, errors.open("wb") as err:
        program = subprocess.Popen(
            command, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        try:
            code = program.wait(LIMIT)
        finally:
            with suppress(ProcessLookupError):  # nothing is left
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()
    return Ended(code, output.read_text(errors="replace"), errors.read_text(errors="replace"))
