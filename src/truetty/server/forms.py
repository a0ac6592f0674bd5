"""What travels: the answers of the server's verbs, as values.

Rule 1: `Outcome`, `Waiting` and `Screen` travel with the names that they have in the library. What is here is the rest:
        how a terminal and a command stand, and the parts of an output.
Rule 2: the client uses these classes too (`shapes.made`), so a name is written once.
Rule 3: unknown is None.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Self

from truetty.core.outcome import Evidence, State, Strategy, Waiting
from truetty.host.base import Identity, Process
from truetty.policy.decision import Part
from truetty.server.rights import Right
from truetty.server.starter import By
from truetty.store.search import Match


@dataclass(frozen=True, slots=True)
class CommandForm:
    """How a command stands. None of its output is in it."""

    id: str
    terminal_id: str
    text: str
    state: State
    finished: bool
    exit_code: int | None
    signal: str | None
    evidence: Evidence | None
    strategy: Strategy
    waiting: Waiting | None
    episode: int | None  # the number of the waiting: what `answer` is for
    timed_out: bool
    started_at: float | None  # seconds since 1970
    duration: float
    cwd: str | None
    output_bytes: int
    complete: bool
    unread: bool
    closed: bool
    notes: tuple[str, ...]
    by: By | None = None  # None: not known
    client: str | None = None  # what has started it, as it calls itself
    waiting_since: float | None = None  # seconds since 1970: when the waiting has begun
    output_lines: int | None = None  # of the clean text; None: it runs, or nothing has counted them since its end
    from_: int | None = None  # where its output begins in the transcript; None: it has not begun to print
    to: int | None = None  # where that ends; None while it runs


@dataclass(frozen=True, slots=True)
class Holding:
    """That a person has a terminal. The lease's id is not in it: its holder alone has that."""

    holder: str
    reason: str
    until: float  # seconds since 1970: when it is over if no key is pressed
    wanted_by: str | None = None  # the person who has asked for it last


@dataclass(frozen=True, slots=True)
class LeaseForm:
    lease: str  # its id: what `type_in`, `resize` and frames of the view name
    holder: str
    until: float


@dataclass(frozen=True, slots=True)
class DeedForm:
    """A command line that was run by a person."""

    text: str
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class Did:
    did: tuple[DeedForm, ...]


@dataclass(frozen=True, slots=True)
class TerminalForm:
    id: str
    name: str | None
    task: str | None
    shell: str
    cwd: str | None
    pid: int | None
    size: tuple[int, int]
    busy: bool
    closed: bool
    exit_code: int | None
    strategy: Strategy
    command: CommandForm | None  # the last one
    transcript_bytes: int
    opened_at: float | None
    client: str | None  # what the client calls itself for which it was opened
    lease: Holding | None = None  # None: no person has it
    viewers: int = 0
    keeper: bool = False  # it goes on if the server is killed
    questions: tuple[str, ...] = ()  # that are open: each is about a command that would run here


@dataclass(frozen=True, slots=True)
class Question:
    """A command that waits for a person's yes."""

    id: str
    command: str
    reason: str
    rule: str | None  # that has the person asked
    suggestions: tuple[str, ...]  # rules which, all together, would allow it
    terminal_id: str | None  # that the caller has named
    task: str | None
    client: str | None
    asked_at: float
    parts: tuple[Part, ...] = ()  # each sub-command, as it was understood; none: the text could not be parsed
    cwd: str | None = None  # where it would run, as far as that is known
    key: str | None = None  # the retry key of the call that waits: its caller knows the question by it
    kept_in: str | None = None  # the file that `always` writes its rules into; None: they hold until the server ends


@dataclass(frozen=True, slots=True)
class Questions:
    questions: tuple[Question, ...]
    seq: int  # of the last event


@dataclass(frozen=True, slots=True)
class SettledQuestion:
    id: str
    answer: str | None  # None: its caller has gone
    by: str
    rule: str | None  # what is allowed from now on
    word: str | None


@dataclass(frozen=True, slots=True)
class Terminals:
    terminals: tuple[TerminalForm, ...]
    seq: int  # of the last event: `events?since=` goes on from here
    strays: tuple[StrayForm, ...] = ()


@dataclass(frozen=True, slots=True)
class StrayForm:
    """A shell of a server before that this one could not take over: it goes on, and no caller reaches it."""

    id: str  # of its terminal
    pid: int
    why: str  # it was not taken over
    how: str  # it is ended


@dataclass(frozen=True, slots=True)
class Commands:
    commands: tuple[CommandForm, ...]


@dataclass(frozen=True, slots=True)
class History:
    """Commands, the newest first."""

    commands: tuple[CommandForm, ...]
    terminals: tuple[TerminalForm, ...]  # of these commands, and the one that was asked for
    total: int  # how many there are in all
    next: str | None  # `before` of the next page; None: there is no more


@dataclass(frozen=True, slots=True)
class Hit:
    """A line in which something was found."""

    line: int  # its number, from 1
    column: int  # of the first character in `text`, from 0
    text: str  # the line, or what stands around the first place in it
    spans: tuple[tuple[int, int], ...]  # the places in `text`


