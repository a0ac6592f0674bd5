"""A terminal of a program that is no shell: it gets the keys that were sent and no other, and it is `finished` at its
prompt only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE

INPUT = "import time; time.sleep(1); x = input('Delete everything? [Y/n] '); print('answer:', repr(x))"
QUESTIONS = [
    ("python3", INPUT, "line", "Delete everything? [Y/n] ", "no", "Delete everything? [Y/n] no\nanswer: 'no'\n"),
    ("python3", "import sys; print(len(sys.stdin.readline()))", "line", "", "ada", "ada\n4\n"),
    ("python3", "import getpass; print(len(getpass.getpass()))", "secret", "Password: ", "ada", "Password: \n3\n"),
    ("python3", "for x in 'ab': print(x)", "line", "... ", "", "... \na\nb\n"),
    ("bc", "read() + 1", "line", "", "5", "5\n6\n"),
    ("sqlite3", "select 1,", "line", "   ...> ", "2;", "   ...> 2;\n1|2\n"),
    ("node", "(function () {", "line", "... ", "return 7})()", None),
]


@pytest.mark.parametrize(("name", "text", "kind", "prompt", "answer", "output"), QUESTIONS)
async def test_a_question_of_a_command_is_no_end(
    name: str,
    text: str,
    kind: str,
    prompt: str,
    answer: str,
    output: str | None,
    home: Path,
    program: Callable[[str], str],
) -> None:
    async with truetty.Terminal(program(name), cwd=home) as terminal:
        command = await terminal.start(text)
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, outcome
        assert (outcome.waiting.kind, outcome.waiting.prompt) == (kind, prompt)
        await command.send(f"{answer}\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.evidence) == ("finished", "kernel"), outcome
        assert output is None or outcome.output == output
        outcome = await terminal.run("6*7" if name != "sqlite3" else "select 6*7;", wait=PATIENCE)
        assert (outcome.state, outcome.output) == ("finished", "42\n"), outcome


async def test_a_prompt_with_a_number_in_it_is_the_same_prompt(home: Path, tmp_path: Path) -> None:
    code = "import sys\nfor n in range(1000):\n    print(f'In [{n}]: ', end='', flush=True)\n    print(eval(input()))\n"
    (tmp_path / "loop.py").write_text(code)
    async with truetty.Terminal(["python3", str(tmp_path / "loop.py")], cwd=home) as terminal:
        for number in range(12):
            outcome = await terminal.run(f"{number} * 2", wait=PATIENCE)
            assert (outcome.state, outcome.output, outcome.notes) == ("finished", f"{number * 2}\n", ()), outcome
