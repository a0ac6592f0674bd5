"""The terminal on a scripted channel: the order of things is the test's to choose."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable

import pytest

import truetty
from truetty.core.observation import Observation
from truetty.kernel.observation import Process
from truetty.testing import FakeChannel, mark

PATIENCE = 10.0
CLEAR = b"\x1b[7717~"
READY = Observation("ready", reader=4242, program="bash")
LINE = Observation("waiting", kind="line", reader=77, program="cat", wakes=1)
KEY = Observation("waiting", kind="key", reader=78, program="vim", wakes=1)


class Stage:
    """A terminal and its fake shell."""

    def __init__(self) -> None:
        self.channel = FakeChannel()
        self.observer = self.channel.observer
        self.terminal = truetty.Terminal("bash", channel=self.channel, startup=5)

    def part(self, part: bytes | tuple[object, ...]) -> bytes:
        """Bytes as they are; a tuple is a mark of the newest command: its letter, and what follows the secret."""
        if isinstance(part, bytes):
            return part
        conversation = self.terminal._conversation
        assert conversation is not None
        secrets = conversation._secrets
        known = {"C": secrets.start, "M": secrets.start, "D": secrets.end, "H": secrets.answer, "P": secrets.key, "2": secrets.key}
        letter, *rest = part
        return mark(str(letter), known[str(letter)], *rest)

    def say(self, *parts: bytes | tuple[object, ...]) -> None:
        self.channel.say(b"".join(map(self.part, parts)))

    async def open(self) -> truetty.Terminal:
        opening = asyncio.ensure_future(self.terminal.__aenter__())
        await asyncio.sleep(0)
        self.say(("P", 0, "himBHs"), b"$ ")
        return await asyncio.wait_for(opening, PATIENCE)

    def typed(self) -> bytes:
        """What was typed since this was last asked."""
        typed = bytes(self.channel.written)
        self.channel.written.clear()
        return typed

    async def looked(self, times: int = 3) -> None:
        """Wait until that many further looks were made."""
        goal = self.observer.looks + times
        await until(lambda: self.observer.looks >= goal)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.002)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await stage.terminal.close()


# -- opening


async def test_open_at_the_first_prompt(stage: Stage) -> None:
    terminal = await stage.open()
    assert (terminal.strategy, terminal.busy, terminal.closed, terminal.shell, terminal.pid) == ("rich", False, False, "bash", 4242)
    assert terminal.command is None and stage.typed() == b""
    with pytest.raises(truetty.Misuse):
        await terminal.__aenter__()


async def test_a_prompt_that_comes_late(stage: Stage) -> None:
    opening = asyncio.ensure_future(stage.terminal.__aenter__())
    await stage.looked()
    assert not opening.done()
    stage.say(b"motd\r\n", ("P", 0, ""), b"$ ")
    await asyncio.wait_for(opening, PATIENCE)
    assert stage.terminal.strategy == "rich"


async def test_a_prompt_that_does_not_come() -> None:
    stage = Stage()
    stage.terminal = truetty.Terminal("bash", channel=stage.channel, startup=0.05)
    async with stage.terminal as terminal:
        assert not terminal.closed and terminal.strategy == "none"
        command = await terminal.start("echo hello")
        await stage.looked()
        assert command.state == "running" and stage.typed() == b""  # something runs: nothing is typed into it
        stage.observer.observation = LINE
        assert (await command.wait(PATIENCE)).state == "waiting" and stage.typed() == b""
        stage.say(("P", 0, ""))
        assert stage.typed().endswith(b"\n")
        stage.say(("C",), b"hello\r\n", ("D", 0, ""))
        assert (await command.wait(PATIENCE)).output == "hello\n"


@pytest.mark.parametrize(("code", "number", "expected"), [(5, None, 5), (None, 9, 137), (None, None, None)])
async def test_a_shell_that_ends_at_once(stage: Stage, code: int | None, number: int | None, expected: int | None) -> None:
    opening = asyncio.ensure_future(stage.terminal.__aenter__())
    await stage.looked(1)
    stage.channel.end(code, number)
    terminal = await asyncio.wait_for(opening, PATIENCE)
    assert terminal.closed and terminal.exit_code == expected
    with pytest.raises(truetty.Closed) as refused:
        await terminal.run("echo x")
    assert refused.value.exit_code == expected


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
    parts: tuple[bytes | tuple[object, ...], ...] = (b"echo\r\n", ("C",), b"out\x1b[31m\r\n", ("D", 7, "im"), ("P", 7, "im"), b"$ ")
    stream = b"".join(map(stage.part, parts))
    for at in range(0, len(stream), cut):
        stage.channel.say(stream[at : at + cut])
        assert "7717" not in command.output.text()
    outcome = await command.wait(PATIENCE)
    assert (outcome.exit_code, outcome.output, command.output.raw()) == (7, "out\n", b"out\x1b[31m\r\n")


async def test_what_ends_nothing(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("D", 0, ""))  # before C
    stage.say(("P", 0, ""))
    stage.say(("C",), b"a", ("C",), mark("D", "wrong", 0, ""), mark("P", "wrong", 0, ""))
    stage.say(stage.part(("C",)).replace(b";C;", b";D;"), stage.part(("P", 0, "")).replace(b";P;", b";D;"), ("H", 0, ""), b"\x1b]133;D;0\x07\x1b]633;D;0\x07\x1b]3008;end=1\x1b\\")
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
    wait = asyncio.ensure_future(command.wait(PATIENCE, r"listening on \d+"))
    stage.say(("C",), b"\x1b[1mliste")
    stage.say(b"ning\x1b[0m on 80\r\n")
    assert "listening on 80" in (await wait).output
    assert (await command.wait(0.05, r"listening")).state == "running"  # an earlier wait has returned it
    stage.say(("D", 0, ""))
    assert (await command.wait(PATIENCE, "never")).state == "finished"


# -- what goes wrong


async def test_a_lost_channel(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"half")
    wait = asyncio.ensure_future(command.wait())
    await asyncio.sleep(0)
    stage.channel.end()
    outcome = await asyncio.wait_for(wait, PATIENCE)
    facts = (outcome.state, outcome.exit_code, outcome.evidence, outcome.closed, outcome.output)
    assert facts == ("lost", None, None, True, "half")
    assert terminal.closed and terminal.exit_code is None and not terminal.busy


@pytest.mark.parametrize(("code", "number", "told"), [(3, None, (3, None)), (None, 9, (137, "SIGKILL"))])
async def test_the_shell_ends(stage: Stage, code: int | None, number: int | None, told: tuple[int, str | None]) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"bye")
    stage.channel.end(code, number)
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.evidence, outcome.closed, outcome.output) == ("finished", "exit", True, "bye")
    assert (outcome.exit_code, outcome.signal) == told and terminal.exit_code == told[0]


async def test_marks_that_stop_in_mid_command(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"out\r\n$ ")
    await stage.looked()
    assert command.state == "running"
    stage.observer.observation = READY
    outcome = await command.wait(PATIENCE)
    # No folder, so the shell cannot be asked: the end is known and its code is not.
    assert (outcome.state, outcome.exit_code, outcome.evidence, outcome.strategy) == ("finished", None, "kernel", "none")
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
    stage.observer.living = [Process(99, "sleep", 4242, 99, 4242, "S", 0.0)]
    first = await terminal.start("sleep 9 &")
    stage.say(("C",), ("D", 0, ""))
    outcome = await first.wait(PATIENCE)
    assert len(outcome.notes) == 1 and "sleep (99)" in outcome.notes[0]
    second = await terminal.start("true")
    stage.say(b"late\r\n", ("C",), ("D", 0, ""))
    outcome = await second.wait(PATIENCE)
    assert (outcome.notes, outcome.output) == ((), "")


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
    assert stage.typed() == b""  # bash does not ask, so nobody reads an answer at its prompt
    await terminal.start("x")
    stage.typed()
    stage.say(("C",), b"\x1b[c\x1b[5n\x1b[6n\x1b[>c\x1b]11;?\x07\x1bP+q544e\x1b\\")
    await stage.looked()
    assert stage.typed() == b""  # nobody reads
    stage.observer.observation = KEY
    stage.observer.tty = dataclasses.replace(stage.observer.tty, canonical=False, echo=False)
    await until(lambda: len(stage.channel.written) > 0)
    await stage.looked()
    assert stage.typed() == b"\x1b[?1;2c\x1b[0n\x1b[1;1R"


@pytest.mark.parametrize(
    ("sight", "canonical"),
    [(LINE, True), (dataclasses.replace(KEY, program="busybox"), False), (dataclasses.replace(KEY, program="ash"), False),
     (KEY, True), (Observation("running"), False)],
)  # fmt: skip
async def test_questions_nobody_should_answer(stage: Stage, sight: Observation, canonical: bool) -> None:
    terminal = await stage.open()
    await terminal.start("x")
    stage.typed()
    stage.observer.observation = sight
    stage.observer.tty = dataclasses.replace(stage.observer.tty, canonical=canonical)
    stage.say(("C",), b"\x1b[6n\x1b[c")
    await stage.looked()
    assert stage.typed() == b""


async def test_the_modes_are_mended_when_the_shell_stops_for_it(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.typed()
    stage.observer.tty = dataclasses.replace(stage.observer.tty, echo=False, sane=False)
    stage.say(("M",))
    assert stage.typed() == b"\n" and stage.observer.mended == 1 and command.state == "running"
    stage.say(("C",), b"out", ("D", 0, ""))
    assert (await command.wait(PATIENCE)).output == "out"


async def test_a_stop_seen_late_is_not_waiting(stage: Stage) -> None:
    """The shell prints M and reads. A look sees it read, and with that look M arrives, which we answer: nobody waits."""
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.typed()
    stage.observer.observation = Observation("waiting", kind="line", reader=4242, program="bash", wakes=5)
    stage.channel.hold(stage.part(("M",)))
    await until(lambda: len(stage.channel.written) > 0)
    assert stage.typed() == b"\n" and command.state == "running"
    stage.observer.observation = Observation("running")
    stage.say(("C",), ("D", 0, ""))
    assert (await command.wait(PATIENCE)).state == "finished" and command._machine.episode == 0


async def test_a_dirty_prompt_is_cleared_first(stage: Stage) -> None:
    terminal = await stage.open()
    await terminal.send("half a li")
    stage.typed()
    command = await terminal.start("x")
    line = stage.typed()
    assert line.startswith(CLEAR) and line.endswith(b"\n")
    stage.say(("C",), ("D", 0, ""))
    await command.wait(PATIENCE)
    await terminal.start("y")
    assert CLEAR not in stage.typed()


async def test_a_dirty_prompt_of_a_shell_without_such_a_key(stage: Stage) -> None:
    stage.terminal = truetty.Terminal("dash", channel=stage.channel)
    terminal = await stage.open()
    await terminal.send("half")
    stage.typed()
    command = await terminal.start("x")
    assert stage.typed() == b"\x03"
    stage.say(b"^C\r\n", ("P", 130, ""), b"$ ")
    await until(lambda: stage.channel.written.endswith(b"\n"))
    stage.say(("C",), b"out", ("D", 0, ""))
    assert (await command.wait(PATIENCE)).output == "out"


# -- closing and cancelling


async def test_close_twice_and_at_once(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",), b"half")
    wait = asyncio.ensure_future(command.wait())
    await asyncio.gather(terminal.close(), terminal.close())
    await terminal.close()
    outcome = await asyncio.wait_for(wait, PATIENCE)
    assert (outcome.state, outcome.closed, outcome.output) == ("finished", True, "half")
    assert terminal.closed and stage.channel.closed and terminal.cwd == "/"
    for call in (terminal.run("y"), terminal.send("y"), terminal.press("Enter"), terminal.resize(80, 24)):
        with pytest.raises(truetty.Closed):
            await call


@pytest.mark.parametrize("verb", ["run", "wait", "finished", "pattern"])
async def test_a_cancelled_wait_leaves_everything_as_it_was(stage: Stage, verb: str) -> None:
    terminal = await stage.open()
    if verb == "run":
        task = asyncio.ensure_future(terminal.run("x"))
    else:
        command = await terminal.start("x")
        until = {"wait": "settled", "finished": "finished", "pattern": "never"}[verb]
        task = asyncio.ensure_future(command.wait(None, until))
    await asyncio.sleep(0)
    stage.say(("C",), b"half")
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert terminal.busy and terminal.command is not None and terminal.command.state == "running"
    stage.say(("D", 5, ""))
    assert (await terminal.command.wait(PATIENCE)).exit_code == 5
    assert not terminal._waiters  # the cancelled one is not kept
    command = await terminal.start("y")
    stage.say(("C",), ("D", 6, ""))
    assert (await command.wait(PATIENCE)).exit_code == 6


async def test_a_cancelled_opening_closes(stage: Stage) -> None:
    opening = asyncio.ensure_future(stage.terminal.__aenter__())
    await stage.looked(1)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert stage.terminal.closed and stage.channel.closed


async def test_a_cancelled_close_closes_all_the_same(stage: Stage) -> None:
    terminal = await stage.open()
    closing = asyncio.ensure_future(terminal.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await terminal.close()
    assert stage.channel.closed and terminal.closed


async def test_a_cancelled_kill_can_be_made_again(stage: Stage) -> None:
    terminal = await stage.open()
    command = await terminal.start("x")
    stage.say(("C",))
    killing = asyncio.ensure_future(command.kill())
    await until(lambda: b"\x03" in stage.channel.written)
    killing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await killing
    killing = asyncio.ensure_future(command.kill())
    await until(lambda: stage.channel.written.count(b"\x03") == 2)
    stage.say(("D", 130, ""))
    assert (await asyncio.wait_for(killing, PATIENCE)).exit_code == 130
