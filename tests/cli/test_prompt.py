"""A line that a person types, and Ctrl-C while it is waited for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE

# The signal comes to another thread. So it interrupts no call of the main one: as if it had come just before the read.
LATE = """
import signal, threading, time
from truetty.cli.prompt import read_line, read_secret
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGINT}})
try:
    {}("Well? ")
except KeyboardInterrupt:
    print("interrupted")
"""
SECRET = "from truetty.cli.prompt import read_secret; print([read_secret('Word: ')])"
ANSWER = "from truetty.cli.prompt import read_answer; print([read_answer('Word: ', is_secret=True)])"
ASK = "from truetty.cli.agreeing import agrees; print(agrees('Sure?'), agrees('Really?'))"


@pytest.mark.parametrize("question", ["read_line", "read_secret"])
async def test_ctrl_c_is_heeded_though_no_read_was_interrupted(home: Path, question: str) -> None:
    async with truetty.Terminal("bash", rc=False) as terminal:
        command = await terminal.start(f"{sys.executable} -c '{LATE.format(question)}'; stty -a")
        asked = await command.wait(PATIENCE)
        assert asked.waiting is not None and asked.waiting.prompt == "Well? "
        await command.type("\x03")
        ended = await command.wait(PATIENCE, "exit")
        assert (ended.state, ended.exit_code) == ("finished", 0)
        assert "interrupted\n" in ended.output
        assert " echo " in ended.output.replace("\n", " ")


async def test_a_secret_is_not_shown(home: Path) -> None:
    async with truetty.Terminal("bash", rc=False) as terminal:
        command = await terminal.start(f'{sys.executable} -c "{SECRET}" | rev')
        asked = await command.wait(PATIENCE)
        assert asked.waiting is not None and (asked.waiting.kind, asked.waiting.prompt) == ("secret", "Word: ")
        await command.type("open sesame\n")
        assert (await command.wait(PATIENCE, "exit")).output == "Word: \n]'n\\emases nepo'[\n"


async def test_an_answer_from_a_pipe_is_not_asked_for(home: Path) -> None:
    """A secret neither, though there is a terminal."""
    async with truetty.Terminal("bash", rc=False) as terminal:
        piped = await terminal.run(f'echo sesame | {sys.executable} -c "{ANSWER}"', wait=PATIENCE)
        assert (piped.exit_code, piped.output) == (0, "['sesame\\n']\n")
        empty = await terminal.run(f'{sys.executable} -c "{ANSWER}" </dev/null', wait=PATIENCE)
        assert (empty.exit_code, empty.output) == (0, "['']\n")
        closed = await terminal.run(f'{sys.executable} -c "{ANSWER}" <&-', wait=PATIENCE)
        assert closed.exit_code == 1 and "no standard input to read the answer from" in closed.output


async def test_lines_that_were_typed_ahead_are_read_in_turn(home: Path) -> None:
    async with truetty.Terminal("bash", rc=False) as terminal:
        command = await terminal.start(f'{sys.executable} -c "{ASK}"')
        await command.wait(PATIENCE)
        await command.type("yes\nno\n")
        assert (await command.wait(PATIENCE, "exit")).output.endswith("True False\n")


async def test_ctrl_d_is_no(home: Path) -> None:
    async with truetty.Terminal("bash", rc=False) as terminal:
        command = await terminal.start(f'{sys.executable} -c "{ASK}"')
        await command.wait(PATIENCE)
        await command.type("\x04")
        await command.wait(PATIENCE)
        await command.type("y\x04\x04")
        assert (await command.wait(PATIENCE, "exit")).output.endswith("False True\n")
