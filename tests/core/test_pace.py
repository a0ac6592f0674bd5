"""When the kernel is looked at: rarely while nothing changes, soon after anything that tells of a change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from truetty.core.pace import LOOK_AFTER_KEYS, LOOK_AFTER_OUTPUT, SLOWEST_LOOKS, STEADY_LOOKS, Pace


def silent(pace: Pace, until: float) -> list[float]:
    """The times of all looks at a command that shows no change."""
    times = []
    while pace.at <= until:
        now = pace.at
        times.append(now)
        pace.look(now)
        pace.slower(now)
    return times


def test_looks_at_what_stands_still_become_rare() -> None:
    times = silent(Pace(0.0), 3600)
    assert len([time for time in times if time > 60]) <= (3600 - 60) / SLOWEST_LOOKS + 1
    assert len(times) < 800


@pytest.mark.parametrize("silence", [0.1, 1.0, 5.0, 20.0, 60.0, 3600.0])
def test_a_change_that_prints_nothing_is_seen_in_a_fraction_of_the_silence_before_it(silence: float) -> None:
    pace = Pace(0.0)
    silent(pace, silence)
    late = pace.at - silence
    assert late <= min(silence, STEADY_LOOKS) or late <= min(silence / 7, SLOWEST_LOOKS)


@pytest.mark.parametrize(
    ("change", "delay"),
    [
        (lambda pace, now: pace.bytes_flow(now), LOOK_AFTER_OUTPUT),
        (lambda pace, now: pace.soon(now, LOOK_AFTER_KEYS), LOOK_AFTER_KEYS),
        (lambda pace, now: pace.again(now, LOOK_AFTER_KEYS), LOOK_AFTER_KEYS),
    ],
    ids=["output", "keys or a mark", "a reader that may be asleep"],
)
def test_what_tells_of_a_change_makes_looks_frequent_again(change: Callable[[Pace, float], None], delay: float) -> None:
    pace = Pace(0.0)
    silent(pace, 3600)
    change(pace, 3600.0)
    assert pace.at <= 3600 + delay
    assert len(silent(pace, 3602)) >= 8  # as often as after the start


def test_a_flood_is_looked_at_all_the_same() -> None:
    pace, now = Pace(0.0), 0.0
    pace.look(now)
    while pace.at > now:
        now += LOOK_AFTER_OUTPUT / 2
        pace.bytes_flow(now)
        assert now < 3
