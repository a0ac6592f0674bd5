"""`truetty explain`: how the outcome of the last run is known."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import warm


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("SHELL", "/bin/bash")


def truetty(*words: str) -> tuple[int, str, str]:
    ran = warm.run(*words, stdin=None, env=dict(os.environ))
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def test_the_last_run_is_explained_without_its_words(home: Path) -> None:
    assert truetty("run", "--no-rc", "echo hunter2; (exit 3)")[0] == 3
    code, said, _ = truetty("explain", "--last")
    assert code == 0 and said.startswith("The command finished with exit code 3 after ")
    assert "Evidence: mark." in said and "mark C" in said and "hunter2" not in said
    kept = home / "state" / "truetty" / "last-run"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert truetty("run", "--no-rc", "true")[0] == 0
    assert truetty("explain")[1].startswith("The command finished with exit code 0 after ")


@pytest.mark.parametrize("columns", [45, 80])
def test_it_fits_the_terminal(columns: int, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert truetty("run", "--no-rc", "true")[0] == 0
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = truetty("explain")[1].splitlines()
    assert max(map(len, lines)) <= columns
    assert any(line.endswith(" s  sent to the shell's editor, as") for line in lines) == (columns == 45)
    assert (f"{'':15}if typed" in lines) == (columns == 45)


def test_nothing_is_known_yet() -> None:
    assert truetty("explain") == (125, "", "truetty: nothing is known of a last run: truetty run keeps it\n")


def test_a_run_goes_on_where_nothing_can_be_kept(home: Path) -> None:
    (home / "state").write_text("a file")
    assert truetty("run", "--no-rc", "echo fine") == (0, "fine\n", "")
