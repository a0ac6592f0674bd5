"""Who reads the keyboard, since when, as what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from truetty.core import testimony as said  # pytest would take a `Testimony` of ours for a class of tests
from truetty.core.observation import Observation, ReadKind
from truetty.core.pace import LOOK_AFTER_KEYS
from truetty.core.poll_watch import POLL_SPAN
from truetty.core.reader_watch import AGREEING_LOOKS, AGREEING_SPAN, WAKE_LIMIT, WAKE_TIME, KeyboardReader, ReaderWatch
from truetty.core.signs import Mark
from truetty.testing import SECRETS

SHELL = 100


def watch(*, alternate_screen: bool = False, sees: bool = True) -> ReaderWatch:
    return ReaderWatch(SHELL, alternate_screen=alternate_screen, sees=sees)


def marks(*, started: bool = True, continuation: bool = False) -> said.Testimony:
    made = said.Testimony(SECRETS, has_marks=True, sees=True)
    if started:
        made.on_start(Mark(0, 9, "C", SECRETS.start), first=True)
    if continuation:
        made.on_mark(Mark(9, 18, "2", SECRETS.key), True)
    return made


def reading(
    kind: ReadKind | None = "line", *, conclusive: bool = True, reader: int = 7, wakes: int = 1, busy: bool = False
) -> Observation:
    return Observation("waiting", conclusive, kind, reader, "cat", wakes, None, busy)


def test_one_conclusive_look_is_enough() -> None:
    reader = watch()
    assert reader.on_away(reading("secret"), 1.0, marks()) is None
    assert reader.waiting == KeyboardReader("secret", "cat", True) and reader.number == 1


def test_a_conclusive_look_beside_somebody_at_work_must_hold() -> None:
    reader = watch()
    for number in range(AGREEING_LOOKS):
        assert reader.waiting is None
        reader.on_away(reading(busy=True), number * AGREEING_SPAN, marks())
    assert reader.waiting is not None


def test_a_program_that_listens_asks_beside_an_unfinished_line_or_on_the_alternate_screen() -> None:
    look = replace(reading(conclusive=False), listens=True)
    for alternate_screen, line_open in ((False, False), (False, True), (True, False)):
        reader = watch(alternate_screen=alternate_screen)
        for number in range(AGREEING_LOOKS):
            reader.on_away(look, number * AGREEING_SPAN, marks(), line_open=line_open)
        assert (reader.waiting is not None) == (alternate_screen or line_open)


def test_who_asked_and_then_listens_asks_no_more() -> None:
    reader = watch()
    look = replace(reading(conclusive=False), listens=True)
    for number in range(AGREEING_LOOKS):
        reader.on_away(look, number * AGREEING_SPAN, marks(), line_open=True)
    assert reader.waiting is not None
    reader.on_away(look, 1.0, marks(), line_open=False)
    assert reader.waiting is None


@pytest.mark.parametrize("between", [AGREEING_SPAN / 2, AGREEING_SPAN / 10])
def test_suggestive_looks_must_agree_in_number_and_over_time(between: float) -> None:
    reader, looks = watch(), 0
    while reader.waiting is None:
        delay = reader.on_away(reading(conclusive=False), looks * between, marks())
        assert delay == AGREEING_SPAN / AGREEING_LOOKS or reader.waiting is not None
        looks += 1
    assert looks >= AGREEING_LOOKS and (looks - 1) * between >= AGREEING_SPAN and not reader.waiting.certain


def test_the_time_between_looks_is_not_that_in_which_we_had_no_cpu() -> None:
    """Made in an instant, of which we hear a second later: they may show one sleep of a tenth of a second."""
    reader = watch()
    reader.on_away(reading(conclusive=False), 0.0, marks(), asked=0.0)
    for number in range(1, AGREEING_LOOKS + 1):
        reader.on_away(reading(conclusive=False), 1.0 + number, marks(), asked=number / 100)
    assert reader.waiting is None
    reader.on_away(reading(conclusive=False), 9.0, marks(), asked=AGREEING_SPAN)
    assert reader.waiting is not None


@pytest.mark.parametrize(
    "other", [reading(conclusive=False, wakes=2), reading(conclusive=False, reader=8), reading("key", conclusive=False)]
)
def test_suggestive_looks_at_something_else_start_anew(other: Observation) -> None:
    reader = watch()
    reader.on_away(reading(conclusive=False), 0.0, marks())
    reader.on_away(reading(conclusive=False), 0.1, marks())
    reader.on_away(other, 0.2, marks())
    assert reader.waiting is None


def test_a_suggestive_reader_at_work_counts_for_nothing() -> None:
    reader = watch()
    for number in range(10):
        reader.on_away(reading(conclusive=False, busy=True), number, marks())
    assert reader.waiting is None


def polling(now: float, *, cpu: float = 1.0) -> Observation:
    """One of many looks at a reader that wakes ten times a second."""
    return replace(reading("key", conclusive=False, wakes=int(now * 10)), timed=True, cpu=cpu)


def polled(reader: ReaderWatch) -> float:
    """Looks at a poller until it waits; returns when that is."""
    now = 0.0
    while reader.waiting is None:
        delay = reader.on_away(polling(now), now, marks())
        now += delay or 0.0
    return now


def test_a_reader_that_only_polls_waits_after_a_second() -> None:
    reader = watch()
    assert POLL_SPAN <= polled(reader) < 2 * POLL_SPAN
    assert reader.waiting == KeyboardReader("key", "cat", False) and reader.number == 1


def test_equal_looks_between_two_polls_say_nothing() -> None:
    """The program that polls may end with the next poll: a child of its own has just ended."""
    reader, look = watch(), polling(0.0)
    for number in range(10):
        reader.on_away(look, number * AGREEING_SPAN / AGREEING_LOOKS, marks())
    assert reader.waiting is None


def test_a_poller_that_is_seen_awake_still_waits_and_one_at_work_does_not() -> None:
    reader = watch()
    now = polled(reader)
    assert reader.on_away(Observation("running", busy=True, cpu=1.0), now + 5, marks()) == LOOK_AFTER_KEYS
    assert reader.waiting is not None
    reader.on_away(polling(now + 5), now + 5.1, marks())
    assert reader.waiting is not None and reader.number == 1
    reader.on_away(polling(now + 6, cpu=2.0), now + 6, marks())
    assert reader.waiting is None


def test_a_poller_that_listens_asks_beside_an_unfinished_line() -> None:
    for line_open in (False, True):
        reader = watch()
        for number in range(20):
            now = number * POLL_SPAN / 10
            reader.on_away(replace(polling(now), listens=True), now, marks(), line_open=line_open)
        assert (reader.waiting is not None) == line_open


def test_output_or_nobody_ends_it_and_the_next_is_another() -> None:
    reader = watch()
    reader.on_away(reading(), 0.0, marks())
    reader.on_away(reading(), 1.0, marks())
    assert reader.number == 1
    reader.on_bytes()
    assert reader.waiting is None
    reader.on_away(reading(), 2.0, marks())
    assert reader.number == 2
    reader.on_away(Observation("running"), 3.0, marks())
    assert reader.waiting is None


def test_output_of_another_program_changes_nothing() -> None:
    asleep = replace(reading(), in_main_thread=True)
    reader = watch()
    reader.on_away(asleep, 0.0, marks())
    assert reader.sleeper == (7, 1)
    reader.on_bytes(ran=False)
    assert reader.waiting is not None and reader.number == 1
    reader.on_bytes(ran=True)
    assert reader.waiting is None and reader.sleeper is None


def test_suggestive_looks_agree_beside_output_of_another_program() -> None:
    asleep = replace(reading(conclusive=False), in_main_thread=True)
    reader = watch()
    for number in range(AGREEING_LOOKS):
        reader.on_away(asleep, number * AGREEING_SPAN, marks())
        reader.on_bytes(ran=False)
    assert reader.waiting is not None


@pytest.mark.parametrize(
    "look",
    [
        reading(),  # in a thread beside the main one
        replace(reading(), in_main_thread=True, wakes=None),
        replace(reading(conclusive=False), in_main_thread=True, listens=True),
    ],
)
def test_of_whom_it_cannot_be_told_whether_it_printed(look: Observation) -> None:
    reader = watch()
    reader.on_away(look, 0.0, marks(), line_open=True)
    assert reader.sleeper is None


def test_keys_or_a_new_command_end_the_sleep() -> None:
    asleep = replace(reading(), in_main_thread=True)
    reader = watch()
    reader.on_away(asleep, 0.0, marks())
    reader.on_keys(1.0, needed=0, wakes=True)
    assert reader.sleeper is None
    reader.on_away(replace(asleep, wakes=2), 2.0, marks())
    reader.on_command()
    assert reader.sleeper is None and reader.waiting is None


def test_after_keys_the_same_sleeper_counts_when_it_has_run_or_had_the_time_to() -> None:
    reader = watch()
    reader.on_away(reading(wakes=5), 0.0, marks())
    reader.on_keys(1.0, needed=0, wakes=False)
    assert reader.on_away(reading(wakes=5), 1.0 + WAKE_TIME / 2, marks()) == LOOK_AFTER_KEYS and reader.waiting is None
    reader.on_away(reading(wakes=6), 1.0 + WAKE_TIME / 2, marks())
    assert reader.waiting is not None
    reader.on_keys(2.0, needed=0, wakes=False)
    reader.on_away(reading(wakes=6), 2.0 + WAKE_TIME, marks())
    assert reader.waiting is not None
    reader.on_keys(4.0, needed=0, wakes=True)
    reader.on_away(reading(wakes=6), 4.0 + WAKE_LIMIT / 2, marks())
    assert reader.waiting is None
    reader.on_away(reading(wakes=6), 4.0 + WAKE_LIMIT, marks())
    assert reader.waiting is not None  # another program has read them


def test_keys_that_were_sent_to_no_known_reader_may_not_have_reached_the_first_that_is_seen() -> None:
    reader = watch()
    reader.on_keys(1.0, needed=0, wakes=True)
    assert reader.on_away(reading(), 1.1, marks()) == LOOK_AFTER_KEYS
    reader.on_away(reading(wakes=2), 1.2, marks())
    assert reader.waiting is not None
    sleeper = watch()
    sleeper.on_keys(1.0, needed=0, wakes=True)
    sleeper.on_away(reading(), 1.1, marks())
    sleeper.on_away(reading(), 1.1 + WAKE_TIME, marks())
    assert sleeper.waiting is not None  # it had read them before it was seen


def test_where_runs_are_not_counted_a_reader_has_the_short_time_to_wake_up() -> None:
    reader = watch()
    uncounted = Observation("waiting", True, "line", 7, "cat", None)
    reader.on_away(uncounted, 0.0, marks())
    reader.on_keys(1.0, needed=0, wakes=True)
    assert reader.on_away(uncounted, 1.1, marks()) == LOOK_AFTER_KEYS and reader.waiting is None
    reader.on_away(uncounted, 1.1 + WAKE_TIME, marks())
    assert reader.waiting is not None


def test_the_shell_has_run_when_it_has_read_the_keys() -> None:
    reader = watch()
    reader.on_keys(1.0, needed=1008, wakes=True)
    first = Observation("waiting", True, "line", SHELL, "dash", 1, 1000)
    assert reader.on_away(first, 1.1, marks()) == LOOK_AFTER_KEYS and reader.waiting is None
    reader.on_away(replace(first, consumed=1008), 1.2, marks())
    assert reader.waiting is not None


@pytest.mark.parametrize(
    ("look", "screen", "continuation", "started", "kind"),
    [
        (reading("key"), True, False, True, "fullscreen"),
        (reading("line"), True, False, True, "line"),
        (reading(None), False, False, True, "key"),
        (reading("continuation", reader=SHELL), False, False, True, "line"),
        (reading("continuation", reader=SHELL), False, False, False, "continuation"),
        (reading("line", reader=SHELL), False, True, True, "continuation"),
        (reading("line", reader=7), False, True, True, "line"),
        (reading("continuation", reader=7), False, False, True, "continuation"),
    ],
)
def test_kinds(look: Observation, screen: bool, continuation: bool, started: bool, kind: str) -> None:
    reader = watch(alternate_screen=screen)
    reader.on_away(look, 0.0, marks(started=started, continuation=continuation))
    assert reader.waiting is not None and reader.waiting.kind == kind


@pytest.mark.parametrize(
    ("alternate_screen", "kind", "found"),
    [(True, "shell", ("fullscreen", "mc")), (True, "line", ("line", "cat")), (False, "shell", ("shell", "cat"))],
)
def test_on_the_alternate_screen_keys_are_for_the_relay_of_a_shell(
    alternate_screen: bool, kind: ReadKind, found: tuple[str, str]
) -> None:
    relay = Observation("waiting", False, "key", 6, "mc", 1)
    reader = watch(alternate_screen=alternate_screen)
    for number in range(AGREEING_LOOKS):
        reader.on_away(replace(reading(kind), relay=relay), number * AGREEING_SPAN, marks())
    assert reader.waiting is not None and (reader.waiting.kind, reader.waiting.program) == found


def test_whether_a_reader_would_be_seen() -> None:
    reader = watch()
    assert reader.can_tell
    reader.on_look(Observation("unknown", conclusive=False))
    assert not reader.can_tell
    reader.on_look(Observation("stopped"))
    assert reader.can_tell and reader.stopped
    reader.on_bytes()
    assert not reader.stopped
    assert not watch(sees=False).can_tell
