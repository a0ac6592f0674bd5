"""The machine with a hand-turned clock: an hour passes in a millisecond."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from truetty.core.life import State, Want
from truetty.core.machine import ASK_LIMIT, Machine
from truetty.core.observation import Observation
from truetty.core.pace import LOOK_AFTER_OUTPUT, SLOWEST_LOOKS
from truetty.core.prompt_watch import LOST_TIME
from truetty.core.reader_watch import KeyboardReader
from truetty.core.signs import Hint, Mark, Mode, Query
from truetty.core.testimony import Secrets
from truetty.testing import MachineByHand
from truetty.testing.by_hand import SECRETS

SHELL = 100
C = Mark(10, 20, "C", "begin")
D = Mark(30, 40, "D", "finish", 3, "himBH")
P = Mark(50, 60, "P", "key", 130, "himBH")
H = Mark(70, 80, "H", "reply", 5)
READY = Observation("ready", consumed=1000)
RUNNING = Observation("running", consumed=1000)
UNKNOWN = Observation("unknown", conclusive=False)


def evidence(turned: MachineByHand) -> str | None:
    return turned.machine.ending.evidence if turned.machine.ending is not None else None


def code(turned: MachineByHand) -> int | None:
    assert turned.machine.ending is not None
    return turned.machine.ending.code


def started(*, sees: bool = True) -> MachineByHand:
    turned = MachineByHand(sees=sees)
    turned.event(C)
    return turned


# -- the scenarios of the seed, row by row


def test_quick_command_is_finished_by_its_mark_at_once() -> None:
    t = started()
    t.event(D)
    assert (evidence(t), code(t), t.looks) == ("mark", 3, 0)
    assert t.machine.ending is not None and t.machine.ending.at == D.start
    assert t.machine.testimony.output_from == C.end
    assert t.machine.deadline == inf


def test_steady_output_is_never_looked_at_and_never_finished() -> None:
    t = started()
    t.sight = READY  # even a wrong look could not end it: none is made while bytes flow
    for _ in range(180):
        t.bytes()
        t.turn(LOOK_AFTER_OUTPUT / 2)
    assert t.machine.ending is None and t.looks == 0


def test_an_hour_of_silence_is_a_running_command() -> None:
    t = started()
    t.turn(3600)
    assert t.machine.ending is None and t.machine.reader.waiting is None
    assert t.looks <= 3600 / SLOWEST_LOOKS + 30
    t.event(D)
    assert evidence(t) == "mark"


def test_marks_lost_after_the_start_end_by_kernel_and_the_code_is_asked() -> None:
    t = started()
    t.turn(40)
    assert t.machine.ending is None
    t.sight = READY
    t.turn(1)
    assert t.wanted == [Want.ASK] and t.machine.ending is None and t.machine.strategy == "none"
    t.machine.on_ask(t.now, needed=1000)
    t.event(H)
    assert (evidence(t), code(t)) == ("kernel", 5)
    assert t.machine.ending is not None and t.machine.ending.at is None and t.machine.ending.proven


def test_a_question_without_an_answer_ends_with_an_unknown_code() -> None:
    t = started()
    t.sight = READY
    t.turn(1)
    t.machine.on_ask(t.now, needed=2000)  # the shell never reads the question
    t.turn(ASK_LIMIT + 1)
    assert (evidence(t), code(t)) == ("kernel", None)


def test_a_question_that_only_brings_the_prompt_back_ends_with_an_unknown_code() -> None:
    t = started()
    t.sight = READY
    t.turn(1)
    t.machine.on_ask(t.now, needed=1000)
    t.turn(1)
    assert (evidence(t), code(t)) == ("kernel", None)


def test_silent_command_without_any_data_is_finished_when_it_is() -> None:
    t = MachineByHand()
    t.turn(100)
    assert t.machine.ending is None
    t.event(C)
    t.event(D)
    assert evidence(t) == "mark"


@pytest.mark.parametrize(("status", "signal"), [(3, None), (None, 9)])
def test_the_shell_dies(status: int | None, signal: int | None) -> None:
    t = started()
    t.machine.on_exit(status, signal, t.now)
    assert t.machine.ending is not None
    assert (evidence(t), t.machine.ending.code, t.machine.ending.signal) == ("exit", status, signal)


@pytest.mark.parametrize(("status", "signal"), [(0, None), (3, None), (None, 9)])
def test_a_shell_that_ends_before_the_text_runs_tells_nothing_of_it(status: int | None, signal: int | None) -> None:
    for asks in (False, True):
        t = MachineByHand()
        if asks:
            t.sight = READY
            t.turn(1)
            t.machine.on_ask(t.now, needed=2000)
        t.machine.on_exit(status, signal, t.now)
        ending = t.machine.ending
        assert ending is not None
        assert (ending.evidence, ending.code, ending.signal, ending.proven) == ("exit", None, None, False)


@pytest.mark.parametrize(("status", "signal"), [(0, None), (3, None), (None, 9)])
def test_a_shell_that_ends_before_the_text_is_typed_tells_its_failure(status: int | None, signal: int | None) -> None:
    t = MachineByHand(sent=False)
    t.machine.on_exit(status, signal, t.now)
    ending = t.machine.ending
    assert ending is not None
    assert (ending.evidence, ending.code, ending.signal, ending.proven) == ("exit", status or None, signal, False)


def test_a_lost_channel_is_no_evidence_of_anything() -> None:
    t = started()
    t.machine.on_lost(t.now)
    assert t.machine.ending is not None and t.machine.ending.evidence is None


# -- witnesses


def test_no_foreign_or_replayed_mark_ends_anything() -> None:
    t = started()
    for event in (
        Mark(0, 1, "D", "begin", 0), Mark(0, 1, "D", "key", 0), Mark(0, 1, "D", "reply", 0), Mark(0, 1, "D", "", 0),
        Mark(0, 1, "H", "reply", 0), Mark(0, 1, "H", "finish", 0), Mark(0, 1, "P", "finish", 0),
        Hint(0, 1, "133", "D", 0), Hint(0, 1, "633", "D", 0), Hint(0, 1, "633", "A"), Hint(0, 1, "3008", "end"),
    ):  # fmt: skip
        t.event(event)
        t.turn(10)
        assert t.machine.ending is None, event
    assert t.machine.strategy == "rich"


def test_the_prompt_of_the_previous_command_ends_nothing() -> None:
    t = MachineByHand()
    t.event(P)  # late: before our own C
    t.sight = READY
    t.event(C)
    t.sight = RUNNING
    t.turn(10)
    assert t.machine.ending is None


def test_the_hook_ends_a_command_only_with_one_look_at_the_prompt() -> None:
    t = started()
    t.event(P)
    t.turn(5)
    assert t.machine.ending is None  # printed by something that still runs
    t.sight = READY
    t.turn(1)
    assert (evidence(t), code(t)) == ("mark", 130)
    assert t.machine.ending is not None and t.machine.ending.at == P.start
    assert t.machine.strategy == "rich"


def test_where_no_look_can_show_a_prompt_the_prompt_mark_ends_it() -> None:
    t = started(sees=False)
    t.event(P)
    assert (evidence(t), code(t)) == ("prompt", 130)
    assert t.machine.ending is not None and (t.machine.ending.at, t.machine.ending.proven) == (P.start, True)


def test_where_the_foreground_cannot_be_told_the_code_of_the_prompt_mark_is_not_believed() -> None:
    for sees in (True, False):
        t = started(sees=sees)
        t.event(P, in_front=None)
        assert (evidence(t), code(t)) == ("prompt", None)


def test_a_prompt_mark_ends_nothing_while_another_group_is_in_front() -> None:
    t = started(sees=False)
    t.sight = UNKNOWN
    t.event(P, in_front=False)
    t.turn(60)
    assert t.machine.ending is None
    t.event(Mark(70, 80, "P", "key", 7))
    assert (evidence(t), code(t)) == ("prompt", 7)


def test_a_prompt_mark_before_the_start_ends_nothing_where_no_look_can() -> None:
    t = MachineByHand(sees=False)
    t.sight = UNKNOWN
    t.event(P)
    t.turn(10)
    assert t.machine.ending is None and t.wanted == []


def test_where_no_look_can_the_prompt_mark_confirms_a_claim() -> None:
    t = started(sees=False)
    t.event(D, in_front=False)
    t.event(Mark(50, 60, "P", "key", 3))
    assert (evidence(t), code(t)) == ("mark", 3)
    t = started(sees=False)
    t.event(D, in_front=False)
    t.event(P)  # another code: what claimed the end was not the shell
    assert (evidence(t), code(t)) == ("prompt", 130)


def test_where_no_look_can_a_prompt_that_was_typed_into_is_free_at_the_mark_after_it_was_cleared() -> None:
    t = MachineByHand(sees=False, sent=False, typed_into=True)
    t.sight = UNKNOWN
    t.event(P)  # zsh prints two of them
    t.turn(10)
    assert t.wanted == []
    t.machine.on_clear(t.now)
    t.event(P)
    assert t.wanted == [Want.SEND]


def test_where_no_look_can_a_cleared_prompt_without_a_mark_is_typed_to_after_a_while() -> None:
    t = MachineByHand(sees=False, sent=False, typed_into=True)
    t.sight = UNKNOWN
    t.machine.on_clear(t.now)
    t.turn(LOOK_AFTER_OUTPUT)
    assert t.wanted == []
    t.turn(10)
    assert t.wanted == [Want.SEND]
    t.machine.on_send(t.now, needed=0)
    t.event(C)
    t.turn(10)
    assert t.machine.ending is None and t.wanted == [Want.SEND]


def test_a_prompt_whose_mark_hooks_may_follow_is_free_when_the_editor_alone_followed() -> None:
    machine = Machine(SECRETS, 0.0, shell=100, hooks_follow=True)
    machine.on_editor(0.0)  # before P it is a program's
    assert machine.wants == []
    machine.on_event(P, 0.0)
    assert machine.wants == []
    machine.on_editor(0.0)
    assert machine.wants == [Want.SEND]
    machine.on_send(0.0, needed=0)
    machine.on_event(C, 0.0)
    machine.on_editor(0.0)  # `vared` in the command
    assert machine.ending is None and machine.wants == [Want.SEND]


def test_whether_a_look_could_tell_that_it_waits() -> None:
    t = started()
    t.turn(1)
    assert t.machine.reader.can_tell
    t.sight = UNKNOWN  # sudo of another user
    t.turn(1)
    assert not t.machine.reader.can_tell
    t.sight = RUNNING
    t.turn(1)
    assert t.machine.reader.can_tell
    assert not started(sees=False).machine.reader.can_tell


def test_an_end_mark_while_another_group_holds_the_terminal_is_only_a_claim() -> None:
    t = started()
    t.event(D, in_front=False)
    t.turn(60)
    assert t.machine.ending is None
    t.sight = READY
    t.turn(1)
    assert (evidence(t), code(t)) == ("mark", 3)


def test_a_claim_is_confirmed_by_suggestive_looks_too() -> None:
    t = started()
    t.event(D, in_front=False)
    t.sight = Observation("waiting", conclusive=False, kind="shell", reader=SHELL, consumed=1000)
    t.turn(1)
    assert (evidence(t), code(t), t.wanted) == ("mark", 3, [])


def test_the_prompt_of_a_line_typed_ahead_does_not_contradict_the_claim() -> None:
    t = started()
    t.event(D, in_front=False)
    t.event(Mark(50, 60, "P", "key", 3))
    t.event(Mark(70, 80, "P", "key", 127))
    t.sight = READY
    t.turn(1)
    assert (evidence(t), code(t)) == ("mark", 3)


def test_a_forged_claim_is_contradicted_by_the_prompt() -> None:
    t = started()
    t.event(D, in_front=False)
    t.event(P)
    t.sight = READY
    t.turn(1)
    assert (evidence(t), code(t)) == ("mark", 130)


def test_a_look_at_a_hook_of_the_prompt_confirms_the_claim() -> None:
    t = started()
    t.sight = Observation("running", place="there", in_hook=True)
    t.turn(1)
    assert t.machine.ending is None  # D has not come
    t.event(D, in_front=False)
    t.turn(1)
    assert (evidence(t), code(t)) == ("mark", 3)
    assert t.machine.ending is not None and not t.machine.ending.at_prompt


def test_a_hook_confirms_nothing_once_two_end_marks_disagree() -> None:
    t = started()
    t.event(D._replace(start=D.start - 10, end=D.start, code=0), in_front=False)
    t.event(D, in_front=False)
    t.sight = Observation("running", place="there", in_hook=True)
    t.turn(10)
    assert t.machine.ending is None
    t.sight = READY
    t.turn(1)
    assert (evidence(t), code(t)) == ("mark", 3)


def test_one_look_at_the_prompt_is_not_enough() -> None:
    t = started()
    t.machine.on_observation(READY, t.now)
    t.sight = RUNNING
    t.turn(10)
    assert t.machine.state is State.RUNNING


def test_a_byte_between_the_two_looks_asks_for_a_third() -> None:
    t = started()
    t.machine.on_observation(READY, 1.0)
    t.machine.on_bytes(1.001)
    t.machine.on_observation(READY, 1.005)
    assert t.machine.wants == []
    t.machine.on_observation(READY, 1.010)
    assert t.machine.wants == [Want.ASK]


def test_a_background_job_that_prints_for_ever_cannot_hide_the_prompt() -> None:
    t = started()
    t.sight = READY
    for _ in range(4000):
        t.bytes()
        t.turn(0.01)
    assert t.wanted == [Want.ASK]


def test_a_shell_that_has_not_read_the_trigger_is_not_back() -> None:
    t = MachineByHand()
    t.machine.on_send(0.0, needed=1001)
    t.sight = READY
    t.turn(LOST_TIME - 1)
    assert t.machine.state is State.SENT
    t.sight = Observation("ready", consumed=1001)
    t.turn(1)
    assert t.wanted == [Want.ASK]


@pytest.mark.parametrize("has_marks", [True, False])
def test_a_trigger_that_the_shell_never_reads_is_lost_and_looks_become_rare(has_marks: bool) -> None:
    t = MachineByHand(sent=False, marked=has_marks)
    t.machine.on_send(0.0, needed=1001)
    t.sight = Observation("running", consumed=1000)  # the line is unread
    t.turn(60)
    assert t.machine.ending is None and t.looks < 100
    t.sight = READY
    t.turn(2 * LOST_TIME)
    ending = t.machine.ending
    assert ending is not None and ending.lost and not ending.proven
    assert (ending.evidence, ending.code, t.wanted) == ("kernel", None, [])


@pytest.mark.parametrize("reader", [SHELL, 7])
def test_a_line_that_another_program_has_read_in_the_pause_is_typed_again(reader: int) -> None:
    """In bash a child reads it."""
    t = MachineByHand(sent=False)
    t.machine.on_send(0.0, needed=1001, pauses=True)
    t.machine.on_release(1002)
    t.sight = Observation("waiting", kind="line", reader=reader, wakes=1, consumed=1001)
    t.turn(LOST_TIME - 0.5)
    assert t.wanted == []
    while t.wanted == []:
        t.turn(0.01)
    assert t.wanted == [Want.RELEASE] and t.machine.ending is None
    t.machine.on_release(1003)
    t.turn(LOST_TIME - 0.5)
    assert t.wanted == [Want.RELEASE] and t.machine.ending is None and t.machine.reader.waiting is None


def test_who_reads_while_a_trigger_is_lost_waits() -> None:
    t = MachineByHand(sent=False)
    t.machine.on_send(0.0, needed=1001)
    t.sight = Observation("waiting", kind="line", reader=7, wakes=1, consumed=1000)  # it may have read the trigger
    t.turn(2)
    assert t.machine.reader.waiting is None
    t.turn(2 * LOST_TIME)
    assert t.machine.reader.waiting is not None and t.machine.ending is None


@pytest.mark.parametrize("consumed", [1000, 1001])  # LOST, BACK
def test_what_the_process_before_has_perhaps_not_typed_is_typed_when_the_prompt_is_back(consumed: int) -> None:
    t = MachineByHand(sent=False)
    t.machine.on_send(0.0, needed=1001)
    t.machine.on_doubt()
    t.sight = Observation("ready", consumed=consumed)
    while t.wanted == []:
        t.turn(0.01)
    assert (t.wanted, t.machine.state, t.machine.downgraded) == ([Want.SEND], State.QUEUED, False)


def test_what_the_process_before_has_perhaps_typed_runs_once() -> None:
    t = MachineByHand(sent=False)
    t.machine.on_send(0.0, needed=1001)
    t.machine.on_doubt()
    t.event(C)
    t.sight = Observation("ready", consumed=1001)
    t.turn(2 * LOST_TIME)
    assert t.wanted == [Want.ASK]


def test_prompt_back_without_a_start_proves_nothing() -> None:
    t = MachineByHand()
    t.sight = READY
    t.turn(1)
    t.machine.on_ask(t.now, needed=0)
    t.event(H)
    assert (evidence(t), code(t)) == ("kernel", None)
    assert t.machine.ending is not None and not t.machine.ending.proven


def test_a_suggestive_look_never_ends_a_command() -> None:
    t = started()
    t.sight = Observation("waiting", conclusive=False, kind="key", reader=SHELL, wakes=1, consumed=1000)
    t.turn(60)
    assert t.machine.ending is None and t.machine.state is State.RUNNING


def test_a_second_start_counts_only_before_any_output() -> None:
    t = MachineByHand()
    t.machine.on_bytes(0)
    t.machine.on_event(C, 0)
    t.machine.on_event(Mark(20, 30, "C", "begin"), 0)
    assert t.machine.testimony.output_from == 30
    t.machine.on_bytes(0)
    t.machine.on_event(Mark(90, 99, "C", "begin"), 0)
    assert t.machine.testimony.output_from == 30


# -- waiting


def reading(
    kind: str = "line", *, conclusive: bool = True, reader: int = 7, wakes: int = 1, busy: bool = False
) -> Observation:
    return Observation("waiting", conclusive, kind, reader, "cat", wakes, 1000, busy)  # type: ignore[arg-type]


def test_a_conclusive_reader_waits_at_the_first_look() -> None:
    t = started()
    t.sight = reading("secret")
    t.turn(LOOK_AFTER_OUTPUT)
    assert t.machine.reader.waiting == KeyboardReader("secret", t.sight.program, certain=True)


def test_a_suggestive_reader_waits_after_three_equal_looks() -> None:
    t = started()
    t.sight = reading("key", conclusive=False)
    t.turn(LOOK_AFTER_OUTPUT)
    assert t.machine.reader.waiting is None
    t.turn(1)
    assert t.machine.reader.waiting is not None and not t.machine.reader.waiting.certain


def test_a_suggestive_reader_that_works_is_not_waiting() -> None:
    t = started()
    for wakes in range(200):
        t.sight = reading("key", conclusive=False, wakes=wakes, busy=wakes % 2 == 0)
        t.turn(0.02)
    assert t.machine.reader.waiting is None


def test_output_ends_the_waiting_and_a_new_one_is_a_new_reader() -> None:
    t = started()
    t.sight = reading()
    t.turn(1)
    assert t.machine.reader.number == 1
    t.bytes()
    assert t.machine.reader.waiting is None
    t.turn(1)
    assert t.machine.reader.waiting is not None and t.machine.reader.number == 2


def test_after_input_the_same_sleeper_is_not_waiting_until_it_has_woken() -> None:
    t = started()
    t.sight = reading(wakes=5)
    t.turn(1)
    t.machine.on_input(t.now)
    t.turn(0.1)
    assert t.machine.reader.waiting is None
    t.sight = reading(wakes=6)
    t.turn(0.1)
    assert t.machine.reader.waiting is not None and t.machine.reader.number == 2


def test_who_had_the_alternate_screen_before_the_command_has_ended() -> None:
    t = MachineByHand()
    t.machine.reader.on_alternate_screen(True)
    t.event(C)
    t.sight = reading("key")
    t.turn(1)
    assert t.machine.reader.waiting is not None and t.machine.reader.waiting.kind == "key"


def test_a_key_reader_on_the_alternate_screen_is_full_screen() -> None:
    t = started()
    t.event(Mode(0, 1, "alternate-screen", True))
    t.sight = reading("key")
    t.turn(1)
    assert t.machine.reader.waiting is not None and t.machine.reader.waiting.kind == "fullscreen"


def test_the_continuation_prompt_is_told_by_its_mark() -> None:
    t = MachineByHand()
    t.event(Mark(0, 1, "2", "key"))
    t.sight = READY
    t.turn(5)
    assert t.machine.reader.waiting is not None and t.machine.reader.waiting.kind == "continuation"
    assert t.machine.ending is None
    assert t.machine.reader.number == 1  # every look shows the same reader


def test_a_new_shell_after_exec_is_back_by_suggestive_looks() -> None:
    t = started()
    t.sight = Observation("waiting", conclusive=False, kind="shell", reader=SHELL, consumed=1000)
    t.turn(2)
    assert t.wanted == [Want.ASK]


def test_a_nested_shell_is_waiting() -> None:
    t = started()
    t.sight = Observation("waiting", conclusive=True, kind="shell", reader=SHELL + 1, program="bash", consumed=1000)
    t.turn(2)
    assert t.machine.reader.waiting is not None and t.machine.reader.waiting.kind == "shell" and not t.wanted


def test_a_question_of_the_program_is_looked_at_soon() -> None:
    t = started()
    t.event(Query(0, 4, "CPR"))
    assert t.machine.deadline - t.now < LOOK_AFTER_OUTPUT


# -- before it is sent, and its time-out


def test_queued_until_the_prompt_is_there() -> None:
    t = MachineByHand(sent=False)
    t.sight = reading()
    t.turn(10)
    assert t.machine.reader.waiting is not None and not t.wanted  # a rc file reads: nothing is typed into it
    t.event(P)
    assert t.wanted == [Want.SEND]


def test_queued_until_the_kernel_shows_the_prompt() -> None:
    t = MachineByHand(sent=False)
    t.turn(10)
    t.sight = READY
    t.turn(1)
    assert Want.SEND in t.wanted


def test_a_shell_that_stops_for_us_is_not_waiting() -> None:
    t = MachineByHand(sent=False)
    t.machine.on_send(0.0, needed=0, pauses=True)
    t.sight = Observation("waiting", kind="line", reader=SHELL, wakes=1, consumed=1000)
    t.turn(0.05)
    assert t.machine.reader.waiting is None and t.wanted == []
    t.turn(0.1)
    assert t.wanted == [Want.RELEASE]  # it could not say that it had stopped
    t.event(C)
    t.event(D)
    assert evidence(t) == "mark"


def test_a_trigger_that_an_interrupt_took_from_the_tty_is_not_awaited_for_ever() -> None:
    t = MachineByHand(sent=False)
    t.machine.on_send(0.0, needed=1100)
    t.sight = replace(READY, consumed=1050)  # it had read a part of our line
    t.turn(1)
    assert t.wanted == []
    t.machine.on_input(t.now)
    t.machine.on_flush()
    t.turn(0.01)
    assert t.wanted == []  # this may still be the prompt of before
    t.event(P)
    t.turn(1)
    assert t.wanted == [Want.ASK]


def test_a_shell_that_is_slow_to_read_the_line_that_lets_it_go_on_is_not_waiting() -> None:
    t = MachineByHand(sent=False)
    t.machine.on_send(0.0, needed=0, pauses=True)
    t.machine.on_release(needed=1001)
    t.sight = Observation("waiting", kind="line", reader=SHELL, wakes=1, consumed=1000)
    t.turn(LOST_TIME - 1)
    assert t.machine.reader.waiting is None and t.wanted == []
    t.event(C)
    t.sight = Observation("waiting", kind="line", reader=SHELL, wakes=2, consumed=1001)
    t.turn(1)
    assert t.machine.reader.waiting is not None  # it has read our line: this is a read of the command


def test_the_time_out_is_asked_for_once() -> None:
    t = MachineByHand(limit=5)
    t.event(C)
    t.turn(4.9)
    assert t.wanted == []
    t.turn(100)
    assert t.wanted == [Want.STOP] and t.machine.ending is None


def test_a_shell_without_marks_ends_by_kernel_and_takes_a_hint_for_its_code() -> None:
    t = MachineByHand(marked=False)
    t.event(Hint(0, 1, "133", "D", 4))
    t.sight = READY
    t.turn(1)
    assert (evidence(t), code(t), t.machine.strategy) == ("kernel", 4, "basic")


# -- the table itself


def test_an_ended_command_never_changes_again() -> None:
    t = started()
    t.event(D)
    first = t.machine.ending
    for event in (C, D, P, H):
        t.event(event)
    t.machine.on_exit(9, None, 99.0)
    t.machine.on_lost(99.0)
    t.machine.on_observation(READY, 99.0)
    t.machine.on_time(1e9)
    assert t.machine.ending is first and not t.machine.wants


@pytest.mark.parametrize("state", [state for state in State if state is not State.ENDED])
def test_in_every_state_the_shell_may_go_or_be_lost(state: State) -> None:
    for lose in (lambda m: m.on_exit(3, None, 1.0), lambda m: m.on_lost(1.0)):
        machine = MachineByHand().machine
        machine.state = state
        lose(machine)
        assert machine.state is State.ENDED and machine.ending is not None and machine.deadline == inf


def by_editor() -> tuple[MachineByHand, str]:
    """A command that the shell's editor has got. Returns the secret of its line."""
    secrets = Secrets("begin", "finish", "reply", "line")
    secrets.use_line()
    t = MachineByHand(sent=False, secrets=secrets)
    t.machine.on_send(0.0, needed=0, whole=True)
    return t, "line"


