"""What a person sees of a shell that is recorded."""

from __future__ import annotations

import asyncio

import pytest

from tests.stage import PATIENCE, Stage, until
from truetty.cli import record
from truetty.terminal.terminal import Terminal


async def test_what_viewers_see_is_made_when_there_is_more_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage()
    terminal = await stage.open()
    calls: list[int] = []
    shown = Terminal.shown

    def counted(self: Terminal, since: int = 0) -> tuple[int, bytes]:
        calls.append(since)
        return shown(self, since)

    monkeypatch.setattr(Terminal, "shown", counted)
    showing = asyncio.ensure_future(record._show(terminal))
    await until(lambda: len(calls) == 2)  # what there was, and that there is no more
    for _ in range(100):
        terminal.changes.tell()
    assert len(calls) == 2
    stage.say(b"more")
    await until(lambda: len(calls) == 4)
    await terminal.close()
    await asyncio.wait_for(showing, PATIENCE)
