"""Fifty tasks share twenty terminals for a while; a checker then goes through the history of everything they did.

No terminal is held by two at once, and no command is lost, doubled or given another's output: each one prints a token
of its own and appends it to a file, and both must have it exactly once.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

import truetty
from tests.acceptance.session import PATIENCE, eventually
from truetty.service.registry import Registry

TASKS, TERMINALS, PLACES = 50, 20, 6
SEED = 7717


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the history. Order is all that counts, and one event loop gives it."""

    kind: Literal["taken", "released", "ended", "printed"]
    task: str
    terminal: str = ""
    token: str = ""
    output: str = ""


def faults(history: Iterable[Entry], written: Iterable[str], started: set[str]) -> list[str]:
    """What must not have happened. `written` is the file, `started` what was asked to run."""
    found: list[str] = []
    holders: dict[str, str] = {}
    printed: Counter[str] = Counter()
    for entry in history:
        match entry.kind:
            case "taken":
                if (holder := holders.get(entry.terminal, entry.task)) != entry.task:
                    found.append(f"{entry.terminal} was given to {entry.task} while {holder} held it")
                holders[entry.terminal] = entry.task
            case "released":
                holders = {terminal: task for terminal, task in holders.items() if task != entry.task}
            case "ended":
                holders.pop(entry.terminal, None)
            case "printed":
                if entry.output != f"{entry.token}\n":
                    found.append(f"{entry.token} printed {entry.output!r}")
                printed[entry.token] += 1
    for what, counts in (("written", Counter(written)), ("printed", printed)):
        found += [f"{token} was {what} {counts[token]} times" for token in sorted(started) if counts[token] != 1]
        found += [f"{token} was {what} and never started" for token in sorted(counts.keys() - started)]
    return found


@pytest.mark.parametrize(
    ("history", "written", "words"),
    [
        ([Entry("taken", "a", "t1"), Entry("taken", "b", "t1")], [], "t1 was given to b while a held it"),
        ([Entry("printed", "a", "t1", "x", "x\n")], [], "x was written 0 times"),
        ([Entry("printed", "a", "t1", "x", "x\n")], ["x", "x"], "x was written 2 times"),
        ([], ["x"], "x was printed 0 times"),
        ([Entry("printed", "a", "t1", "x", "y\nx\n")], ["x"], "x printed 'y\\nx\\n'"),
        ([Entry("printed", "a", "t1", "x", "x\n")] * 2, ["x"], "x was printed 2 times"),
        ([Entry("printed", "a", "t1", "x", "x\n")], ["x", "z"], "z was written and never started"),
    ],
)
def test_the_checker_sees_what_is_wrong(history: list[Entry], written: list[str], words: str) -> None:
    started = {"x"} if any("x" in entry.token for entry in history) or "x" in written else set()
    assert words in faults(history, written, started)


def test_the_checker_lets_pass_what_is_right() -> None:
    history = [
        Entry("taken", "a", "t1"),
        Entry("taken", "a", "t1"),
        Entry("printed", "a", "t1", "x", "x\n"),
        Entry("released", "a"),
        Entry("taken", "b", "t1"),
        Entry("ended", "b", "t1"),
    ]
    assert faults(history, ["x"], {"x"}) == []


@dataclass
class Play:
    registry: Registry
    places: list[Path]
    file: Path
    until: float
    history: list[Entry] = field(default_factory=list)
    started: set[str] = field(default_factory=set)
    left: list[tuple[str, str, truetty.Command]] = field(default_factory=list)  # no caller waited for these
    refused: int = 0
    cancelled: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def is_over(self) -> bool:
        """Its time is over, and it was no idle play: everyone came to something, and the limit was felt."""
        was_idle = len(self.started) <= TERMINALS or not self.refused or not self.left
        return asyncio.get_running_loop().time() >= self.until and not was_idle

    async def act(self, number: int) -> None:
        """One task after another, under names of their own."""
        dice = random.Random(f"{SEED} {number}")
        turn = 0
        while not self.is_over():
            turn += 1
            task = f"{number}.{turn}"
            for _ in range(dice.randint(1, 2)):
                await self._use(task, dice)
            self.history.append(Entry("released", task))
            self.registry.release(task)
            self.changed.set()

    async def _use(self, task: str, dice: random.Random) -> None:
        terminal = await self._take(task, dice)
        if terminal is None:
            return
        assert not terminal.busy and not terminal.closed
        for _ in range(dice.randint(1, 3)):
            token = f"k{len(self.started)}"
            self.started.add(token)
            command = await terminal.start(f"echo {token} >>'{self.file}'; echo {token}")
            match dice.randrange(4):
                case 0:  # leaves while it runs: no caller may get the terminal before it has ended
                    self.left.append((task, token, command))
                    return
                case 1:
                    with_patience = await command.wait(0)
                    assert with_patience.terminal_id == terminal.id
            outcome = await command.wait(PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.closed) == ("finished", 0, False), outcome
            self.history.append(Entry("printed", task, terminal.id, token, outcome.output))
        if not dice.randrange(20):
            self.history.append(Entry("ended", task, terminal.id))
            await terminal.run("exit 0", wait=PATIENCE)
            self.changed.set()

    async def _take(self, task: str, dice: random.Random) -> truetty.Terminal | None:
        place, required = dice.choice(self.places), not dice.randrange(3)
        while not self.is_over():
            self.changed.clear()
            taking = asyncio.ensure_future(self.registry.acquire(place, task=task, require_cwd=required))
            if not dice.randrange(10):
                asyncio.get_running_loop().call_later(dice.random() * 0.005, taking.cancel)
            try:
                terminal = await taking
            except truetty.LimitReached:
                self.refused += 1
                with contextlib.suppress(TimeoutError):  # a command that was left behind ends without a word
                    await asyncio.wait_for(self.changed.wait(), 0.02)
            except asyncio.CancelledError:
                self.cancelled += 1
            else:
                self.history.append(Entry("taken", task, terminal.id))
                assert terminal.cwd == str(place)
                return terminal
        return None


async def play(home: Path, seconds: float) -> None:
    places = [home / f"place {number}" for number in range(PLACES)]
    for place in places:
        place.mkdir()
    file = home / "written"
    file.touch()
    async with Registry(shell="bash", rc=False, limit=TERMINALS, warm=2) as registry:
        show = Play(registry, places, file, asyncio.get_running_loop().time() + seconds)
        async with asyncio.TaskGroup() as tasks:
            for number in range(TASKS):
                tasks.create_task(show.act(number))
        for task, token, command in show.left:
            await eventually(lambda command=command: command.finished, f"{command} ends")  # type: ignore[misc]
            show.history.append(Entry("printed", task, command.id, token, command.output.text()))
        assert len(registry.list()) <= TERMINALS
        written = file.read_text().split()
    assert faults(show.history, written, show.started) == []


async def test_fifty_tasks_share_twenty_terminals(home: Path) -> None:
    await play(home, 5)


@pytest.mark.long
async def test_fifty_tasks_share_twenty_terminals_for_a_minute(home: Path) -> None:
    await play(home, 60)
