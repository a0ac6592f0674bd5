"""The project in which clients work: a small repository with a history."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.clients.script import COMMITS


def make_project(folder: Path) -> None:
    (folder / "sub").mkdir(parents=True)
    for name in ("alpha.txt", "beta.txt"):
        (folder / name).write_text(f"{name}\n")
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str, stdin: str = "") -> None:
        subprocess.run(
            ("git", *arguments), cwd=folder, env=environ, check=True, capture_output=True, input=stdin, text=True
        )

    git("init", "-q", "-b", "main")
    history = "".join(
        f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1_700_000_000 + 60 * number} +0000\n"
        f"data <<END\ncommit {number}\nEND\n"
        for number in range(1, COMMITS + 1)
    )
    git("fast-import", "--quiet", stdin=history)
