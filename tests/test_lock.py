"""`requirements.lock`, and how the set-up reads it."""

from __future__ import annotations

import re

import pytest

from tests.rows import each_row
from tools.environment import ROOT, blocks, needed, roots

TEXT = (ROOT / "requirements.lock").read_text()
LOCK = blocks(TEXT)

SMALL = """\
app==1.0 \\
    --hash=sha256:aa
    # via truetty (pyproject.toml)
Deep.Part==2.0 ; python_version < '3.14' \\
    --hash=sha256:bb
    # via
    #   app
    #   tester
part==3.0 \\
    --hash=sha256:cc
    # via deep-part
tester==4.0 \\
    --hash=sha256:dd
    # via truetty (pyproject.toml)
"""


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"app"}, ["app", "deep-part", "part"]),
        ({"tester"}, ["deep-part", "part", "tester"]),
        ({"part"}, ["part"]),
        ({"unheard-of"}, []),
        (set(), []),
    ],
)
def test_a_package_brings_along_what_it_needs(wanted: set[str], found: list[str]) -> None:
    small = blocks(SMALL)
    assert needed(wanted, small) == [small[name] for name in found]


@pytest.mark.parametrize("kind", ["run", "dev"])
def test_everything_asked_for_is_locked(kind: str) -> None:
    assert roots(kind) - LOCK.keys() == set()


def test_what_runs_needs_nothing_of_the_tests() -> None:
    chosen = set(needed(roots("run"), LOCK))
    assert {LOCK["pyavt"], LOCK["google-re2"]} <= chosen
    assert not {LOCK["pytest"], LOCK["mypy"], LOCK["ruff"]} & chosen


def test_the_whole_lock_is_used() -> None:
    assert len(needed(roots("dev"), LOCK)) == len(LOCK) == len(re.findall(r"^\S+==", TEXT, flags=re.MULTILINE))


@each_row("name", LOCK)
def test_each_package_has_its_hashes(name: str) -> None:
    assert "--hash=sha256:" in LOCK[name]


def test_the_lock_names_no_place() -> None:
    """The user who installs packages says where they come from."""
    assert re.findall(r"://|^-|^/|@ ", TEXT, flags=re.MULTILINE) == []