@dataclass(frozen=True, slots=True)
class SearchedCommand:
    command: CommandForm
    spans: tuple[tuple[int, int], ...]  # the places in its command line
    count: int  # of lines of its output in which it was found
    hits: tuple[Hit, ...]  # the first of these


@dataclass(frozen=True, slots=True)
class SearchForm:
    results: tuple[SearchedCommand, ...]  # the newest first
    terminals: tuple[TerminalForm, ...]  # of these commands
    matches: int  # lines of output and command lines
    commands: int  # in which it was found
    searched: int  # commands
    of: int  # commands that there are
    more: bool  # hits were left out, or the time was over before all were searched


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a command's clean text."""

    text: str
    omitted: int  # characters that were asked for and are not in it
    offset: int | None
    next_offset: int | None  # of the first of the omitted
    matches: tuple[Match, ...] | None
    match_count: int | None
    command: CommandForm


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Matches:
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Count:
    count: int


@dataclass(frozen=True, slots=True)
class Bytes:
    """Over plain HTTP the bytes themselves, as the body."""

    base64: str
    offset: int  # of the first byte
    next_offset: int  # where to read on; bytes that could not be kept are passed over
    size: int  # of the whole, so far

    @classmethod
    def of(cls, data: bytes, offset: int, next_offset: int, size: int) -> Self:
        return cls(base64.b64encode(data).decode(), offset, next_offset, size)

    @property
    def data(self) -> bytes:
        return base64.b64decode(self.base64)


@dataclass(frozen=True, slots=True)
class TranscriptForm:
    size: int
    path: str | None  # on the server's machine
    trouble: str | None
    gaps: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class OutputForm:
    bytes: int
    missing: int
    complete: bool
    path: str | None  # on the server's machine
    all_given: bool


@dataclass(frozen=True, slots=True)
class ScreenForm:
    """The names of `truetty.Screen`."""

    lines: tuple[str, ...]
    cursor: tuple[int, int]
    cursor_visible: bool
    size: tuple[int, int]
    title: str | None
    alternate: bool
    dump: str
    seq: int  # how many bytes of the transcript it shows: `after` of the next call


@dataclass(frozen=True, slots=True)
class ActivityForm:
    """What a command does at this moment, as the kernel says."""

    output_bytes: int
    quiet_seconds: float
    cpu_seconds: float | None
    processes: tuple[str, ...] | None
    reader: Identity | None
    reads_lines: bool
    is_full_screen: bool
    hides_typing: bool


@dataclass(frozen=True, slots=True)
class Jobs:
    jobs: tuple[Process, ...] | None  # None: they cannot be seen


@dataclass(frozen=True, slots=True)
class Interrupted:
    interrupted: bool  # False: it had finished already
    command: CommandForm


@dataclass(frozen=True, slots=True)
class Hello:
    truetty: str  # the version
    protocol: tuple[int, int]  # the lowest and the highest number that is spoken
    capabilities: tuple[str, ...]
    pid: int
    epoch: str  # of this life of the server


@dataclass(frozen=True, slots=True)
class Status:
    truetty: str
    protocol: tuple[int, int]
    pid: int
    epoch: str
    state_folder: str
    socket: str
    log: str
    started_at: float
    terminals: int
    running: tuple[CommandForm, ...]
    connections: int
    seq: int
    keeper: bool
    registry: RegistryForm
    web: str | None = None  # where the page is; None: it is off
    strays: tuple[StrayForm, ...] = ()
    problems: tuple[str, ...] = ()  # what it cannot write now, as on a full disk: a sentence for each


@dataclass(frozen=True, slots=True)
class RegistryForm:
    """The names of `Registry`."""

    limit: int | None  # terminals in all
    per_task: int | None
    idle: float | None
    warm: int  # shells that are ready
    places: int  # terminals that are open or being opened
    sandbox: str | None


@dataclass(frozen=True, slots=True)
class WebForm:
    url: str | None  # of the page; None: it is off
    logins: int  # browsers that are logged in
    token_file: str | None = None  # with the token that programs need; None: no program may come


@dataclass(frozen=True, slots=True)
class LinkForm:
    url: str


@dataclass(frozen=True, slots=True)
class ShareForm:
    """A link by which one terminal is watched."""

    id: str
    terminal_id: str
    made_at: float
    until: float  # seconds since 1970
    visits: int  # browsers that have logged in by it
    url: str | None = None  # when it is made, and never again


@dataclass(frozen=True, slots=True)
class Shares:
    shares: tuple[ShareForm, ...]


@dataclass(frozen=True, slots=True)
class SessionForm:
    """A login at the page."""

    name: str  # of what it does, as others see it
    expires_at: float
    rights: tuple[Right, ...]
    terminal: str | None  # the only one that it shows; None: all
    epoch: str
    truetty: str  # the version


@dataclass(frozen=True, slots=True)
class LoginForm(SessionForm):
    key: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """It was done."""
