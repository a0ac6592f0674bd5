"""What the tests of the wall share: whether it stands here, and a place outside of everything private."""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from truetty.host.sandbox import problem
from truetty.host.wall import Sandbox


@cache
def no_wall() -> str | None:
    return problem(Sandbox("workspace"))


def require_wall() -> None:
    stop_if(no_wall())


def stop_if(reason: str | None) -> None:
    """Skip in bubblewrap's own words, unless the wall is required."""
    if reason is not None and os.environ.get("TRUETTY_WALL") == "required":
        pytest.fail(f"no wall stands here: {reason}", pytrace=False)
    if reason is not None:
        pytest.skip(f"no wall stands here: {reason}")


@contextmanager
def public_place() -> Iterator[Path]:
    """A directory of ours that no profile covers: not in /tmp, /var/tmp or /run."""
    parent = "/var/lib" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_dir  # $HOME is a test's, in /tmp
    place = Path(tempfile.mkdtemp(prefix="truetty-test-", dir=parent))
    try:
        yield place
    finally:
        shutil.rmtree(place)
