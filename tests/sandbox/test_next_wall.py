"""What a program inside leaves in the workspace opens nothing to the next terminal, whose wall is made after that."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE
from truetty.host import sandbox
from truetty.host.wall import Sandbox

Claim = Callable[[Path, Path], None]


@pytest.fixture
def other(workspace: Path) -> Path:
    """A directory that is not the sandbox's, with nothing in it."""
    (workspace.parent / "other").mkdir()
    return workspace.parent / "other"


async def refused(terminal: truetty.Terminal, line: str) -> None:
    outcome = await terminal.run(f"LC_ALL=C {line}", wait=PATIENCE)
    reasons = ("Read-only file system", "Not a directory")
    assert outcome.exit_code != 0 and any(reason in outcome.output for reason in reasons), (line, outcome)


def claim_by_file(workspace: Path, other: Path) -> None:
    (workspace / ".git").write_text(f"gitdir: {other}\n")


def claim_by_link(workspace: Path, other: Path) -> None:
    (workspace / ".git").symlink_to(os.path.relpath(other, workspace))


def claim_by_common_directory(workspace: Path, other: Path) -> None:
    own = workspace / "own"
    own.mkdir()
    (own / "gitdir").write_text(f"{workspace}/.git\n")
    (own / "commondir").write_text(f"{other}\n")
    (workspace / ".git").write_text("gitdir: own\n")


def claim_by_linked_hooks(workspace: Path, other: Path) -> None:
    subprocess.run(["git", "init", "-q", "--template=", str(workspace)], check=True)
    (workspace / ".git/hooks").symlink_to(os.path.relpath(other, workspace / ".git"))


@pytest.mark.parametrize(
    "claim",
    [claim_by_file, claim_by_link, claim_by_common_directory, claim_by_linked_hooks],
    ids=lambda one: one.__name__,
)
async def test_what_a_program_inside_calls_git_is_not_opened(workspace: Path, other: Path, claim: Claim) -> None:
    """Where there is no `.git`, it can be written. What git needs elsewhere is opened only if it is git's."""
    claim(workspace, other)
    async with truetty.Terminal("bash", cwd=workspace, rc=False, sandbox="workspace") as terminal:
        await refused(terminal, f"touch {other}/canary")
        await refused(terminal, "touch .git/canary .git/hooks/canary")
    assert os.listdir(other) == []


async def test_a_link_below_a_writable_place_opens_nothing(workspace: Path, other: Path) -> None:
    cache = workspace.parent / "cache"
    for folder in (cache, workspace / "build"):
        folder.mkdir()
    (cache / "pip").symlink_to(other)
    (workspace / "out").symlink_to(other)
    places = (cache / "pip", cache, workspace / "out", workspace / "build", workspace.parent / "nothing")
    wide = Sandbox("workspace", str(workspace), writable=tuple(map(str, places)))
    async with truetty.Terminal("bash", cwd=workspace, rc=False, sandbox=wide) as terminal:
        outcome = await terminal.run(f"touch {cache}/made build/made", wait=PATIENCE)
        assert outcome.exit_code == 0, outcome
        for place in (other, cache / "pip", "out"):
            await refused(terminal, f"touch {place}/made")
    assert (cache / "made").exists() and os.listdir(other) == []
    assert not (workspace.parent / "nothing").exists()


async def test_a_link_that_takes_the_place_of_git_meanwhile(
    workspace: Path, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program in another terminal changes it after our look, before bubblewrap's: nothing is started then."""
    (workspace / ".git").mkdir()
    late = tmp_path / "bwrap"
    swap = f"mv {workspace}/.git {workspace}/moved && ln -s ../other {workspace}/.git"
    late.write_text(f'#!/bin/sh\n{swap} && exec {shlex.quote(sandbox.BUBBLEWRAP)} "$@"\n')
    late.chmod(0o755)
    monkeypatch.setattr(sandbox, "BUBBLEWRAP", str(late))
    with pytest.raises(truetty.SpawnFailed, match=r"work/\.git was replaced while it was made"):
        await truetty.Terminal.open(["/bin/sh", "-c", f"touch {other}/canary"], cwd=workspace, sandbox="workspace")
    assert (workspace / ".git").is_symlink() and os.listdir(other) == []
