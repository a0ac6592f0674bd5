"""What is said between a terminal and its shell, on a scripted channel: marks, looks, questions, keys."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
from collections.abc import AsyncIterator

import pytest

import truetty
from tests.stage import KEY, LINE, PATIENCE, READY, Stage, until
from truetty.core.observation import Observation
from truetty.host.base import USUAL, Process, Work
from truetty.terminal.wire.early_keys import COMMAND_START, PROGRAM_START
from truetty.testing import mark
from truetty.until import Match

CLEAR = b"\x1b[7717~"


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await stage.terminal.close()


# -- running


async def test_run(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("make all")
    line = stage.typed()
    assert line.count(b"\n") == 1 and b"make" not in line
    stage.say(line, b"\r", ("C",), b"hello\r\nworld")
    assert command.state == "running" and command.output.text() == "hello\nworld"
    stage.say(("D", 3, "himBHs"), ("P", 3, "himBHs"), b"$ ")
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code, outcome.evidence, outcome.strategy) == ("finished", 3, "mark", "rich")
    assert (outcome.output, outcome.output_bytes, outcome.output_lines, outcome.notes) == ("hello\nworld", 12, 2, ())
    assert (outcome.command_id, outcome.terminal_id, outcome.closed) == (command.id, terminal.id, False)
    assert command.outcome == outcome and terminal.command is command and not terminal.busy
    assert stage.typed() == b"" and b";D;*" in terminal.transcript.read()  # what must stay secret is blanked


@pytest.mark.parametrize("cut", [1, 2, 3, 7])
async def test_marks_cut_anywhere(stage: Stage, cut: int) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    parts: tuple[bytes | tuple[object, ...], ...] = (
        b"echo\r\n",
        ("C",),
        b"out\x1b[31m\r\n",
        ("D", 7, "im"),
        ("P", 7, "im"),
        b"$ ",
    )
    stream = b"".join(map(stage.part, parts))
    for at in range(0, len(stream), cut):
        stage.channel.say(stream[at : at + cut])
        assert "7717" not in command.output.text()
    outcome = await command.wait(PATIENCE)
    assert (outcome.exit_code, outcome.output, command.output.raw()) == (7, "out\n", b"out\x1b[31m\r\n")


@pytest.mark.parametrize("cut", [1, 5, 1000])
async def test_a_second_start_counts_only_before_any_output(stage: Stage, cut: int) -> None:
    """Two shells print it twice. What comes between two is output, in whatever pieces it arrives."""
    terminal = await stage.open()
    command = await terminal.start("x")
    parts: tuple[bytes | tuple[object, ...], ...] = (("C",), ("C",), b"a", ("C",), b"b", ("D", 0, ""))
    stream = b"".join(map(stage.part, parts))
    for at in range(0, len(stream), cut):
        stage.channel.say(stream[at : at + cut])
    assert (await command.wait(PATIENCE)).output == "ab"


async def test_what_ends_nothing(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("D", 0, ""))  # before C
    stage.say(("P", 0, ""))
    stage.say(("C",), b"a", mark("D", "wrong", 0, ""), mark("P", "wrong", 0, ""))
    stage.say(
        stage.part(("C",)).replace(b";C;", b";D;"),
        stage.part(("P", 0, "")).replace(b";P;", b";D;"),
        ("H", 0, ""),
        b"\x1b]133;D;0\x07\x1b]633;D;0\x07\x1b]3008;end=1\x1b\\",
    )
    await stage.looked()
    assert command.state == "running" and terminal.busy
    stage.say(b"b\r\n", ("D", 9, ""), b"late", ("D", 0, ""))
    outcome = await command.wait(PATIENCE)
    assert (outcome.exit_code, outcome.output) == (9, "ab\n")


async def test_the_hook_ends_it_only_with_a_look(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"^C\r\n", ("P", 130, ""), b"$ ")
    await stage.looked()
    assert command.state == "running"  # a nested shell may print our prompt
    stage.observer.observation = READY
    outcome = await command.wait(PATIENCE)
    assert (outcome.exit_code, outcome.evidence, outcome.output) == (130, "mark", "^C\n")


async def test_an_end_while_another_group_is_in_front(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",))
    stage.observer.in_front = False
    stage.say(b"replayed", ("D", 0, ""))
    await stage.looked()
    assert command.state == "running"
    stage.observer.in_front, stage.observer.observation = True, READY
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "replayed")


async def test_what_the_shell_reads_behind_the_start_is_there_until_the_end(stage: Stage) -> None:
    """The file that hands on `$?` is read after C, and a look may come between the two."""
    terminal = await stage.open()
    command = await terminal.start("false")
    stage.say(("C",), ("D", 64, "himBHs"), ("P", 64, "himBHs"), b"$ ")
    await command.wait(PATIENCE)
    command = await terminal.start("make all")
    files = stage.channel.files.content
    number = next(name[1:] for name in files if name[0] == "r" and name[1:].isdigit())
    stage.say(("C",))
    await until(lambda: f"v{number}" not in files)  # a look has dropped the text
    assert f"r{number}" in files and f"d{number}" in files
    stage.say(("D", 0, "himBHs"), ("P", 0, "himBHs"), b"$ ")
    await command.wait(PATIENCE)


async def test_waiting_and_answering(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.typed()
    stage.say(("C",), b"one\r\nYour name: ")
    stage.observer.observation = LINE
    outcome = await command.wait(PATIENCE)
    assert outcome.waiting == truetty.Waiting("line", "Your name: ", "cat", True) and outcome.state == "waiting"
    assert (await command.wait(0.1)).state == "waiting"  # no news: patience ends it
    stage.observer.observation = Observation("running")
    await command.send("Ada\n")
    assert stage.typed() == b"Ada\n" and command.state == "running"
    stage.say(b"Ada\r\n", ("D", 0, ""))
    assert (await command.wait(PATIENCE)).output == "one\nYour name: Ada\n"
    with pytest.raises(truetty.Misuse):
        await command.send("more\n")


async def test_a_full_screen_program(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("vim")
    stage.say(("C",), b"\x1b[?1049h\x1b[?1h~\r\n~")
    stage.observer.observation = KEY
    outcome = await command.wait(PATIENCE)
    assert outcome.waiting is not None and outcome.waiting.kind == "fullscreen"
    stage.typed()
    await command.press("Up", "C-c")
    assert stage.typed() == b"\x1bOA\x03"


async def test_a_pattern(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    wait = asyncio.ensure_future(command.wait(PATIENCE, Match(r"listening on \d+")))
    stage.say(("C",), b"\x1b[1mliste")
    stage.say(b"ning\x1b[0m on 80\r\n")
    assert "listening on 80" in (await wait).output
    assert (await command.wait(0.05, Match(r"listening"))).state == "running"  # an earlier wait has returned it
    stage.say(("D", 0, ""))
    assert (await command.wait(PATIENCE, Match("never"))).state == "finished"


# -- what goes wrong


async def test_marks_that_stop_in_mid_command(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"out\r\n$ ")
    await stage.looked()
    assert command.state == "running"
    stage.observer.observation = READY
    outcome = await command.wait(PATIENCE)
    # No folder, so the shell cannot be asked: the end is known and its code is not.
    assert (outcome.state, outcome.exit_code, outcome.evidence, outcome.strategy) == (
        "finished",
        None,
        "kernel",
        "none",
    )
    assert outcome.output == "out\n" and terminal.strategy == "none"
    second = await terminal.start("y")
    stage.say(("C",), ("D", 4, ""))
    outcome = await second.wait(PATIENCE)
    assert (outcome.exit_code, outcome.strategy, terminal.strategy) == (4, "rich", "rich")


async def test_a_prompt_without_a_start_proves_nothing(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(b"what?\r\n", ("P", 0, ""), b"$ ")
    stage.observer.observation = READY
    outcome = await command.wait(PATIENCE)
    assert (outcome.exit_code, outcome.evidence, outcome.output) == (None, "kernel", "") and len(outcome.notes) == 1
    assert stage.typed().count(b"eval") == 1  # never sent again


async def test_survivors_are_named_once(stage: Stage) -> None:
    terminal = await stage.open()
    first = await terminal.start("sleep 9 &")
    stage.observer.living = [Process(99, "sleep", 4242, 99, 4242, "S", 0.0)]
    stage.say(("C",), ("D", 0, ""), ("P", 0, ""))
    outcome = await first.wait(PATIENCE)
    assert len(outcome.notes) == 1 and "sleep (99)" in outcome.notes[0]
    second = await terminal.start("true")
    stage.say(b"late\r\n", ("C",), ("D", 0, ""))
    outcome = await second.wait(PATIENCE)
    assert (outcome.notes, outcome.output) == ((), "")


async def test_survivors_are_named_when_they_have_a_name(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between fork and exec a job has the shell's own name."""
    monkeypatch.setattr("truetty.terminal.command.LONGEST_NAMING", PATIENCE)
    terminal = await stage.open()
    job = Process(99, "bash", 4242, 99, 4242, "R", 0.0, forked=True)
    command = await terminal.start("sleep 9 & (sleep 9; true) &")
    stage.observer.living = [job, dataclasses.replace(job, pid=98, group=98, state="S")]
    stage.say(("C",), ("D", 0, ""))
    waiting = asyncio.ensure_future(command.wait(PATIENCE))
    await until(lambda: command.finished)
    stage.observer.living[0] = dataclasses.replace(job, name="sleep", state="S", forked=False)
    assert (await waiting).notes == ("still running in the background: sleep (99), a subshell of bash (98)",)


