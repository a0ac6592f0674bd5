"""What happened to commands that no call was waiting for: a `Notice` in the next answer to their agent.

A command whose call was cut off is in the next answer too, while it runs: its agent does not know its id.

Rule 1: a notice is for the agent whose command it was, and for no other.
Rule 2: an end, or a wait for input, that was in an answer to that agent is no notice.
Rule 3: of a command that has ended only its notice is kept, never the command: its terminal can be forgotten.
Rule 4: `keep` is called with what the next process must know of a command that was left to itself, as it changes.
Rule 5: what an answer has told is written down when the answer was sent (`delivery`). An answer that is not sent has
        told nothing: the next one tells it.
Rule 6: one asyncio task for each command that runs while no call waits for it; it costs nothing while nothing happens.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal

from truetty.terminal.command import Command
from truetty.text.quoting import excerpt

# Ends that an agent has not seen yet, oldest dropped first: an agent that makes no call for so long has gone.
MOST_ENDS: Final = 1000


@dataclass(frozen=True, slots=True)
class Notice:
    """A command that no call waits for has finished, waits for input, or (its call was cut off) still runs."""

    command_id: str
    terminal_id: str
    what: Literal["finished", "waiting", "lost", "running"]
    exit_code: int | None
    prompt: str | None
    command: str | None = None  # its text, cut, if its call was cut off


@dataclass(frozen=True, slots=True)
class NewsRecord:
    """What is written down of a command that no call waits for."""

    agent: str | None
    # cut: its call was cut off. told: its agent knows its end. None: no call has left it to itself.
    state: Literal["left", "cut", "told"] | None = None


class Delivery:
    """One answer, and what it tells."""

    def __init__(self) -> None:
        self._told: list[tuple[Callable[[], None], Callable[[], None]]] = []

    def add(self, settle: Callable[[], None], undo: Callable[[], None]) -> None:
        self._told.append((settle, undo))

    def settle(self) -> None:
        """It was sent."""
        for settle, _ in self._told:
            settle()
        self._told.clear()

    def fail(self) -> None:
        """It was not sent, and will not be."""
        for _, undo in reversed(self._told):
            undo()
        self._told.clear()


# Of the answer that is being made now. None: one that is made counts as sent.
delivery: Final[ContextVar[Delivery | None]] = ContextVar("delivery", default=None)

Listener = Callable[[Notice], Coroutine[object, object, None]]
Book = Callable[[str, NewsRecord], None]


@dataclass(slots=True)
class _Running:
    """A command that runs, and what its agent knows of it."""

    command: Command
    agent: str | None
    answered: int = 0  # the number of the last waiting that was in an answer to the agent
    known_prompt: str | None = None  # of its first waiting: a process before this one has told the agent of it
    cut_off: bool = False  # its call was cancelled, and no answer to the agent has named it since

    def notice(self, what: Literal["finished", "waiting", "lost", "running"], prompt: str | None = None) -> Notice:
        command = self.command
        named = excerpt(command.text) if self.cut_off else None
        return Notice(command.id, command.terminal_id, what, command.exit_code, prompt, named)


@dataclass(slots=True)
class _Desk:
    """What there is for one agent, by command. So an answer costs what this agent has left open, not what all have."""

    running: dict[str, _Running] = field(default_factory=dict)
    ends: dict[str, Notice] = field(default_factory=dict)


class Notices:
    def __init__(self) -> None:
        self._desks: defaultdict[str | None, _Desk] = defaultdict(_Desk)  # by agent
        self._running: dict[str, _Running] = {}  # of all agents
        self._ends: dict[str, str | None] = {}  # the agent of each end that is kept, oldest first
        self._listeners: list[tuple[Listener, str | None]] = []  # with the agent whose notices it is for
        self._followers: set[asyncio.Task[None]] = set()  # one for each command that runs, until it is over
        self.keep: Book = lambda command_id, record: None  # writes down what is known of a command

    def listen(self, listener: Listener, agent: str | None = None) -> Callable[[], None]:
        """Call this one with each notice, at once, of this agent, or of every one; returns how to stop it."""
        one = listener, agent
        self._listeners.append(one)
        return lambda: self._listeners.remove(one) if one in self._listeners else None

    def answer(self, command: Command, owner: str | None, reader: str | None) -> None:
        """An answer to `reader` says how `owner`'s command stands now; from here on the command is left to itself."""
        if command.finished:
            self._end(command)
            if owner == reader and command.id in self._ends:
                self._tell_end(command.id)
        else:
            running = self._follow(command, owner)
            if owner == reader:
                self._on_answer(running)

    def leave(self, command: Command, owner: str | None) -> None:
        """The call that waited was cancelled: its agent got no answer."""
        self._follow(command, owner).cut_off = True
        self._write(command.id, owner, "cut")
        if command.finished:
            self._end(command)

    def adopt(self, command: Command, known: NewsRecord) -> None:
        """A process before this one has started it."""
        if not command.finished or known.state in ("left", "cut"):
            self._follow(command, known.agent).cut_off = known.state == "cut"
        if command.finished:
            self._end(command)

    def recall(self, command_id: str, agent: str, prompt: str) -> None:
        """A process before this one has told the agent that its command waits with this prompt. The first waiting that
        is seen here is that one, if it has the same prompt.
        """
        running = self._running.get(command_id)
        if running is not None and running.agent == agent and not running.answered:
            running.known_prompt = prompt

    def forget_ends(self, command_ids: Iterable[str], agent: str) -> None:
        """A process before this one has told the agent that these have ended."""
        for id in command_ids:
            if (running := self._running.get(id)) is not None and running.agent == agent and running.command.finished:
                self._end(running.command)
            if id in self._ends and self._ends[id] == agent:
                self._tell_end(id)

    def news(self, agent: str | None) -> tuple[Notice, ...]:
        """The notices that this agent has not got yet. From now on they are in an answer."""
        desk = self._desks.get(agent)
        if desk is None:
            return ()
        for running in list(desk.running.values()):
            if running.command.finished:
                self._end(running.command)
        found = list(desk.ends.values())
        for id in list(desk.ends):
            self._tell_end(id)
        for running in desk.running.values():
            notice = self._unheard(running) or (running.notice("running") if running.cut_off else None)
            if notice is not None:
                self._on_answer(running)
                found.append(notice)
        return tuple(found)

    async def close(self) -> None:
        self._running.clear()
        self._desks.clear()
        followers = {one for one in self._followers if one is not asyncio.current_task()}  # a listener may close us
        for follower in followers:
            follower.cancel()
        if followers:
            await asyncio.wait(followers)

    def _on_answer(self, running: _Running) -> None:
        """An answer to its agent says how it stands now."""
        before = running.answered, running.cut_off
        running.answered = running.command.open_waiting or running.answered
        running.cut_off = False

        def settle() -> None:
            if before[1] and not running.cut_off and running.command.id in self._running:
                self._write(running.command.id, running.agent, "left")

        def undo() -> None:
            running.answered, running.cut_off = before

        if before != (running.answered, running.cut_off):
            self._tell(settle, undo)

    def _tell(self, settle: Callable[[], None], undo: Callable[[], None]) -> None:
        answer = delivery.get()
        if answer is None:
            settle()
        else:
            answer.add(settle, undo)

    def _write(self, id: str, agent: str | None, state: Literal["left", "cut", "told"]) -> None:
        if agent is not None:
            self.keep(id, NewsRecord(agent, state))

    def _follow(self, command: Command, owner: str | None) -> _Running:
        if command.id not in self._running:
            self._write(command.id, owner, "left")
            self._running[command.id] = self._desks[owner].running[command.id] = running = _Running(command, owner)
            follower = asyncio.ensure_future(self._watch(running))
            self._followers.add(follower)
            follower.add_done_callback(self._followers.discard)
        return self._running[command.id]

    def _end(self, command: Command) -> None:
        """It has ended: of one that was followed its notice is kept, and nothing else."""
        running = self._running.get(command.id)
        if running is not None:
            notice = running.notice("lost" if command.state == "lost" else "finished")
            self._keep_end(running.agent, notice)  # first, for a desk with nothing on it is cleared away
            self._drop_running(command.id)

    def _keep_end(self, agent: str | None, notice: Notice) -> None:
        self._ends[notice.command_id] = agent
        self._desks[agent].ends[notice.command_id] = notice
        if len(self._ends) > MOST_ENDS:
            oldest = next(iter(self._ends))
            self._write(oldest, self._drop_end(oldest)[0], "told")

    def _drop_running(self, id: str) -> None:
        running = self._running.pop(id, None)
        if running is not None:
            self._desks[running.agent].running.pop(id, None)
            self._clear_away(running.agent)

    def _tell_end(self, id: str) -> None:
        agent, notice = self._drop_end(id)
        self._tell(partial(self._write, id, agent, "told"), partial(self._keep_end, agent, notice))

    def _drop_end(self, id: str) -> tuple[str | None, Notice]:
        agent = self._ends.pop(id)
        notice = self._desks[agent].ends.pop(id)
        self._clear_away(agent)
        return agent, notice

    def _clear_away(self, agent: str | None) -> None:
        desk = self._desks[agent]
        if not desk.running and not desk.ends:
            del self._desks[agent]

    async def _watch(self, running: _Running) -> None:
        """Tell the listeners what happens to it."""
        command, seen = running.command, running.command.open_waiting or 0
        is_over = False
        while not is_over:  # also of one that has ended since it was to be followed
            await command.changes.until(lambda: command.finished or (command.open_waiting or 0) > seen, None)  # noqa: B023
            seen, is_over = command.open_waiting or seen, command.finished or command.changes.over
            if command.finished:
                self._end(command)
            if (notice := self._unheard(running)) is not None:
                for listener, agent in list(self._listeners):
                    if agent in (None, running.agent):
                        with contextlib.suppress(Exception):  # a listener that fails must not stop the others
                            await listener(notice)
        self._drop_running(command.id)  # its terminal may be closed without an end that was seen

    def _unheard(self, running: _Running) -> Notice | None:
        """What no answer has said of it yet."""
        command = running.command
        if command.finished:
            return self._desks[running.agent].ends.get(command.id) if command.id in self._ends else None
        if (number := command.open_waiting or 0) <= running.answered:
            return None
        prompt = "" if command.waiting is None else command.waiting.prompt
        known, running.known_prompt = running.known_prompt, None
        if prompt == known:
            running.answered = number
            return None
        return running.notice("waiting", prompt)
