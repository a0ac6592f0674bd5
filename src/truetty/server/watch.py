"""What becomes of terminals and commands, told as events.

Rule 1: a change is seen when it happens (`terminal.changes`), before any call that waits for it returns: listeners come
        before waiters there.
Rule 2: a change is seen cheaply: while output flows, nothing of it is read, and the kernel is not asked.
Rule 3: `progress` comes at most once a second for a command, and only while there are listeners.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from truetty.core.outcome import Strategy
from truetty.server import limits
from truetty.server.events import Events
from truetty.server.forms import CommandForm, DeedForm, Did, Holding, TerminalForm
from truetty.server.shapes import plain
from truetty.server.starter import Starter, current
from truetty.service.leases import Lease, LeaseEnd, Leases
from truetty.terminal.changes import Rank
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.clean import clean

_RANK: Final[dict[Strategy, int]] = {"none": 0, "basic": 1, "rich": 2}


Note = Callable[[Terminal, str | None, float], None]
NoteWaiting = Callable[[Command, float | None], None]

LAST: Final = 2048  # bytes of the output's end that are read for its last line
MOST_TIMES: Final = 100  # of so many commands of a terminal it is remembered when they have started
MOST_PAST: Final = 64  # of so many closed terminals, when they were opened


class _Times:
    """Of a terminal, closed or not."""

    def __init__(self, client: str | None, opened_at: float) -> None:
        self.client: Final = client
        self.opened_at: Final = opened_at
        self.started_at: dict[str, float] = {}  # by command: the last ones
        self.starters: dict[str, Starter] = {}  # the same


class _Watched:
    """A terminal that is open, and what listeners know of it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal: Final = terminal
        self.command: Command | None = None
        self.finished = True  # listeners know the end of the command
        self.episode: int | None = None  # the waiting that listeners know
        self.waiting_since: float | None = None  # seconds since 1970; before the first episode, from the journal
        self.strategy = terminal.strategy
        self.closed = False
        self.labels: tuple[object, ...] = ()
        self.started: CommandForm | None = None  # the command, as listeners were told of its start
        self.shell = terminal.shell  # as it is in the labels
        self.leave: Callable[[], None] = lambda: None
        self.progress: asyncio.TimerHandle | None = None
        self.next_progress = 0.0
        self.told_bytes = 0


