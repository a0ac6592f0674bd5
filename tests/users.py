"""A real user of this machine, made for a test and taken away after it. That takes root."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE

PACKAGE = Path(truetty.__file__).parent


@dataclass(frozen=True, slots=True)
class User:
    name: str
    password: str
    home: Path


@contextmanager
def new_user(parent: str | None = None) -> Iterator[User]:
    """His home is in `parent`, and has a copy of truetty."""
    name, password = f"tt{secrets.token_hex(4)}", secrets.token_hex(12)
    home = Path(tempfile.mkdtemp(prefix="tt-home-", dir=parent))
    try:
        until_done("useradd", "--no-create-home", "--home-dir", str(home), "--shell", "/bin/bash", name)
        until_done("chpasswd", text=f"{name}:{password}\n")
        shutil.copytree(PACKAGE, home / "truetty", ignore=shutil.ignore_patterns("__pycache__"))
        until_done("chown", "-R", name, str(home))
        yield User(name, password, home)
    finally:
        subprocess.run(["userdel", "--force", name], check=False, capture_output=True)
        shutil.rmtree(home, ignore_errors=True)


def until_done(*arguments: str, text: str | None = None) -> None:
    """Tools that change /etc/passwd fail while another one does."""
    deadline = time.monotonic() + PATIENCE
    while (done := subprocess.run(arguments, input=text, text=True, capture_output=True)).returncode:
        assert time.monotonic() < deadline, f"{arguments}: {done.stderr}"
        time.sleep(0.05)


def own_python(user: User) -> str:
    """A Python the user may run: ours may lie in root's home."""
    for python in ("/usr/bin/python3", shutil.which("python3") or ""):
        check = ["runuser", "-u", user.name, "--", python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        if python and subprocess.run(check, capture_output=True).returncode == 0:
            return python
    pytest.fail(f"no Python from 3.11 on that {user.name} may run", pytrace=False)
