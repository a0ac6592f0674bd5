"""Makes the pictures of README and the site again: one session, as a recording and as SVGs, dark and light.

    .venv/bin/python tools/docs/pictures.py

Run it after a change of what pictures look like, or of `demo.py`, which the session runs. The SVGs come out the same
each time; the times in the recording do not.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from truetty.sync import Terminal

TOOLS = Path(__file__).resolve().parent
PICTURES = TOOLS.parent.parent / "docs" / "pictures"
# The pauses are for people who watch.
PROGRAMS = {
    "build": r"""for step in 2 4 6 8 10; do printf '\rcompiling %3d %%' ${step}0; sleep 0.3; done
printf '\rbuilt app      \n'""",
    "deploy": """sleep 1; printf 'Deploy to production? [y/N] '; read answer; sleep 1
stty -echo; printf 'Password: '; read password; stty echo; echo; sleep 1; echo deployed""",
    "demo": f"exec {shlex.quote(sys.executable)} {shlex.quote(str(TOOLS / 'demo.py'))}",
}


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    recording = PICTURES / "first.cast"
    with tempfile.TemporaryDirectory() as home:
        for name, text in PROGRAMS.items():
            program = Path(home) / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        env = {"HOME": home, "PS1": r"\[\e[36m\]app\[\e[0m\] $ ", "PATH": os.pathsep.join([home, os.environ["PATH"]])}
        with (
            Terminal("bash", rc=False, cwd=home, size=(60, 16), env=env) as terminal,
            terminal.record(recording, overwrite=True),  # ends before the shell does, at its prompt
        ):
            terminal.run("demo", wait=60).check()
    recording.chmod(0o644)
    for theme in ("dark", "light"):
        words = ["--cast", str(recording), "--theme", theme, "--title", "truetty", "--full-width"]
        subprocess.run(
            [sys.executable, "-m", "truetty", "shot", str(PICTURES / f"first-{theme}.svg"), *words], check=True
        )


if __name__ == "__main__":
    main()
