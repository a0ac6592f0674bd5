"""What follows a command whose stream is cut at a moment that no test can choose: the server here is a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from truetty import ChannelLost
from truetty.cli.terminals.follow import follow

STARTED = {"event": "started", "at": 0}
OUTCOME = {"state": "finished", "exit_code": 5}
FINISHED = {"event": "finished", "at": 4, "outcome": OUTCOME}


class Script:
    """A server whose streams are cut behind these events; the command has finished when the first one was."""

    on = ""

    def __init__(self, *streams: list[dict[str, Any]]) -> None:
        self.streams = list(streams)
        self.places: list[int | None] = []  # from which each stream was asked for

    def again(self) -> Script:
        return self

    def stream(self, path: str, *, coalesce: float, at: int | None) -> Iterator[dict[str, Any]]:
        self.places.append(at)
        yield from self.streams.pop(0) if self.streams else []
        raise ChannelLost("it was cut")

    def get(self, path: str) -> dict[str, Any]:
        return OUTCOME


def output(text: str, at: int) -> dict[str, Any]:
    return {"event": "output", "text": text, "at": at}


@pytest.mark.parametrize("way", ["text", "json"])
def test_what_a_cut_stream_has_not_given_comes_from_the_next(capsys: pytest.CaptureFixture[str], way: Any) -> None:
    server: Any = Script([STARTED, output("one\n", 1)], [STARTED, output("two\n", 2), FINISHED])
    assert follow(server, "t1-1", way) == OUTCOME
    assert server.places == [None, 1]
    shown = capsys.readouterr().out
    if way == "text":
        assert shown == "one\ntwo\n"
    else:
        assert shown.count('"started"') == 1 and shown.count('"output"') == 2


def test_a_terminal_that_gives_no_end_is_not_asked_for_ever() -> None:
    server: Any = Script([STARTED], [STARTED], [STARTED])
    assert follow(server, "t1-1", "nothing") == OUTCOME
    assert len(server.places) == 2
