"""Leases: a terminal that a person has for a while, to type into it.

    free ──take──▸ held ──give back · no key for 10 min · connection lost for 60 s · the terminal has closed──▸ free

Rule 1: one holder at a time. While a person has a terminal, no program runs, types or resizes anything there, and no
        caller of a registry gets it.
Rule 2: the id of a lease is random, and is shown to its holder alone. It no longer works once the lease is over.
Rule 3: what a person types is kept nowhere. What was run by it is: at the end of the lease it is told as `did`, and
        noted in the outcome of the command that runs, or of the next one.
Rule 4: at the end the terminal has the size again that it had before.
Rule 5: `keep` is called with what the next process must know of a lease, as it changes. A lease ends with its process;
        what was run under it is noted by the next one. The terminal keeps the size of the holder's window, if a person
        takes it again within 60 s.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal, Self

from truetty.core.errors import Held, Misuse, TruettyError
from truetty.core.standing import Standing
from truetty.service.idle import Clock, Timer
from truetty.terminal.by_hand import ByHand, Deed
from truetty.terminal.changes import Rank
from truetty.terminal.terminal import Terminal
from truetty.text.quoting import on_one_line

IDLE_SECONDS: Final = 600.0  # without a key
LOST_SECONDS: Final = 60.0  # after the holder's last connection was lost
MOST_TOLD: Final = 10  # commands in a note
CUT: Final = "The server was ended meanwhile: what was run after that is not known."

GIVEN_BACK: Final = "It was given back."
NO_KEY: Final = "No key was pressed for 10 minutes."
LOST: Final = "The connection was lost."
CLOSED: Final = "The terminal is closed."


@dataclass(frozen=True, slots=True)
class Lease:
    id: str = field(repr=False)
    terminal_id: str
    holder: str
    reason: str
    until: float  # seconds since 1970: when it is over if no key is pressed
    wanted_by: str | None = None  # the person who has asked for it last

    @property
    def owner(self) -> str:
        """In a sentence."""
        return f"{on_one_line(self.holder)}{f' ({on_one_line(self.reason)})' if self.reason else ''}"


@dataclass(frozen=True, slots=True)
class LeaseEnd:
    """A lease is over: why, and what was run meanwhile."""

    lease: Lease
    why: str
    did: tuple[Deed, ...]
    characters: int  # that were typed
    note: str | None = None  # what the next outcome tells of it
    take_note: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)  # no outcome tells it


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """What is written down of a lease, until an outcome has told of it."""

    holder: str
    reason: str
    since: float  # seconds since 1970
    did: tuple[Deed, ...] = ()
    typed: bool = False  # a key was
    state: Literal["held", "over", "cut"] = "held"  # cut: the process that had it was ended
    size: tuple[int, int] | None = None  # of the terminal, before. None: a process of an older version had it

    @classmethod
    def of(cls, values: Standing) -> Self:
        """As it was written down."""
        size = values.get("size")
        did = tuple(Deed(*one) for one in values["did"])
        return cls(**{**values, "did": did, "size": None if size is None else tuple(size)})


Listener = Callable[[Lease | LeaseEnd], None]
Book = Callable[[str, LeaseRecord], None]


@dataclass(slots=True)
class _Open:
    lease: Lease
    terminal: Terminal
    hands: ByHand
    size: tuple[int, int]  # before
    timer: Timer | None
    leave: Callable[[], None] = lambda: None  # ends the look-out for the terminal's end
    connections: int = 0
    characters: int = 0
    since: float = 0.0  # seconds since 1970
    kept: LeaseRecord | None = None  # the last that was written down


class Leases:
    def __init__(self, clock: Clock | None = None, now: Callable[[], float] = time.time) -> None:
        """`clock` says when a lease is over; None: the event loop. `now` is the time of day."""
        self._clock = clock
        self._now = now
        self._open: dict[str, _Open] = {}  # by terminal
        self._listeners: list[Listener] = []
        self._resizing: set[asyncio.Task[None]] = set()
        self._before: dict[str, tuple[int, int]] = {}  # sizes of terminals whose lease has ended with its process
        self.keep: Book = lambda terminal_id, record: None  # writes down the lease of a terminal

    def listen(self, listener: Listener) -> None:
        """Call it with each lease that begins and with each that ends."""
        self._listeners.append(listener)

    # -- what is held

    def of(self, terminal_id: str) -> Lease | None:
        one = self._open.get(terminal_id)
        return None if one is None else one.lease

    def holds(self, terminal: Terminal) -> bool:
        return terminal.id in self._open

    def check(self, terminal_id: str, lease: str | None = None, *, done: str = "Nothing was typed.") -> None:
        """Raises `Held` unless the terminal is free, or this is its lease."""
        one = self._open.get(terminal_id)
        if lease is not None and (one is None or not _same(one.lease.id, lease)):
            message = f"this lease of {terminal_id} is over: take it again"
            raise Held(f"{message}. {done}", terminal_id=terminal_id, holder=None, reason=None, until=None)
        if lease is None and one is not None:
            raise _held(one.lease, done)

    # -- taking and giving back

    def take(self, terminal: Terminal, holder: str, reason: str = "") -> Lease:
        if (one := self._open.get(terminal.id)) is not None:
            raise _held(one.lease, "")
        hands = terminal.watch_hands()
        lease = Lease(f"L{secrets.token_urlsafe(18)}", terminal.id, holder, reason, self._now() + IDLE_SECONDS)
        timer = self._in(IDLE_SECONDS, terminal.id, NO_KEY)
        size = self._before.pop(terminal.id, terminal.size)
        one = self._open[terminal.id] = _Open(lease, terminal, hands, size, timer, since=self._now())
        self._write(one)
        one.leave = terminal.changes.subscribe(partial(self._on_change, one), Rank.OWNERS)
        self._tell(lease, terminal)
        return lease

    def want(self, terminal: Terminal, who: str) -> Lease:
        """Another person asks the holder to give it back. Raises Misuse where no one has it."""
        if (one := self._open.get(terminal.id)) is None:
            raise Misuse(f"no person has {terminal.id}: take it", terminal_id=terminal.id)
        one.lease = replace(one.lease, wanted_by=who)
        self._tell(one.lease, terminal)
        return one.lease

    def use(self, terminal_id: str, data: str | bytes) -> None:
        """Its holder types this now."""
        one = self._open[terminal_id]
        one.characters += len(data)
        one.hands.on_keys(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)
        one.lease = _renewed(one.lease, self._now() + IDLE_SECONDS)
        self._write(one)
        self._arm(one, IDLE_SECONDS, NO_KEY)

    def join(self, terminal_id: str) -> Callable[[], None]:
        """A connection of the holder's; the call of what is returned says that it is gone."""
        one = self._open[terminal_id]
        one.connections += 1
        self._arm(one, max(1.0, one.lease.until - self._now()), NO_KEY)

        def part() -> None:
            one.connections -= 1
            if not one.connections and self._open.get(terminal_id) is one:
                self._arm(one, LOST_SECONDS, LOST)

        return part

    def give_back(self, terminal_id: str, lease: str) -> LeaseEnd:
        self.check(terminal_id, lease, done="Nothing was done.")
        return self._end(self._open[terminal_id], GIVEN_BACK)

    def adopt(self, terminal: Terminal, record: LeaseRecord) -> None:
        """A process before this one had this lease: what was run under it is noted."""
        if terminal.closed:
            return
        if record.state != "over" and record.size is not None and record.size != terminal.size:
            self._before[terminal.id] = record.size
            clock = self._clock or asyncio.get_running_loop()
            clock.call_at(clock.time() + LOST_SECONDS, partial(self._give_size_back, terminal))
        if not record.typed:
            return
        hands = terminal.watch_hands()
        known = replace(record, state="cut") if record.state == "held" else record
        hands.note(_note(known.holder, known.did, was_cut=known.state == "cut"))
        hands.end()
        self.keep(terminal.id, known)

    async def close(self) -> None:
        for one in list(self._open.values()):
            self._end(one, CLOSED)
        if self._resizing:
            await asyncio.wait(self._resizing)

    # -- inside

    def _in(self, seconds: float, terminal_id: str, why: str) -> Timer:
        clock = self._clock or asyncio.get_running_loop()
        return clock.call_at(clock.time() + seconds, partial(self._on_time, terminal_id, why))

    def _arm(self, one: _Open, seconds: float, why: str) -> None:
        if one.timer is not None:
            one.timer.cancel()
        one.timer = self._in(seconds, one.lease.terminal_id, why)

    def _on_time(self, terminal_id: str, why: str) -> None:
        if (one := self._open.get(terminal_id)) is not None:
            one.timer = None
            self._end(one, why)

    def _write(self, one: _Open, state: Literal["held", "over"] = "held") -> None:
        lease = one.lease
        record = LeaseRecord(
            lease.holder,
            lease.reason,
            one.since,
            one.hands.deeds,
            typed=one.characters > 0,
            state=state,
            size=one.size,
        )
        if record != one.kept:
            one.kept = record
            self.keep(lease.terminal_id, record)

    def _on_change(self, one: _Open) -> None:
        one.hands.look()
        self._write(one)
        if one.terminal.closed:
            self._end(one, CLOSED)

    def _end(self, one: _Open, why: str) -> LeaseEnd:
        terminal = one.terminal
        del self._open[terminal.id]
        one.leave()
        if one.timer is not None:
            one.timer.cancel()
        end = LeaseEnd(one.lease, why, one.hands.end(), one.characters)
        self._write(one, "over")
        if one.characters and not terminal.closed:
            note = _note(one.lease.holder, end.did)
            one.hands.note(note)
            end = replace(end, note=note, take_note=partial(one.hands.take_note, note))
        self._resize(terminal, one.size)
        self._tell(end, terminal)
        return end

    def _give_size_back(self, terminal: Terminal) -> None:
        """No person has taken it again."""
        if (size := self._before.pop(terminal.id, None)) is not None:
            self._resize(terminal, size)

    def _resize(self, terminal: Terminal, size: tuple[int, int]) -> None:
        if terminal.size != size and not terminal.closed:
            resizing = asyncio.ensure_future(_resize(terminal, size))
            self._resizing.add(resizing)
            resizing.add_done_callback(self._resizing.discard)

    def _tell(self, what: Lease | LeaseEnd, terminal: Terminal) -> None:
        for listener in self._listeners:
            listener(what)
        if not terminal.changes.over:
            terminal.changes.tell()  # viewers show it


