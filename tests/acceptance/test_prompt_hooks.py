"""Prompt hooks that read keys, throw them away or take their time: the next command is typed when they are done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, assert_healthy, opened

FLUSH = """python3 -c 'import termios; termios.tcflush(0, termios.TCIFLUSH)'"""
HOOKS = {
    "flush": FLUSH,
    "read": "IFS= read -r -t 0.05 x",
    "slow flush": f"sleep 0.3; {FLUSH}",
}


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_commands_that_follow_at_once_reach_the_shell(shell: str, hook: str, home: Path) -> None:
    setting = {"bash": "PROMPT_COMMAND=f", "zsh": "precmd_functions+=(f)"}[shell]
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(f"f() {{ {HOOKS[hook]}; }}; {setting}", wait=PATIENCE)
        assert outcome.exit_code == 0
        for number in range(5):
            outcome = await terminal.run(f"echo {number}; sh -c 'exit {number}'", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", number, f"{number}\n"), outcome
        await assert_healthy(terminal)


@pytest.mark.parametrize("limit", ["", "-t 0.3"])
@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_a_hook_that_asks_where_the_cursor_is_from_the_first_prompt_on(
    shell: str, limit: str, home: Path, tmp_path: Path
) -> None:
    """It is answered, and its `read` is not taken for the prompt."""
    hook = rf"f() {{ local x; printf '\e[6n' >/dev/tty; IFS= read -rs {limit} -d R x </dev/tty; }}"
    setting = {"bash": "PROMPT_COMMAND=f", "zsh": "precmd_functions+=(f)"}[shell]
    with (home / f".{shell}rc").open("a") as file:
        file.write(f"{hook}\n{setting}\n")
    async with opened(shell, home) as terminal:
        for number in range(4):
            outcome = await terminal.run(f"echo {number} >>{tmp_path}/log; echo {number}", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, f"{number}\n"), outcome
    assert (tmp_path / "log").read_text() == "0\n1\n2\n3\n"
