"""A terminal for a test: with a home of its own, and with its transcript in whatever fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import truetty
from tests.patience import PATIENCE as PATIENCE

SHELLS = ("bash", "zsh", "fish", "dash")
# How long anything may take that must happen, in seconds: only a hang is longer.


@asynccontextmanager
async def opened(shell: str, home: Path, *, history: bool = False, **env: str) -> AsyncIterator[truetty.Terminal]:
    # Without it fish's first start of all computes completions for minutes, in its own process group.
    (home / ".local/share/fish/generated_completions").mkdir(parents=True, exist_ok=True)
    async with truetty.Terminal(shell, env={"HOME": str(home), **env}, history=history) as terminal:
        try:
            yield terminal
        except BaseException as error:
            tail = terminal.transcript.read()[-3000:]
            error.add_note(f"{terminal!r} {terminal.command!r}\ntranscript: {tail!r}")
            raise


async def eventually(condition: Callable[[], bool], what: str) -> None:
    """For facts of which no event tells."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE
    while not condition():
        assert loop.time() < deadline, f"never came true: {what}"
        await asyncio.sleep(0.01)


def sees(terminal: truetty.Terminal) -> bool:
    """Whether a look can show what its programs read: not on a blind observer."""
    conversation = terminal._conversation
    assert conversation is not None
    return conversation.link.channel.sees


async def assert_healthy(terminal: truetty.Terminal) -> None:
    """The next commands run richly: exact output, right code."""
    for code in (4, 0):
        outcome = await terminal.run(f"echo healthy; sh -c 'exit {code}'", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", code, "healthy\n"), outcome
        assert (outcome.evidence, outcome.strategy, terminal.strategy) == ("mark", "rich", "rich"), outcome
