"""A new shell is one row: every part that knows shells by name knows it then."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_row_is_all_that_readers_need(tmp_path: Path, program: Callable[[str], str]) -> None:
    shutil.copy(program("dash"), tmp_path / "frob")
    (tmp_path / "sh").symlink_to("frob")
    command = [sys.executable, "-m", "tests.shells.made_up", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "recognise": ["frob"] * 3,
        "doctor": [True],
        "terminal": {
            "shell": "frob",
            "output": "hi\n",
            "strategy": "rich",
            "moved": True,
            "is a shell": True,
            "size of the read": 2,  # whatever it is
            "its own read": [False, True],
        },
        "policy": ["mksh", ["rm x"]],
        "reads one key": True,
        "continuation": True,
        "never answered": True,
        "signal": signal.SIGSEGV,
    }
