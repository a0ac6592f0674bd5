"""The ring of events, and its listeners."""

from __future__ import annotations

import json
from typing import Any

import pytest

from truetty.server import limits
from truetty.server.events import Events, Listener


@pytest.fixture
async def events() -> Events:
    return Events(lambda: {"terminals": ["all"], "commands": [], "questions": []}, clock=lambda: 5.0)


def take(listener: Listener) -> list[dict[str, Any]]:
    return [json.loads(text) for text in listener.take()]


async def test_numbers_and_order(events: Events) -> None:
    listener = events.listen()
    events.publish("opened", terminal=1)
    events.publish("closed", terminal=1)
    assert listener.wake.is_set()
    first, second = take(listener)
    assert first == {"seq": 1, "epoch": events.epoch, "at": 5.0, "event": "opened", "terminal": 1}
    assert (second["seq"], take(listener)) == (2, [])
    assert [one["seq"] for one in take(events.listen(1))] == [2]
    assert take(events.listen(2)) == [] == take(events.listen(2, events.epoch))


async def test_when_a_listener_begins_anew(events: Events) -> None:
    for _ in range(3):
        events.publish("changed")
    for listener in (events.listen(4), events.listen(1, "another life")):
        (reset,) = take(listener)
        assert (reset["event"], reset["seq"], reset["terminals"]) == ("reset", events.seq, ["all"])
        events.publish("changed")
        assert [one["event"] for one in take(listener)] == ["changed"]


async def test_one_that_is_far_behind(events: Events) -> None:
    listener = events.listen()
    for _ in range(limits.MOST_BEHIND):
        events.publish("changed")
    late = events.listen(0)
    assert len(take(listener)) == limits.MOST_BEHIND
    events.publish("changed")
    assert [one["event"] for one in take(late)] == ["reset"]


async def test_the_ring_is_bounded(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_EVENTS", 5)
    for _ in range(9):
        events.publish("changed")
    assert [one["seq"] for one in take(events.listen(4))] == [5, 6, 7, 8, 9]
    assert [one["event"] for one in take(events.listen(3))] == ["reset"]
    monkeypatch.setattr(limits, "MOST_EVENT_BYTES", 1000)
    events.publish("changed", text="x" * 2000)
    assert [one["seq"] for one in take(events.listen(9))] == [10]
    assert [one["event"] for one in take(events.listen(8))] == ["reset"]


async def test_one_that_has_left(events: Events) -> None:
    listener = events.listen()
    assert events.listeners == 1
    listener.close()
    assert events.listeners == 0
    events.publish("changed")
    assert not listener.wake.is_set()
