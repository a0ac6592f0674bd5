"""What programs ask the terminal: they get true answers, and while they wait for one they wait for no person."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, SHELLS, opened

ASKING = Path(__file__).with_name("asking.py")

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


@pytest.mark.parametrize("first", ["seq 1 100", "true"], ids=["in the last row", "at the top"])
async def test_a_prompt_of_prompt_toolkit_stands_where_the_cursor_is(first: str, home: Path) -> None:
    """It draws an empty line for each row that is below the cursor."""
    async with opened("bash", home) as terminal:
        await terminal.run(first, wait=PATIENCE)
        command = await terminal.start(f"{sys.executable} -c \"from prompt_toolkit import prompt; prompt('name> ')\"")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, outcome
        assert outcome.waiting.prompt.rstrip() == "name>", outcome.waiting
        assert outcome.output.count("\n") == 0
        await command.send("ada\r")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        assert outcome.output.splitlines()[-1] == "name> ada" and outcome.output.count("\n") <= 2, outcome


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("\\x1b[c", b"\x1b[?1;2c"),
        ("\\x1b[>c", b"\x1b[>0;0;0c"),
        ("\\x1b[>0q", b"\x1bP>|truetty\x1b\\"),
        ("\\x1b]10;?\\x07", b"\x1b]10;rgb:d8d8/dede/e4e4\x07"),
        ("\\x1b]11;?\\x1b\\\\", b"\x1b]11;rgb:1515/1919/1e1e\x1b\\"),
        ("\\x1b[?2026$p", b"\x1b[?2026;0$y"),
        ("\\x1bP+q544e\\x1b\\\\", b"\x1bP0+r\x1b\\"),
    ],
)
async def test_an_answer_ends_the_wait_for_it(question: str, answer: bytes, home: Path) -> None:
    async with opened("bash", home) as terminal:
        outcome = await terminal.run(f"python3 {ASKING} select 1000 '{question}'", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, f"{answer!r}\n"), outcome


@pytest.mark.parametrize("how", ["select", "vtime"])
@pytest.mark.parametrize("question", ["\\x1b[?u", "\\x1b]4;1;?\\x07", "\\x1b[14t"])
async def test_whoever_waits_for_an_answer_that_never_comes_waits_for_no_person(
    question: str, how: str, home: Path
) -> None:
    """`run` returns when a command waits: one that comes back `finished` was never said to wait."""
    async with opened("bash", home) as terminal:
        outcome = await terminal.run(f"python3 {ASKING} {how} 1.5 '{question}'", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "b''\n"), outcome


@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_the_shells_own_read_may_wait_for_the_terminal(shell: str, home: Path) -> None:
    """As prompts and scripts ask."""
    read = {"bash": "read -rs -t 1.5 -d c x", "zsh": "read -rs -t 1.5 -k 9 x"}[shell]
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(f"printf '\\033[?u'; {read}; echo $x.", wait=PATIENCE)
        assert (outcome.state, outcome.output) == ("finished", ".\n"), outcome
        read = read.replace("1.5", "1000")
        outcome = await terminal.run(f"printf '\\033[>c'; {read}; printf '%q\\n' $x", wait=PATIENCE)
        assert (outcome.state, ">0;0;0" in outcome.output.replace("\\", "")) == ("finished", True), outcome


@pytest.mark.parametrize("program_name", ["vim", "less"])
async def test_full_screen_programs_that_ask_still_wait(
    program_name: str, home: Path, program: Callable[[str], str]
) -> None:
    (home / "text").write_text("one\ntwo\n")
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"{program(program_name)} {home}/text")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, outcome
        assert outcome.waiting.kind == "fullscreen", outcome.waiting
        await command.kill()
