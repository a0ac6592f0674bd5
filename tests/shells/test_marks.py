"""Marks in the scripts and recipes of shells: each writes the form of `core/marks.py` in its own language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty.shells
from truetty.core import marks
from truetty.core.signs import Mark

SCRIPTS = sorted(Path(truetty.shells.__file__).with_name("scripts").glob("*.*"))

# What stands for ESC, BEL, a secret, an exit code, `$-` and the other fields in the languages of the shells.
_SPELLINGS = (
    (r"\\033|\\e(?=\])|\\u\{1b\}|@ESC@", marks.ESC),
    (r"\\007|\\a\b|\\a(?=[\\%'\"])|\\u\{07\}|@BEL@", marks.BEL),
    (r"@(?:KEY|START|END)@", "s" * 21),
    (r"\$\{@NAME@\[2\]@P\}", "5"),
    (r"\$\{#[^{}]+\}", "99"),
    (r"\$\{@NAME@\[16\]\}", "emacs:history"),
    (r"'\"\$\{@NAME@\[1\]\}\"\$'", "s" * 21),
    (r"\$\{?@NAME@(?:\[[13]\])?\}?|\$ended", "s" * 21),
    (r"(?<=[CDJMPR];)%s", "s" * 21),  # of the scripts that draw their secrets
    (r"\$\?|%%?\?|%s|\$1|\(\$tt\)|\{code[^{}]*\}", "7"),
    (r"\$-|\$2", "himBHs"),
)
_MARK = re.compile(rf"{marks.ESC}\]{marks.OWN.decode()};([^{marks.BEL}{marks.ESC}]*){marks.BEL}")


def printed(script: str) -> Iterator[str]:
    """The payloads that a script prints, as far as they stand in it whole."""
    for spelling, meaning in _SPELLINGS:
        script = re.sub(spelling, meaning, script)
    yield from _MARK.findall(script)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_each_script_writes_marks_as_they_are_read(path: Path) -> None:
    script = path.read_text()
    payloads = list(printed(script))
    openings = len(re.findall(rf"(?:\\033|\\e|\\u\{{1b\}}|@ESC@)\]{marks.OWN.decode()};", script))
    assert len(payloads) == openings >= 1, "a spelling of ESC or BEL that this test does not know"
    for payload in payloads:
        mark = marks.own(payload.encode(), 0, 1)
        assert isinstance(mark, Mark), payload
        assert mark.secret == "s" * 21
        assert mark.code == 7 or mark.letter != "D"
