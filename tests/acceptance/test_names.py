"""No name that a user chooses can be one of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, opened


@pytest.mark.parametrize("shell", ["bash", "zsh", "ksh", "mksh", "dash"])
async def test_a_variable_of_the_user_is_never_run(shell: str, home: Path) -> None:
    """`_tt` was the name of ours: a readonly one was run in place of the command."""
    async with opened(shell, home, cwd=str(home)) as terminal:
        await terminal.run("readonly _tt='touch x'", wait=PATIENCE)
        outcome = await terminal.run("echo plain", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "plain\n")
        assert not (home / "x").exists()


@pytest.mark.parametrize("attribute", ["-n _tt=PATH", "-u _tt", "-i _tt"])
async def test_an_attribute_of_a_users_variable_changes_nothing(attribute: str, home: Path) -> None:
    async with opened("bash", home) as terminal:
        await terminal.run(f"declare {attribute}", wait=PATIENCE)
        outcome = await terminal.run("head -c 1 /dev/zero | od -An -c", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output.split()) == ("finished", 0, ["\\0"])
