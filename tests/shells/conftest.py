"""Real shells with a fresh HOME. xonsh and nu have tests where they are installed; the others must be there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.shells.driver import Session

Open = Callable[..., Session]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person's directory, with what zsh, fish and nu would otherwise ask or boast about at the first start."""
    path = tmp_path / "home"
    for folder, file, text in (
        (".config/fish", "config.fish", "set -g fish_greeting\n"),
        (".config/nushell", "config.nu", "$env.config.show_banner = false\n"),
        (".config/nushell", "env.nu", "\n"),
    ):
        (path / folder).mkdir(parents=True, exist_ok=True)
        (path / folder / file).write_text(text)
    (path / ".zshrc").touch()
    return path


@pytest.fixture
def open_session(home: Path, tmp_path: Path) -> Iterator[Open]:
    sessions: list[Session] = []
    path = str(tmp_path / "links") + os.pathsep + os.environ["PATH"]
    (tmp_path / "links").mkdir()
    if busybox := shutil.which("busybox"):
        (tmp_path / "links" / "ash").symlink_to(busybox)

    def opened(
        shell: str | Sequence[str],
        *,
        rc: bool = True,
        env: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
        ready: bool = True,
    ) -> Session:
        for name, text in (files or {}).items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        session = Session(shell, home=home, rc=rc, env=env, path=path)
        sessions.append(session)
        if ready:
            session.prompt()
        return session

    yield opened
    for session in sessions:
        session.close()