async def test_a_survivor_that_setsid_has_forked_is_named_when_it_has_a_name(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truetty.terminal.command.LONGEST_NAMING", PATIENCE)
    terminal = await stage.open()
    forked = Process(99, "setsid", 4242, 99, 99, "R", 0.0, forked=True)
    command = await terminal.start("setsid -f sleep 9")
    stage.observer.living = [forked, dataclasses.replace(forked, pid=98, group=98, name="perl", state="S")]
    stage.say(("C",), ("D", 0, ""))
    waiting = asyncio.ensure_future(command.wait(PATIENCE))
    await until(lambda: command.finished)
    stage.observer.living[0] = dataclasses.replace(forked, name="sleep", state="S", forked=False)
    assert (await waiting).notes == ("still running in the background: sleep (99), perl (98)",)


async def test_of_many_survivors_some_are_named(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.observer.living = [Process(100 + n, "sleep", 4242, 100 + n, 4242, "S", 0.0) for n in range(1010)]
    stage.say(("C",), ("D", 0, ""))
    (note,) = (await command.wait(PATIENCE)).notes
    assert note.endswith("sleep (108), sleep (109) and 1,000 more")


async def test_a_survivor_without_a_name(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truetty.terminal.command.LONGEST_NAMING", 0.0)
    terminal = await stage.open()
    command = await terminal.start("(while :; do :; done) &")
    stage.observer.living = [Process(99, "bash", 4242, 99, 4242, "R", 0.0, forked=True)]
    stage.say(("C",), ("D", 0, ""))
    outcome = await command.wait(PATIENCE)
    assert outcome.notes == ("still running in the background: a subshell of bash (99)",)


async def test_survivors_that_are_stopped_do_not_run(stage: Stage) -> None:
    terminal = await stage.open()
    running = Process(99, "sleep", 4242, 99, 4242, "S", 0.0)
    command = await terminal.start("x")
    stage.observer.living = [running, dataclasses.replace(running, pid=98, group=98, name="cat", state="T")]
    stage.say(("C",), ("D", 148, ""))
    outcome = await command.wait(PATIENCE)
    assert outcome.notes == (
        "still running in the background: sleep (99)",
        "stopped in the background: cat (98)",
    )
    assert (outcome.exit_code, outcome.signal) == (148, None)


async def test_an_end_counts_where_processes_cannot_be_seen(stage: Stage) -> None:
    terminal = await stage.open()
    stage.observer.living = None
    command = await terminal.start("sleep 9 &")
    stage.say(("C",))
    assert command.activity.processes is None
    stage.say(("D", 3, ""))
    outcome = await command.wait(PATIENCE)
    assert (outcome.exit_code, outcome.evidence, outcome.notes) == (3, "mark", ())


async def test_kill_where_processes_cannot_be_seen(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The group in front gets the signals, and the note does not blame the shell."""
    monkeypatch.setattr("truetty.terminal.stop.GRACE", 0.01)
    terminal = await stage.open()
    stage.observer.living = None
    stage.observer.front = 77
    command = await terminal.start("x")
    stage.say(("C",))
    outcome = await command.kill()
    assert stage.channel.signals[:2] == [(-77, signal.SIGTERM), (-77, signal.SIGCONT)]
    assert (-77, signal.SIGKILL) in stage.channel.signals and 4242 not in {pid for pid, _ in stage.channel.signals}
    assert len(outcome.notes) == 1 and "cannot be seen" in outcome.notes[0]


async def test_a_stopped_shell_is_said_to_be(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",))
    stage.observer.observation = Observation("stopped")
    await stage.looked()
    outcome = await command.wait(0.05)
    assert outcome.state == "running" and len(outcome.notes) == 1


async def test_a_time_out_interrupts(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x", timeout=0.05)
    stage.say(("C",))
    await until(lambda: b"\x03" in stage.channel.written)
    stage.say(b"^C\r\n", ("D", 130, ""))
    outcome = await command.wait(PATIENCE)
    assert outcome.exit_code == 130 and outcome.notes == ("ended because its time-out was over",)


# -- what is typed


async def test_questions_are_answered_to_whoever_waits(stage: Stage) -> None:
    terminal = await stage.open()
    stage.say(b"\x1b[6n")
    assert stage.typed() == b""  # a look must show who reads the answer at the prompt
    await terminal.start("x")
    stage.typed()
    stage.say(("C",), b"\x1b[c\x1b[5n\x1b[6n\x1b[14t\x1b]52;c;?\x07\x1bP+q544e\x1b\\")
    await stage.looked()
    assert stage.typed() == b""  # no program reads
    stage.observer.observation = KEY
    stage.observer.tty = dataclasses.replace(USUAL, canonical=False, echo=False)
    await until(lambda: len(stage.channel.written) > 0)
    await stage.looked()
    assert (
        stage.typed() == b"\x1b[?1;2c\x1b[0n\x1b[2;1R\x1bP0+r\x1b\\"
    )  # the cursor is below the prompt and the command


async def test_a_shell_that_has_yet_to_read_the_answer_does_not_wait_for_a_person(stage: Stage) -> None:
    """On a busy machine the answer is on its way for longer than until the next look."""
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.observer.tty = dataclasses.replace(USUAL, canonical=False, echo=False)
    stage.observer.observation = dataclasses.replace(KEY, reader=4242, consumed=1000)
    stage.typed()
    stage.say(("C",), b"\x1b[5n")
    await until(lambda: len(stage.channel.written) > 0)
    await stage.looked(4)
    assert command.state == "running"
    stage.observer.observation = dataclasses.replace(stage.observer.observation, consumed=1000 + len(stage.typed()))
    await until(lambda: command.state == "waiting")


TIMED = dataclasses.replace(KEY, conclusive=False, timed=True)


@pytest.mark.parametrize(
    ("printed", "sights", "state"),
    [
        (b"\x1b[?u", [TIMED], "running"),
        (b"\x1b[?u", [dataclasses.replace(KEY, timed=True)], "running"),  # a `read` with VTIME
        (b"\x1b[?u", [TIMED, dataclasses.replace(TIMED, wakes=2)], "waiting"),  # its time was over, and it reads on
        (b"\x1b[?u", [dataclasses.replace(TIMED, timed=False)], "waiting"),  # without a limit, it waits for keys
        (b"\x1b[?u", [dataclasses.replace(TIMED, kind="line")], "waiting"),
        (b"\x1b[?uPress a key", [TIMED], "waiting"),
        (b"Press a key", [TIMED], "waiting"),
    ],
)
async def test_whoever_waits_for_an_answer_that_never_comes(
    stage: Stage, printed: bytes, sights: list[Observation], state: str
) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), printed)
    stage.observer.tty = dataclasses.replace(USUAL, canonical=sights[-1].kind == "line", echo=False)
    for sight in sights:
        stage.observer.observation = sight
        await stage.looked(5)
    if state == "running":
        assert command.state == "running"
    else:
        await until(lambda: command.state == "waiting")


@pytest.mark.parametrize(
    ("sight", "canonical"),
    [
        (LINE, True),
        (dataclasses.replace(KEY, program="busybox"), False),
        (dataclasses.replace(KEY, program="ash"), False),
        (KEY, True),
        (Observation("running"), False),
    ],
)
async def test_questions_nobody_should_answer(stage: Stage, sight: Observation, canonical: bool) -> None:
    terminal = await stage.open()
    await terminal.start("x")
    stage.typed()
    stage.observer.observation = sight
    stage.observer.tty = dataclasses.replace(USUAL, canonical=canonical)
    stage.say(("C",), b"\x1b[6n\x1b[c")
    await stage.looked()
    assert stage.typed() == b""


async def test_the_next_command_is_typed_at_the_prompt_not_at_the_end_mark(stage: Stage) -> None:
    """Between the two the user's prompt hooks run, which may read what is typed or throw it away."""
    terminal = await stage.open()
    first = await terminal.start("x")
    stage.say(("C",), ("D", 3, ""))
    assert (await first.wait(PATIENCE)).exit_code == 3
    stage.typed()
    second = await terminal.start("y")
    await second.send("for y\n")
    await stage.looked()
    assert stage.typed() == b"" and second.state == "running"
    stage.say(("P", 3, ""))
    assert stage.typed().endswith(b"\n")
    stage.say(("C",))
    assert stage.typed() == b"for y\n"
    stage.say(("D", 0, ""))
    assert (await second.wait(PATIENCE)).exit_code == 0


async def test_keys_behind_an_interrupt_key_that_waits_keep_their_order(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",))
    stage.typed()
    await command.press("C-c")
    await command.send("y\n")
    assert stage.typed() == b""  # no program is in front yet
    await until(lambda: len(stage.channel.written) > 0)
    assert stage.typed() == b"\x03y\n"


@pytest.mark.parametrize("work", [Work(asleep=True, cpu=1.0), Work(asleep=False, cpu=2.0)])
async def test_an_interrupt_key_waits_for_a_shell_that_gets_no_cpu(stage: Stage, work: Work) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",))
    stage.typed()
    stage.observer.working = Work(asleep=False, cpu=1.0)
    await command.press("C-c")
    await asyncio.sleep(2 * PROGRAM_START)
    await stage.looked()
    assert stage.typed() == b""
    stage.observer.working = work
    await until(lambda: bool(stage.channel.written))
    assert stage.typed() == b"\x03"


async def test_an_editor_that_switches_the_interrupt_key_off_does_not_have_the_last_word(stage: Stage) -> None:
    terminal = await stage.open()
    stage.observer.tty = dataclasses.replace(USUAL, canonical=False, signals=False, interrupt=b"")
    command = await terminal.start("x")
    await command.press("C-c")
    stage.typed()
    stage.observer.tty, stage.observer.working = USUAL, Work(asleep=False, cpu=1.0)
    stage.say(("C",))
    await stage.looked()
    assert stage.typed() == b""
    stage.observer.working = Work(asleep=True, cpu=1.0)
    await until(lambda: bool(stage.channel.written))
    assert stage.typed() == b"\x03"


async def test_an_interrupt_key_goes_to_the_first_program(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",))
    stage.typed()
    stage.observer.working = Work(asleep=False, cpu=1.0)
    await command.press("C-c")
    stage.observer.living, stage.observer.front = [Process(7, "sleep", 4242, 7, 4242, "R", 0.0)], 7
    await until(lambda: bool(stage.channel.written))
    assert stage.typed() == b"\x03"


@pytest.mark.parametrize("sight", [READY, Observation("running"), Observation("waiting", False, "line", reader=4242)])
async def test_an_interrupt_key_waits_for_a_shell_that_has_not_read_its_line(stage: Stage, sight: Observation) -> None:
    terminal = await stage.open()
    stage.observer.read_so_far = 0
    command = await terminal.start("x")
    stage.typed()
    stage.observer.observation = dataclasses.replace(sight, consumed=0)
    stage.observer.working = Work(asleep=True, cpu=1.0)
    await command.press("C-c")
    await asyncio.sleep(COMMAND_START)
    await stage.looked()
    assert stage.typed() == b""
    stage.observer.observation = Observation("running")
    stage.say(("C",))
    await until(lambda: bool(stage.channel.written))
    assert stage.typed() == b"\x03"


async def test_other_keys_wait_for_the_start_however_long_it_takes(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.typed()
    await command.send("y\n")
    await asyncio.sleep(COMMAND_START)
    await stage.looked()
    assert stage.typed() == b""
    stage.say(("C",))
    assert stage.typed() == b"y\n"


async def test_an_interrupt_key_after_the_end_goes_to_the_prompt(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), ("D", 0, ""), ("P", 0, ""))
    await command.wait(PATIENCE)
    stage.typed()
    await terminal.send("\x03")
    assert stage.typed() == b"\x03"


async def test_a_prompt_that_says_p_twice_gets_the_command_once(stage: Stage) -> None:
    terminal = await stage.open()
    first = await terminal.start("x")
    stage.say(("C",), ("D", 0, ""))
    await first.wait(PATIENCE)
    stage.typed()
    await terminal.start("y")
    stage.say(("P", 0, ""), b"$ ", ("P", 0, ""), b"$ ")
    assert stage.typed().count(b"\n") == 1


async def test_a_prompt_hook_that_never_ends_gets_the_interrupt_key(stage: Stage) -> None:
    terminal = await stage.open()
    first = await terminal.start("x")
    stage.say(("C",), ("D", 0, ""))
    await first.wait(PATIENCE)
    stage.typed()
    second = await terminal.start("y")
    await second.press("C-c")
    assert stage.typed() == b""  # the hook may be about to end, and then the key is the command's
    await until(lambda: bool(stage.channel.written))
    assert stage.typed() == b"\x03"


async def after_broken_modes(stage: Stage) -> truetty.Command:
    """A command that is typed after one which left the modes broken: its shell is asked to stop for us first."""
    terminal = await stage.open()
    first = await terminal.start("stty raw")
    stage.observer.tty = dataclasses.replace(USUAL, echo=False, sane=False)
    stage.say(("C",), ("D", 0, ""), ("P", 0, ""))
    await first.wait(PATIENCE)
    command = await terminal.start("x")
    stage.typed()
    return command


async def test_the_modes_are_mended_when_the_shell_stops_for_it(stage: Stage) -> None:
    command = await after_broken_modes(stage)
    stage.say(("M",))
    assert stage.typed() == b"\n" and stage.observer.mended == 1 and command.state == "running"
    stage.say(("C",), b"out", ("D", 0, ""))
    assert (await command.wait(PATIENCE)).output == "out"


async def test_a_stop_seen_late_is_not_waiting(stage: Stage) -> None:
    """The shell prints M and reads. A look sees it read, and then M arrives, which we answer: it is no waiting."""
    command = await after_broken_modes(stage)
    stage.observer.observation = Observation("waiting", kind="line", reader=4242, program="bash", wakes=5)
    stage.channel.hold(stage.part(("M",)))
    await until(lambda: len(stage.channel.written) > 0)
    assert stage.typed() == b"\n" and command.state == "running"
    stage.observer.observation = Observation("running")
    stage.say(("C",), ("D", 0, ""))
    assert (await command.wait(PATIENCE)).state == "finished" and command.open_waiting is None


@pytest.mark.parametrize("first", ["mark", "look"])
async def test_a_shell_that_stops_for_us_gets_one_newline(stage: Stage, first: str) -> None:
    """On a busy machine the shell still reads though its mark was answered, or the mark comes after looks showed it."""
    command = await after_broken_modes(stage)
    if first == "mark":
        stage.say(("M",))
    stage.observer.observation = Observation("waiting", kind="line", reader=4242, program="bash", wakes=5)
    await stage.looked(12)
    if first == "look":
        stage.say(("M",))
    assert stage.typed() == b"\n" and command.state == "running"


async def test_a_dirty_prompt_is_cleared_first(stage: Stage) -> None:
    terminal = await stage.open()
    await terminal.send("half a li")
    stage.typed()
    command = await terminal.start("x")
    stage.observer.observation = READY
    await until(lambda: stage.channel.written.endswith(b"\n"))
    assert stage.typed().startswith(b"\x07\x1b[201~" + CLEAR)  # out of a search and of a paste, too
    stage.observer.observation = Observation("running")
    stage.say(("C",), ("D", 0, ""), ("P", 0, ""))
    await command.wait(PATIENCE)
    await terminal.start("y")
    assert CLEAR not in stage.typed()


async def test_a_dirty_prompt_of_a_shell_without_such_a_key(stage: Stage) -> None:
    stage.terminal = truetty.Terminal("dash", channel=stage.channel)
    terminal = await stage.open()
    await terminal.send("half")
    stage.typed()
    command = await terminal.start("x")
    stage.observer.observation = READY
    await until(lambda: bool(stage.channel.written))
    assert stage.typed() == b"\x03"
    stage.observer.observation = Observation("running")
    stage.say(b"^C\r\n", ("P", 130, ""), b"$ ")
    stage.observer.observation = READY
    await until(lambda: stage.channel.written.endswith(b"\n"))
    stage.observer.observation = Observation("running")
    stage.say(("C",), b"out", ("D", 0, ""))
    assert (await command.wait(PATIENCE)).output == "out"


async def test_keys_for_a_command_that_never_starts_are_said_not_to_be_typed(stage: Stage) -> None:
    """They wait for the start mark. The prompt comes back instead, and must not get them."""
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.typed()
    await command.send("yes\n")
    stage.observer.observation = READY
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code) == ("finished", None)
    assert "4 bytes that were sent to it were not typed: it never started" in outcome.notes
    assert b"yes" not in stage.typed()
