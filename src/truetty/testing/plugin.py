"""The pytest plug-in: the fixtures `terminal` and `terminals`; a failed test shows their screens and keeps recordings.

pytest loads it by itself where truetty is installed. Nothing of truetty is imported before a test uses a fixture.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import truetty  # its names are imported when they are first used

FOLDER: Final = "truetty"  # in pytest's cache, which no repository keeps
_terminals: Final = pytest.StashKey["Terminals"]()


class Terminals:
    """Opens terminals for one test. They are closed when it has ended."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.opened: list[truetty.sync.Terminal] = []

    def __call__(self, shell: str | list[str] | None = "bash", **arguments: Any) -> truetty.sync.Terminal:
        """A `truetty.sync.Terminal`; by default bash without start-up files, in the folder of the test."""
        given = {"rc": False, "cwd": self._home, **arguments}
        given["env"] = {"HOME": str(self._home), **(arguments.get("env") or {})}
        terminal = truetty.sync.Terminal(shell, **given)
        self.opened.append(terminal)
        return terminal

    def close(self) -> None:
        for terminal in self.opened:
            terminal.close()


@pytest.fixture
def terminals(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminals]:
    """Opens terminals: `zsh = terminals("zsh")`. They are closed at the end of the test."""
    made = Terminals(tmp_path)
    request.node.stash[_terminals] = made
    yield made
    made.close()


@pytest.fixture
def terminal(terminals: Terminals) -> truetty.sync.Terminal:
    """A `truetty.sync.Terminal` with bash, without start-up files, in the test's own folder."""
    return terminals()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    made = item.stash.get(_terminals, None)
    if made is not None and report.when == "call" and report.failed:
        for number, terminal in enumerate(made.opened, 1):
            title = f"terminal {terminal.id} ({terminal.shell})"
            report.sections.append((title, "\n".join([*_sight(terminal), *_keep(item, terminal, number)])))
    return report


def _sight(terminal: truetty.sync.Terminal) -> list[str]:
    from truetty.sync.bridge import unwrap
    from truetty.sync.loop import loop
    from truetty.testing.expectation import frame, standing

    inner = unwrap(terminal)
    return loop.ask(lambda: [*standing(inner), *frame(inner.screen())])


def _keep(item: pytest.Item, terminal: truetty.sync.Terminal, number: int) -> list[str]:
    """A recording of all that the terminal has shown, in pytest's cache."""
    cache = getattr(item.config, "cache", None)
    if cache is None:
        return []
    name = re.sub(r"[^\w.-]+", "_", item.nodeid)[-150:]
    path = cache.mkdir(FOLDER) / f"{name}.{number}.cast"
    try:
        terminal.record(path, overwrite=True).stop()
    except Exception as error:  # a recording is a help: without it the failure must still be shown
        return [f"no recording: {error}"]
    return [f"recording: truetty replay {path}"]
