"""How real shells are sent elsewhere, whatever a directory is called."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from truetty.service.registry import Registry
from truetty.shells.table import recognise

NAMES = (
    "with space",
    "quo'te\"s",
    "$HOME `id` $(id)",
    "wow!",
    "back\\slash",
    "line\nbreak",
    "-dash",
    "tab\there",
    "ünï",
)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash", "ksh93", "mksh", "busybox", "tcsh"])
async def test_every_shell_can_be_sent_everywhere(shell: str, home: Path, program: Callable[[str], str]) -> None:
    async with Registry(shell=program(shell), limit=1) as registry:
        start = await registry.acquire(home, task="a")
        for name in (*NAMES, os.fsdecode(b"raw\xff")):
            await start.run("true")
            place = made(home / name)
            terminal = await registry.acquire(place, task="a")
            assert terminal is start and terminal.cwd == str(place), name
        link = home / "link"
        link.symlink_to(made(home / "target"))
        await start.run("true")
        assert await registry.acquire(link, task="a") is start and start.cwd == str(home / "target")
        assert (await start.run("echo $PWD" if shell != "tcsh" else "echo $cwd")).output == f"{link}\n"


def test_what_cannot_be_sent_anywhere() -> None:
    assert recognise("rbash").cd is None and recognise("vi").cd is None


async def test_a_shell_without_the_right_to_go_there(home: Path, program: Callable[[str], str]) -> None:
    """A person's own `cd` does not matter; a restricted shell stays where it is, and another is opened."""
    (home / ".bashrc").write_text("cd() { echo never; return 7; }\nalias builtin=false\n")
    place = made(home / "place")
    async with Registry(shell=program("bash")) as registry:
        mine = await registry.acquire(home, task="a")
        await mine.run("true")
        assert await registry.acquire(place, task="a") is mine and mine.cwd == str(place)
        await mine.run("set -r")
        other = await registry.acquire(home, task="a")
        assert other is not mine and other.cwd == str(home)


async def test_when_there_is_no_working_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = made(home / "gone")
    monkeypatch.chdir(gone)
    gone.rmdir()
    async with Registry(shell="bash", rc=False) as registry:
        for cwd in ("relative", ""):
            with pytest.raises(truetty.SpawnFailed):
                await registry.acquire(cwd)
        mine = await registry.acquire(home, task="a")
        await mine.run("true")
        other = await registry.acquire(task="b")  # as a new terminal would: wherever that is
        assert other is not mine and await registry.acquire(task="a") is mine
    monkeypatch.chdir(home)


def made(path: Path) -> Path:
    path.mkdir()
    return path
