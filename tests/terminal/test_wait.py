"""What a wait may be for, and who answers a command that waits."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS, opened
from tests.rows import each_row
from tests.stage import until
from truetty.core.patterns import BoundedPattern
from truetty.core.until import Exit, Idle, Input, Match, Port, Screen, Settled, of, read
from truetty.host.base import Family
from truetty.questions.replies import Reply
from truetty.terminal.wait import SLOWEST_LOOK, PortWatch


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("settled", Settled()),
        ("exit", Exit()),
        ("finished", Exit()),
        ("input", Input()),
        ("match:a:b", Match(BoundedPattern("a:b"))),
        ("idle:2.5", Idle(2.5)),
        (" port:8000 ", Port(8000)),
    ],
)
def test_words(words: str, expected: object) -> None:
    assert read(words) == expected


@each_row("words", ["", "port", "port:0", "port:70000", "port:x", "idle:-1", "idle:nan", "match:", "match:(", "sleep"])
def test_words_that_mean_nothing(words: str) -> None:  # fmt: skip
    with pytest.raises(truetty.Misuse):
        read(words)


def test_what_wait_takes() -> None:
    assert (of("settled"), of("finished"), of("exit")) == (Settled(), Exit(), Exit())
    assert of(Idle(1)) == Idle(1) and of(re.compile("a")) == Match("a") and of("idle:1") == Idle(1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("setled", "Did you mean settled? To wait for this text in the output, use truetty.until.Match('setled')."),
        ("ready", "not 'ready'. To wait for this text in the output, use truetty.until.Match('ready')."),
        ("", "until is settled, exit, input, match:REGEX, idle:SECONDS or port:NUMBER, not ''"),
        ("(", "not '('"),
        (5, "got the number 5"),
        (None, "got None"),
    ],
)
def test_what_wait_does_not_take(given: object, words: str) -> None:
    with pytest.raises(truetty.Misuse) as refusal:
        of(given)  # type: ignore[arg-type]  # a caller without types
    assert words in str(refusal.value)


def untyped(value: object) -> Any:
    """As a caller without types gives it."""
    return value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Match(), "one pattern or more"),
        (lambda: Match(""), "matches at once"),
        (lambda: Match("(unclosed"), "use re.escape('(unclosed')"),
        (lambda: Match(untyped(5)), "not the number 5"),
        (lambda: Match(untyped(re.compile(b"x"))), "looks for bytes"),
        (lambda: Port(untyped("80")), "not the text '80'"),
        (lambda: Port(True), "not True"),
        (lambda: Idle(untyped("x")), "not the text 'x'"),
        (lambda: Idle(float("inf")), "finite"),
        (lambda: Screen(""), "an empty one is on every screen"),
        (lambda: Screen(untyped(5)), "not the number 5"),
    ],
)
def test_what_no_wait_can_be_for(make: Callable[[], object], words: str) -> None:
    with pytest.raises(truetty.Misuse) as refusal:
        make()
    assert words in str(refusal.value)


@pytest.mark.parametrize("shell", SHELLS)
async def test_idle_is_patience_and_no_end(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("sh -c 'for i in 1 2 3; do echo $i; sleep 0.1; done; exec sleep 600'")
        await command.wait(PATIENCE, Match("3"))  # on a busy machine it is silent for long before it
        outcome = await command.wait(PATIENCE, Idle(0.5))
        assert (outcome.state, command.reached, outcome.output) == ("running", "idle", "1\n2\n3\n")
        outcome = await command.wait(0.05, Exit())
        assert (outcome.state, command.reached) == ("running", None)
        await command.kill()
        assert (await command.wait(PATIENCE, Idle(500))).state == "finished" and command.reached == "exit"


async def test_a_port(home: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"sleep 0.3; python3 -m http.server --bind 127.0.0.1 {port}")
        outcome = await command.wait(PATIENCE, Port(port))
        assert (outcome.state, command.reached) == ("running", "port")
        with socket.create_connection(("127.0.0.1", port), PATIENCE):
            pass
        await command.kill()
        command = await terminal.start("sh -c 'exit 3'")
        outcome = await command.wait(PATIENCE, Port(port))
        assert (outcome.exit_code, command.reached) == (3, "exit")


@pytest.mark.parametrize("shell", SHELLS)
async def test_rules_answer_once_each_and_leave_a_record(shell: str, home: Path) -> None:
    rules = [Reply(r"Proceed\? \[Y/n\]", "y"), Reply("name", "Ada", limit=2)]
    async with truetty.Terminal(shell, env={"HOME": str(home)}, replies=rules) as terminal:
        ask = "for q in 'Proceed? [Y/n] ' 'your name: ' 'its name: '; do printf \"$q\"; read a; echo got $a; done"
        outcome = await terminal.run(f"sh -c '{ask.replace(chr(39), chr(39) + chr(92) + chr(39) * 2)}'", wait=PATIENCE)
        assert outcome.state == "finished", outcome
        assert [line for line in outcome.output.splitlines() if line.startswith("got")] == [
            "got y",
            "got Ada",
            "got Ada",
        ]
        assert len(outcome.notes) == 3 and outcome.notes[0].startswith("answered 'y' to 'Proceed? [Y/n]'")
        outcome = await terminal.run("printf 'its age: '; head -1", wait=PATIENCE)
        assert outcome.state == "waiting" and outcome.notes == ()  # no rule for it


@pytest.mark.parametrize("shell", SHELLS)
async def test_no_rule_answers_a_secret_but_the_owners_callback_may(shell: str, home: Path) -> None:
    seen: list[truetty.Waiting] = []

    async def owner(waiting: truetty.Waiting) -> str | None:
        seen.append(waiting)
        return "hunter2\n" if waiting.kind == "secret" else None

    ask = "sh -c 'stty -echo; printf \"Password: \"; read a; stty echo; echo; echo ${#a}'"
    async with truetty.Terminal(shell, env={"HOME": str(home)}, replies=[Reply("assword", "guess")]) as terminal:
        outcome = await terminal.run(ask, wait=PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None and outcome.waiting.kind == "secret"
        assert outcome.waiting.asks == "password"
        assert "no rule answers one" in outcome.notes[0]
    async with truetty.Terminal(shell, env={"HOME": str(home)}, on_waiting=owner) as terminal:
        outcome = await terminal.run(ask, wait=PATIENCE)
        assert (outcome.state, outcome.output) == ("finished", "Password: \n7\n")
        assert [waiting.kind for waiting in seen] == ["secret"]
        assert b"hunter2" not in terminal.transcript.read()
        outcome = await terminal.run("head -1", wait=PATIENCE)
        assert outcome.state == "waiting" and len(seen) == 2


async def test_a_callback_that_fails_is_said_and_the_command_waits(home: Path) -> None:
    async def broken(waiting: truetty.Waiting) -> str | None:
        raise RuntimeError("no idea")

    async with truetty.Terminal("bash", env={"HOME": str(home)}, on_waiting=broken) as terminal:
        outcome = await terminal.run("read x", wait=PATIENCE)
        assert outcome.state == "waiting" and outcome.notes == ("on_waiting failed: RuntimeError: no idea",)


async def test_a_plain_function_answers_as_a_coroutine_function_does(home: Path) -> None:
    env = {"HOME": str(home)}
    async with truetty.Terminal("bash", env=env, on_waiting=lambda waiting: "yes\n") as terminal:
        outcome = await terminal.run("read -p 'Sure? ' x; echo got $x", wait=PATIENCE)
        assert (outcome.state, outcome.output, outcome.notes) == ("finished", "Sure? yes\ngot yes\n", ())


async def test_a_callback_that_thinks_is_waited_for_and_cancelled_at_the_end(home: Path) -> None:
    ended = asyncio.Event()

    async def slow(waiting: truetty.Waiting) -> str | None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return None

    async with truetty.Terminal("bash", env={"HOME": str(home)}, on_waiting=slow) as terminal:
        command = await terminal.start("read x")
        assert (await command.wait(0.3)).state == "waiting" and command.reached is None  # patience, not an answer
        await command.kill()
        await asyncio.wait_for(ended.wait(), PATIENCE)


async def test_what_is_asked_is_described(home: Path) -> None:
    async with opened("bash", home) as terminal:
        outcome = await terminal.run("read -p 'Overwrite the file? [y/N] ' x", wait=PATIENCE)
        waiting = outcome.waiting
        assert waiting is not None and (waiting.asks, waiting.choices, waiting.default) == ("yes-no", ("y", "n"), "n")
        assert waiting.prompt == "Overwrite the file? [y/N] " and waiting.hint


async def test_a_late_answer_is_for_nobody_else(home: Path) -> None:
    """The first question was given up meanwhile: what was meant for it must not answer the second."""
    asked, second = asyncio.Event(), asyncio.Event()

    async def slow(waiting: truetty.Waiting) -> str | None:
        if "Q1" not in waiting.prompt:
            return None
        asked.set()
        await second.wait()
        return "yes\n"

    async with truetty.Terminal("bash", env={"HOME": str(home)}, on_waiting=slow) as terminal:
        first = """sh -c 'printf "Q1? "; read a'"""
        command = await terminal.start(f"{first}; echo; read -p 'Delete all? ' b; echo b=$b")
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
        for process in terminal.jobs or ():
            os.kill(process.pid, signal.SIGKILL)
        await command.wait(PATIENCE, Match(r"Delete all\? "))
        second.set()
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and "came too late" in outcome.notes[0]
        await command.send("no\n")
        assert (await command.wait(PATIENCE, "finished")).output.endswith("b=no\n")


async def test_an_answer_that_outlives_its_command_reaches_nobody(home: Path) -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    async def stubborn(waiting: truetty.Waiting) -> str | None:
        if waiting.program == "cat":
            return None
        asked.set()
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue
        return "STALE\n"

    async with truetty.Terminal("bash", env={"HOME": str(home)}, on_waiting=stubborn) as terminal:
        first = await terminal.start("read x")
        await asyncio.wait_for(asked.wait(), PATIENCE)
        await first.kill()
        second = await terminal.start("cat")
        assert (await second.wait(PATIENCE)).state == "waiting"
        go.set()
        await asyncio.sleep(0)  # the callback returns
        await second.send("of a person\n")
        await second.wait(PATIENCE, Match(r"of a person\n.*of a person\n"))
        assert "STALE" not in second.output.text() and b"STALE" not in terminal.transcript.read()


@pytest.mark.parametrize("answer", [b"bytes", 5, "\ud800"])
async def test_an_answer_that_is_no_text_is_said(answer: object, home: Path) -> None:
    async def odd(waiting: truetty.Waiting) -> str | None:
        return answer  # type: ignore[return-value]  # a callback without types

    async with truetty.Terminal("bash", env={"HOME": str(home)}, on_waiting=odd) as terminal:
        outcome = await terminal.run("read x", wait=PATIENCE)
        assert outcome.state == "waiting" and outcome.notes[0].startswith("on_waiting failed: ")


async def test_strange_patience(home: Path) -> None:
    for strange in (lambda: Idle(float("nan")), lambda: Idle(-1), lambda: Port(0), lambda: Port(70000)):
        with pytest.raises(truetty.Misuse):
            strange()
    with pytest.raises(truetty.Misuse, match="invalid escape sequence"):
        read(r"match:(a)\1")
    async with opened("bash", home) as terminal:
        command = await terminal.start("echo READY")
        with pytest.raises(truetty.Misuse):
            await command.wait(float("nan"))
        await until(lambda: command.finished)
        await command.wait(PATIENCE, Match("READY"))
        assert command.reached == "match"


def test_a_port_is_looked_for_more_and_more_rarely_and_one_that_was_open_before_does_not_count() -> None:
    ports = Ports()
    watch = PortWatch(8000, ports)
    now = 0.0
    pauses: list[float] = []
    while len(pauses) < 20:
        assert not watch.finds(now) and watch.next_look > now
        assert not watch.finds(now + (watch.next_look - now) / 2)  # too early: no look is made
        pauses.append(watch.next_look - now)
        now = watch.next_look
    assert ports.looks == 20 and pauses == sorted(pauses) and pauses[-1] == pytest.approx(SLOWEST_LOOK)
    ports.is_open = True
    assert watch.finds(watch.next_look)
    before = PortWatch(8000, ports)
    assert not before.finds(0.0)  # another program's, as far as is known
    ports.own = frozenset({8000})
    assert before.finds(before.next_look)


class Ports(Family):
    """A family without processes, whose ports a test sets."""

    def __init__(self) -> None:
        self.own: frozenset[int] = frozenset()
        self.is_open = False
        self.looks = 0

    def ports(self) -> frozenset[int] | None:
        self.looks += 1
        return self.own

    def port_is_open(self, number: int) -> bool | None:
        return self.is_open


async def test_the_end_is_reached_though_much_is_left_to_search_after_the_last_change(home: Path) -> None:
    """What is stepped through is searched a kilobyte at a time."""
    (home / "data").write_bytes(b"\x1b[3;4Hx" * 2000)
    async with truetty.Terminal("bash", rc=False, cwd=home) as terminal:
        command = await terminal.start("cat data")
        await command.wait(until=re.compile("never printed"))
        assert command.reached == "exit"


async def test_which_of_several_patterns_was_found(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("echo 'listening on box:8080'; echo 'failed: no'; read x")
        outcome = await command.wait(PATIENCE, Match("failed: (.*)", r"on (?P<host>\w+):(\d+)"))
        found = outcome.match
        assert outcome.reached == "match" and found is not None
        assert (found.index, found.text, found.groups()) == (1, "on box:8080", ("box", "8080"))
        assert (found.group("host"), found[2], found.groupdict()) == ("box", "8080", {"host": "box"})
        with pytest.raises(IndexError):
            found.group("port")


async def test_a_pattern_of_an_agent_has_groups_too(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("echo 'listening on box:8080'; read x")
        found = (await command.wait(PATIENCE, "match:on (?P<host>[a-z]+)")).match
        assert found is not None and (found[0], found["host"]) == ("on box", "box")


@pytest.mark.parametrize(
    "wanted", ["Save it?", re.compile(r"Save \w+\?"), lambda screen: screen.lines[2].startswith("    Save")]
)
async def test_a_wait_for_the_screen(home: Path, wanted: str | re.Pattern[str] | Callable[[object], bool]) -> None:
    async with opened("bash", home) as terminal:
        draw = r"printf '\033[2J\033[3;5HSave'; printf ' it?'; read x"
        command = await terminal.start(draw)
        outcome = await command.wait(PATIENCE, Screen(wanted))
        assert outcome.reached == "screen" and command.reached == "screen"


async def test_a_function_of_the_screen_that_fails_fails_the_wait_alone(home: Path) -> None:
    def wrong(screen: object) -> bool:
        raise LookupError("not there")

    async with opened("bash", home) as terminal:
        command = await terminal.start("echo one; read x")
        with pytest.raises(LookupError):
            await command.wait(PATIENCE, Screen(wrong))
        assert (await command.wait(PATIENCE)).state == "waiting"


@pytest.mark.parametrize("program", ["cat", "python3 -q"])
async def test_silence_is_counted_from_the_keys(home: Path, program: str) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start(program)
        await command.wait(PATIENCE)
        assert (await command.wait(PATIENCE, Idle(0.3))).reached == "idle"  # silence from before the keys
        await command.send("print('n' + 'ew')\n")
        outcome = await command.wait(PATIENCE, Idle(0.2))
        assert outcome.reached == "idle" and "new" in outcome.output.replace("' + '", "")


async def test_an_answer_without_its_enter_is_said_to_lack_it(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("read -p 'name: ' x; echo hi $x")
        assert (await command.wait(PATIENCE)).notes == ()
        await command.send("Ada")
        assert (await command.wait(PATIENCE)).notes == ("it reads lines, and no Enter was pressed",)
        await command.press("Enter")
        outcome = await command.wait(PATIENCE, "finished")
        assert (outcome.output, outcome.notes) == ("name: Ada\nhi Ada\n", ())
