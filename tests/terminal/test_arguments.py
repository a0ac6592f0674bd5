"""Calls that cannot be meant: refused with words that help, before anything has run or was opened."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.acceptance.session import PATIENCE, opened


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"wait": math.nan}, "wait must be 0 or more seconds, or None to wait without end; got nan."),
        ({"wait": "5"}, "wait must be a number of seconds, not the text '5'."),
        ({"wait": -1}, "wait must be 0 or more seconds, or None to wait without end; got -1."),
        ({"wait": True}, "wait must be a number of seconds, not True."),
        ({"timeout": math.nan}, "timeout must be 0 or more seconds; got nan."),
        ({"timeout": "5"}, "timeout must be a number of seconds, not the text '5'."),
        ({"timeout": 0}, "timeout must be more than 0 seconds. To come back at once, use start() or wait=0."),
        ({"kill_after": -1}, "kill_after must be 0 or more seconds; got -1."),
        ({"timeout": 5, "kill_after": 5}, "timeout and kill_after mean the same: give one of them."),
    ],
)
async def test_a_refused_run_has_run_nothing(home: Path, arguments: Mapping[str, Any], words: str) -> None:
    async with opened("bash", home) as terminal:
        with pytest.raises(truetty.Misuse) as refusal:
            await terminal.run(f"touch {home}/ran", **arguments)
        assert str(refusal.value) == f"{words} Nothing was run."
        assert terminal.command is None
        assert (await terminal.run(f"ls {home}/ran", wait=PATIENCE)).exit_code != 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["ls", "-l a"], "a command is one text, not a list: use shlex.join(['ls', '-l a']), which is \"ls '-l a'\"."),
        (5, "a command is text, not the number 5."),
        (" ", "the command is empty."),
        ("a\0b", "the command holds a NUL, which no shell can be given."),
    ],
)
async def test_what_is_no_command(home: Path, command: Any, words: str) -> None:
    async with opened("bash", home) as terminal:
        with pytest.raises(truetty.BadCommand) as refusal:
            await terminal.start(command)
        assert str(refusal.value) == f"{words} Nothing was run."


@pytest.mark.parametrize(
    ("shell", "arguments", "words"),
    [
        ("no-such-shell", {}, "no shell or program named 'no-such-shell' on PATH"),
        ("bash -l", {}, "For arguments give a list: ['bash', '-l']"),
        (123, {}, "shell must be a name, a path or a list of arguments, not the number 123"),
        ("bash", {"cwd": "/etc/passwd"}, "cwd is a file, not a directory: /etc/passwd"),
        ("bash", {"cwd": "/no/such"}, "no such directory: /no/such"),
        ("bash", {"cwd": 1}, "cwd must be a path, not the number 1"),
        ("bash", {"env": 1}, 'env must be a mapping such as {"CI": "1"}, not the number 1'),
        ("bash", {"env": {"A": 1}}, "env['A'] must be text, or None to unset it; got the number 1"),
        ("bash", {"env": {"A=B": "1"}}, "'A=B' cannot be the name of a variable: it holds \"=\""),
        ("bash", {"env": {"A\ud800": "1"}}, "'A\\ud800' cannot be the name of a variable: it holds half a character"),
        ("bash", {"env": {"A": "\ud800"}}, "env['A'] holds half a character, which has no bytes"),
        ("bash", {"env": {"": "1"}}, "'' cannot be the name of a variable: it is empty"),
        ("bash", {"size": "80x24"}, "size must be (columns, rows), such as (80, 24); got the text '80x24'"),
        ("bash", {"size": 80}, "size must be (columns, rows), such as (80, 24); got the number 80"),
        ("bash", {"size": (0, 24)}, "a terminal cannot be 0 × 24: each side is from 1 to 65535"),
        ("bash", {"startup": "x"}, "startup must be a number of seconds, not the text 'x'"),
        ("bash", {"startup": -1}, "startup must be 0 or more seconds; got -1"),
        ("bash", {"replies": [("a", "b")]}, 'replies[0] must be a Reply, such as Reply("Continue?", "y"); got a tuple'),
        ("bash", {"replies": {"a": "b"}}, "replies must be a list of replies"),
        ("bash", {"on_waiting": "y"}, "on_waiting must be a function of a Waiting, not the text 'y'"),
        ("bash", {"memory": -1}, "memory must be a whole number, 0 or more, or None for no limit; got the number -1"),
        ("bash", {"sise": (80, 24)}, "no argument is called 'sise': did you mean size?"),
        ("bash", {"shel": "zsh"}, "no argument is called 'shel': did you mean shell?"),
        ("bash", {"rc": "no"}, "rc must be True or False, not the text 'no'"),
        ("bash", {"history": 1}, "history must be True or False, not the number 1"),
    ],
)
async def test_a_terminal_that_cannot_be_opened(shell: Any, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(truetty.TruettyError) as refusal:
        await truetty.Terminal.open(shell, **arguments)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: truetty.Budget(head_share=3), "head_share must be from 0 to 1; got the number 3"),
        (lambda: truetty.Budget(-5), "a budget must be a whole number of characters, 0 or more; got the number -5"),
        (lambda: truetty.Registry(per_task="x"), "per_task must be a whole number, 1 or more, or None for no limit"),  # type: ignore[arg-type]
        (lambda: truetty.Registry(limit="x"), "limit must be a whole number, 1 or more, or None for no limit"),  # type: ignore[arg-type]
        (lambda: truetty.sync.Terminal(on_waiting="y"), "on_waiting must be a function of a Waiting, not the text 'y'"),  # type: ignore[arg-type]
        (lambda: truetty.Registry(idle=0), "idle must be more than 0 seconds, or None for no limit; got 0"),
        (lambda: truetty.Registry(warm="x"), "warm must be a whole number, 0 or more"),  # type: ignore[arg-type]
    ],
)
def test_values_that_cannot_be_made(make: Callable[[], object], words: str) -> None:
    with pytest.raises(truetty.Misuse) as refusal:
        make()
    assert words in str(refusal.value)


async def test_a_busy_terminal_says_with_what(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("sleep 1000")
        with pytest.raises(truetty.Busy) as busy:
            await terminal.run("true")
        assert str(busy.value) == (
            f"terminal {terminal.id} is busy with 'sleep 1000' ({command.id}). "
            "Wait for it, stop it, or use another terminal. Nothing was run."
        )
        assert (await command.stop()).state == "finished"
        asks = await terminal.start("read -p 'sure? ' x")
        await asks.wait(PATIENCE)
        with pytest.raises(truetty.Busy, match=r"asks 'sure\? '\. Answer it with terminal\.send"):
            await terminal.run("true")


async def test_what_has_ended_takes_nothing(home: Path) -> None:
    terminal = await truetty.Terminal.open("bash", env={"HOME": str(home)})
    command = await terminal.start("true")
    await command.wait(PATIENCE)
    with pytest.raises(truetty.Misuse, match=r"has finished \(exit code 0\): nothing reads what is sent to it"):
        await command.send("x")
    await terminal.run("exit 3", wait=PATIENCE)
    with pytest.raises(truetty.Closed, match=r"is closed: its shell has ended with exit code 3\. Open a new one\."):
        await terminal.run("true")
    await terminal.close()
    async with opened("bash", home) as left:
        pass
    with pytest.raises(truetty.Closed, match=rf"^terminal {left.id} was closed\. Open a new one\.$"):
        await left.run("true")


async def test_keys_are_names(home: Path) -> None:
    async with opened("bash", home) as terminal:
        with pytest.raises(truetty.BadKey, match=r"Did you mean press\(\*keys\)\?"):
            await terminal.press(["C-c"])  # type: ignore[arg-type]


async def test_a_terminal_that_was_not_opened() -> None:
    with pytest.raises(truetty.Misuse, match='is not open: use "async with Terminal'):
        await truetty.Terminal("bash").run("true")
    with pytest.raises(truetty.Misuse, match=r'is async: write "async with", or use truetty\.sync\.Terminal'):
        truetty.Terminal("bash").__enter__()


# -- errors and outcomes as values


def test_errors_stand_under_their_public_names() -> None:
    for name in truetty.__all__:
        one = getattr(truetty, name)
        if isinstance(one, type) and issubclass(one, truetty.TruettyError):
            assert f"{one.__module__}.{one.__qualname__}" == f"truetty.{name}"


def test_an_error_is_copied_with_its_facts() -> None:
    copy = pickle.loads(pickle.dumps(truetty.Busy("busy", terminal_id="t1", command="make")))
    assert type(copy) is truetty.Busy and (str(copy), copy.terminal_id, copy.command) == ("busy", "t1", "make")


async def test_an_outcome_says_whether_it_is_ok(home: Path) -> None:
    async with opened("bash", home) as terminal:
        good = await terminal.run("echo fine", wait=PATIENCE)
        assert good.ok and good.check() is good and good.reached == "exit"
        last = terminal.command  # `reached` is a fact of a wait
        assert last is not None and last.outcome == good and last.outcome.reached is None
        assert (await last.wait()).reached == "exit" and (await last.report()).reached is None
        assert repr(good) == f"<Outcome {good.command_id} finished with exit code 0 output='fine\\n'>"
        bad = await terminal.run("echo broken; (exit 3)", wait=PATIENCE)
        assert not bad.ok
        with pytest.raises(truetty.CommandFailed) as failure:
            bad.check()
        assert failure.value.outcome is bad
        assert str(failure.value) == f"command {bad.command_id} finished with exit code 3: broken"
        asks = await terminal.run("read -p 'name? ' x", wait=PATIENCE)
        assert not asks.ok and asks.reached == "input"
        with pytest.raises(truetty.CommandFailed, match=r"waits for input \(line\): 'name\? '"):
            asks.check()
        late = await terminal.command.wait(0)  # type: ignore[union-attr]
        assert late.reached is None


async def test_kill_after_is_the_time_out(home: Path) -> None:
    async with opened("bash", home) as terminal:
        outcome = await terminal.run("sleep 1000", kill_after=0.1, wait=PATIENCE)
        assert outcome.state == "finished" and outcome.exit_code == 130
