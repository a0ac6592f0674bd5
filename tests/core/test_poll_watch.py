"""Whether a program only polls the keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest

from truetty.core.observation import Observation
from truetty.core.poll_watch import AWAKE_TIME, POLL_CPU, POLL_LOOKS, POLL_SPAN, PollWatch

POLLING = Observation("waiting", False, "key", 7, "irb", 1, timed=True, cpu=3.0)
AWAKE = Observation("running", busy=True, cpu=3.0)
STEP = POLL_SPAN / POLL_LOOKS


def proven() -> tuple[PollWatch, float]:
    """A watch that has seen a poller, and when."""
    watch, now = PollWatch(), 0.0
    while not watch.on_reader(replace(POLLING, wakes=int(now * 10)), now):
        now += STEP
    return watch, now


@pytest.mark.parametrize("step", [STEP / 10, STEP, POLL_SPAN * 2])
def test_it_takes_a_second_and_some_looks(step: float) -> None:
    watch, looks = PollWatch(), 0
    while not watch.on_reader(POLLING, looks * step):
        looks += 1
    assert looks * step >= POLL_SPAN and looks + 1 >= POLL_LOOKS
    assert looks * step <= POLL_SPAN + step or looks + 1 == POLL_LOOKS


@pytest.mark.parametrize(
    "other",
    [
        replace(POLLING, reader=8),
        replace(POLLING, kind="line"),
        replace(POLLING, timed=False),
        replace(POLLING, cpu=None),
    ],
)
def test_another_reader_starts_the_second_anew(other: Observation) -> None:
    watch, now = proven()
    assert not watch.on_reader(other, now + STEP)
    assert not watch.on_reader(POLLING, now + 2 * STEP)


def test_output_or_keys_start_the_second_anew() -> None:
    watch, now = proven()
    watch.forget()
    assert not watch.on_reader(POLLING, now + STEP)


def test_who_uses_cpu_is_at_work() -> None:
    watch, now = proven()
    assert not watch.is_at_work(replace(POLLING, cpu=3.0 + POLL_CPU / 2), now + STEP)
    assert watch.is_at_work(replace(POLLING, cpu=3.0 + POLL_CPU * 3), now + STEP)
    assert watch.is_at_work(replace(POLLING, cpu=1.0), now + STEP)  # a process that had used two seconds is gone
    assert not PollWatch().is_at_work(POLLING, now)


def test_the_cpu_of_a_long_rest_is_no_credit() -> None:
    watch, now = proven()
    for hour in range(1, 4):
        assert watch.on_reader(POLLING, now + hour * 3600)
    assert watch.is_at_work(replace(POLLING, cpu=4.0), now + 3 * 3600 + 1)


def test_a_poller_is_awake_for_a_moment() -> None:
    watch, now = proven()
    for later in (now + 5, now + 100):
        assert watch.is_awake(AWAKE, later)
        assert watch.is_awake(AWAKE, later + AWAKE_TIME / 2)
        assert watch.on_reader(POLLING, later + AWAKE_TIME)
    assert watch.is_awake(AWAKE, now + 200)
    assert not watch.is_awake(AWAKE, now + 200 + AWAKE_TIME)


@pytest.mark.parametrize(
    "look",
    [
        replace(AWAKE, busy=False),  # blocked on something else
        replace(AWAKE, cpu=4.0),
        replace(AWAKE, cpu=None),
        Observation("stopped", cpu=3.0),
        POLLING,
    ],
)
def test_what_is_no_poller_awake(look: Observation) -> None:
    watch, now = proven()
    assert not watch.is_awake(look, now + STEP)
    watch.forget()
    assert not watch.is_awake(AWAKE, now + STEP)
