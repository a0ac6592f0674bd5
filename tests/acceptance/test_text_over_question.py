"""Text that a thread or a job prints over a question: who asked has not run since, so it still waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, assert_healthy, eventually, opened


@pytest.fixture
async def terminal(home: Path) -> AsyncIterator[truetty.Terminal]:
    async with opened("bash", home) as terminal:
        yield terminal


async def assert_goes_on_waiting(command: truetty.Command, lines: int) -> None:
    """While so many lines of four letters are printed over its question."""
    enough = command.output.bytes + lines * len("tick\r\n")

    def goes_on() -> bool:
        assert command.state == "waiting"
        return command.output.bytes >= enough

    await eventually(goes_on, f"{lines} more lines")


THREAD = """
import threading, time
def work():
    while True:
        time.sleep(0.1)
        print("line", flush=True)
threading.Thread(target=work, daemon=True).start()
raise SystemExit(0 if input("name? ") == "ada" else 1)
"""


async def test_a_thread_prints_over_the_question_of_its_program(terminal: truetty.Terminal, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(THREAD)
    command = await terminal.start(f"python3 {tmp_path}/program.py")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None, outcome
    assert (outcome.waiting.kind, outcome.waiting.program) == ("line", "python3")
    await assert_goes_on_waiting(command, 30)
    await command.send("ada\n")
    outcome = await command.wait(PATIENCE, until="finished")
    assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome
    await assert_healthy(terminal)


async def test_a_job_prints_over_a_question_of_the_shell(terminal: truetty.Terminal) -> None:
    await terminal.run("(while :; do echo tick; sleep 0.01; done) & ticks=$!", wait=PATIENCE)
    command = await terminal.start("read -p 'name? ' x; kill $ticks; wait $ticks; test $x = ada")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None and outcome.waiting.kind == "line", outcome
    await assert_goes_on_waiting(command, 100)
    await command.send("ada\n")
    outcome = await command.wait(PATIENCE, until="finished")
    assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome
    await assert_healthy(terminal)


LISTENER = """
import sys, threading, time, tty
old = tty.tcgetattr(0)
tty.setcbreak(0, tty.TCSANOW)
threading.Thread(target=sys.stdin.read, args=(1,), daemon=True).start()
for number in range(30):
    print(number, flush=True)
    time.sleep(0.1)
tty.tcsetattr(0, tty.TCSANOW, old)
import os
os._exit(5)
"""


async def test_a_thread_that_listens_while_the_program_prints_does_not_ask(
    terminal: truetty.Terminal, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(LISTENER)
    outcome = await terminal.run(f"python3 {tmp_path}/program.py", wait=PATIENCE)
    assert (outcome.state, outcome.exit_code) == ("finished", 5), outcome