async def _resize(terminal: Terminal, size: tuple[int, int]) -> None:
    with contextlib.suppress(TruettyError):  # it has closed meanwhile
        await terminal.resize(*size)
        terminal.changes.tell()


def _renewed(lease: Lease, until: float) -> Lease:
    return replace(lease, until=until)


def _same(known: str, given: str) -> bool:
    return secrets.compare_digest(known.encode(), given.encode("utf-8", "surrogatepass"))


def _held(lease: Lease, done: str) -> Held:
    message = f"terminal {lease.terminal_id} is held by {lease.owner}. {done}".rstrip()
    facts = {"terminal_id": lease.terminal_id, "holder": lease.holder, "reason": lease.reason, "until": lease.until}
    return Held(message, **facts)


def _note(holder: str, did: Sequence[Deed], *, was_cut: bool = False) -> str:
    """What an agent reads in the outcome. `was_cut`: the process that had the lease was ended."""
    who = f"A person ({on_one_line(holder)})"
    if not did:
        rest = f". {CUT}" if was_cut else ", and its shell has run nothing."
        return f"{who} has typed into this terminal{rest}"
    told = [f"{on_one_line(one.text)} ({_how(one.exit_code)})" for one in did[-MOST_TOLD:]]
    more = f"{len(did) - MOST_TOLD} more, then " if len(did) > MOST_TOLD else ""
    # The warning stands before the commands: a note may be shortened at its end.
    turn = f". {CUT} Before that they" if was_cut else " and"
    return f"{who} had this terminal{turn} ran: {more}{'; '.join(told)}."


def _how(code: int | None) -> str:
    return "exit code unknown" if code is None else f"exit code {code}"
