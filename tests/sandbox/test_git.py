"""Git works behind the wall, and what it runs outside stays as it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE
from tests.sandbox.walls import public_place

COMMIT = "git -c user.name=a -c user.email=b commit -q --allow-empty -m"


@pytest.fixture
def repository(home: Path) -> Iterator[Path]:
    """With one commit, in no private place."""
    with public_place() as place:
        repository = place / "repository"
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        (repository / ".git/hooks").mkdir(exist_ok=True)
        subprocess.run([*COMMIT.split(), "first"], cwd=repository, check=True)
        yield repository


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def git(repository: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=repository, check=True, capture_output=True, text=True).stdout


async def refused(terminal: truetty.Terminal, line: str, *reasons: str) -> None:
    outcome = await terminal.run(f"LC_ALL=C; {line}", wait=PATIENCE)
    assert outcome.exit_code != 0 and any(reason in outcome.output for reason in reasons), (line, outcome)


async def test_another_git_cannot_take_its_place(repository: Path) -> None:
    before = content(repository / ".git")
    async with truetty.Terminal("bash", cwd=repository, rc=False, sandbox="workspace") as terminal:
        line = "mv .git moved && mkdir -p .git/hooks && echo echo canary > .git/hooks/pre-commit"
        await refused(terminal, line, "Device or resource busy")
        await refused(terminal, "rmdir .git/hooks || mv .git/hooks .git/moved", "Device or resource busy")
        await refused(terminal, "mv .git/config .git/moved", "Device or resource busy")
        await refused(terminal, "ln -sfT /tmp .git", "Device or resource busy", "cannot overwrite directory")
    assert content(repository / ".git") == before
    assert sorted(os.listdir(repository)) == [".git"]


async def test_a_linked_worktree(repository: Path) -> None:
    """Its branches and objects are in the other directory, and so are the hooks and the configuration."""
    linked = repository.parent / "linked"
    git(repository, "worktree", "add", "-q", "-b", "topic", str(linked))
    hooks, config = repository / ".git/hooks", repository / ".git/config"
    before = content(hooks), config.read_bytes(), (linked / ".git").read_bytes()
    async with truetty.Terminal("bash", cwd=linked, rc=False, sandbox="workspace") as terminal:
        outcome = await terminal.run(f"echo x > file && git add file && {COMMIT} second", wait=PATIENCE)
        assert outcome.exit_code == 0, outcome
        outcome = await terminal.run("git switch -q -c other && git status --short && git gc -q", wait=PATIENCE)
        assert (outcome.exit_code, outcome.output) == (0, ""), outcome
        await refused(terminal, f"echo echo canary > {hooks}/pre-commit", "Read-only file system")
        await refused(terminal, f"echo >> {config}", "Read-only file system")
        await refused(terminal, "git config core.hooksPath .", "Device or resource busy", "Read-only file system")
        await refused(terminal, "echo gitdir: /tmp > .git", "Read-only file system")
        await refused(terminal, "rm -f .git", "Device or resource busy", "Read-only file system")
        await refused(terminal, f"mv {repository}/.git {repository}/moved", "Read-only file system")
        await refused(terminal, f"touch {repository}/file", "Read-only file system")
    assert (content(hooks), config.read_bytes(), (linked / ".git").read_bytes()) == before
    assert git(repository, "log", "--format=%s", "other").splitlines() == ["second", "first"]
    assert not (repository / "file").exists()


async def test_a_submodule(repository: Path) -> None:
    """Its directory is in the one of the repository that it is part of."""
    parent = repository.parent / "parent"
    git(repository.parent, "init", "-q", str(parent))
    git(parent, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "part")
    own = parent / ".git/modules/part"
    (own / "hooks").mkdir(exist_ok=True)
    async with truetty.Terminal("bash", cwd=parent / "part", rc=False, sandbox="workspace") as terminal:
        outcome = await terminal.run(f"{COMMIT} second", wait=PATIENCE)
        assert outcome.exit_code == 0, outcome
        await refused(terminal, f"echo >> {own}/config", "Read-only file system")
        await refused(terminal, f"touch {own}/hooks/pre-commit", "Read-only file system")
        await refused(terminal, f"touch {parent}/.git/canary", "Read-only file system")
    assert git(parent / "part", "log", "--format=%s").splitlines() == ["second", "first"]
