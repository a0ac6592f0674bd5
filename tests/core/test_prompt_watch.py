"""Whether looks show the shell back at its prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from truetty.core.observation import Observation
from truetty.core.prompt_watch import LOST_TIME, PAUSE_LOOKS, STEADY_LOOKS, Back, PromptWatch

SHELL = 100
READY = Observation("ready", consumed=1000)
STRANGE = Observation("waiting", conclusive=False, kind="shell", reader=SHELL)
UNKNOWN = Observation("unknown", conclusive=False)


def watch(*, typed_into: bool = False, sees: bool = True) -> PromptWatch:
    return PromptWatch(SHELL, typed_into=typed_into, sees=sees)


def test_two_looks_prove_a_prompt_that_was_learnt() -> None:
    prompt = watch()
    assert [prompt.on_shown(READY) for _ in range(2)] == [Back.ONCE, Back.PROVEN]


def test_three_looks_prove_one_that_was_not() -> None:
    prompt = watch()
    assert [prompt.on_shown(STRANGE) for _ in range(3)] == [Back.ONCE, Back.ONCE, Back.PROVEN]


def test_a_look_at_something_else_starts_the_count_anew() -> None:
    prompt = watch()
    prompt.on_shown(READY)
    prompt.on_away()
    assert prompt.on_shown(READY) is Back.ONCE


def test_a_byte_between_two_looks_asks_for_a_third() -> None:
    prompt = watch()
    prompt.on_shown(READY)
    prompt.on_bytes()
    assert [prompt.on_shown(READY) for _ in range(2)] == [Back.ONCE, Back.PROVEN]


def test_with_bytes_between_every_two_looks_eight_prove_it() -> None:
    prompt = watch()
    backs = []
    for _ in range(STEADY_LOOKS):
        prompt.on_bytes()
        backs.append(prompt.on_shown(READY))
    # The first look starts a quiet stretch, which the next byte ends.
    assert backs == [Back.ONCE] * (STEADY_LOOKS - 1) + [Back.PROVEN]


def test_a_look_counts_only_when_everything_typed_was_read() -> None:
    prompt = watch()
    prompt.on_trigger(1001, pauses=False)
    assert prompt.is_late(READY) and not prompt.is_late(Observation("ready", consumed=1001))
    assert not prompt.is_late(Observation("ready"))  # the count cannot be had


def test_what_was_typed_is_lost_when_a_reader_waits_and_nothing_is_read() -> None:
    prompt = watch()
    prompt.on_trigger(1009, pauses=False)
    for now, look, lost in (
        (0.0, READY, False),
        (LOST_TIME - 0.1, READY, False),
        (LOST_TIME, replace(READY, consumed=1001), False),  # it has read a part
        (LOST_TIME * 2, Observation("running", consumed=1001), False),  # it may have the rest unread
        (LOST_TIME * 2, replace(READY, consumed=1001), False),
        (LOST_TIME * 3, replace(READY, consumed=1001), True),
    ):
        assert prompt.is_late(look) and prompt.is_lost(look, now) == lost
    assert not prompt.is_late(READY)


@pytest.mark.parametrize(("reader", "lost"), [(SHELL, True), (7, False)])
def test_only_what_the_shell_waits_for_is_lost(reader: int, lost: bool) -> None:
    prompt = watch()
    prompt.on_trigger(1009, pauses=True)
    look = Observation("waiting", kind="continuation", reader=reader, consumed=1000)
    assert not prompt.is_lost(look, 0.0)
    assert prompt.is_lost(look, LOST_TIME) == lost
    assert not prompt.is_late(look)


def test_what_shows_the_prompt() -> None:
    assert watch().is_shown(READY, queued=False)
    assert watch().is_shown(STRANGE, queued=False)
    assert not watch().is_shown(Observation("waiting", kind="shell", reader=7), queued=False)  # a nested shell
    elsewhere = Observation("waiting", conclusive=False, kind="continuation", reader=SHELL)
    assert not watch().is_shown(elsewhere, queued=True)
    assert watch(typed_into=True).is_shown(elsewhere, queued=True)
    assert not watch(typed_into=True).is_shown(elsewhere, queued=False)
    assert not PromptWatch(None, typed_into=True, sees=True).is_shown(Observation("waiting", kind="shell"), queued=True)


def test_a_cleared_prompt_is_the_old_one_until_something_is_printed_or_many_looks_agree() -> None:
    prompt = watch(typed_into=True)
    prompt.on_clear()
    assert [prompt.on_shown(READY) for _ in range(STEADY_LOOKS)] == [Back.CLEARING] * (STEADY_LOOKS - 1) + [Back.PROVEN]
    prompt.on_clear()
    prompt.on_bytes()
    assert [prompt.on_shown(READY) for _ in range(2)] == [Back.ONCE, Back.PROVEN]


def test_where_no_look_can_see_a_cleared_prompt_is_typed_to_once_after_some_looks() -> None:
    prompt = watch(sees=False)
    assert not prompt.on_unseen(UNKNOWN)
    prompt.on_clear()
    answers = [prompt.on_unseen(UNKNOWN) for _ in range(STEADY_LOOKS + 5)]
    assert answers.index(True) == STEADY_LOOKS - 1 and answers.count(True) == 1
    prompt.on_clear()
    prompt.on_trigger(0, pauses=False)  # its P mark came: the trigger is typed already
    assert not any(prompt.on_unseen(UNKNOWN) for _ in range(STEADY_LOOKS + 5))


def test_a_prompt_that_no_look_can_show_is_not_typed_to_while_a_program_is_in_front() -> None:
    """A prompt hook may run it, and it may throw away what is typed."""
    prompt = watch(sees=False)
    prompt.on_clear()
    for _ in range(3):
        assert not any(prompt.on_unseen(UNKNOWN) for _ in range(STEADY_LOOKS - 1))
        assert not any(prompt.on_unseen(replace(UNKNOWN, in_front=False)) for _ in range(STEADY_LOOKS * 2))
    assert [prompt.on_unseen(replace(UNKNOWN, in_front=True)) for _ in range(STEADY_LOOKS)].count(True) == 1


def test_a_mark_frees_the_prompt_unless_keys_were_typed_to_it() -> None:
    assert watch().is_freed_by_mark and watch(sees=False).is_freed_by_mark
    prompt = watch(typed_into=True)
    assert not prompt.is_freed_by_mark
    prompt.on_clear()
    assert not prompt.is_freed_by_mark  # looks will show it
    unseen = watch(typed_into=True, sees=False)
    assert not unseen.is_freed_by_mark
    unseen.on_clear()
    assert unseen.is_freed_by_mark


def test_the_read_of_a_pause_is_ignored_and_released_once_by_the_shell_alone() -> None:
    read = Observation("waiting", kind="line", reader=SHELL)
    prompt = watch()
    assert not prompt.pauses
    prompt.on_trigger(0, pauses=True)
    answers: list[bool] = []
    while prompt.pauses:
        answers.append(prompt.on_pause(read))
    assert len(answers) == PAUSE_LOOKS and answers.index(True) == STEADY_LOOKS - 1 and answers.count(True) == 1
    prompt.on_trigger(0, pauses=True)
    other = Observation("waiting", kind="line", reader=7)
    assert not any(prompt.on_pause(other) for _ in range(PAUSE_LOOKS))
    prompt.on_trigger(0, pauses=True)
    prompt.on_start()
    assert not prompt.pauses


def test_after_ctrl_c_a_shell_that_has_not_run_since_is_where_it_was() -> None:
    """On a busy machine the echo of what was typed comes after Ctrl-C was sent, and before the shell has got it."""
    prompt = watch(typed_into=True)
    ready = Observation("ready", reader=SHELL, wakes=5)
    assert [prompt.on_shown(ready), prompt.on_shown(ready)] == [Back.ONCE, Back.PROVEN]
    prompt.on_clear()
    prompt.on_bytes()
    assert [prompt.on_shown(ready) for _ in range(5)] == [Back.CLEARING] * 5
    awake = Observation("ready", reader=SHELL, wakes=6)
    assert [prompt.on_shown(awake), prompt.on_shown(awake)] == [Back.ONCE, Back.PROVEN]


def test_a_ctrl_c_that_wakes_nobody_is_not_awaited_for_ever() -> None:
    prompt = watch(typed_into=True)
    ready = Observation("ready", reader=SHELL, wakes=5)
    prompt.on_shown(ready)
    prompt.on_clear()
    prompt.on_bytes()
    assert Back.PROVEN in [prompt.on_shown(ready) for _ in range(2 * PAUSE_LOOKS)]


def test_a_mark_that_is_due_and_never_comes_is_not_waited_for_for_ever() -> None:
    """Where no look can show the prompt: a command may have removed the hook that prints P."""
    prompt = PromptWatch(SHELL, typed_into=False, sees=False, awaited=True)
    assert prompt.is_freed_by_mark
    assert [prompt.on_unseen(UNKNOWN) for _ in range(STEADY_LOOKS + 2)].index(True) == STEADY_LOOKS - 1


def test_once_the_text_runs_all_that_was_typed_for_it_was_read() -> None:
    """A child of bash reads the line that ends the pause, so bash's own count of bytes never reaches it."""
    prompt = watch()
    prompt.on_trigger(1009, pauses=True)
    prompt.on_release(1010)
    assert prompt.is_late(replace(READY, consumed=1009))
    prompt.on_start()
    assert not prompt.is_late(replace(READY, consumed=1009))


def test_ctrl_c_before_the_command_was_begun_must_have_woken_the_shell() -> None:
    """It is still at the prompt that it will leave: what was typed there would be dropped with that."""
    prompt = PromptWatch(SHELL, typed_into=True, sees=True, asleep=7)
    still, woken = replace(READY, wakes=7), replace(READY, wakes=8)
    assert [prompt.on_shown(still) for _ in range(3)] == [Back.CLEARING] * 3
    assert [prompt.on_shown(woken) for _ in range(2)] == [Back.ONCE, Back.PROVEN]


def test_a_shell_that_ignores_ctrl_c_is_not_waited_for_for_ever() -> None:
    prompt = PromptWatch(SHELL, typed_into=True, sees=True, asleep=7)
    backs = [prompt.on_shown(replace(READY, wakes=7)) for _ in range(PAUSE_LOOKS + 1)]
    assert backs[-2:] == [Back.ONCE, Back.PROVEN]
