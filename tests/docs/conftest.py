"""A small project to try the pages' examples in, and the terminal that a reader would sit at."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.server.live import Live
from truetty.server.start.place import Place

FILES = {
    "Makefile": "all:\n\t@echo compiling; echo linking\n\ntest:\n\t@echo 3 passed\n",
    "install.sh": "#!/bin/sh\nprintf 'Install it? [y/N] '\nread answer\necho \"answer: $answer\"\n",
    "test_sum.py": "def test_sum():\n    assert 1 + 1 == 2\n",
}


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A git repository with a Makefile, a script that asks, a test, and `./truetty`. `truetty` is on the PATH.

    A server that was started there is ended.
    """
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "install.sh").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    for name in ("NAME", "EMAIL"):
        for role in ("AUTHOR", "COMMITTER"):
            monkeypatch.setenv(f"GIT_{role}_{name}", "ada@example.org")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "A first version"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (folder / "truetty").symlink_to(ROOT / "truetty")
    monkeypatch.delenv("TRUETTY_STATE", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    yield folder
    Live(Path(Place.of(os.environ).folder)).end()
