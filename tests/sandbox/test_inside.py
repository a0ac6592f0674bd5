"""Inside, a terminal of its own devpts and a private folder that cannot be written change nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, assert_healthy
from tests.sandbox.test_sandbox import SHELLS, walled
from truetty import Terminal


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_program_that_reads_the_controlling_terminal_is_seen_to_wait(
    shell: str, workspace: Path, home: Path
) -> None:
    """As ssh, sudo and getpass do. The devpts inside does not hold our pts."""
    async with walled(shell, workspace, home) as terminal:
        for line, kind in (
            ("python3 -c 'import getpass; getpass.getpass()'", "secret"),
            ("sh -c 'cat </dev/tty'", "line"),
        ):
            asked = await terminal.run(line, wait=PATIENCE)
            assert asked.state == "waiting" and asked.waiting is not None and asked.waiting.kind == kind, asked
            assert terminal.command is not None
            await terminal.command.interrupt()
            await terminal.command.wait(PATIENCE, until="finished")
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_what_has_left_the_session_is_named(shell: str, workspace: Path, home: Path) -> None:
    """Its parent is bubblewrap's then, which has the terminal open as it has."""
    async with walled(shell, workspace, home) as terminal:
        await terminal.run("true", wait=PATIENCE)  # its notes say what the sandbox is
        outcome = await terminal.run("setsid -f sleep 301", wait=PATIENCE)
        assert [re.sub(r"\d+", "N", note) for note in outcome.notes] == ["still running in the background: sleep (N)"]


async def test_fish_says_nothing_of_a_file_that_it_cannot_empty(workspace: Path, home: Path) -> None:
    async with walled("fish", workspace, home) as terminal:
        await assert_healthy(terminal)
        assert b"Read-only" not in terminal.transcript.read()


async def test_bash_with_errexit_lives_on(workspace: Path, home: Path) -> None:
    (home / ".bashrc").write_text("set -e\n")
    async with Terminal("bash", cwd=workspace, env={"HOME": str(home)}, sandbox="workspace") as terminal:
        outcome = await terminal.run("echo 'a!b'", wait=PATIENCE)
        assert (outcome.exit_code, outcome.evidence, outcome.output) == (0, "mark", "a!b\n"), outcome
