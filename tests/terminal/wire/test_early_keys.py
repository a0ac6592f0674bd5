"""How long keys wait for a command that starts."""

from __future__ import annotations

from truetty.host.base import Work
from truetty.shells.row import CTRL_C
from truetty.terminal.wire.early_keys import COMMAND_START, PROGRAM_START, EarlyKeys

LATER = 1000.0


def busy(cpu: float) -> Work:
    return Work(asleep=False, cpu=cpu)


ASLEEP = Work(asleep=True, cpu=0.0)


def test_keys_are_kept_in_their_order() -> None:
    keys = EarlyKeys()
    assert not keys
    keys.add(b"a", 1.0)
    keys.add(CTRL_C, 2.0, interrupt=True)
    assert len(keys) == 2 and keys.interrupt
    assert keys.take() == b"a" + CTRL_C and not keys and not keys.interrupt


def test_a_hook_that_sleeps_has_its_time() -> None:
    keys = EarlyKeys()
    keys.add(CTRL_C, 1.0, interrupt=True)
    assert not keys.are_due(1.0 + COMMAND_START / 2, ASLEEP, program=True)
    assert keys.are_due(1.1 + COMMAND_START, ASLEEP, program=True)
    keys.on_trigger(2.0)
    assert not keys.are_due(2.0 + COMMAND_START / 2, ASLEEP, program=True)
    assert keys.are_due(2.1 + COMMAND_START, ASLEEP, program=True)


def test_a_shell_that_rests_on_its_way_to_the_prompt_does_not_hold_it_up() -> None:
    keys = EarlyKeys()
    keys.add(CTRL_C, 1.0, interrupt=True)
    assert not keys.are_due(LATER, ASLEEP, program=False)
    assert not keys.are_due(LATER + COMMAND_START / 2, busy(0.0), program=False)
    assert not keys.are_due(LATER + COMMAND_START, ASLEEP, program=False)  # another rest
    assert not keys.are_due(LATER + 2 * COMMAND_START, Work(asleep=True, cpu=0.1), program=False)  # and another
    assert keys.are_due(LATER + 3.1 * COMMAND_START, Work(asleep=True, cpu=0.1), program=False)


def test_before_the_start_no_time_stands_for_the_cpu_that_a_shell_did_not_get() -> None:
    keys = EarlyKeys()
    keys.add(CTRL_C, 1.0, interrupt=True)
    assert not keys.are_due(LATER, busy(7.0), program=False)
    assert not keys.are_due(LATER, busy(7.0 + COMMAND_START / 2), program=False)
    keys.on_trigger(LATER)
    assert not keys.are_due(2 * LATER, busy(9.0), program=False)  # counted anew
    assert keys.are_due(2 * LATER, busy(9.1 + COMMAND_START), program=False)


def test_after_the_start_no_time_stands_for_the_cpu_that_a_shell_did_not_get() -> None:
    keys = EarlyKeys()
    keys.add(CTRL_C, 1.0, interrupt=True)
    assert not keys.are_due(1.0, busy(7.0), program=False)
    keys.on_start(1.0)
    assert keys.is_starting(LATER, busy(8.0))  # what was used before C does not count
    assert keys.is_starting(LATER, busy(8.0 + PROGRAM_START / 2))
    assert not keys.is_starting(1.0, busy(8.1 + PROGRAM_START))


def test_a_shell_that_sleeps_starts_nothing() -> None:
    keys = EarlyKeys()
    keys.on_start(1.0)
    assert not keys.is_starting(1.0, ASLEEP)


def test_each_interrupt_key_counts_anew() -> None:
    keys = EarlyKeys()
    keys.on_start(1.0)
    assert keys.is_starting(LATER, busy(1.0)) and not keys.is_starting(LATER, busy(2.0))
    keys.take()
    assert keys.is_starting(LATER, busy(2.0))


def test_time_must_do_where_processes_cannot_be_seen() -> None:
    keys = EarlyKeys()
    keys.add(b"a", 1.0)
    assert not keys.are_due(1.0 + COMMAND_START / 2, None, program=False) and keys.are_due(
        1.1 + COMMAND_START, None, program=False
    )
    keys.on_start(2.0)
    keys.add(CTRL_C, 2.01, interrupt=True)
    assert keys.is_starting(2.0 + PROGRAM_START / 2, None) and not keys.is_starting(2.01 + PROGRAM_START, None)
