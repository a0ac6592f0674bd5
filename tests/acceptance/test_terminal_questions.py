"""What programs ask the terminal: they get true answers, and while they wait for one they wait for no person."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, SHELLS, opened

ASK = """
import os, termios, tty
old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\\x1b[5;1Hone\\r\\n  two\\x1b[6n")
answer = b""
while not answer.endswith(b"R"):
    answer += os.read(0, 1)
termios.tcsetattr(0, termios.TCSANOW, old)
print(answer)
"""


@pytest.mark.parametrize("shell", SHELLS)
async def test_where_the_cursor_is(shell: str, home: Path, tmp_path: Path) -> None:
    (tmp_path / "ask.py").write_text(ASK)
    async with opened(shell, home) as terminal:
        for _ in range(5):
            outcome = await terminal.run(f"python3 {tmp_path}/ask.py", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome
            assert outcome.output.endswith("b'\\x1b[6;6R'\n"), outcome.output


async def test_a_prompt_of_prompt_toolkit_stands_where_the_cursor_is(home: Path) -> None:
    """It draws an empty line for each row that seems to be below the cursor."""
    async with opened("bash", home) as terminal:
        await terminal.run("seq 1 100", wait=PATIENCE)  # the cursor is in the last row
        command = await terminal.start(f"{sys.executable} -c \"from prompt_toolkit import prompt; prompt('name> ')\"")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, outcome
        assert outcome.waiting.prompt.rstrip() == "name>", outcome.waiting
        assert outcome.output.count("\n") == 0
        await command.send("ada\r")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