def test_a_syntax_error_ends_without_a_start() -> None:
    t, line = by_editor()
    t.event(Mark(5, 9, "D", line, 2))
    assert t.machine.ending is not None and (t.machine.ending.code, t.machine.ending.evidence) == (2, "mark")


def test_a_text_that_the_editor_refuses_is_sent_again() -> None:
    t, line = by_editor()
    t.event(Mark(5, 9, "R", line))
    assert (t.machine.state, t.wanted, t.machine.ending) == (State.QUEUED, [Want.SEND], None)


def test_after_an_empty_line_the_next_prompt_is_waited_for() -> None:
    t, line = by_editor()
    t.machine.on_empty_line(1.0)
    assert (t.machine.state, t.wanted, t.machine.ending) == (State.QUEUED, [], None)
    t.event(Mark(5, 9, "P", line, 0))
    assert t.wanted == [Want.SEND]


def test_a_shell_that_asks_for_the_rest_is_interrupted_once_and_only_before_the_text_runs() -> None:
    t, line = by_editor()
    t.event(Mark(5, 9, "2", line))
    t.event(Mark(10, 14, "2", line))
    assert t.wanted == [Want.CANCEL]
    t, line = by_editor()
    t.event(Mark(5, 9, "C", line))
    t.event(Mark(10, 14, "2", line))  # by a program that knows the secret
    assert t.wanted == []
