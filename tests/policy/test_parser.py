"""The parser's process: found safely, bounded, and failing closed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from truetty.policy import Policy, parser
from truetty.policy.tree import Unreadable


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a program of our own in the parser's place."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    def write(script: str) -> None:
        path = tmp_path / parser.PROGRAM
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return write


def test_a_missing_parser_is_asked_and_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    decision = Policy.read_only().decide("ls")
    assert decision.verdict == "ask"
    assert "pip install '.[policy]'" in decision.reason
    assert Policy.from_lists({"deny": ["rm"]}, default="allow").decide("ls; rm x").verdict == "deny"
    assert Policy.allow_all().decide("ls").verdict == "allow"


def test_a_program_in_the_working_directory_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / parser.PROGRAM).write_text("#!/bin/sh\n")
    (tmp_path / parser.PROGRAM).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", "")
    for path in (".", "", "./"):
        monkeypatch.setenv("PATH", path)
        assert parser.find() is None
    monkeypatch.setenv("PATH", f".{os.pathsep}{tmp_path}")
    assert parser.find() == str(tmp_path / parser.PROGRAM)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 1", "no reason is given"),
        ("echo '1:2: odd thing' >&2; exit 1", "odd thing"),
        ("echo no json", "cannot be read"),
        ("echo '[]'", "cannot be read"),
        ('echo \'{"Type": "File", "New": 1}\'', "New"),
        ("cat >/dev/null; kill -9 $$", "does not parse"),
        ("exec <&-; echo '{}' ; echo '{}'", "cannot be read"),
    ],
)
def test_a_parser_that_fails_is_asked(fake, script: str, reason: str) -> None:
    fake(script)
    decision = Policy.read_only().decide("ls")
    assert decision.verdict == "ask"
    assert reason in decision.reason


def test_a_parser_may_take_so_much_cpu_time_and_no_more(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel ends it, though it passes over every signal that can be passed over, as Go programs do."""
    monkeypatch.setattr(parser, "CPU_SECONDS", 1)
    fake("trap '' XCPU TERM; while :; do :; done")
    assert "does not parse within 1 s" in Policy.read_only().decide("ls").reason


def test_time_that_a_parser_waits_is_not_counted(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine: what is limited is its own CPU time."""
    monkeypatch.setattr(parser, "CPU_SECONDS", 1)
    fake("sleep 1.5; exit 1")
    assert "no reason is given" in Policy.read_only().decide("ls").reason


def test_a_parser_that_does_not_end_is_ended(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "PATIENCE", 0.2)
    fake("exec sleep 1000")
    assert "come to an end" in Policy.read_only().decide("ls").reason


def test_an_endless_answer_is_cut(fake) -> None:
    fake("exec yes")
    assert Policy.read_only().decide("ls").verdict == "ask"


def test_a_parser_that_cannot_be_started_is_asked(fake) -> None:
    fake("")
    path = Path(parser.find() or "")
    path.write_text("#!/no/such/interpreter\n")
    assert "cannot be started" in Policy.read_only().decide("ls").reason


def test_nothing_of_ours_reaches_the_parser(fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    fake(f'/usr/bin/env > {tmp_path}/environment; pwd > {tmp_path}/directory; echo "$@" > {tmp_path}/arguments; exit 1')
    Policy.read_only().decide("ls", cwd=str(tmp_path))
    assert "SECRET" not in (tmp_path / "environment").read_text()
    assert (tmp_path / "directory").read_text() == "/\n"
    assert (tmp_path / "arguments").read_text() == "-ln bash --to-json\n"


@pytest.mark.parametrize(
    "unit", ["echo 1\n", "echo 1|", "true &&", "case a in a) ls;; esac\n", "cat <<E\nx\nE\n", "w ", "$(", "`", "'"]
)
def test_the_longest_command_line_is_parsed_and_a_longer_one_is_asked(unit: str) -> None:
    whole = (unit * parser.MOST_TEXT)[: parser.MOST_TEXT]
    assert "within" not in Policy.read_only().decide(whole).reason
    decision = Policy.read_only().decide(f"{whole} ")
    assert decision.verdict == "ask" and "longer than 16 kB" in decision.reason


def test_much_text_goes_through() -> None:
    text = "\n".join(f"echo {number}" for number in range(1_700))
    assert 15_000 < len(text) <= parser.MOST_TEXT
    decision = Policy.read_only().decide(text)
    assert (decision.verdict, len(decision.parts)) == ("allow", 1_700)


def test_an_unknown_shell_is_unreadable() -> None:
    for shell in ("fish", "tcsh", "nu", "powershell", "", "/"):
        with pytest.raises(Unreadable):
            parser.dialect_of(shell)
    assert parser.dialect_of("/opt/bin/zsh") == "zsh"
