"""Mounts: what is mounted where it is, and is still what it was."""

from __future__ import annotations

import os
from pathlib import Path

from truetty.host.mounts import Mounts


def test_a_mount_point_that_is_the_same() -> None:
    assert Mounts(["/proc"]).first_wrong(os.getpid()) is None
    assert Mounts([]).first_wrong(os.getpid()) is None


def test_what_is_no_mount_point_or_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc")
    for path in (str(tmp_path), str(tmp_path / "link"), str(tmp_path / "nothing")):
        assert Mounts(["/proc", path]).first_wrong(os.getpid()) == path
