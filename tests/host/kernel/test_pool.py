"""Descriptors that are closed when too many are open."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from truetty.host.kernel import pool
from truetty.host.kernel.pool import Pooled


def pooled(path: Path, opened: list[int] | None = None) -> Pooled:
    def open() -> int:
        descriptor = os.open(path, os.O_RDONLY)
        if opened is not None:
            opened.append(descriptor)
        return descriptor

    return Pooled(open)


def test_the_one_that_was_used_longest_ago_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MOST_OPEN", 2)
    files = []
    for name in "abc":
        (tmp_path / name).write_text(name)
        files.append(pooled(tmp_path / name))
    a, b, c = files
    try:
        first = a.get()
        b.get()
        assert a.get() == first
        assert c.get() != first  # b was used longest ago
        assert a.get() == first
        assert os.pread(b.get(), 9, 0) == b"b"  # and is opened again; now c is closed
    finally:
        for one in files:
            one.close()


def test_what_was_closed_for_good_is_not_opened_again(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    opened: list[int] = []
    one = pooled(tmp_path / "a", opened)
    assert one.get() == one.get() == opened[0]
    one.close()
    one.close()
    with pytest.raises(FileNotFoundError):
        one.get()
    assert len(opened) == 1


def test_another_threads_are_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MOST_OPEN", 1)
    (tmp_path / "a").write_text("a")
    ours = pooled(tmp_path / "a")
    descriptor = ours.get()

    def elsewhere() -> None:
        theirs = pooled(tmp_path / "a")
        theirs.get()
        theirs.close()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert ours.get() == descriptor
    ours.close()
