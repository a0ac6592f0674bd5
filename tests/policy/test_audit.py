"""The audit log: what is in a line, who may read it, and what a failure means."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from truetty.core.errors import Denied
from truetty.policy import Audit, Decision, Policy

DECISION = Policy.from_lists({"deny": ["rm"]}).decide("ls; rm 'a\nb'")


def test_a_line_says_it_all(tmp_path: Path) -> None:
    path = tmp_path / "state" / "audit.jsonl"
    audit = Audit(path)
    assert audit.record(DECISION, time=12.5, terminal="t1", task="job", answered_by="page", verdict="allow")
    assert audit.record(DECISION, time=13.0)
    first, second = map(json.loads, path.read_text().splitlines())
    assert first == {
        "time": 12.5,
        "event": "command",
        "terminal": "t1",
        "task": "job",
        "command": "ls; rm 'a\nb'",
        "verdict": "allow",
        "rule": "rm",
        "reason": DECISION.reason,
        "answered_by": "page",
    }
    assert (second["verdict"], second["terminal"], second["answered_by"]) == ("deny", None, None)


def test_a_line_about_a_person_says_how_much_was_typed(tmp_path: Path) -> None:
    Audit(tmp_path / "a").record(DECISION, time=1, event="typed", characters=7)
    line = json.loads((tmp_path / "a").read_text())
    assert (line["event"], line["characters"]) == ("typed", 7)


def test_nobody_else_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "audit.jsonl"
    before = os.umask(0)
    try:
        Audit(path).record(DECISION, time=1)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    Audit(path).record(DECISION, time=2)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text().splitlines()) == 2


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(Denied):
        Audit(tmp_path / "link").record(DECISION, time=1)
    assert target.read_text() == ""


def test_a_demanded_log_that_fails_denies(tmp_path: Path) -> None:
    with pytest.raises(Denied, match="audit log") as caught:
        Audit(tmp_path).record(Decision("allow", "It is.", None, "ls"), time=1)
    assert caught.value.command == "ls"
    assert Audit(tmp_path, required=False).record(DECISION, time=1) is False


def test_a_pipe_is_no_log_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert Audit(tmp_path / "pipe", required=False).record(DECISION, time=1) is False
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert Audit(tmp_path / "pipe", required=False).record(DECISION, time=1) is False
    finally:
        os.close(reader)


def test_a_torn_line_does_not_spoil_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "audit.jsonl"
    audit = Audit(path, required=False)
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:10]))
    assert audit.record(DECISION, time=1) is False
    monkeypatch.undo()
    assert audit.record(DECISION, time=2) is True
    torn, whole = path.read_text().splitlines()
    assert len(torn) == 10
    assert json.loads(whole)["time"] == 2


def test_a_long_command_is_cut_and_counted(tmp_path: Path) -> None:
    Audit(tmp_path / "a").record(Decision("ask", "Long.", None, "x" * 100_000), time=1)
    line = json.loads((tmp_path / "a").read_text())
    assert len(line["command"]) < 100_000
    assert line["command_characters"] == 100_000


def test_undecodable_text_is_recorded(tmp_path: Path) -> None:
    Audit(tmp_path / "a").record(Decision("ask", "Odd.", None, "\udcff\u202e\x1b"), time=1)
    assert (tmp_path / "a").read_bytes().isascii()
