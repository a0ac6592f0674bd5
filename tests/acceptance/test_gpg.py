"""gpg asks for a passphrase through pinentry, a child of gpg-agent: no relative of the shell, on the shell's tty."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, assert_healthy, opened


@pytest.fixture
def keys(program: Callable[[str], str]) -> Iterator[Path]:
    """A home for gpg, with a short name: a socket is made in it. Its agent is ended."""
    program("gpg-agent")
    with tempfile.TemporaryDirectory(prefix="tt-gpg-") as name:
        yield Path(name)
        subprocess.run(["gpgconf", "--homedir", name, "--kill", "all"], check=True)


@pytest.fixture
async def terminal(home: Path, keys: Path) -> AsyncIterator[truetty.Terminal]:
    async with opened("bash", home, TERM="xterm-256color", GNUPGHOME=str(keys)) as terminal:
        await terminal.run("export GPG_TTY=$(tty)", wait=PATIENCE)
        yield terminal


@pytest.mark.parametrize(
    ("pinentry", "kind", "second"),
    [("pinentry-tty", "secret", "Repeat: "), ("pinentry-curses", "fullscreen", "Passphrase: ")],
)
async def test_pinentry_waits_and_takes_the_answer(
    terminal: truetty.Terminal, keys: Path, program: Callable[[str], str], pinentry: str, kind: str, second: str
) -> None:
    (keys / "gpg-agent.conf").write_text(f"pinentry-program {program(pinentry)}\n")
    (keys / "plain").write_text("hello\n")
    command = await terminal.start(f"{program('gpg')} --quiet -c {keys}/plain")
    for prompt in ("Passphrase: ", second):
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, outcome
        asked = outcome.waiting
        assert asked.prompt.startswith(prompt), asked
        assert (asked.kind, asked.program) == (kind, pinentry), asked
        assert asked.asks in ("passphrase", "secret"), asked
        await command.type("correct-horse-4-staples", "enter")
    outcome = await command.wait(PATIENCE, until="finished")
    assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome
    assert (keys / "plain.gpg").exists() and "horse" not in outcome.output
    await assert_healthy(terminal)
