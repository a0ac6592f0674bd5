"""`truetty settings` as people read it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import warm
from truetty.settings import FIELDS


def run(*words: str, **env: str) -> tuple[int, str, str]:
    done = warm.run("settings", *words, stdin=None, env={**os.environ, **env})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(autouse=True)
def fresh(home: Path) -> None:
    pass


def test_only_what_differs_is_printed_unless_all_is_asked_for() -> None:
    _, few, _ = run(TRUETTY_SIZE="80x24")
    assert "size = [80, 24]  (TRUETTY_SIZE)\n" in few and "quota" not in few
    assert f"{len(FIELDS) - 1} others have their default: truetty settings --all\n" in few
    assert f"\nall {len(FIELDS)} settings have their default: truetty settings --all\n" in run()[1]
    _, every, _ = run("--all")
    assert all(f"\n{name} = " in every for name in FIELDS) and "others" not in every


def test_what_off_means_is_said() -> None:
    _, every, _ = run("--all", TRUETTY_QUOTA="off")
    for line in ('shell = "off"  (your own shell; default)', 'quota = "off"  (no bound; TRUETTY_QUOTA)'):
        assert line in every.splitlines()


@pytest.mark.parametrize("columns", [45, 80])
def test_a_page_fits_the_width(columns: int) -> None:
    lines = run("--all", COLUMNS=str(columns))[1].splitlines()
    settings = [line for line in lines if not line.startswith(("file: ", "not settings"))]
    assert max(map(len, settings)) <= columns
    texts = [line for line in lines if line.startswith("    ")]
    words = " ".join(" ".join(texts).split())
    assert all(row.help in words for row in FIELDS.values())


def test_one_value() -> None:
    assert run("get", "quota") == (0, '"1 GiB"\n', "")
    assert run("get", "shell") == (0, '"off"\n', "")
    assert run("get", "size", TRUETTY_SIZE="80x24") == (0, "[80, 24]\n", "")
    status, printed, said = run("get", "quotta")
    assert (status, printed) == (125, "") and "did you mean quota" in said
