"""Makes the pictures of README and the site again, dark and light.

first   one session, also as a recording
map     `truetty map` at its work

    .venv/bin/python tools/docs/pictures.py [first] [map]

Run it after a change of what pictures look like, of `demo.py`, which the first session runs, or of the progress of a
map. The SVGs of `first` come out the same each time; the times in its recording, and the rate of the map, do not.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from truetty import until
from truetty.sync import Terminal
from truetty.text.screen import Screen

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


PS1 = r"\[\e[36m\]app\[\e[0m\] $ "
THEMES = ("dark", "light")
TASKS = 1000
SHOWN = 600  # tasks that are over when the picture is taken
KINDS = ("failed", "timed out", "waiting")  # of failures: all of them are in it
LIMIT = 300.0  # seconds


def first() -> None:
    recording = PICTURES / "first.cast"
    with tempfile.TemporaryDirectory() as home:
        for name, text in PROGRAMS.items():
            program = Path(home) / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        env = {"HOME": home, "PS1": PS1, "PATH": os.pathsep.join([home, os.environ["PATH"]])}
        with (
            Terminal("bash", rc=False, cwd=home, size=(60, 16), env=env) as terminal,
            terminal.record(recording, overwrite=True),  # ends before the shell does, at its prompt
        ):
            terminal.run("demo", wait=60).check()
    recording.chmod(0o644)
    for theme in THEMES:
        words = ["--cast", str(recording), "--theme", theme, "--title", "truetty", "--full-width"]
        subprocess.run(
            [sys.executable, "-m", "truetty", "shot", str(PICTURES / f"first-{theme}.svg"), *words], check=True
        )


def progress() -> None:
    with tempfile.TemporaryDirectory() as home:
        tasks = [{"id": f"fix-{number}", **_task(number)} for number in range(TASKS)]
        (Path(home) / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
        programs = str(Path(sys.executable).parent)
        env = {"HOME": home, "PS1": PS1, "PATH": os.pathsep.join([programs, os.environ["PATH"]]), "SHELL": "bash"}
        with Terminal("bash", rc=False, cwd=home, size=(100, 2), env=env) as terminal:
            command = terminal.start("truetty map tasks.jsonl --out results.jsonl --no-rc")
            if command.wait(LIMIT, until.Screen(_is_worth_a_picture)).reached != "screen":
                raise SystemExit(f"the map has not come so far:\n{terminal.screen().text}")
            for theme in THEMES:
                picture = terminal.picture(title="truetty map", cursor=False, theme=theme)
                (PICTURES / f"map-{theme}.svg").write_text(picture)
            command.stop()


def _task(number: int) -> dict[str, Any]:
    """Most are done; some fail, some ask, and some take too long."""
    match number % 100:
        case 11 | 37 | 64 | 90:
            return {"commands": ["false"]}
        case 50:
            return {"commands": ["read -p 'Overwrite? ' answer"]}
        case 75:
            return {"commands": ["sleep 1000"], "timeout": 1}
        case _:
            return {"commands": ["true"]}


def _is_worth_a_picture(screen: Screen) -> bool:
    lines = [line for line in screen.lines if f" of {TASKS:,}" in line and all(kind in line for kind in KINDS)]
    return any(int(line.split(" of ")[0].split()[-1].replace(",", "")) >= SHOWN for line in lines)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    made = {"first": first, "map": progress}
    for name in sys.argv[1:] or made:
        made[name]()


if __name__ == "__main__":
    main()