class Watch:
    def __init__(
        self,
        events: Events,
        leases: Leases,
        on_change: Callable[[], None],
        note: Note,
        is_kept: Callable[[], bool],
        questions: Callable[[str], tuple[str, ...]],
        note_waiting: NoteWaiting,
    ) -> None:
        """`on_change`: a terminal was opened or closed. `note`: what callers know of one is new, or has changed.
        `note_waiting`: since when a command waits; None: no longer.
        `is_kept`: whether terminals outlive this process. `questions`: the open ones about a terminal."""
        self._questions = questions
        self._note = note
        self._note_waiting = note_waiting
        self._is_kept = is_kept
        self._events = events
        self._leases = leases
        leases.listen(self._on_lease)
        self._on_change = on_change
        self._watched: dict[str, _Watched] = {}
        self._times: dict[str, _Times] = {}
        self.viewers: Final[Counter[str]] = Counter()  # of each terminal

    def add(self, terminal: Terminal, client: str | None = None) -> None:
        """From now on; and what has happened already."""
        if terminal.id not in self._watched and not terminal.closed:
            times = self._times[terminal.id] = _Times(client, time.time())
            self._note(terminal, client, times.opened_at)
            self._watch(terminal)
            self._events.publish("opened", terminal=plain(self.terminal(terminal)))
            self._on_change()
        self.look(terminal)

    def start(self, terminal: Terminal, client: str | None, command: Command) -> CommandForm:
        """The same, of a command that was just started there: how it stood then."""
        one = self._watched.get(terminal.id)
        if one is None or one.command is not command:  # listeners were not told of it yet
            self.add(terminal, client)
            one = self._watched.get(terminal.id)
        return one.started if one is not None and one.started is not None else self.command(command)

    def adopt(
        self,
        terminal: Terminal,
        client: str | None,
        opened_at: float,
        started_at: Mapping[str, float],
        starters: Mapping[str, Starter],
        waiting_since: float | None,
    ) -> None:
        """One that a process before this one has opened. Listeners of this one begin with how it stands."""
        times = self._times[terminal.id] = _Times(client, opened_at)
        times.started_at = dict(list(started_at.items())[-MOST_TIMES:])
        times.starters = dict(list(starters.items())[-MOST_TIMES:])
        if not terminal.closed:
            one = self._watch(terminal)
            one.command = terminal.command
            one.finished = one.command is None or one.command.finished
            one.waiting_since = waiting_since
            self._on_change()

    def _watch(self, terminal: Terminal) -> _Watched:
        one = self._watched[terminal.id] = _Watched(terminal)
        one.labels = self._labels(one, terminal.cwd)
        one.leave = terminal.changes.subscribe(partial(self._look, one), Rank.OWNERS)
        return one

    def look(self, terminal: Terminal) -> None:
        """Tell what has changed by a call, before the call is answered."""
        one = self._watched.get(terminal.id)
        if one is None:
            return
        self._look(one)
        self._tell_labels(one, terminal.cwd)

    def close(self) -> None:
        for one in self._watched.values():
            one.leave()
            if one.progress is not None:
                one.progress.cancel()
        self._watched.clear()

    # -- forms of what is alive

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self._events.seq

    def terminal(self, terminal: Terminal) -> TerminalForm:
        times = self._times.get(terminal.id)
        command = terminal.command
        return TerminalForm(
            id=terminal.id,
            name=terminal.name,
            task=terminal.task,
            shell=terminal.shell,
            cwd=terminal.cwd,
            pid=terminal.pid,
            size=terminal.size,
            busy=terminal.busy,
            closed=terminal.closed,
            exit_code=terminal.exit_code,
            strategy=terminal.strategy,
            command=None if command is None else self.command(command),
            transcript_bytes=terminal.transcript.size,
            opened_at=None if times is None else times.opened_at,
            client=None if times is None else times.client,
            lease=holding(self._leases.of(terminal.id)),
            viewers=self.viewers[terminal.id],
            keeper=self._is_kept() and not terminal.closed,
            questions=self._questions(terminal.id),
        )

    def command(self, command: Command) -> CommandForm:
        standing = command.standing()
        times = self._times.get(command.terminal_id)
        starter = None if times is None else times.starters.get(command.id)
        reads, finished = command.output.reads, command.finished
        start, end = reads.extent
        return CommandForm(
            id=command.id,
            terminal_id=command.terminal_id,
            text=command.text,
            state=standing.state,
            finished=finished,
            exit_code=standing.exit_code,
            signal=standing.signal,
            evidence=standing.evidence,
            strategy=standing.strategy,
            waiting=standing.waiting,
            episode=None if finished else command.open_waiting,
            timed_out=command.timed_out,
            started_at=None if times is None else times.started_at.get(command.id),
            duration=standing.duration,
            cwd=standing.cwd,
            output_bytes=standing.output_bytes,
            complete=standing.complete,
            unread=command.unread,
            closed=standing.closed,
            notes=standing.notes,
            by=None if starter is None else starter.by,
            client=None if starter is None else starter.client,
            waiting_since=self._waiting_since(command),
            output_lines=reads.known_lines if finished else None,
            from_=start if finished or start != end else None,
            to=end if finished else None,
        )

    def _waiting_since(self, command: Command) -> float | None:
        one = self._watched.get(command.terminal_id)
        is_known = one is not None and one.command is command and one.episode is not None
        return one.waiting_since if one is not None and is_known and command.open_waiting == one.episode else None

    # -- what has changed

    def _on_lease(self, what: Lease | LeaseEnd) -> None:
        if isinstance(what, Lease):
            self._events.publish("lease", terminal_id=what.terminal_id, **plain(holding(what)))
        else:
            did = plain(deeds(what))["did"]
            facts = {"terminal_id": what.lease.terminal_id, "holder": None, "reason": what.why, "until": None}
            self._events.publish("lease", **facts, did=did)

    def _labels(self, one: _Watched, cwd: str | None) -> tuple[object, ...]:
        terminal = one.terminal
        return terminal.name, terminal.task, terminal.size, terminal.shell, cwd

    def _tell_labels(self, one: _Watched, cwd: str | None) -> None:
        """`cwd`: of the terminal, at this moment."""
        if one.closed or one.labels == (labels := self._labels(one, cwd)):
            return
        terminal = one.terminal
        one.labels, one.shell = labels, terminal.shell
        times = self._times[terminal.id]
        self._note(terminal, times.client, times.opened_at)
        self._events.publish("changed", terminal=plain(self.terminal(terminal)))

    def _look(self, one: _Watched) -> None:
        if one.closed:
            return
        terminal = one.terminal
        command = terminal.command
        if command is not one.command:
            self._start(one, command)
        if command is not None and not one.finished:
            self._follow(one, command)
        if terminal.closed and (one.finished or terminal.changes.over):
            self._end(one)
        elif terminal.shell != one.shell:  # a command has replaced it, as exec zsh does
            self._tell_labels(one, terminal.cwd)

    def _start(self, one: _Watched, command: Command | None) -> None:
        one.command, one.finished, one.episode, one.told_bytes = command, command is None, None, 0
        one.waiting_since = None
        if command is None:
            one.started = None
            return
        times = self._times[one.terminal.id]
        times.started_at[command.id] = time.time()
        if (starter := current.get()) is not None:
            times.starters[command.id] = starter
        for known in (times.started_at, times.starters):
            if len(known) > MOST_TIMES:
                del known[next(iter(known))]
        one.next_progress = asyncio.get_running_loop().time() + limits.PROGRESS_SECONDS
        one.started = self.command(command)
        self._events.publish("started", command=plain(one.started))
        self._tell_labels(one, one.started.cwd)

    def _follow(self, one: _Watched, command: Command) -> None:
        if (strategy := one.terminal.strategy) != one.strategy:
            event = "healed" if _RANK[strategy] > _RANK[one.strategy] else "downgraded"
            one.strategy = strategy
            self._events.publish(event, terminal_id=one.terminal.id, strategy=strategy)
        if command.finished:
            one.finished = True
            form = self.command(command)
            self._events.publish("finished", command=plain(form))
            one.labels = self._labels(one, form.cwd)
            return
        if (episode := command.open_waiting) != one.episode:
            self._tell_waiting(one, command, episode)
        if self._events.listeners and one.progress is None:
            self._arm(one)

    def _tell_waiting(self, one: _Watched, command: Command, episode: int | None) -> None:
        # The first waiting that is seen of an adopted command is the one that the server before has written down.
        is_adopted = one.episode is None and one.waiting_since is not None and episode is not None
        if not is_adopted:
            one.waiting_since = None if episode is None else time.time()
            self._note_waiting(command, one.waiting_since)
        one.episode = episode
        self._events.publish(
            "resumed" if episode is None else "waiting",
            command_id=command.id,
            terminal_id=command.terminal_id,
            episode=episode,
            waiting=plain(None if episode is None else command.waiting),
            waiting_since=one.waiting_since,
        )

    def _arm(self, one: _Watched) -> None:
        loop = asyncio.get_running_loop()
        one.progress = loop.call_at(max(one.next_progress, loop.time()), self._tell_progress, one)

    def _tell_progress(self, one: _Watched) -> None:
        one.progress = None
        command = one.command
        if command is None or command.finished or (count := command.output.bytes) == one.told_bytes:
            return
        one.told_bytes = count
        one.next_progress = asyncio.get_running_loop().time() + limits.PROGRESS_SECONDS
        facts = {"command_id": command.id, "terminal_id": command.terminal_id}
        self._events.publish("progress", **facts, output_bytes=count, last_line=_last_line(command))

    def _end(self, one: _Watched) -> None:
        one.closed = True
        one.leave()
        if one.progress is not None:
            one.progress.cancel()
        self._events.publish("closed", terminal=plain(self.terminal(one.terminal)))
        del self._watched[one.terminal.id]
        past = [id for id in self._times if id not in self._watched]
        for id in past[:-MOST_PAST]:
            del self._times[id]
        self._on_change()


def holding(lease: Lease | None) -> Holding | None:
    return None if lease is None else Holding(lease.holder, lease.reason, lease.until, lease.wanted_by)


def deeds(end: LeaseEnd) -> Did:
    return Did(tuple(DeedForm(*one) for one in end.did))


def _last_line(command: Command) -> str:
    """The newest line that is not empty, of the output's end."""
    end = clean(command.output.read(max(0, command.output.bytes - LAST)))
    return end.rstrip().rpartition("\n")[2]
